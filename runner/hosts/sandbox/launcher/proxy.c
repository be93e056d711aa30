#include "kernel.h"

#include "proxy.h"
#include "report.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

/* In the words in which Node's channel to a child brings a server along. */
static char message[] = "{\"cmd\":\"NODE_HANDLE\",\"type\":\"net.Server\",\"msg\":{\"listens\":true}}\n";

static void hand_over(int listener) {
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  memset(&control, 0, sizeof control);
  struct iovec text = {.iov_base = message, .iov_len = sizeof message - 1};
  struct msghdr packet = {
      .msg_iov = &text,
      .msg_iovlen = 1,
      .msg_control = control.room,
      .msg_controllen = sizeof control.room,
  };
  struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &listener, sizeof listener);
  if (sendmsg(PROXY_FD, &packet, MSG_NOSIGNAL) != (ssize_t)(sizeof message - 1)) give_up("proxy");
}

int proxy_open(const struct plan *plan) {
  if (plan->proxy_port == 0) return -1;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct sockaddr_in place = {
      .sin_family = AF_INET,
      .sin_port = htons((uint16_t)plan->proxy_port),
      .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
  };
  if (listener < 0 || bind(listener, (struct sockaddr *)&place, sizeof place) < 0 ||
      listen(listener, 1024) < 0)
    give_up("proxy");
  report_held("proxy");
  return listener;
}

void proxy_offer(const struct plan *plan) {
  int listener = proxy_open(plan);
  if (listener < 0) return;
  hand_over(listener);
  close(listener);
  /* What is in the box is not to hold a wire to the runner. */
  close(PROXY_FD);
}
