#include "kernel.h"

#include "frame.h"
#include "keeper.h"
#include "kept.h"
#include "members.h"
#include "named.h"
#include "owner.h"
#include "proxy.h"
#include "report.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
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
  struct kept box;
  bool ends; /* as a first process: with the last one that was asked to */
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

/* Takes everything along. The kernel ends whatever is in a box with its first process. */
_Noreturn static void end_box(void) {
  if (keeper.box.has_box && !keeper.box.is_first) {
    kill(keeper.box.first, SIGKILL);
    /* It does not end before all that it takes along is reaped, which for some is ours to do. */
    for (pid_t pid = 0; pid != keeper.box.first && (pid >= 0 || errno == EINTR);)
      pid = waitpid(-1, NULL, 0);
  }
  for (size_t i = 0; i < keeper.count; i++) {
    report_on(keeper.commands[i].report);
    if (keeper.box.has_box && keeper.commands[i].pid != 0) report_end(SIGKILL);
  }
  _exit(0);
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
  if (!failed && keeper.box.has_box && !keeper.box.is_named) {
    failed = unshare(CLONE_NEWNS) < 0;
    command->mounts = failed ? 0 : own_mounts();
    failed = failed || command->mounts == 0;
    command->tries = keeper.box.plan->own_network ? unreached() : 0;
  }
  pid_t self = getpid();
  pid_t pid = failed ? -1 : keeper.box.has_box ? fork() : fork_and_wait();
  if (pid == 0) kept_begin(&keeper.box, files, frame, keeper.box.has_box ? 0 : self);
  if (pid < 0) dprintf(report, "failed fork %d\n", errno);
  /* Without our own mounts we would be in a command's: then nothing here can be trusted. */
  if (keeper.box.has_box && !keeper.box.is_named && setns(keeper.box.mounts, CLONE_NEWNS) < 0) end_box();
  if (pid < 0) {
    close_all(files, count);
    return;
  }
  if (keeper.box.has_box)
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
  if (keeper.box.is_named) {
    if (command->pid == 0) return 0;
    if (number != 0 && kill(-command->pid, number) < 0) kill(command->pid, number);
    return 1;
  }
  int count = signal_members(keeper.box.processes, command->mounts, number);
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
    bool goes_on = keeper.box.has_box && members(command, 0) > 0;
    long tries = keeper.box.has_box && !keeper.box.is_named && keeper.box.plan->own_network ? unreached() - command->tries : 0;
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
    if (keeper.box.has_box && !keeper.box.is_first && pid == keeper.box.first) {
      keeper.box.first = 0;
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
  for (size_t i = 0; keeper.box.has_box && i < keeper.count; i++) {
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
    if (keeper.box.has_box && (dies || command->pid == 0)) {
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
  if (!keeper.box.is_named) end_box();
  for (size_t i = 0; i < keeper.count; i++)
    if (keeper.commands[i].peer == peer) keeper.commands[i].peer = -1;
  for (size_t i = 0; i < keeper.peer_count; i++)
    if (keeper.peers[i] == peer) keeper.peers[i] = keeper.peers[--keeper.peer_count];
  close(peer);
}

static void take_frame(int peer, const struct frame *frame, const int *files, size_t count) {
  bool own = frame->type == FRAME_LISTENER || frame->type == FRAME_END;
  if ((own && !keeper.box.is_named) || (frame->type == FRAME_RUN && is_known(peer, frame->command))) {
    close_all(files, count);
    part_with(peer);
    return;
  }
  if (frame->type == FRAME_SIGNAL) send_signal(peer, frame->command, (int)frame->number);
  if (frame->type == FRAME_RUN) run(frame, peer, files, count);
  if (frame->type == FRAME_LISTENER) named_hand_out(peer, keeper.proxy);
  if (frame->type == FRAME_END && frame->number == SIGKILL) end_box();
  if (frame->type == FRAME_END && keeper.box.is_first) {
    keeper.ends = true;
    named_ask_all();
  } else if (frame->type == FRAME_END) {
    kill(keeper.box.first, SIGTERM);
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
    if (keeper.box.is_named && peers == MOST_PEERS) events[0].fd = -1;
    if (poll(events, 2 + peers, wait) < 0 && errno != EINTR) end_box();
    if (events[1].revents != 0) children_ended();
    for (size_t i = 0; i < peers; i++)
      if (events[2 + i].revents != 0) take_packet(events[2 + i].fd);
    if (events[0].revents != 0 && !keeper.box.is_named) take_packet(CONTROL_FD);
    if (events[0].revents != 0 && keeper.box.is_named) {
      int peer = named_accept(CONTROL_FD, keeper.box.plan, keeper.box.becomes_owner);
      if (peer >= 0) keeper.peers[keeper.peer_count++] = peer;
    }
    wait = look_after();
  }
}

_Noreturn void keep(struct plan *plan) {
  keeper.box.plan = plan;
  keeper.box.is_first = plan->mode == MODE_FIRST;
  keeper.box.is_named = plan->mode == MODE_NAMED || keeper.box.is_first;
  keeper.box.has_box = keeper.box.is_named || plan->mode == MODE_KEEP;
  sigset_t all, child;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  /* Of what else came along, the channel for the listener alone is ours, until it has gone that way. */
  int channel = plan->proxy_port != 0 && !keeper.box.is_named ? PROXY_FD : CONTROL_FD;
  if ((channel == PROXY_FD && syscall(SYS_close_range, CONTROL_FD + 1, PROXY_FD - 1, 0) < 0) ||
      syscall(SYS_close_range, channel + 1, ~0U, 0) < 0)
    give_up("descriptors");
  if (channel == PROXY_FD && fcntl(PROXY_FD, F_SETFD, FD_CLOEXEC) < 0) give_up("proxy");
  take_low_numbers();
  if (setsid() < 0 && errno != EPERM) give_up("session");
  if (keeper.box.is_first)
    kept_take(&keeper.box);
  else if (keeper.box.has_box)
    kept_make(&keeper.box);
  if (keeper.box.is_named)
    keeper.proxy = proxy_open(plan);
  else
    proxy_offer(plan);
  /* Joining a namespace lets go of the parent, and lets others look. */
  if (!keeper.box.is_named) end_with_parent();
  if (plan->parent != 0 && getppid() != (pid_t)plan->parent) end_box();
  if (keeper.box.has_box && prctl(PR_SET_DUMPABLE, 0) < 0) give_up("keeper");
  keeper.ended = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  if (keeper.ended < 0) give_up("signals");
  report_word("kept");
  if (dup3(0, REPORT_FD, O_CLOEXEC) < 0) end_box();
  keeper_loop();
}
