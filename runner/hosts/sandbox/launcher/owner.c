#include "kernel.h"

#include "owner.h"
#include "report.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

void end_with_parent(void) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) give_up("parent");
}

void become_owner(const struct plan *plan, int outside) {
  take_rights_of(plan);
  /* The kernel forgets both on that. */
  if (prctl(PR_SET_DUMPABLE, 1) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) give_up("owner");
  /* The process outside may have ended in between. It holds its end of the pipe while it lives. */
  struct pollfd end = {.fd = outside, .events = POLLIN};
  if (poll(&end, 1, 0) != 0) _exit(125);
}

void take_rights_of(const struct plan *plan) {
  if (setgroups(0, NULL) < 0 || setresgid(plan->gid, plan->gid, plan->gid) < 0 ||
      setresuid(plan->uid, plan->uid, plan->uid) < 0)
    give_up("owner");
}

void write_file(const char *path, const char *text, const char *step) {
  int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) give_up(step);
  close(file);
}

void map_ids(const struct plan *plan, pid_t child, bool by_root) {
  char path[64], map[64];
  if (!by_root) {
    snprintf(path, sizeof path, "/proc/%d/setgroups", child);
    write_file(path, "deny", "setgroups");
  }
  snprintf(path, sizeof path, "/proc/%d/uid_map", child);
  snprintf(map, sizeof map, "%u %u 1\n", plan->uid, plan->uid);
  write_file(path, map, "uid-map");
  snprintf(path, sizeof path, "/proc/%d/gid_map", child);
  snprintf(map, sizeof map, "%u %u 1\n", plan->gid, plan->gid);
  write_file(path, map, "gid-map");
}


void require_rights_of(const struct plan *plan) {
  if (geteuid() == 0 || (plan->uid == geteuid() && plan->gid == getegid())) return;
  errno = EPERM;
  give_up("owner");
}
