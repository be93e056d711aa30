#include "kernel.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { NO_MAGIC_LINKS = 0x02, NO_LINKS = 0x04 }; /* RESOLVE_* */

static int close_with(int file, int error) {
  close(file);
  errno = error;
  return -1;
}

/* A link that is opened for its place alone is opened itself: then it is none that was meant. */
static int no_link(int file) {
  struct stat about;
  if (file < 0) return -1;
  if (fstat(file, &about) < 0) return close_with(file, errno);
  return S_ISLNK(about.st_mode) ? close_with(file, ELOOP) : file;
}

static int open_part_by_part(int folder, const char *path, uint64_t flags) {
  int at = openat(folder, path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (const char *part = path + strspn(path, "/"); at >= 0 && *part != 0;) {
    char name[256];
    size_t length = strcspn(part, "/");
    if (length >= sizeof name) return close_with(at, ENAMETOOLONG);
    memcpy(name, part, length);
    name[length] = 0;
    part += length + strspn(part + length, "/");
    int how = *part == 0 ? (int)flags : O_PATH | O_DIRECTORY;
    int next = no_link(openat(at, name, how | O_NOFOLLOW | O_CLOEXEC));
    int error = errno;
    close(at);
    errno = error;
    at = next;
  }
  return at;
}

int open_without_links(int folder, const char *path, uint64_t flags) {
  struct {
    uint64_t flags, mode, resolve;
  } how = {flags | O_CLOEXEC, 0, NO_LINKS | NO_MAGIC_LINKS};
  int file = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
  return file >= 0 || errno != ENOSYS ? file : open_part_by_part(folder, path, flags);
}
