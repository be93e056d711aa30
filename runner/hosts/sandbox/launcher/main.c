/*
 * Starts one command under what the kernel holds it to. See plan.h for what it is told, report.h for
 * what it answers. Three processes take part in a box: this one stays outside and passes signals
 * on; the first process inside reaps and lives until the box is empty; the third becomes the command.
 */
#include "kernel.h"

#include "box.h"
#include "filter.h"
#include "landlock.h"
#include "proxy.h"
#include "report.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>

static unsigned char *read_message(size_t *length) {
  size_t room = 1 << 16;
  unsigned char *bytes = malloc(room);
  *length = 0;
  while (bytes != NULL) {
    ssize_t got = read(PLAN_FD, bytes + *length, room - *length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    if (got == 0) return bytes;
    *length += (size_t)got;
    if (*length > PLAN_MOST_BYTES) break;
    if (*length < room) continue;
    unsigned char *grown = realloc(bytes, room *= 2);
    if (grown == NULL) break;
    bytes = grown;
  }
  free(bytes);
  return NULL;
}

static void end_with_parent(void) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) give_up("parent");
}

static void limit(int what, uint64_t most, const char *name) {
  if (most == 0) return;
  struct rlimit both = {most, most};
  if (setrlimit((__rlimit_resource_t)what, &both) < 0) give_up(name);
}

static void set_limits(const struct limits *limits) {
  limit(RLIMIT_NPROC, limits->processes, "process-limit");
  limit(RLIMIT_DATA, limits->memory, "memory-limit");
  limit(RLIMIT_FSIZE, limits->file_size, "file-limit");
  limit(RLIMIT_CPU, limits->cpu_seconds, "cpu-limit");
  limit(RLIMIT_NOFILE, limits->open_files, "open-files-limit");
}

/* What the filter has to take away: in a box namespaces and mounts have done most of it. */
static unsigned taken_from(const struct plan *plan) {
  if (plan->mode != MODE_HOLD) return TAKES_SET_ID;
  unsigned takes = TAKES_OTHERS | TAKES_CHANGES;
  /* Names of machines are asked for by sockets of this one. */
  if (plan->own_network) takes |= TAKES_INTERNET | TAKES_NEIGHBOURS;
  if (landlock_version() < 3) takes |= TAKES_TRUNCATE;
  for (size_t i = 0; i < plan->entry_count; i++) {
    const struct entry *entry = &plan->entries[i];
    bool is_device = strncmp(entry->target, "/dev/", 5) == 0;
    if ((entry->flags & ENTRY_WRITABLE) != 0 && !is_device) takes &= ~(unsigned)TAKES_CHANGES;
  }
  return takes;
}

static void drop_capabilities(void) {
  for (int capability = 0; capability < 64; capability++) {
    int has = prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
    if (has < 0) break; /* the kernel knows no more of them */
    /* Who built the box may have taken them already, and with them the right to do so. */
    if (has > 0 && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0) give_up("capabilities");
  }
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0) give_up("capabilities");
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  if (syscall(SYS_capset, &header, none) < 0) give_up("capabilities");
  report_held("no-capabilities");
}

/*
 * Rights of root by which the kernel shows other processes past Landlock, and which no program that
 * works on files needs. For others there is nothing to take.
 */
static void drop_insight(void) {
  static const int shown_by[] = {CAP_SYS_PTRACE, CAP_SYS_ADMIN, 38 /* CAP_PERFMON */};
  for (size_t i = 0; i < sizeof shown_by / sizeof *shown_by && geteuid() == 0; i++)
    if (prctl(PR_CAPBSET_DROP, shown_by[i], 0, 0, 0) < 0 && errno != EINVAL && errno != EPERM)
      give_up("capabilities");
}

