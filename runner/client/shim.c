#define _GNU_SOURCE
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "answer.h"
#include "bytes.h"
#include "call.h"
#include "program.h"

/* What the runner puts into a sandbox (`runner/ingress/box-tools.ts`). */
#define PLACE "/run/interlock-tools"
#define CALLS_LIMIT 65536
#define INPUT_LIMIT (10u * 1024 * 1024)
#define FAILED 125
#define NOT_FOUND 127

static bool is_same_file(const char *one, const char *other) {
  struct stat first, second;
  return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

bool is_shim(const char *name) {
  return strcmp(base_of(name), "interlock-client") != 0 &&
         is_same_file("/proc/self/exe", PLACE "/shim");
}

/* The tool whose program has a file of another name (`npm-cli.js` of npm); else the name itself. */
static const char *tool_of(const char *name) {
  static char tool[256];
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, PLACE "/files/%s", name);
  if (length < 0 || (size_t)length >= sizeof path) return name;
  ssize_t got = readlink(path, tool, sizeof tool - 1);
  if (got <= 0) return name;
  tool[got] = '\0';
  return tool;
}

static void fail(const char *name, const char *words, int status) __attribute__((noreturn));
static void fail(const char *name, const char *words, int status) {
  dprintf(2, "interlock: %s: %s\n", name, words);
  _exit(status);
}

/*
 * Whether calls that begin with `word` are the runner's. A line for each tool: its name, and the
 * words, or a star for all calls.
 */
static bool is_brokered(const char *name, const char *word) {
  static char text[CALLS_LIMIT];
  int file = open(PLACE "/calls", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (length < 0) fail(name, "what is brokered here cannot be read", FAILED);
  text[length] = '\0';
  char *lines = NULL;
  for (char *line = strtok_r(text, "\n", &lines); line != NULL; line = strtok_r(NULL, "\n", &lines)) {
    char *rest = NULL, *tool = strtok_r(line, " ", &rest);
    if (tool == NULL || strcmp(tool, name) != 0) continue;
    for (char *one; (one = strtok_r(NULL, " ", &rest)) != NULL;)
      if (strcmp(one, "*") == 0 || (word != NULL && strcmp(one, word) == 0)) return true;
  }
  return false;
}

static void become_own(const char *name, char **words) __attribute__((noreturn));
static void become_own(const char *name, char **words) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, PLACE "/programs/%s", name);
  if (length > 0 && (size_t)length < sizeof path && access(path, X_OK) == 0) execv(path, words);
  const char *folders = getenv("PATH");
  for (const char *at = folders == NULL ? "" : folders; *at != '\0';) {
    size_t size = strcspn(at, ":");
    length = snprintf(path, sizeof path, "%.*s/%s", (int)size, at, name);
    if (*at == '/' && length > 0 && (size_t)length < sizeof path && access(path, X_OK) == 0 &&
        !is_same_file(path, "/proc/self/exe"))
      execv(path, words);
    at += size + (at[size] == ':' ? 1 : 0);
  }
  fail(name, "command not found", NOT_FOUND);
}

/* `git -C FOLDER WORDS…` is WORDS in that folder. The answer are the words that are left. */
static char **from_folder(const char *name, char **words) {
  char **rest = words + 1;
  if (strcmp(name, "git") != 0) return rest;
  while (rest[0] != NULL && strcmp(rest[0], "-C") == 0 && rest[1] != NULL) rest += 2;
  return rest;
}

static bool goes_to_folder(char **from, char **to) {
  for (; from < to; from += 2)
    if (*from[1] != '\0' && chdir(from[1]) != 0) return false;
  return true;
}

/* Whether a word says that the tool reads its standard input: others would wait for its end in vain. */
static bool reads_input(char **words) {
  for (; *words != NULL; words++) {
    size_t length = strlen(*words);
    if (strcmp(*words, "-") == 0) return true;
    if (length > 2 && strcmp(*words + length - 2, "=-") == 0) return true;
    if (length > 6 && strcmp(*words + length - 6, "-stdin") == 0) return true;
  }
  return false;
}

static bool add_base64(struct bytes *to, const unsigned char *from, size_t length) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t at = 0; at < length; at += 3) {
    size_t left = length - at;
    unsigned bits = (unsigned)from[at] << 16 | (left > 1 ? (unsigned)from[at + 1] << 8 : 0) |
                    (left > 2 ? from[at + 2] : 0);
    char four[4] = {letters[bits >> 18 & 63], letters[bits >> 12 & 63],
                    left > 1 ? letters[bits >> 6 & 63] : '=', left > 2 ? letters[bits & 63] : '='};
    if (!add(to, four, sizeof four)) return false;
  }
  return true;
}

static void read_input(const char *name, struct bytes *input) {
  for (;;) {
    if (!has_room(input, 65536)) fail(name, "there is no memory left", FAILED);
    ssize_t got = read(0, input->at + input->length, 65536);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name, "its standard input cannot be read", FAILED);
    if (got == 0) return;
    input->length += (size_t)got;
    if (input->length > INPUT_LIMIT) fail(name, "its standard input is too long", FAILED);
  }
}

