#include "kernel.h"

#include "command.h"
#include "filter.h"
#include "landlock.h"
#include "report.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

unsigned char *read_message(size_t *length) {
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

/* Who is held comes by no link to its folder: it was asked about by its real path. */
static void go_to_folder(const struct plan *plan) {
  if (plan->mode != MODE_HOLD) {
    if (chdir(plan->cwd) < 0) give_up("cwd");
    return;
  }
  int folder = open_without_links(AT_FDCWD, plan->cwd, O_PATH | O_DIRECTORY);
  if (folder < 0 || fchdir(folder) < 0) give_up("source-changed");
  close(folder);
}

/* Node leaves them ignored, and a keeper blocked; a command begins with all as the system has it. */
static void reset_signals(void) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
}

static void be_held(const struct plan *plan) {
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
  go_to_folder(plan);
  report_number("landlock", landlock_version());
  if (landlock_hold(plan) < 0) {
    if (!in_box || plan->stays) give_up("landlock");
    report_missing("landlock");
  } else {
    report_held("landlock");
  }
  reset_signals();
  if (filter_load(taken_from(plan)) < 0) give_up("filter");
  report_held("filter");
}

/* What execvp does for a file that the kernel does not know how to run, and libuv by it. */
static void run_by_shell(const struct plan *plan) {
  const char **words = calloc(plan->argc + 2, sizeof *words);
  if (words == NULL) return;
  words[0] = "/bin/sh";
  words[1] = plan->file;
  for (size_t i = 1; i < plan->argc; i++) words[i + 1] = plan->argv[i];
  execve(words[0], (char *const *)words, (char *const *)plan->env);
  int error = errno;
  free(words);
  errno = error;
}

_Noreturn void become_command(const struct plan *plan, pid_t spawner) {
  if (plan->mode == MODE_BARE) {
    go_to_folder(plan);
    reset_signals();
  } else {
    be_held(plan);
  }
  /* Before anything can run: whoever hears no number knows that nothing did. */
  if (spawner != 0)
    report_number("pid", getpid());
  else
    report_word("started");
  if (syscall(SYS_close_range, 3, ~0U, CLOSE_AT_EXEC) < 0) give_up("descriptors");
  if (plan->tells && dup2(TOLD_FD, PLAN_FD) < 0) give_up("descriptors");
  /* It outlives its spawner, but does not begin without it. */
  if (spawner != 0 && (prctl(PR_SET_PDEATHSIG, 0) < 0 || getppid() != spawner)) _exit(125);
  execve(plan->file, (char *const *)plan->argv, (char *const *)plan->env);
  if (errno == ENOEXEC && plan->mode == MODE_BARE) run_by_shell(plan);
  report_number("exec", errno);
  _exit(errno == ENOENT ? 127 : 126);
}