/* Becomes the command, under everything that holds it. Does not come back. */
_Noreturn static void become_command(const struct plan *plan) {
  bool in_box = plan->mode != MODE_HOLD;
  struct rlimit no_core = {1, 1};
  if (in_box)
    drop_capabilities();
  else
    drop_insight();
  /* One byte: at none the kernel would still start the host's own handler of crashes, outside. */
  if (in_box && setrlimit(RLIMIT_CORE, &no_core) < 0) give_up("core-limit");
  set_limits(&plan->limits);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) give_up("no-new-privileges");
  if (chdir(plan->cwd) < 0) give_up("cwd");
  report_number("landlock", landlock_version());
  if (landlock_hold(plan) < 0) {
    if (!in_box) give_up("landlock");
    report_missing("landlock");
  } else {
    report_held("landlock");
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  /* Node leaves them ignored; a command begins with all as the system has it. */
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  if (filter_load(taken_from(plan)) < 0) give_up("filter");
  report_held("filter");
  report_word("started");
  if (syscall(SYS_close_range, 3, ~0U, CLOSE_AT_EXEC) < 0) give_up("descriptors");
  if (plan->tells && dup2(TOLD_FD, PLAN_FD) < 0) give_up("descriptors");
  execve(plan->file, (char *const *)plan->argv, (char *const *)plan->env);
  report_number("exec", errno);
  _exit(errno == ENOENT ? 127 : 126);
}

static void let_go_of_streams(bool tells) {
  int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream = 0; stream < 3; stream++)
    if (nowhere < 0 || dup2(nowhere, stream) < 0) close(stream);
  /* Else this number is another descriptor, perhaps one of ours. */
  if (tells) close(TOLD_FD);
}

static void say_end(int status) {
  if (WIFSIGNALED(status))
    report_number("killed", WTERMSIG(status));
  else
    report_number("exited", WEXITSTATUS(status));
}

/* A number of the kernel's own tables about this network: the column NAME of the lines "GROUP:". */
static long counted(const char *table, const char *group, const char *name) {
  char heading[2048];
  for (const char *line = table; line != NULL && *line != 0; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (strncmp(line, group, strlen(group)) != 0) continue;
    const char *values = strchr(line, '\n');
    size_t length = values == NULL ? sizeof heading : (size_t)(values - line);
    if (length >= sizeof heading || strncmp(values + 1, group, strlen(group)) != 0) return 0;
    memcpy(heading, line, length);
    heading[length] = 0;
    const char *value = values + 1;
    char *rest = NULL;
    for (char *word = strtok_r(heading, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
      if (strcmp(word, name) == 0) return strtol(value, NULL, 10);
      value = strchr(value, ' ');
      if (value == NULL) return 0;
      value++;
    }
    return 0;
  }
  return 0;
}

/* How often something inside looked for a way out of a network that has none. */
static void say_unreached(void) {
  char table[8192];
  int file = open("/proc/self/net/snmp", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, table, sizeof table - 1);
  if (file >= 0) close(file);
  if (length <= 0) return;
  table[length] = 0;
  /* A name is asked for at this machine's own address, where nobody answers. */
  long tries = counted(table, "Ip:", "OutNoRoutes") + counted(table, "Udp:", "NoPorts");
  if (tries > 0) report_number("unreached", tries);
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
      if (own_network) say_unreached();
      /* What has ended as well is not what goes on. */
      while (waitpid(-1, NULL, WNOHANG) > 0) continue;
      if (kill(-1, 0) == 0) report_word("behind");
      say_end(status);
      code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    if (ended > 0) continue;
    siginfo_t about;
    int number = sigwaitinfo(&all, &about);
    /* The command may signal us as well; only outside has no number here. */
    if (number > 0 && number != SIGCHLD && about.si_pid == 0) kill(-1, number);
  }
}

/* Starts the command from the first process inside, which then does nothing but watch over it. */
_Noreturn static void run_command(struct plan *plan) {
  pid_t command = fork();
  if (command < 0) give_up("fork");
  if (command == 0) {
    if (setsid() < 0) give_up("session");
    become_command(plan);
  }
  let_go_of_streams(plan->tells);
  watch_over(command, plan->own_network);
}

struct meeting {
  struct plan *plan;
  int ready[2];
  bool becomes_owner;
};

