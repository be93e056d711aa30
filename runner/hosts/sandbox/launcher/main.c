/*
 * Starts one command under what the kernel holds it to. See plan.h for what it is told, report.h for
 * what it answers. Three processes take part in a box: this one stays outside and passes signals
 * on; the first process inside reaps and lives until the box is empty; the third becomes the command.
 */
#include "kernel.h"

#include "box.h"
#include "built.h"
#include "command.h"
#include "keeper.h"
#include "landlock.h"
#include "log.h"
#include "owner.h"
#include "proxy.h"
#include "report.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>

static void let_go_of_streams(bool tells) {
  int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream = 0; stream < 3; stream++)
    if (nowhere < 0 || dup2(nowhere, stream) < 0) close(stream);
  /* Else this number is another descriptor, perhaps one of ours. */
  if (tells) close(TOLD_FD);
}

/* The first process inside: reaps, passes on what comes from outside, ends with the last process. */
_Noreturn static void watch_over(pid_t command, bool own_network) {
  /* Not to be looked into by the command: it keeps its capabilities, which makes it another's. */
  prctl(PR_SET_DUMPABLE, 0);
  sigset_t all;
  sigfillset(&all);
  int code = 125;
  for (;;) {
    int status;
    pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended < 0 && errno == ECHILD) _exit(code);
    if (ended == command) {
      long tries = own_network ? unreached() : 0;
      if (tries > 0) report_number("unreached", tries);
      /* What has ended as well is not what goes on. */
      while (waitpid(-1, NULL, WNOHANG) > 0) continue;
      if (kill(-1, 0) == 0) report_word("behind");
      report_end(status);
      code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    if (ended > 0) continue;
    siginfo_t about;
    int number = sigwaitinfo(&all, &about);
    /* The command may signal us as well. */
    if (number > 0 && number != SIGCHLD && is_from_outside(&about)) kill(-1, number);
  }
}

/* Starts the command from the first process inside, which then does nothing but watch over it. */
_Noreturn static void run_command(struct plan *plan) {
  pid_t command = fork();
  if (command < 0) give_up("fork");
  if (command == 0) {
    if (setsid() < 0) give_up("session");
    become_command(plan, 0);
  }
  let_go_of_streams(plan->tells);
  watch_over(command, plan->own_network);
}

struct meeting {
  struct plan *plan;
  int ready[2];
  int groups[sizeof((struct plan *)0)->groups / sizeof(char *)];
  bool becomes_owner;
};

/* By itself: whoever moves another process has the kernel wait until all processors have seen it. */
static void join_groups(const struct meeting *meeting) {
  for (size_t i = 0; i < meeting->plan->group_count; i++) {
    if (write(meeting->groups[i], "0", 1) != 1) give_up("cgroup");
    close(meeting->groups[i]);
  }
  if (meeting->plan->group_count > 0) report_held("cgroup");
}

_Noreturn static void live_inside(const struct meeting *meeting) {
  struct plan *plan = meeting->plan;
  end_with_parent();
  close(meeting->ready[1]);
  char word;
  /* Nothing is said where the process outside has ended: then there is nobody to run for. */
  if (read(meeting->ready[0], &word, 1) != 1) _exit(125);
  join_groups(meeting);
  /* A group of its own: a signal to the launcher's group reaches it once, through the launcher. */
  if (setpgid(0, 0) < 0) give_up("group");
  box_open_ours(plan);
  if (meeting->becomes_owner) become_owner(plan, meeting->ready[0]);
  close(meeting->ready[0]);
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0) < 0)
    report_missing("keyring");
  umask(022);
  box_enter(plan, NULL);
  proxy_offer(plan);
  run_command(plan);
}