/*
 * Where HEAD is for the sandbox's own Git; empty where it cannot be said. What was committed by a
 * command that goes on is not the repository's yet, and a push would leave it out without a word.
 */
static void read_head(const char *name, char *head, size_t size) {
  static char *ask[] = {"git", "rev-parse", "--verify", "--quiet", "HEAD", NULL};
  int ends[2];
  head[0] = '\0';
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  pid_t child = fork();
  if (child == 0) {
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0 || dup2(nowhere, 0) < 0 || dup2(nowhere, 2) < 0 || dup2(ends[1], 1) < 0)
      _exit(FAILED);
    become_own(name, ask);
  }
  close(ends[1]);
  ssize_t got = child < 0 ? 0 : read(ends[0], head, size - 1);
  close(ends[0]);
  int status;
  if (child > 0) waitpid(child, &status, 0);
  head[got < 0 ? 0 : got] = '\0';
  head[strspn(head, "0123456789abcdef")] = '\0';
}

static const char name_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

/* Those whose names are plain; the runner takes what the policy of the tool names. */
static void add_variables(struct bytes *body) {
  bool is_first = true;
  for (char **entry = environ; *entry != NULL; entry++) {
    size_t before = body->length, length = strspn(*entry, name_letters);
    if (length == 0 || length > 255 || (*entry)[length] != '=' || (**entry >= '0' && **entry <= '9'))
      continue;
    if (strlen(*entry) > 32768) continue;
    bool added = (is_first || add(body, ",", 1)) && add(body, "\"", 1) &&
                 add(body, *entry, length) && add(body, "\":", 2) &&
                 add_json(body, *entry + length + 1);
    if (added)
      is_first = false;
    else
      body->length = before;
  }
}

static bool add_call(struct bytes *body, const char *name, char **words, const struct bytes *input) {
  char cwd[PATH_MAX];
  bool is_push = words[0] != NULL && strcmp(words[0], "push") == 0;
  if (getcwd(cwd, sizeof cwd) == NULL || cwd[0] != '/') return false;
  if (!add_text(body, "{\"cwd\":") || !add_json(body, cwd)) return false;
  if (!add_text(body, ",\"argv\":[") || !add_json(body, name)) return false;
  for (; *words != NULL; words++)
    if (!add(body, ",", 1) || !add_json(body, *words)) return false;
  if (!add_text(body, "],\"env\":{")) return false;
  add_variables(body);
  if (!add(body, "}", 1)) return false;
  if (strcmp(name, "git") == 0 && is_push) {
    char head[80];
    read_head(name, head, sizeof head);
    if (head[0] != '\0' && !add_text(body, ",\"head\":\"%s\"", head)) return false;
  }
  if (input != NULL &&
      !(add_text(body, ",\"stdin\":\"") && add_base64(body, input->at, input->length) &&
        add(body, "\"", 1)))
    return false;
  return add(body, "}", 1);
}

static void leave(int number) { _exit(128 + number); }

static void stream(const char *name, struct answer *answer) __attribute__((noreturn));
static void stream(const char *name, struct answer *answer) {
  for (;;) {
    enum frame_kind kind;
    uint32_t length;
    const unsigned char *part;
    if (answer_frame(answer, &kind, &length) != ANSWER_OK)
      fail(name, "the runner went away before it ended", FAILED);
    for (size_t got;;) {
      if (answer_bytes(answer, &part, &got) != ANSWER_OK)
        fail(name, "the runner went away before it ended", FAILED);
      if (got == 0) break;
      if (kind == FRAME_EXIT) _exit(part[0]);
      if (kind != FRAME_OUTPUT && kind != FRAME_ERRORS) continue;
      if (!write_all(kind == FRAME_OUTPUT ? 1 : 2, part, got))
        _exit(errno == EPIPE ? 128 + SIGPIPE : FAILED);
    }
  }
}

void shim(char **words) {
  static struct answer answer;
  static struct bytes body, input;
  const char *name = tool_of(base_of(words[0]));
  char **rest = from_folder(name, words);
  if (!is_brokered(name, rest[0])) become_own(name, words);
  if (!goes_to_folder(words + 1, rest)) fail(name, "that folder is not there", FAILED);
  bool has_input = reads_input(rest);
  if (has_input) read_input(name, &input);
  if (!add_call(&body, name, rest, has_input ? &input : NULL))
    fail(name, "its words or its folder are not plain text", FAILED);
  listen_to(SIGTERM, leave);
  listen_to(SIGINT, leave);
  listen_to(SIGHUP, leave);
  signal(SIGPIPE, SIG_IGN);
  /* Of a box that stays, the folder is the runner's: each of its starts puts a new socket into it. */
  const char *place = access(PLACE "/gate", F_OK) == 0 ? PLACE "/gate" : PLACE;
  if (call(&answer, place, "door", NULL, "/call", &body) != CALL_ANSWERED)
    fail(name, "the way out of the sandbox to the runner is closed", FAILED);
  stream(name, &answer);
}
