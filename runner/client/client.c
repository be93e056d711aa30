/*
 * `interlock-client NODE PROGRAM ARGS…` does what `NODE PROGRAM ARGS…` does, in less time: the two
 * programs that an agent's host starts for each call, the hook and `interlock run --ticket`, need no
 * more than a socket. It knows the straight way alone. Whatever else happens, it becomes the program
 * that it stands for, which has the words for it; so nothing is allowed here that is not there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "answer.h"
#include "door.h"
#include "sign.h"

#define INPUT_LIMIT (8u * 1024 * 1024)
#define ANSWER_LIMIT (32u * 1024 * 1024)
#define MOST_WORDS 24
#define BLOCKED 2
#define FAILED 125
#define NOT_STARTED 127
#define FOLDER_DESCRIPTOR 3

struct bytes {
  unsigned char *at;
  size_t length;
  size_t room;
};

static struct {
  char **words; /* NODE PROGRAM ARGS… */
  int count;
  struct bytes input;
  pid_t parent;
  /* The host behind the shell that started this: its number and the moment of its start. */
  char host[64];
  struct timespec deadline;
} self;

/* ---- Becoming the whole program. Also called by handlers of signals, so it allocates nothing. */

static void become(const char *doubt) __attribute__((noreturn));
static void become(const char *doubt) {
  static char *words[MOST_WORDS + 5];
  static const struct itimerval never;
  setitimer(ITIMER_REAL, &never, NULL);
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int count = 0;
  while (count < self.count) {
    words[count] = self.words[count];
    count++;
  }
  if (doubt != NULL) {
    words[count++] = "--doubt";
    words[count++] = (char *)(size_t)doubt;
    words[count++] = "--of";
    words[count++] = self.host;
  }
  words[count] = NULL;
  execv(words[0], words);
  _exit(NOT_STARTED);
}

/* Becomes the whole program, which reads the same input anew. */
static void become_with_input(void) __attribute__((noreturn));
static void become_with_input(void) {
  static const struct itimerval never;
  setitimer(ITIMER_REAL, &never, NULL);
  int fd = memfd_create("input", 0);
  if (fd < 0) become("broken");
  for (size_t done = 0; done < self.input.length;) {
    ssize_t put = write(fd, self.input.at + done, self.input.length - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) become("broken");
    done += (size_t)put;
  }
  if (lseek(fd, 0, SEEK_SET) != 0 || dup2(fd, 0) != 0) become("broken");
  if (fd != 0) close(fd);
  become(NULL);
}

/* ---- Bytes */

static bool has_room(struct bytes *bytes, size_t more) {
  if (bytes->room - bytes->length >= more) return true;
  size_t room = 2 * (bytes->length + more);
  unsigned char *at = realloc(bytes->at, room);
  if (at == NULL) return false;
  bytes->at = at;
  bytes->room = room;
  return true;
}

static bool add(struct bytes *bytes, const void *from, size_t length) {
  if (!has_room(bytes, length)) return false;
  memcpy(bytes->at + bytes->length, from, length);
  bytes->length += length;
  return true;
}