static pid_t clone_into_namespaces(bool own_network) {
  unsigned long flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
                        CLONE_NEWCGROUP | SIGCHLD;
  if (own_network) flags |= CLONE_NEWNET;
  return (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
}

/* Waits for the box to end. Signals that come here are meant for what is inside. */
_Noreturn static void wait_outside(pid_t inside) {
  sigset_t all;
  sigfillset(&all);
  for (;;) {
    int status;
    pid_t ended = waitpid(inside, &status, WNOHANG);
    if (ended == inside) _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    siginfo_t about;
    int number = sigwaitinfo(&all, &about);
    if (number > 0 && number != SIGCHLD) kill(inside, number);
  }
}

_Noreturn static void run_in_box(struct plan *plan) {
  struct meeting meeting = {.plan = plan};
  bool by_root = geteuid() == 0;
  meeting.becomes_owner = by_root && plan->uid != 0;
  require_rights_of(plan);
  if (pipe2(meeting.ready, O_CLOEXEC) < 0) give_up("pipe");
  /* Opened here: inside there is no right to them. */
  for (size_t i = 0; i < plan->group_count; i++) {
    meeting.groups[i] = open(plan->groups[i], O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (meeting.groups[i] < 0) give_up("cgroup");
  }
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  pid_t inside = clone_into_namespaces(plan->own_network);
  if (inside < 0) give_up("namespaces");
  if (inside == 0) live_inside(&meeting);
  close(meeting.ready[0]);
  for (size_t i = 0; i < plan->group_count; i++) close(meeting.groups[i]);
  report_number("pid", inside);
  map_ids(plan, inside, by_root);
  if (write(meeting.ready[1], "1", 1) != 1) give_up("pipe");
  let_go_of_streams(plan->tells);
  wait_outside(inside);
}

/* The first process of a box that bubblewrap has built. It does what the box's own one does. */
_Noreturn static void run_inside(struct plan *plan) {
  if (getpid() != 1) {
    errno = ESRCH;
    give_up("first-process");
  }
  end_with_parent();
  report_held("bubblewrap");
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  if (plan->own_network) built_require_own_network();
  proxy_offer(plan);
  built_compare(plan);
  if (plan->group_count > 0) report_held("cgroup");
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0) < 0)
    report_missing("keyring");
  umask(022);
  /* Whatever else came along stays with nobody; the command's own end is told on one of these. */
  if (syscall(SYS_close_range, TOLD_FD + 1, ~0U, 0) < 0) give_up("descriptors");
  run_command(plan);
}

static uint32_t number_in(const char *text) {
  char *end;
  errno = 0;
  unsigned long number = strtoul(text, &end, 10);
  if (errno == 0 && end != text && *end == 0 && number <= UINT32_MAX) return (uint32_t)number;
  errno = EINVAL;
  give_up("arguments");
}

/* Where the arguments have put us inside (`bubblewrap.ts`). */
#define HELPER "/.interlock-launcher"

/*
 * Becomes bubblewrap, as the owner of the workspace and in its control groups:
 * "--outside UID GID PARENT PROGRAM [GROUP…]". Signals that end a command reach its first process by the
 * group; bubblewrap itself has to outlive them, or it would take the command along at once.
 */
_Noreturn static void run_outside(char **arguments) {
  struct plan plan = {.uid = number_in(arguments[0]), .gid = number_in(arguments[1])};
  uint32_t parent = number_in(arguments[2]);
  end_with_parent();
  if (getppid() != (pid_t)parent) _exit(125);
  for (char **group = arguments + 4; *group != NULL; group++) write_file(*group, "0", "cgroup");
  int life[2];
  if (pipe2(life, O_CLOEXEC) < 0) give_up("pipe");
  if (geteuid() == 0 && plan.uid != 0) {
    become_owner(&plan, life[0]);
    if (getppid() != (pid_t)parent) _exit(125);
  } else if (geteuid() != plan.uid || getegid() != plan.gid) {
    errno = EPERM;
    give_up("owner");
  }
  static const int passed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};
  for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) signal(passed_on[i], SIG_IGN);
  char *const words[] = {arguments[3], (char *)"--args", (char *)"6", (char *)"--", (char *)HELPER, NULL};
  char *const nothing[] = {NULL};
  execve(arguments[3], words, nothing);
  give_up("bubblewrap");
}

/*
 * With "--landlock" it only says, by its exit status, whether the kernel has it; "--log NAME BYTES" keeps
 * what a window of a box writes.
 */
int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--landlock") == 0) return landlock_version() > 0 ? 0 : 1;
  if (argc >= 6 && strcmp(argv[1], "--outside") == 0) run_outside(argv + 2);
  if (argc == 4 && strcmp(argv[1], "--log") == 0) keep_log(argv[2], number_in(argv[3]));
  size_t length;
  unsigned char *bytes = read_message(&length);
  if (bytes == NULL) give_up("message");
  close(PLAN_FD);
  struct plan plan;
  const char *problem = plan_read(&plan, bytes, length);
  if (problem != NULL) {
    dprintf(REPORT_FD, "refused %s\n", problem);
    return 125;
  }
  if (plan.parent != 0) {
    end_with_parent();
    /* It may have ended before the kernel knew that we care. */
    if (getppid() != (pid_t)plan.parent) return 125;
  }
  if (plan.mode == MODE_BOX) run_in_box(&plan);
  if (plan.mode == MODE_INSIDE) run_inside(&plan);
  if (plan.mode == MODE_KEEP || plan.mode == MODE_START || plan.mode == MODE_NAMED ||
      plan.mode == MODE_FIRST)
    keep(&plan);
  if (plan.mode == MODE_JOIN) {
    /* There is no box to join here: the keeper of one reads such a plan itself. */
    dprintf(REPORT_FD, "refused no box\n");
    return 125;
  }
  if (plan.mode == MODE_BARE) {
    dprintf(REPORT_FD, "refused no spawner\n");
    return 125;
  }
  become_command(&plan, 0);
}
