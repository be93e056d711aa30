#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "answer.h"
#include "call.h"
#include "program.h"

#define INPUT_LIMIT (8u * 1024 * 1024)
#define ANSWER_LIMIT (32u * 1024 * 1024)
#define BLOCKED 2

static pid_t parent;
static struct timespec deadline;

static bool is_name(const char *text, bool may_end_in_dash) {
  size_t length = strlen(text);
  if (length == 0 || length > 40 || strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") != length)
    return false;
  return may_end_in_dash || (text[0] != '-' && text[length - 1] != '-');
}

static bool is_over(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec > deadline.tv_sec ||
         (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec);
}

/* A host that ends, or kills only the shell around its hook, would leave a person being asked for nobody. */
static void on_alarm(int number) {
  (void)number;
  int before = errno;
  if (getppid() != parent) become("alone");
  if (is_over()) become("late");
  errno = before;
}

static void on_stop(int number) {
  (void)number;
  become("stopped");
}

/* The fields of /proc/PID/stat behind the name, which may hold anything: parent, and moment of the start. */
static bool look_at(const char *pid, char *above, char *started, size_t size) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  if (got <= 0) return false;
  text[got] = '\0';
  char *at = strrchr(text, ')');
  if (at == NULL) return false;
  char *rest = NULL;
  int field = 0;
  for (char *word = strtok_r(at + 1, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    if (field == 1) snprintf(above, size, "%s", word);
    if (field == 19) snprintf(started, size, "%s", word);
    field++;
  }
  return field > 19;
}

/* Known from the start: once the shell is gone, nothing says whose it was. */
static void remember_host(void) {
  char pid[24], host[24], started[24], ignored[24];
  parent = getppid();
  snprintf(pid, sizeof pid, "%ld", (long)parent);
  snprintf(self.host, sizeof self.host, "none");
  if (look_at(pid, host, ignored, sizeof host) && look_at(host, ignored, started, sizeof started))
    snprintf(self.host, sizeof self.host, "%s:%s", host, started);
}

static void watch(long seconds) {
  signal(SIGPIPE, SIG_IGN);
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += seconds;
  listen_to(SIGALRM, on_alarm);
  listen_to(SIGTERM, on_stop);
  listen_to(SIGINT, on_stop);
  listen_to(SIGHUP, on_stop);
  static const struct itimerval quarter = {{0, 250000}, {0, 250000}};
  setitimer(ITIMER_REAL, &quarter, NULL);
}

static void read_input(void) {
  for (;;) {
    if (!has_room(&self.input, 65536)) become("broken");
    ssize_t got = read(0, self.input.at + self.input.length, 65536);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) become_with_input();
    if (got == 0) return;
    self.input.length += (size_t)got;
    if (self.input.length > INPUT_LIMIT) become_with_input();
  }
}

/* Takes the whole answer, or becomes the program that says why there is none. Returns the exit status. */
static int take_answer(struct answer *answer, struct bytes *output, struct bytes *errors) {
  for (;;) {
    enum frame_kind kind;
    uint32_t length;
    enum answer_end end = answer_frame(answer, &kind, &length);
    if (end != ANSWER_OK) become(end == ANSWER_BROKEN ? "broken" : "foreign");
    if (kind != FRAME_OUTPUT && kind != FRAME_ERRORS && kind != FRAME_EXIT) become("foreign");
    const unsigned char *part;
    for (size_t got;;) {
      end = answer_bytes(answer, &part, &got);
      if (end != ANSWER_OK) become("broken");
      if (got == 0) break;
      if (kind == FRAME_EXIT) return part[0];
      if (output->length + errors->length + got > ANSWER_LIMIT) become("foreign");
      if (!add(kind == FRAME_OUTPUT ? output : errors, part, got)) become("broken");
    }
  }
}

void hook(void) {
  static struct answer answer;
  static struct bytes output, errors;
  /* A refusal that nobody can read is none, and a file opened next would take the place of the stream. */
  if (fcntl(0, F_GETFD) < 0 || fcntl(1, F_GETFD) < 0) _exit(BLOCKED);
  char **words = self.words + 2;
  int count = self.count - 2;
  bool decides = count > 0 && strcmp(words[count - 1], "--decide-only") == 0;
  /* What is typed to the agent: Node knows that no answer is then no refusal. */
  bool prompt = count > 0 && strcmp(words[count - 1], "--prompt") == 0;
  if (decides || prompt) count--;
  if (!(count == 5 || (count == 7 && strcmp(words[5], "--home") == 0))) become(NULL);
  const char *host = words[0], *agent = words[2], *wait = words[4];
  char home[4096], path[256], *rest;
  if (strcmp(words[1], "--agent") != 0 || strcmp(words[3], "--wait") != 0) become(NULL);
  if (!is_name(host, true) || !is_name(agent, false) || strlen(wait) > 6) become(NULL);
  long seconds = strtol(wait, &rest, 10);
  if (*rest != '\0' || seconds < 1 || wait[0] < '1' || wait[0] > '9') become(NULL);
  if (!home_of(count == 7 ? words[6] : getenv("INTERLOCK_HOME"), home, sizeof home)) become(NULL);
  remember_host();
  watch(seconds);
  read_input();
  snprintf(path, sizeof path, "/v1/hooks/%s?agent=%s%s", host, agent, decides ? "&by=elsewhere" : "");
  enum call_end end = call(&answer, home, "runner.sock", agent, path, &self.input);
  if (end == CALL_BROKEN) become("broken");
  if (end == CALL_OPEN) become_with_input();
  int status = take_answer(&answer, &output, &errors);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  if (getppid() != parent) become("alone");
  if (!write_all(2, errors.at, errors.length)) _exit(BLOCKED);
  if (!write_all(1, output.at, output.length)) _exit(BLOCKED);
  _exit(status);
}
