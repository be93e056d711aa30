#include "kernel.h"

#include "named.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

int named_accept(int listener, const struct plan *plan, bool becomes_owner) {
  int peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (peer < 0) return -1;
  struct ucred who = {.uid = (uid_t)-1};
  socklen_t length = sizeof who;
  bool known = getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &length) == 0;
  /* Where we have become another user inside, our own number reads as nobody's from here. */
  bool is_owner = who.uid == plan->uid;
  if (known && is_owner != becomes_owner) return peer;
  close(peer);
  return -1;
}

void named_hand_out(int peer, int file) {
  char word = file < 0 ? '0' : '1';
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  memset(&control, 0, sizeof control);
  struct iovec part = {&word, 1};
  struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};
  if (file >= 0) {
    packet.msg_control = control.room;
    packet.msg_controllen = sizeof control.room;
    struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &file, sizeof file);
  }
  /* Whoever asked may be gone; that is theirs. */
  (void)!sendmsg(peer, &packet, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void named_ask_all(void) {
  kill(-1, SIGTERM);
  /* A shell that waits for its terminal obeys this one alone. */
  kill(-1, SIGHUP);
}

_Noreturn void named_watch(void) {
  static const struct timespec often = {.tv_nsec = 20000000};
  bool ends = false;
  sigset_t all;
  sigfillset(&all);
  for (;;) {
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    /* Those that have another parent end without a word to us. */
    if (ends && kill(-1, 0) < 0 && errno == ESRCH) _exit(0);
    siginfo_t about;
    int number = ends ? sigtimedwait(&all, &about, &often) : sigwaitinfo(&all, &about);
    if (number == SIGTERM && is_from_outside(&about)) {
      ends = true;
      named_ask_all();
    }
  }
}
