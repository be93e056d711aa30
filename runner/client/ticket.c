#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "answer.h"
#include "call.h"
#include "program.h"
#include "sign.h"

#define FAILED 125
#define FOLDER_DESCRIPTOR 3

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

void redeem(void) {
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
  if (call(&answer, home, "runner.sock", NULL, "/v1/tickets/redeem", &body) != CALL_ANSWERED) become(NULL);
  stream(&answer, tells_folder);
}
