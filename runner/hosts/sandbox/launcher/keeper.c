#include "kernel.h"

#include "box.h"
#include "built.h"
#include "command.h"
#include "frame.h"
#include "keeper.h"
#include "landlock.h"
#include "members.h"
#include "named.h"
#include "owner.h"
#include "proxy.h"
#include "report.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

enum {
  MOST_COMMANDS = 512,
  MOST_PEERS = 64,
  LEFT_BEHIND_MS = 500, /* how often what goes on after its command is looked for */
  ENDS_MS = 20,
  KILL_AGAIN_MS = 2,
  KILL_MOST_MS = 2000, /* what cannot be ended alone by then goes with its box */
};

struct command {
  uint32_t id;
  int peer; /* the connection that brought it, -1 once that is gone */
  pid_t pid; /* 0 once it has ended */
  ino_t mounts;
  int report;
  long tries; /* the network's count when it began */
  int64_t kill_until; /* 0: it may live */
};

static struct keeper {
  struct plan *plan;
  bool has_box;
  bool is_named;
  bool is_first; /* of a named box: we are its first process */
  bool ends;     /* as that: with the last process that was asked to */
  bool becomes_owner; /* inside, our own number cannot be told any more */
  pid_t first; /* the box's first process */
  int mounts;  /* the namespace that commands begin with */
  int processes;
  int groups[8];
  int ended; /* signals of children */
  int proxy; /* of a named box: its listener; -1 for none */
  int peers[MOST_PEERS];
  size_t peer_count;
  struct command commands[MOST_COMMANDS];
  size_t count;
} keeper;

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the box ---- */

/* Lives as long as the box, and reaps. Nothing from inside can signal it, nor look into it. */
_Noreturn static void be_first(struct plan *plan, const int *go, int ready) {
  end_with_parent();
  close(go[1]);
  char word;
  if (read(go[0], &word, 1) != 1) _exit(125);
  if (setsid() < 0) give_up("session");
  if (keeper.is_named) box_open_ours(plan);
  if (keeper.becomes_owner) become_owner(plan, go[0]);
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0) < 0)
    report_missing("keyring");
  umask(022);
  if (keeper.is_named)
    box_enter(plan, NULL);
  else
    box_keep(plan);
  if (prctl(PR_SET_DUMPABLE, 0) < 0) give_up("first-process");
  if (write(ready, "1", 1) != 1) _exit(125);
  /* Of the host it keeps nothing open: neither a report nor a socket. */
  if (syscall(SYS_close_range, 0, ~0U, 0) < 0) _exit(125);
  if (keeper.is_named) named_watch();
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

