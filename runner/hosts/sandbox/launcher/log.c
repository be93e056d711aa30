#include "kernel.h"

#include "log.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_FD 3
#define CHUNK (64 * 1024)

struct log {
  const char *name;
  char before[64];
  uint64_t most;
  /* -1 while there is none, as on a disk that has no room for a new one. */
  int file;
  uint64_t size;
  uint64_t dropped;
};

/* Nothing but a file of its own: no link, of either kind, and nothing that was there as another thing. */
static bool open_log(struct log *log) {
  int flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  log->file = openat(FOLDER_FD, log->name, flags, 0600);
  struct stat about;
  if (log->file < 0 || fstat(log->file, &about) < 0) return false;
  if (S_ISREG(about.st_mode) && about.st_nlink == 1 && about.st_uid == geteuid()) {
    log->size = (uint64_t)about.st_size;
    return true;
  }
  close(log->file);
  log->file = -1;
  errno = ELOOP;
  return false;
}

/* Whoever took the folder or the file away wants no more of it. */
static void turn_over(struct log *log) {
  close(log->file);
  log->file = -1;
  if (renameat(FOLDER_FD, log->name, FOLDER_FD, log->before) < 0 && errno == ENOENT) _exit(0);
}

static size_t write_some(struct log *log, const char *bytes, size_t length) {
  size_t done = 0;
  while (done < length) {
    ssize_t count = write(log->file, bytes + done, length - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += (size_t)count;
  }
  log->size += done;
  return done;
}

static void take(struct log *log, const char *bytes, size_t length) {
  char gap[64] = "";
  size_t told = 0;
  if (log->dropped > 0)
    told = (size_t)snprintf(gap, sizeof gap, "\n[interlock: %llu bytes lost]\n",
                            (unsigned long long)log->dropped);
  if (log->file >= 0 && log->size > 0 && log->size + told + length > log->most) turn_over(log);
  if (log->file < 0 && !open_log(log)) {
    log->dropped += length;
    return;
  }
  if (told > 0) {
    /* Room for a byte is no room for the sentence: half of one is cut off again. */
    uint64_t before = log->size;
    if (write_some(log, gap, told) < told) {
      if (ftruncate(log->file, (off_t)before) == 0) log->size = before;
      log->dropped += length;
      return;
    }
    log->dropped = 0;
  }
  log->dropped += length - write_some(log, bytes, length);
}

_Noreturn void keep_log(const char *name, uint32_t most) {
  struct log log = {.name = name, .most = most, .file = -1};
  int length = snprintf(log.before, sizeof log.before, "%s.1", name);
  if (length < 0 || (size_t)length >= sizeof log.before || strchr(name, '/') != NULL || name[0] == '.' ||
      most < 2 * CHUNK)
    _exit(125);
  static const int ignored[] = {SIGHUP, SIGINT, SIGPIPE, SIGXFSZ};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
  if (!open_log(&log) && errno != ENOSPC && errno != EDQUOT) _exit(125);
  static char bytes[CHUNK];
  for (;;) {
    ssize_t count = read(0, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(0);
    take(&log, bytes, (size_t)count);
  }
}