/* Takes the owner's rights on; the kernel forgets both settings below on that. */
static void become_owner(const struct plan *plan, int outside) {
  if (setgroups(0, NULL) < 0 || setresgid(plan->gid, plan->gid, plan->gid) < 0 ||
      setresuid(plan->uid, plan->uid, plan->uid) < 0)
    give_up("owner");
  if (prctl(PR_SET_DUMPABLE, 1) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) give_up("owner");
  /* The process outside may have ended in between. It holds its end of the pipe while it lives. */
  struct pollfd end = {.fd = outside, .events = POLLIN};
  if (poll(&end, 1, 0) != 0) _exit(125);
}

_Noreturn static void live_inside(const struct meeting *meeting) {
  struct plan *plan = meeting->plan;
  end_with_parent();
  close(meeting->ready[1]);
  char word;
  /* Nothing is said where the process outside has ended: then there is nobody to run for. */
  if (read(meeting->ready[0], &word, 1) != 1) _exit(125);
  /* A group of its own: a signal to the launcher's group reaches it once, through the launcher. */
  if (setpgid(0, 0) < 0) give_up("group");
  box_open_ours(plan);
  if (meeting->becomes_owner) become_owner(plan, meeting->ready[0]);
  close(meeting->ready[0]);
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0) < 0)
    report_missing("keyring");
  umask(022);
  box_enter(plan);
  proxy_offer(plan);
  run_command(plan);
}

static void write_file(const char *path, const char *text, const char *step) {
  int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) give_up(step);
  close(file);
}

static void map_ids(const struct plan *plan, pid_t child, bool by_root) {
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

static void join_groups(const struct plan *plan, pid_t child) {
  char number[32];
  snprintf(number, sizeof number, "%d", child);
  for (size_t i = 0; i < plan->group_count; i++) write_file(plan->groups[i], number, "cgroup");
  if (plan->group_count > 0) report_held("cgroup");
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
  if (!by_root && (plan->uid != geteuid() || plan->gid != getegid())) {
    errno = EPERM;
    give_up("owner");
  }
  if (pipe2(meeting.ready, O_CLOEXEC) < 0) give_up("pipe");
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  pid_t inside = clone_into_namespaces(plan->own_network);
  if (inside < 0) give_up("namespaces");
  if (inside == 0) live_inside(&meeting);
  close(meeting.ready[0]);
  report_number("pid", inside);
  join_groups(plan, inside);
  map_ids(plan, inside, by_root);
  if (write(meeting.ready[1], "1", 1) != 1) give_up("pipe");
  let_go_of_streams(plan->tells);
  wait_outside(inside);
}

/* What lies at its place has to be what the gate saw: who bound it may have been led elsewhere. */
static void compare_entries(const struct plan *plan) {
  for (size_t i = 0; i < plan->entry_count; i++) {
    const struct entry *entry = &plan->entries[i];
    if (entry->kind != ENTRY_BIND || (entry->device == 0 && entry->inode == 0)) continue;
    int place = open_without_links(AT_FDCWD, entry->target, O_PATH);
    struct stat about;
    if (place < 0 || fstat(place, &about) < 0) give_up("source");
    if (about.st_dev != entry->device || about.st_ino != entry->inode) {
      errno = ESTALE;
      give_up("source-changed");
    }
    close(place);
  }
}

/* Nothing but the loopback is there: it is not believed, but looked at. */
static void require_own_network(void) {
  char text[4096];
  int file = open("/proc/self/net/dev", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (length < 0) give_up("network");
  text[length] = 0;
  close(file);
  int interfaces = 0;
  for (const char *colon = text; (colon = strchr(colon, ':')) != NULL; colon++) interfaces++;
  if (interfaces != 1 || strstr(text, "lo:") == NULL) {
    errno = ENOTUNIQ;
    give_up("network");
  }
  report_held("no-network");
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
  if (plan->own_network) require_own_network();
  compare_entries(plan);
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
  char number[32];
  snprintf(number, sizeof number, "%d", getpid());
  for (char **group = arguments + 4; *group != NULL; group++) write_file(*group, number, "cgroup");
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

/* With "--landlock" it only says, by its exit status, whether the kernel has it. */
int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--landlock") == 0) return landlock_version() > 0 ? 0 : 1;
  if (argc >= 6 && strcmp(argv[1], "--outside") == 0) run_outside(argv + 2);
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
  become_command(&plan);
}
