#include "kernel.h"

#include "members.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SYS_SIGNAL_BY_FILE = 424 /* pidfd_send_signal */ };

ino_t own_mounts(void) {
  struct stat about;
  return stat("/proc/self/ns/mnt", &about) < 0 ? 0 : about.st_ino;
}

enum belongs { HERE, ELSEWHERE, NOWHERE, UNKNOWN };

/* State and parent from the file that everybody may read. */
static bool read_standing(int folder, char *state, long *parent) {
  char text[512];
  int file = openat(folder, "stat", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (length <= 0) return false;
  text[length] = 0;
  /* The name stands before, in brackets, and may hold any letter. */
  const char *after = strrchr(text, ')');
  return after != NULL && sscanf(after, ") %c %ld", state, parent) == 2;
}

static enum belongs where_is(int folder, ino_t mounts) {
  struct stat about;
  int looked = fstatat(folder, "ns/mnt", &about, 0);
  if (looked == 0 && about.st_ino != mounts) return ELSEWHERE;
  int error = errno;
  char state;
  long parent;
  if (!read_standing(folder, &state, &parent)) return NOWHERE;
  if (state == 'Z' || state == 'X') return NOWHERE;
  /* Children of the keeper, which knows them itself: before the command begins nobody may look. */
  if (parent == 0) return ELSEWHERE;
  if (looked == 0) return HERE;
  return error == ENOENT ? NOWHERE : UNKNOWN;
}

static bool is_number(const char *name) { return name[0] >= '1' && name[0] <= '9'; }

static DIR *open_list(int folder, const char *name) {
  int list = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *opened = list < 0 ? NULL : fdopendir(list);
  if (opened == NULL && list >= 0) close(list);
  return opened;
}

/* A process goes on in its other threads when its first one has ended. */
static enum belongs where_threads_are(int process, ino_t mounts) {
  DIR *threads = open_list(process, "task");
  enum belongs found = NOWHERE;
  if (threads == NULL) return found;
  for (struct dirent *entry; found == NOWHERE && (entry = readdir(threads)) != NULL;) {
    if (!is_number(entry->d_name)) continue;
    int thread = openat(dirfd(threads), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (thread < 0) continue;
    found = where_is(thread, mounts);
    close(thread);
  }
  closedir(threads);
  return found;
}

int signal_members(int processes, ino_t mounts, int number) {
  DIR *list = open_list(processes, ".");
  if (list == NULL) return -1;
  int count = 0;
  for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
    if (!is_number(entry->d_name) || strcmp(entry->d_name, "1") == 0) continue;
    int process = openat(dirfd(list), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (process < 0) continue;
    enum belongs found = where_is(process, mounts);
    if (found == NOWHERE) found = where_threads_are(process, mounts);
    if (found == HERE || found == UNKNOWN) count++;
    /* By its folder and not by its number, which may be another's by now. */
    if (number != 0 && (found == HERE || (found == UNKNOWN && number == SIGKILL)))
      syscall(SYS_SIGNAL_BY_FILE, process, number, NULL, 0);
    close(process);
  }
  closedir(list);
  return count;
}
