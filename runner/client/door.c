#define _GNU_SOURCE
#include "door.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int is_trusted(uid_t uid) { return uid == geteuid() || uid == 0; }

int door_connect(const char *home, const char *name) {
  int folder = open(home, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  int made = -1;
  struct stat at;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int length = snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, name);
  if (length < 0 || (size_t)length >= sizeof address.sun_path) goto end;
  if (fstat(folder, &at) != 0 || !is_trusted(at.st_uid) || (at.st_mode & 022) != 0) goto end;
  if (fstatat(folder, name, &at, AT_SYMLINK_NOFOLLOW) != 0) goto end;
  if (!S_ISSOCK(at.st_mode) || !is_trusted(at.st_uid)) goto end;
  made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) goto end;
  int connected;
  do connected = connect(made, (const struct sockaddr *)&address, sizeof address);
  while (connected != 0 && errno == EINTR);
  if (connected != 0 && errno != EISCONN) {
    close(made);
    made = -1;
  }
end:
  close(folder);
  return made;
}

enum private_file private_read(const char *path, char *text, size_t size) {
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? PRIVATE_MISSING : PRIVATE_DOUBTFUL;
  struct stat at;
  ssize_t got = -1;
  if (fstat(fd, &at) == 0 && S_ISREG(at.st_mode) && at.st_uid == geteuid() &&
      (at.st_mode & 077) == 0 && at.st_nlink == 1)
    got = read(fd, text, size - 1);
  close(fd);
  if (got < 0 || (size_t)got == size - 1) return PRIVATE_DOUBTFUL;
  text[got] = '\0';
  return PRIVATE_THERE;
}