static bool add_text(struct bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool add_text(struct bytes *bytes, const char *format, ...) {
  char text[8192];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return length >= 0 && (size_t)length < sizeof text && add(bytes, text, (size_t)length);
}

static bool write_all(int fd, const void *from, size_t length) {
  const unsigned char *at = from;
  while (length > 0) {
    ssize_t put = write(fd, at, length);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    length -= (size_t)put;
  }
  return true;
}

/* The length of the UTF-8 character at `at`, 0 where there is none (RFC 3629). */
static size_t character(const unsigned char *at) {
  if (at[0] < 0x80) return 1;
  size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  if (at[0] < 0xc2 || at[0] > 0xf4) return 0;
  for (size_t i = 1; i < length; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  if (at[0] == 0xe0 && at[1] < 0xa0) return 0;
  if (at[0] == 0xed && at[1] > 0x9f) return 0;
  if (at[0] == 0xf0 && at[1] < 0x90) return 0;
  if (at[0] == 0xf4 && at[1] > 0x8f) return 0;
  return length;
}

/* A JSON string; false for what JSON has no plain way to say. */
static bool add_json(struct bytes *bytes, const char *text) {
  if (!add(bytes, "\"", 1)) return false;
  for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
    size_t length = character(at);
    if (length == 0 || *at < 0x20) return false;
    if ((*at == '"' || *at == '\\') && !add(bytes, "\\", 1)) return false;
    if (!add(bytes, at, length)) return false;
    at += length;
  }
  return add(bytes, "\"", 1);
}

/* ---- The call */

static bool is_name(const char *text, bool may_end_in_dash) {
  size_t length = strlen(text);
  if (length == 0 || length > 40 || strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") != length)
    return false;
  return may_end_in_dash || (text[0] != '-' && text[length - 1] != '-');
}

/* Adds the headers that sign the call; false where only the whole program can say what is wrong. */
static bool add_signature(struct bytes *head, const char *home, const char *agent, const char *path,
                          const struct bytes *body) {
  char file[4400], text[64], nonce[44], hex[DIGEST_HEX], at[24];
  unsigned char key[32], random[32], digest[DIGEST_BYTES];
  int length = snprintf(file, sizeof file, "%s/keys/agents/%s.key", home, agent);
  if (length < 0 || (size_t)length >= sizeof file) return false;
  enum private_file found = private_read(file, text, sizeof text);
  if (found == PRIVATE_MISSING) return true;
  text[strcspn(text, "\n")] = '\0';
  if (found != PRIVATE_THERE || strlen(text) != 43 || key_from_base64url(text, key) != 0)
    return false;
  explicit_bzero(text, sizeof text);
  if (getrandom(random, sizeof random, 0) != sizeof random) return false;
  to_base64url(random, sizeof random, nonce);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(at, sizeof at, "%lld", (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000);
  struct sha256 hash;
  sha256_begin(&hash);
  sha256_add(&hash, body->at, body->length);
  sha256_end(&hash, digest);
  to_hex(digest, sizeof digest, hex);
  struct hmac mac;
  hmac_begin(&mac, key, sizeof key);
  explicit_bzero(key, sizeof key);
  const char *fields[] = {"interlock request 2", agent, "POST", path, at, nonce, hex};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    hmac_field(&mac, fields[i], strlen(fields[i]));
  hmac_end(&mac, digest);
  explicit_bzero(&mac, sizeof mac);
  to_hex(digest, sizeof digest, hex);
  return add_text(head,
                  "x-interlock-agent: %s\r\nx-interlock-ts: %s\r\nx-interlock-nonce: %s\r\n"
                  "x-interlock-signs: bytes\r\nx-interlock-mac: %s\r\n",
                  agent, at, nonce, hex);
}

enum call_end {
  CALL_ANSWERED,
  /* The whole program may make the call: it was not made, or turned away. */
  CALL_OPEN,
  /* It was made, and nothing came back. */
  CALL_BROKEN
};

/*
 * Sends one request and reads the head of the answer. With an agent that has a key, signed. HTTP/1.0,
 * so that the body comes as it is.
 */
static enum call_end call(struct answer *answer, const char *home, const char *agent, const char *path,
                 const struct bytes *body) {
  static struct bytes head;
  if (!add_text(&head,
                "POST %s HTTP/1.0\r\nhost: interlock\r\nconnection: close\r\n"
                "content-type: application/json\r\naccept: application/x-interlock-frames\r\n"
                "content-length: %zu\r\n",
                path, body->length))
    return CALL_OPEN;
  if (agent != NULL && !add_signature(&head, home, agent, path, body))
    return CALL_OPEN;
  if (!add(&head, "\r\n", 2)) return CALL_OPEN;
  int fd = door_connect(home, "runner.sock");
  if (fd < 0) return CALL_OPEN;
  if (!write_all(fd, head.at, head.length) || !write_all(fd, body->at, body->length))
    return CALL_OPEN;
  answer_begin(answer, fd);
  int status;
  enum answer_end end = answer_head(answer, &status);
  if (end != ANSWER_OK) return end == ANSWER_BROKEN ? CALL_BROKEN : CALL_OPEN;
  return status == 200 ? CALL_ANSWERED : CALL_OPEN;
}

/* Whether nothing but the home is said by variables; what else they say, the whole program knows. */
static bool is_plain_environment(void) {
  static const char ours[] = "INTERLOCK_", home[] = "INTERLOCK_HOME=";
  for (char **entry = environ; *entry != NULL; entry++)
    if (strncmp(*entry, ours, sizeof ours - 1) == 0 && strncmp(*entry, home, sizeof home - 1) != 0)
      return false;
  return true;
}

/* Where the home is; false where only the whole program finds it. */
static bool home_of(const char *named, char *home, size_t size) {
  const char *folder = getenv("HOME");
  int length = named != NULL && *named != '\0' ? snprintf(home, size, "%s", named)
               : folder != NULL                ? snprintf(home, size, "%s/.interlock", folder)
                                               : -1;
  return length > 0 && (size_t)length < size && home[0] == '/';
}

/* ---- The hook */

static bool is_over(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec > self.deadline.tv_sec ||
         (now.tv_sec == self.deadline.tv_sec && now.tv_nsec >= self.deadline.tv_nsec);
}

/* A host that ends, or kills only the shell around its hook, would leave a person being asked for nobody. */
static void on_alarm(int number) {
  (void)number;
  int before = errno;
  if (getppid() != self.parent) become("alone");
  if (is_over()) become("late");
  errno = before;
}

static void on_stop(int number) {
  (void)number;
  become("stopped");
}

/* The fields of /proc/PID/stat behind the name, which may hold anything: parent, and moment of the start. */
static bool look_at(const char *pid, char *parent, char *started, size_t size) {
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
    if (field == 1) snprintf(parent, size, "%s", word);
    if (field == 19) snprintf(started, size, "%s", word);
    field++;
  }
  return field > 19;
}

/* Known from the start: once the shell is gone, nothing says whose it was. */
static void remember_host(void) {
  char pid[24], host[24], started[24], ignored[24];
  self.parent = getppid();
  snprintf(pid, sizeof pid, "%ld", (long)self.parent);
  snprintf(self.host, sizeof self.host, "none");
  if (look_at(pid, host, ignored, sizeof host) && look_at(host, ignored, started, sizeof started))
    snprintf(self.host, sizeof self.host, "%s:%s", host, started);
}

static void listen_to(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigfillset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

static void watch(long seconds) {
  signal(SIGPIPE, SIG_IGN);
  clock_gettime(CLOCK_MONOTONIC, &self.deadline);
  self.deadline.tv_sec += seconds;
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

/* NODE PROGRAM HOST --agent NAME --wait SECONDS [--home FOLDER] [--decide-only] */
static void hook(void) __attribute__((noreturn));
static void hook(void) {
  static struct answer answer;
  static struct bytes output, errors;
  /* A refusal that nobody can read is none, and a file opened next would take the place of the stream. */
  if (fcntl(0, F_GETFD) < 0 || fcntl(1, F_GETFD) < 0) _exit(BLOCKED);
  char **words = self.words + 2;
  int count = self.count - 2;
  bool decides = count > 0 && strcmp(words[count - 1], "--decide-only") == 0;
  if (decides) count--;
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
  enum call_end end = call(&answer, home, agent, path, &self.input);
  if (end == CALL_BROKEN) become("broken");
  if (end == CALL_OPEN) become_with_input();
  int status = take_answer(&answer, &output, &errors);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  if (getppid() != self.parent) become("alone");
  if (!write_all(2, errors.at, errors.length)) _exit(BLOCKED);
  if (!write_all(1, output.at, output.length)) _exit(BLOCKED);
  _exit(status);
}

/* ---- What a ticket stands for */

static void leave(int number) { _exit(128 + number); }

/* The other side of a lockout whose runner hangs: the whole program looks, and says it. */
static char lock_file[4200];
static volatile sig_atomic_t heard, heard_before;

static bool looks_locked(void) {
  char text[4096];
  int fd = open(lock_file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  if (got <= 0) return true;
  text[got] = '\0';
  char *at = strstr(text, "\"locked\"");
  if (at == NULL) return true;
  at += strlen("\"locked\"");
  at += strspn(at, " \t\r\n:");
  return strncmp(at, "false", 5) != 0;
}

static void on_look(int number) {
  static bool was_locked;
  (void)number;
  int before = errno;
  bool locked = looks_locked();
  if (locked && was_locked && heard == heard_before) become(NULL);
  was_locked = locked;
  heard_before = heard;
  errno = before;
}

static bool is_one_stream(void) {
  struct stat out, err;
  return fstat(1, &out) == 0 && fstat(2, &err) == 0 && out.st_dev == err.st_dev &&
         out.st_ino == err.st_ino;
}

/* The one thing that is said here: the whole program would have to begin anew. */
static void lost(void) __attribute__((noreturn));
static void lost(void) {
  static const char words[] =
      "interlock: The runner went away before the command ended; what became of it is in its audit "
      "log.\n  Start it with \"interlock up\" (with an approver) or \"interlock runner\" (alone).\n";
  if (!write_all(2, words, sizeof words - 1)) _exit(FAILED);
  _exit(FAILED);
}

/* Hands on the output as it comes, no faster than it is taken. */
static void stream(struct answer *answer, bool tells_folder) __attribute__((noreturn));
static void stream(struct answer *answer, bool tells_folder) {
  for (;;) {
    enum frame_kind kind;
    uint32_t length;
    if (answer_frame(answer, &kind, &length) != ANSWER_OK) lost();
    heard = (heard + 1) & 0xffff;
    if (kind == FRAME_HAND_OVER) become(NULL);
    if (kind == FRAME_FOLDER && !tells_folder) lost();
    const unsigned char *part;
    for (size_t got;;) {
      if (answer_bytes(answer, &part, &got) != ANSWER_OK) lost();
      if (got == 0) break;
      if (kind == FRAME_EXIT) _exit(part[0]);
      int to = kind == FRAME_OUTPUT ? 1 : kind == FRAME_ERRORS ? 2 : FOLDER_DESCRIPTOR;
      if (!write_all(to, part, got)) _exit(errno == EPIPE ? 128 + SIGPIPE : FAILED);
    }
  }
}

/* NODE PROGRAM run --ticket TICKET [--tell-folder] */
static void redeem(void) __attribute__((noreturn));
static void redeem(void) {
  static struct answer answer;
  static struct bytes body;
  char **words = self.words + 2;
  bool tells_folder = self.count == 6 && strcmp(words[3], "--tell-folder") == 0;
  if (!(self.count == 5 || tells_folder) || strcmp(words[1], "--ticket") != 0) become(NULL);
  const char *ticket = words[2], *named = getenv("INTERLOCK_HOME");
  char home[4096], config[4200], cwd[4096];
  unsigned char ignored[32];
  if (strlen(ticket) != 43 || key_from_base64url(ticket, ignored) != 0) become(NULL);
  if (!home_of(named, home, sizeof home)) become(NULL);
  snprintf(config, sizeof config, "%s/config.json", home);
  if ((named == NULL || *named == '\0') && access(config, F_OK) != 0) become(NULL);
  if (tells_folder && fcntl(FOLDER_DESCRIPTOR, F_GETFD) < 0) become(NULL);
  if (getcwd(cwd, sizeof cwd) == NULL || cwd[0] != '/') become(NULL);
  if (!add_text(&body, "{\"ticket\":\"%s\",\"cwd\":", ticket) || !add_json(&body, cwd)) become(NULL);
  if (is_one_stream() && !add_text(&body, ",\"oneStream\":true")) become(NULL);
  if (tells_folder && !add_text(&body, ",\"tellFolder\":true")) become(NULL);
  if (!add(&body, "}", 1)) become(NULL);
  snprintf(lock_file, sizeof lock_file, "%s/state/lockout.json", home);
  listen_to(SIGTERM, leave);
  listen_to(SIGINT, leave);
  listen_to(SIGHUP, leave);
  listen_to(SIGALRM, on_look);
  signal(SIGPIPE, SIG_IGN);
  static const struct itimerval half = {{0, 500000}, {0, 500000}};
  setitimer(ITIMER_REAL, &half, NULL);
  if (call(&answer, home, NULL, "/v1/tickets/redeem", &body) != CALL_ANSWERED) become(NULL);
  stream(&answer, tells_folder);
}

static bool ends_in(const char *text, const char *end) {
  size_t length = strlen(text), part = strlen(end);
  return length >= part && strcmp(text + length - part, end) == 0;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc - 1 > MOST_WORDS || argv[1][0] != '/') return NOT_STARTED;
  self.words = argv + 1;
  self.count = argc - 1;
  if (getuid() != geteuid() || getgid() != getegid() || !is_plain_environment()) become(NULL);
  if (ends_in(argv[2], "/runner/hook/main.cjs")) hook();
  if (argc > 3 && ends_in(argv[2], "/runner/cli/main.js") && strcmp(argv[3], "run") == 0) redeem();
  become(NULL);
}