static void make_box(struct plan *plan) {
  static const char *const names[] = {"user", "pid", "ipc", "uts", "net"};
  /* This machine's own network is nothing to join. */
  size_t count = sizeof names / sizeof *names - (plan->own_network ? 0 : 1);
  bool by_root = geteuid() == 0;
  require_rights_of(plan);
  keeper.becomes_owner = by_root && plan->uid != 0;
  /* Nobody looks at what runs in a box that stays, so its mounts alone are not enough. */
  if (keeper.is_named && landlock_version() <= 0) give_up("landlock");
  for (size_t i = 0; i < plan->group_count; i++) {
    keeper.groups[i] = open(plan->groups[i], O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (keeper.groups[i] < 0) give_up("cgroup");
  }
  int go[2], ready[2];
  if (pipe2(go, O_CLOEXEC) < 0 || pipe2(ready, O_CLOEXEC) < 0) give_up("pipe");
  unsigned long flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
                        CLONE_NEWCGROUP | SIGCHLD;
  if (plan->own_network) flags |= CLONE_NEWNET;
  keeper.first = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
  if (keeper.first < 0) give_up("namespaces");
  if (keeper.first == 0) {
    close(ready[0]);
    be_first(plan, go, ready[1]);
  }
  close(ready[1]);
  map_ids(plan, keeper.first, by_root);
  int namespaces[sizeof names / sizeof *names];
  for (size_t i = 0; i < count; i++) namespaces[i] = open_namespace(keeper.first, names[i]);
  keeper.mounts = open_namespace(keeper.first, "mnt");
  char word;
  /* It says itself what failed. */
  if (write(go[1], "1", 1) != 1 || read(ready[0], &word, 1) != 1) _exit(125);
  for (size_t i = 0; i < count; i++) {
    enter(namespaces[i]);
    close(namespaces[i]);
  }
  enter(keeper.mounts);
  if (!keeper.is_named) keeper.processes = open(BOX_PROCESSES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!keeper.is_named && keeper.processes < 0) give_up("processes");
  close(ready[0]);
  /* `go` stays open: its end is how the first process knew that we are there. */
}

/* The first process of a container, whose mounts and namespaces are another program's work. */
static void take_box(struct plan *plan) {
  if (getpid() != 1) {
    errno = ESRCH;
    give_up("first-process");
  }
  require_rights_of(plan);
  keeper.becomes_owner = geteuid() == 0 && plan->uid != 0;
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

/* Takes everything along. The kernel ends whatever is in a box with its first process. */
_Noreturn static void end_box(void) {
  if (keeper.has_box && !keeper.is_first) {
    kill(keeper.first, SIGKILL);
    /* It does not end before all that it takes along is reaped, which for some is ours to do. */
    for (pid_t pid = 0; pid != keeper.first && (pid >= 0 || errno == EINTR);)
      pid = waitpid(-1, NULL, 0);
  }
  for (size_t i = 0; i < keeper.count; i++) {
    report_on(keeper.commands[i].report);
    if (keeper.has_box && keeper.commands[i].pid != 0) report_end(SIGKILL);
  }
  _exit(0);
}

/* ---- one command ---- */

/* Between the fork and the command: builds its root, and becomes it. */
_Noreturn static void begin(const int *files, const struct frame *frame, pid_t spawner) {
  report_on(REPORT_FD);
  if (spawner != 0) end_with_parent();
  for (int i = 0; i < (frame->tells ? FRAME_MOST_FILES : FRAME_FILES); i++)
    if (dup2(files[i], i) < 0) _exit(125);
  for (size_t i = 0; i < keeper.plan->group_count; i++)
    if (write(keeper.groups[i], "0", 1) != 1) give_up("cgroup");
  if (syscall(SYS_close_range, frame->tells ? TOLD_FD + 1 : TOLD_FD, ~0U, 0) < 0)
    give_up("descriptors");
  if (setsid() < 0) give_up("session");
  size_t length;
  unsigned char *bytes = read_message(&length);
  if (bytes == NULL) give_up("message");
  close(PLAN_FD);
  struct plan plan;
  const char *problem = plan_read(&plan, bytes, length);
  const struct plan *kept = keeper.plan;
  bool fits = keeper.has_box ? plan.mode == MODE_JOIN
                             : plan.mode == MODE_HOLD || plan.mode == MODE_BARE;
  if (problem == NULL && (!fits || plan.tells != frame->tells)) problem = "another mode";
  /* The plan of a command cannot make its box another one. */
  if (problem == NULL && (plan.uid != kept->uid || plan.gid != kept->gid)) problem = "another user";
  if (problem == NULL && keeper.has_box && plan.own_network != kept->own_network)
    problem = "another network";
  if (problem == NULL && plan.group_count > 0) problem = "groups of its own";
  if (problem == NULL && keeper.is_named && plan.entry_count > 0) problem = "a root of its own";
  if (problem != NULL) {
    dprintf(REPORT_FD, "refused %s\n", problem);
    _exit(125);
  }
  if (keeper.has_box) {
    if (kept->group_count > 0) report_held("cgroup");
    if (kept->proxy_port != 0) report_held("proxy");
    if (!keeper.is_first && unshare(CLONE_NEWCGROUP) < 0) give_up("cgroup");
    if (plan.terminal && ioctl(0, TIOCSCTTY, 0) < 0) give_up("terminal");
    if (!keeper.is_named) box_open_ours(&plan);
    if (keeper.becomes_owner) take_rights_of(&plan);
    if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0) < 0)
      report_missing("keyring");
    umask(022);
    /* Others in the box see us already: our root is still the host's. */
    if (prctl(PR_SET_DUMPABLE, 0) < 0) give_up("first-process");
    if (keeper.is_named) {
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

/* A fork that comes back here once the command runs, or nothing of it ever will. */
static pid_t fork_and_wait(void) {
  return (pid_t)syscall(SYS_clone, CLONE_VFORK | SIGCHLD, NULL, NULL, NULL, NULL);
}

static void close_all(const int *files, size_t count) {
  for (size_t i = 0; i < count; i++) close(files[i]);
}

static void run(const struct frame *frame, int peer, const int *files, size_t count) {
  int report = files[REPORT_FD];
  report_on(report);
  struct command *command = &keeper.commands[keeper.count];
  *command = (struct command){.id = frame->command, .peer = peer, .report = report};
  bool failed = keeper.count == MOST_COMMANDS - 1;
  if (failed) errno = EAGAIN;
  if (!failed && keeper.has_box && !keeper.is_named) {
    failed = unshare(CLONE_NEWNS) < 0;
    command->mounts = failed ? 0 : own_mounts();
    failed = failed || command->mounts == 0;
    command->tries = keeper.plan->own_network ? unreached() : 0;
  }
  pid_t self = getpid();
  pid_t pid = failed ? -1 : keeper.has_box ? fork() : fork_and_wait();
  if (pid == 0) begin(files, frame, keeper.has_box ? 0 : self);
  if (pid < 0) dprintf(report, "failed fork %d\n", errno);
  /* Without our own mounts we would be in a command's: then nothing here can be trusted. */
  if (keeper.has_box && !keeper.is_named && setns(keeper.mounts, CLONE_NEWNS) < 0) end_box();
  if (pid < 0) {
    close_all(files, count);
    return;
  }
  if (keeper.has_box)
    report_number("pid", pid);
  else
    report_word("started"); /* unless the command said before that it failed */
  command->pid = pid;
  keeper.count++;
  close_all(files, REPORT_FD);
  close_all(files + REPORT_FD + 1, count - REPORT_FD - 1);
}

static void forget(struct command *command) {
  close(command->report);
  *command = keeper.commands[--keeper.count];
}

static int members(const struct command *command, int number) {
  /* Commands of a named box share their mounts, so one is its group; the box is what is stopped whole. */
  if (keeper.is_named) {
    if (command->pid == 0) return 0;
    if (number != 0 && kill(-command->pid, number) < 0) kill(command->pid, number);
    return 1;
  }
  int count = signal_members(keeper.processes, command->mounts, number);
  /* Our own child: its number is its own until we have waited for it. */
  if (command->pid != 0 && number != 0) kill(command->pid, number);
  if (count < 0) end_box();
  return count + (command->pid != 0 ? 1 : 0);
}

static void command_ended(pid_t pid, int status) {
  for (size_t i = 0; i < keeper.count; i++) {
    struct command *command = &keeper.commands[i];
    if (command->pid != pid) continue;
    command->pid = 0;
    report_on(command->report);
    bool goes_on = keeper.has_box && members(command, 0) > 0;
    long tries = keeper.has_box && !keeper.is_named && keeper.plan->own_network ? unreached() - command->tries : 0;
    if (tries > 0) report_number("unreached", tries);
    if (goes_on) report_word("behind");
    report_end(status);
    if (!goes_on) forget(command);
    return;
  }
}

static void children_ended(void) {
  struct signalfd_siginfo about;
  while (read(keeper.ended, &about, sizeof about) == (ssize_t)sizeof about) continue;
  for (int status;;) {
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0) return;
    if (keeper.has_box && !keeper.is_first && pid == keeper.first) {
      keeper.first = 0;
      for (size_t i = 0; i < keeper.count; i++) {
        report_on(keeper.commands[i].report);
        if (keeper.commands[i].pid != 0) report_end(SIGKILL);
      }
      _exit(0);
    }
    command_ended(pid, status);
  }
}

static void send_signal(int peer, uint32_t id, int number) {
  for (size_t i = 0; keeper.has_box && i < keeper.count; i++) {
    struct command *command = &keeper.commands[i];
    if (command->id != id || command->peer != peer) continue;
    members(command, number);
    if (number == SIGKILL && command->kill_until == 0)
      command->kill_until = now_ms() + KILL_MOST_MS;
    return;
  }
}

/* Ends what has to end, and lets go of what has. Answers when to look again, -1 for never. */
static int look_after(void) {
  int wait = keeper.ends ? ENDS_MS : -1;
  /* Those that have another parent end without a word to us. */
  if (keeper.ends && kill(-1, 0) < 0 && errno == ESRCH) end_box();
  for (size_t i = 0; i < keeper.count;) {
    struct command *command = &keeper.commands[i];
    bool dies = command->kill_until != 0;
    if (keeper.has_box && (dies || command->pid == 0)) {
      if (members(command, dies ? SIGKILL : 0) == 0) {
        forget(command);
        continue;
      }
      if (dies && now_ms() > command->kill_until) end_box();
      if (dies)
        wait = KILL_AGAIN_MS;
      else if (wait < 0)
        wait = LEFT_BEHIND_MS;
    }
    i++;
  }
  return wait;
}

static bool is_known(int peer, uint32_t id) {
  for (size_t i = 0; i < keeper.count; i++)
    if (keeper.commands[i].id == id && keeper.commands[i].peer == peer) return true;
  return false;
}

/* Of a named box one who asks goes, of others all. */
static void part_with(int peer) {
  if (!keeper.is_named) end_box();
  for (size_t i = 0; i < keeper.count; i++)
    if (keeper.commands[i].peer == peer) keeper.commands[i].peer = -1;
  for (size_t i = 0; i < keeper.peer_count; i++)
    if (keeper.peers[i] == peer) keeper.peers[i] = keeper.peers[--keeper.peer_count];
  close(peer);
}

static void take_frame(int peer, const struct frame *frame, const int *files, size_t count) {
  bool own = frame->type == FRAME_LISTENER || frame->type == FRAME_END;
  if ((own && !keeper.is_named) || (frame->type == FRAME_RUN && is_known(peer, frame->command))) {
    close_all(files, count);
    part_with(peer);
    return;
  }
  if (frame->type == FRAME_SIGNAL) send_signal(peer, frame->command, (int)frame->number);
  if (frame->type == FRAME_RUN) run(frame, peer, files, count);
  if (frame->type == FRAME_LISTENER) named_hand_out(peer, keeper.proxy);
  if (frame->type == FRAME_END && frame->number == SIGKILL) end_box();
  if (frame->type == FRAME_END && keeper.is_first) {
    keeper.ends = true;
    named_ask_all();
  } else if (frame->type == FRAME_END) {
    kill(keeper.first, SIGTERM);
  }
}

static void take_packet(int peer) {
  unsigned char bytes[FRAME_BYTES + 1];
  union {
    char bytes[CMSG_SPACE(sizeof(int) * FRAME_MOST_FILES)];
    struct cmsghdr aligned;
  } rights;
  struct iovec part = {bytes, sizeof bytes};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = rights.bytes,
                           .msg_controllen = sizeof rights.bytes};
  ssize_t length = recvmsg(peer, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  int files[FRAME_MOST_FILES];
  size_t count = 0;
  /* Whoever asks is gone, or is not who we think. */
  bool fits = length > 0 && (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
  for (struct cmsghdr *each = length > 0 ? CMSG_FIRSTHDR(&message) : NULL; each != NULL;
       each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS || count > 0) end_box();
    count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    if (count > FRAME_MOST_FILES) end_box();
    memcpy(files, CMSG_DATA(each), count * sizeof(int));
  }
  struct frame frame;
  if (fits && frame_read(&frame, bytes, (size_t)length, count)) {
    take_frame(peer, &frame, files, count);
    return;
  }
  close_all(files, count);
  part_with(peer);
}

/* The numbers that a command's descriptors get are taken here, so that none that comes is one of them. */
static void take_low_numbers(void) {
  int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) give_up("descriptors");
  for (int number = 0; number < CONTROL_FD; number++)
    if (number != REPORT_FD && dup3(nowhere, number, O_CLOEXEC) < 0 && errno != EINVAL)
      give_up("descriptors");
  if (fcntl(CONTROL_FD, F_SETFD, FD_CLOEXEC) < 0) give_up("control");
}

_Noreturn static void keeper_loop(void) {
  for (int wait = -1;;) {
    struct pollfd events[2 + MOST_PEERS] = {{.fd = CONTROL_FD, .events = POLLIN},
                                            {.fd = keeper.ended, .events = POLLIN}};
    size_t peers = keeper.peer_count;
    for (size_t i = 0; i < peers; i++)
      events[2 + i] = (struct pollfd){.fd = keeper.peers[i], .events = POLLIN};
    /* Whoever knocks where all places are taken waits. */
    if (keeper.is_named && peers == MOST_PEERS) events[0].fd = -1;
    if (poll(events, 2 + peers, wait) < 0 && errno != EINTR) end_box();
    if (events[1].revents != 0) children_ended();
    for (size_t i = 0; i < peers; i++)
      if (events[2 + i].revents != 0) take_packet(events[2 + i].fd);
    if (events[0].revents != 0 && !keeper.is_named) take_packet(CONTROL_FD);
    if (events[0].revents != 0 && keeper.is_named) {
      int peer = named_accept(CONTROL_FD, keeper.plan, keeper.becomes_owner);
      if (peer >= 0) keeper.peers[keeper.peer_count++] = peer;
    }
    wait = look_after();
  }
}

_Noreturn void keep(struct plan *plan) {
  keeper.plan = plan;
  keeper.is_first = plan->mode == MODE_FIRST;
  keeper.is_named = plan->mode == MODE_NAMED || keeper.is_first;
  keeper.has_box = keeper.is_named || plan->mode == MODE_KEEP;
  sigset_t all, child;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  /* Of what else came along, the channel for the listener alone is ours, until it has gone that way. */
  int channel = plan->proxy_port != 0 && !keeper.is_named ? PROXY_FD : CONTROL_FD;
  if ((channel == PROXY_FD && syscall(SYS_close_range, CONTROL_FD + 1, PROXY_FD - 1, 0) < 0) ||
      syscall(SYS_close_range, channel + 1, ~0U, 0) < 0)
    give_up("descriptors");
  if (channel == PROXY_FD && fcntl(PROXY_FD, F_SETFD, FD_CLOEXEC) < 0) give_up("proxy");
  take_low_numbers();
  if (setsid() < 0 && errno != EPERM) give_up("session");
  if (keeper.is_first)
    take_box(plan);
  else if (keeper.has_box)
    make_box(plan);
  if (keeper.is_named)
    keeper.proxy = proxy_open(plan);
  else
    proxy_offer(plan);
  /* Joining a namespace lets go of the parent, and lets others look. */
  if (!keeper.is_named) end_with_parent();
  if (plan->parent != 0 && getppid() != (pid_t)plan->parent) end_box();
  if (keeper.has_box && prctl(PR_SET_DUMPABLE, 0) < 0) give_up("keeper");
  keeper.ended = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  if (keeper.ended < 0) give_up("signals");
  report_word("kept");
  if (dup3(0, REPORT_FD, O_CLOEXEC) < 0) end_box();
  keeper_loop();
}
