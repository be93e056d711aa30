#include "kernel.h"

#include "report.h"
#include "tree.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

enum { MOST_OWN = 32 };

/* The file systems that were made here. Only in them are folders and mount points created. */
static dev_t own[MOST_OWN];
static size_t own_count;

bool is_own(int folder) {
  struct stat about;
  if (fstat(folder, &about) < 0) give_up("look");
  for (size_t i = 0; i < own_count; i++)
    if (own[i] == about.st_dev) return true;
  return false;
}

void remember_own(int folder) {
  struct stat about;
  if (own_count == MOST_OWN || fstat(folder, &about) < 0) give_up("remember");
  own[own_count++] = about.st_dev;
}

int checked(int result, const char *step) {
  if (result < 0) give_up(step);
  return result;
}

int mount_here(int folder, const char *type, unsigned long flags, const char *options) {
  if (fchdir(folder) < 0) return -1;
  return mount(type, ".", type, flags, options);
}

int open_parent(int root, const char *target, const char **last) {
  int folder = checked(fcntl(root, F_DUPFD_CLOEXEC, 10), "parent");
  const char *part = target + 1;
  for (const char *slash; (slash = strchr(part, '/')) != NULL; part = slash + 1) {
    char name[256];
    size_t length = (size_t)(slash - part);
    if (length >= sizeof name) {
      errno = ENAMETOOLONG;
      give_up("parent");
    }
    memcpy(name, part, length);
    name[length] = 0;
    if (is_own(folder) && mkdirat(folder, name, 0755) < 0 && errno != EEXIST) give_up("parent");
    int next = open_without_links(folder, name, O_PATH | O_DIRECTORY);
    close(folder);
    if (next < 0) return -1;
    folder = next;
  }
  *last = part;
  return folder;
}

int open_target(int root, const char *target, bool is_folder) {
  const char *last;
  if (strcmp(target, "/") == 0) return checked(fcntl(root, F_DUPFD_CLOEXEC, 10), "target");
  int parent = open_parent(root, target, &last);
  if (parent < 0) return -1;
  if (is_own(parent)) {
    int made = is_folder ? mkdirat(parent, last, 0755)
                         : openat(parent, last, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    if (made < 0 && errno != EEXIST) give_up("target");
    if (made > 0) close(made);
  }
  int place = open_without_links(parent, last, O_PATH);
  close(parent);
  return place;
}

int open_folder(int root, const char *target, const char *step) {
  return checked(open_target(root, target, true), step);
}

void bind_onto(int source, int target, unsigned below, uint64_t attributes) {
  int tree = checked(clone_tree(source), "bind");
  checked(set_mount(tree, below, attributes), "bind-rights");
  checked(put_mount(tree, target), "bind-place");
  close(tree);
}
