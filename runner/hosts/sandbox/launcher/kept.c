#include "kernel.h"

#include "box.h"
#include "built.h"
#include "command.h"
#include "kept.h"
#include "landlock.h"
#include "named.h"
#include "owner.h"
#include "report.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Lives as long as the box, and reaps. Nothing from inside can signal it, nor look into it. */
_Noreturn static void be_first(struct kept *box, const int *go, int ready) {
  struct plan *plan = box->plan;
  end_with_parent();
  close(go[1]);
  char word;
  if (read(go[0], &word, 1) != 1) _exit(125);
  if (setsid() < 0) give_up("session");
  if (box->is_named) box_open_ours(plan);
  if (box->becomes_owner) become_owner(plan, go[0]);
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0) < 0)
    report_missing("keyring");
  umask(022);
  if (box->is_named)
    box_enter(plan, NULL);
  else
    box_keep(plan);
  if (prctl(PR_SET_DUMPABLE, 0) < 0) give_up("first-process");
  if (write(ready, "1", 1) != 1) _exit(125);
  /* Of the host it keeps nothing open: neither a report nor a socket. */
  if (syscall(SYS_close_range, 0, ~0U, 0) < 0) _exit(125);
  if (box->is_named) named_watch();
  sigset_t all;
  sigfillset(&all);
  for (;;) {
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    sigwaitinfo(&all, NULL);
  }
}

static int open_namespace(pid_t process, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/ns/%s", process, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) give_up("namespaces");
  return file;
}

static void enter(int namespace) {
  if (setns(namespace, 0) < 0) give_up("join");
}

void kept_make(struct kept *box) {
  struct plan *plan = box->plan;
  static const char *const names[] = {"user", "pid", "ipc", "uts", "net"};
  /* This machine's own network is nothing to join. */
  size_t count = sizeof names / sizeof *names - (plan->own_network ? 0 : 1);
  bool by_root = geteuid() == 0;
  require_rights_of(plan);
  box->becomes_owner = by_root && plan->uid != 0;
  /* Nobody looks at what runs in a box that stays, so its mounts alone are not enough. */
  if (box->is_named && landlock_version() <= 0) give_up("landlock");
  for (size_t i = 0; i < plan->group_count; i++) {
    box->groups[i] = open(plan->groups[i], O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (box->groups[i] < 0) give_up("cgroup");
  }
  int go[2], ready[2];
  if (pipe2(go, O_CLOEXEC) < 0 || pipe2(ready, O_CLOEXEC) < 0) give_up("pipe");
  unsigned long flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
                        CLONE_NEWCGROUP | SIGCHLD;
  if (plan->own_network) flags |= CLONE_NEWNET;
  box->first = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
  if (box->first < 0) give_up("namespaces");
  if (box->first == 0) {
    close(ready[0]);
    be_first(box, go, ready[1]);
  }
  close(ready[1]);
  map_ids(plan, box->first, by_root);
  int namespaces[sizeof names / sizeof *names];
  for (size_t i = 0; i < count; i++) namespaces[i] = open_namespace(box->first, names[i]);
  box->mounts = open_namespace(box->first, "mnt");
  char word;
  /* It says itself what failed. */
  if (write(go[1], "1", 1) != 1 || read(ready[0], &word, 1) != 1) _exit(125);
  for (size_t i = 0; i < count; i++) {
    enter(namespaces[i]);
    close(namespaces[i]);
  }
  enter(box->mounts);
  if (!box->is_named) box->processes = open(BOX_PROCESSES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!box->is_named && box->processes < 0) give_up("processes");
  close(ready[0]);
  /* `go` stays open: its end is how the first process knew that we are there. */
}

void kept_take(struct kept *box) {
  struct plan *plan = box->plan;
  if (getpid() != 1) {
    errno = ESRCH;
    give_up("first-process");
  }
  require_rights_of(plan);
  box->becomes_owner = geteuid() == 0 && plan->uid != 0;
  /* Who built the container may keep its calls from us. */
  if (landlock_version() <= 0) give_up("landlock");
  if (plan->own_network) built_require_own_network();
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0) < 0)
    report_missing("keyring");
  umask(022);
  built_take(plan);
  if (chdir("/") < 0) give_up("root");
  report_held("container");
}

_Noreturn void kept_begin(const struct kept *box, const int *files, const struct frame *frame,
                          pid_t spawner) {
  report_on(REPORT_FD);
  if (spawner != 0) end_with_parent();
  for (int i = 0; i < (frame->tells ? FRAME_MOST_FILES : FRAME_FILES); i++)
    if (dup2(files[i], i) < 0) _exit(125);
  for (size_t i = 0; i < box->plan->group_count; i++)
    if (write(box->groups[i], "0", 1) != 1) give_up("cgroup");
  if (syscall(SYS_close_range, frame->tells ? TOLD_FD + 1 : TOLD_FD, ~0U, 0) < 0)
    give_up("descriptors");
  if (setsid() < 0) give_up("session");
  size_t length;
  unsigned char *bytes = read_message(&length);
  if (bytes == NULL) give_up("message");
  close(PLAN_FD);
  struct plan plan;
  const char *problem = plan_read(&plan, bytes, length);
  const struct plan *kept = box->plan;
  bool fits = box->has_box ? plan.mode == MODE_JOIN
                             : plan.mode == MODE_HOLD || plan.mode == MODE_BARE;
  if (problem == NULL && (!fits || plan.tells != frame->tells)) problem = "another mode";
  /* The plan of a command cannot make its box another one. */
  if (problem == NULL && (plan.uid != kept->uid || plan.gid != kept->gid)) problem = "another user";
  if (problem == NULL && box->has_box && plan.own_network != kept->own_network)
    problem = "another network";
  if (problem == NULL && plan.group_count > 0) problem = "groups of its own";
  if (problem == NULL && box->is_named && plan.entry_count > 0) problem = "a root of its own";
  if (problem != NULL) {
    dprintf(REPORT_FD, "refused %s\n", problem);
    _exit(125);
  }
  if (box->has_box) {
    if (kept->group_count > 0) report_held("cgroup");
    if (kept->proxy_port != 0) report_held("proxy");
    if (!box->is_first && unshare(CLONE_NEWCGROUP) < 0) give_up("cgroup");
    if (plan.terminal && ioctl(0, TIOCSCTTY, 0) < 0) give_up("terminal");
    if (!box->is_named) box_open_ours(&plan);
    if (box->becomes_owner) take_rights_of(&plan);
    if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0) < 0)
      report_missing("keyring");
    umask(022);
    /* Others in the box see us already: our root is still the host's. */
    if (prctl(PR_SET_DUMPABLE, 0) < 0) give_up("first-process");
    if (box->is_named) {
      /* The root is the box's already, and so are its rights and limits, whoever asks. */
      plan.entries = kept->entries;
      plan.entry_count = kept->entry_count;
      plan.limits = kept->limits;
      plan.stays = true;
    } else {
      box_enter(&plan, kept);
    }
  }
  become_command(&plan, spawner);
}
