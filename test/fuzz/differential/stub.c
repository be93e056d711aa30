/* A stand-in for every program of the differential test. It writes down how it was called: one
 * record in one write to the file that STUB_LOG names. Then it prints its name and words, so that
 * what flows through pipes and redirections can be compared too.
 * Called as `collect`, it writes down what files lie in the directory "out", and empties it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char record[1 << 20];
static size_t used;

static void put(const char *text, size_t length) {
  if (used + length + 1 >= sizeof record) length = 0;
  memcpy(record + used, text, length);
  used += length;
  record[used++] = 0;
}

static void field(const char *text) { put(text ? text : "", text ? strlen(text) : 0); }

static void drain(int from) {
  static char data[1 << 18];
  size_t length = 0;
  ssize_t got;
  while (length < sizeof data && (got = read(from, data + length, sizeof data - length)) > 0)
    length += (size_t)got;
  for (size_t at = 0; at < length; at++)
    if (data[at] == 0) data[at] = '0';
  put(data, length);
}

static void flush(void) {
  int log = open(getenv("STUB_LOG"), O_WRONLY | O_APPEND | O_CREAT, 0600);
  field("\002end");
  if (write(log, record, used) < 0) exit(99);
}

/* The variables that lines set. */
static void variables(void) {
  static const char *const names[] = {"FOO", "K1", "K2", "USER"};
  char text[8192] = "";
  size_t end = 0;
  for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
    const char *value = getenv(names[at]);
    int length = snprintf(text + end, sizeof text - end, at ? "|%s" : "%s", value ? value : "");
    if (length < 0 || end + (size_t)length >= sizeof text) break;
    end += (size_t)length;
  }
  field(text);
}

static int collect(void) {
  DIR *directory = opendir("out");
  struct dirent *entry;
  while (directory && (entry = readdir(directory))) {
    char path[512];
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "out/%s", entry->d_name);
    used = 0;
    field(getenv("STUB_LINE"));
    field("collect");
    field("");
    field("");
    int file = open(path, O_RDONLY);
    drain(file);
    field(entry->d_name);
    flush();
    unlink(path);
  }
  return 0;
}

int main(int argc, char **argv) {
  char cwd[4096];
  unsigned sum = 0;
  struct stat input;
  const char *slash = strrchr(argv[0], '/');
  const char *name = slash ? slash + 1 : argv[0];
  signal(SIGPIPE, SIG_IGN);
  if (strcmp(name, "collect") == 0) return collect();
  field(getenv("STUB_LINE"));
  field(name);
  field(getcwd(cwd, sizeof cwd));
  variables();
  if (fstat(0, &input) == 0 && !S_ISCHR(input.st_mode)) drain(0);
  else field("");
  for (int at = 1; at < argc; at++) {
    /* What a pattern finds is rendered as "./name", so that no name is an option: the same file. */
    const char *word = strncmp(argv[at], "./", 2) == 0 ? argv[at] + 2 : argv[at];
    field(word);
    for (const char *c = word; *c; c++) sum += (unsigned char)*c;
  }
  flush();
  printf("out %s %d\n", name, argc);
  fflush(stdout);
  fprintf(stderr, "err %s\n", name);
  return sum % 5 == 3 ? 1 : 0;
}
