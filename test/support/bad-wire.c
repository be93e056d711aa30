/*
 * A wire between this network namespace and another one that treats what goes through badly: for tests,
 * where the kernel has no netem. It makes an Ethernet device (TAP) at each end and carries frames between
 * them, each way by itself: at most so many bits a second, some lost, some twice, each late by a time of
 * its own, so that they overtake one another.
 *
 *   bad-wire DEVICE NAMESPACE DEVICE-THERE SEED
 *
 * What it does to frames is said on standard input, a line each; at first it only carries:
 *   delay FROM TO   milliseconds, any between them        rate KBIT   a second; 0: any
 *   loss N          of a thousand                         twice N     of a thousand
 *   cut 0|1         nothing goes through
 * When that ends it says what it did and ends. Needs root.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define MOST 8192           /* frames under way, both ways */
#define FRAME 2048          /* bytes of one */
#define PATIENCE 400000000L /* ns that a frame waits for its turn on a narrow wire */

struct frame {
  int64_t due; /* ns */
  uint64_t number;
  int to;
  int size;
  unsigned char bytes[FRAME];
};

static struct frame frames[MOST];
static int heap[MOST], waiting, spare[MOST], spares;
static int64_t from_ms, to_ms, kbit, loss, twice, cut;
static int64_t free_at[2];
static uint64_t numbers, last_out[2];
static uint64_t carried, lost, doubled, overtaken, full;
static uint64_t state;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* xorshift64*: the same each time for a seed. From 0 up to `most`. */
static uint64_t chance(uint64_t most) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return ((state * 2685821657736338717ULL) >> 33) % most;
}

static int device(const char *name) {
  struct ifreq request;
  int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) fail("/dev/net/tun");
  memset(&request, 0, sizeof request);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
  if (ioctl(fd, TUNSETIFF, &request) < 0) fail(name);
  return fd;
}

static void enter(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "/var/run/netns/%s", name);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || setns(fd, CLONE_NEWNET) < 0) fail(path);
  close(fd);
}

static int before(int a, int b) { return frames[heap[a]].due < frames[heap[b]].due; }

static void swap(int a, int b) {
  int kept = heap[a];
  heap[a] = heap[b];
  heap[b] = kept;
}

static void put(int which) {
  int at = waiting++;
  heap[at] = which;
  for (; at > 0 && before(at, (at - 1) / 2); at = (at - 1) / 2) swap(at, (at - 1) / 2);
}

static int take(void) {
  int first = heap[0], at = 0;
  heap[0] = heap[--waiting];
  for (;;) {
    int least = at, left = 2 * at + 1;
    if (left < waiting && before(left, least)) least = left;
    if (left + 1 < waiting && before(left + 1, least)) least = left + 1;
    if (least == at) return first;
    swap(at, least);
    at = least;
  }
}

/* When a frame of so many bytes would leave, or -1 where the wire is too full for it. */
static int64_t leaves(int to, int size, int64_t at) {
  if (kbit == 0) return at;
  int64_t start = free_at[to] > at ? free_at[to] : at;
  if (start - at > PATIENCE) return -1;
  free_at[to] = start + (int64_t)size * 8 * 1000000 / kbit;
  return free_at[to];
}

static void late(const unsigned char *bytes, int size, int to, uint64_t number, int64_t at) {
  if (spares == 0) {
    full++;
    return;
  }
  struct frame *one = &frames[spare[--spares]];
  int64_t span = to_ms > from_ms ? (to_ms - from_ms) * 1000000 : 0;
  one->due = at + from_ms * 1000000 + (span > 0 ? (int64_t)chance((uint64_t)span) : 0);
  one->number = number;
  one->to = to;
  one->size = size;
  memcpy(one->bytes, bytes, (size_t)size);
  put((int)(one - frames));
}

static void came(int fd, int to) {
  unsigned char bytes[FRAME];
  for (;;) {
    ssize_t size = read(fd, bytes, sizeof bytes);
    if (size <= 0) return;
    uint64_t number = ++numbers;
    if (cut || (int64_t)chance(1000) < loss) {
      lost++;
      continue;
    }
    int64_t at = leaves(to, (int)size, now());
    if (at < 0) {
      full++;
      continue;
    }
    late(bytes, (int)size, to, number, at);
    if ((int64_t)chance(1000) < twice) {
      doubled++;
      late(bytes, (int)size, to, number, at);
    }
  }
}

static void deliver(const int fds[2]) {
  int64_t at = now();
  while (waiting > 0 && frames[heap[0]].due <= at) {
    int which = take();
    struct frame *one = &frames[which];
    /* A device that is down takes nothing: the frame is lost, as on a wire that is pulled out. */
    if (write(fds[one->to], one->bytes, (size_t)one->size) == one->size) carried++;
    if (one->number < last_out[one->to]) overtaken++;
    else last_out[one->to] = one->number;
    spare[spares++] = which;
  }
}

static void told(char *line) {
  char word[16];
  long long a = 0, b = 0;
  if (sscanf(line, "%15s %lld %lld", word, &a, &b) < 2) return;
  if (strcmp(word, "delay") == 0) from_ms = a, to_ms = b;
  else if (strcmp(word, "rate") == 0) kbit = a;
  else if (strcmp(word, "loss") == 0) loss = a;
  else if (strcmp(word, "twice") == 0) twice = a;
  else if (strcmp(word, "cut") == 0) cut = a;
}

/* False at the end of what is said. */
static int listen_to(void) {
  static char line[128];
  static size_t length;
  char more[128];
  ssize_t size = read(0, more, sizeof more);
  if (size <= 0) return 0;
  for (ssize_t at = 0; at < size; at++) {
    if (more[at] != '\n') {
      if (length < sizeof line - 1) line[length++] = more[at];
      continue;
    }
    line[length] = '\0';
    length = 0;
    told(line);
  }
  return 1;
}

int main(int count, char **words) {
  if (count != 5) return 2;
  int fds[2];
  state = strtoull(words[4], NULL, 10) * 2 + 1;
  for (int at = 0; at < MOST; at++) spare[spares++] = at;
  fds[0] = device(words[1]);
  enter(words[2]);
  fds[1] = device(words[3]);
  puts("ready");
  fflush(stdout);
  for (;;) {
    struct pollfd watched[] = {{0, POLLIN, 0}, {fds[0], POLLIN, 0}, {fds[1], POLLIN, 0}};
    struct timespec wait = {1, 0};
    if (waiting > 0) {
      int64_t left = frames[heap[0]].due - now();
      if (left < 0) left = 0;
      if (left < 1000000000LL) wait = (struct timespec){0, left};
    }
    if (ppoll(watched, 3, &wait, NULL) < 0) fail("ppoll");
    if (watched[0].revents != 0 && !listen_to()) break;
    if (watched[1].revents & POLLIN) came(fds[0], 1);
    if (watched[2].revents & POLLIN) came(fds[1], 0);
    deliver(fds);
  }
  printf("{\"carried\":%llu,\"lost\":%llu,\"twice\":%llu,\"overtaken\":%llu,\"full\":%llu}\n",
         (unsigned long long)carried, (unsigned long long)lost, (unsigned long long)doubled,
         (unsigned long long)overtaken, (unsigned long long)full);
  return 0;
}
