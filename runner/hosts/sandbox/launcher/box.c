#include "kernel.h"

#include "box.h"
#include "report.h"
#include "tree.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>

static const char *const devices[] = {"null", "zero", "full", "random", "urandom", "tty"};
enum { DEVICES = sizeof devices / sizeof *devices };

static size_t sources_of(const struct entry *entry) {
  return entry->kind == ENTRY_BIND ? 1 : entry->kind == ENTRY_OVERLAY ? 3 : 0;
}

/* What an overlay lies over is the person's, also where what lies over it is ours. */
static bool is_ours(const struct entry *entry, size_t word) {
  return (entry->flags & ENTRY_OURS) != 0 && (entry->kind == ENTRY_BIND || word > 0);
}

static void open_source(struct entry *entry, size_t word) {
  int source = open_without_links(AT_FDCWD, entry->words[word], O_PATH);
  /* What the owner cannot read would not be seen inside either. */
  bool gone = (errno == ENOENT || errno == EACCES) && (entry->flags & ENTRY_IF_PRESENT) != 0;
  if (source < 0 && !gone) give_up("source");
  entry->sources[word] = source;
}

void box_open_ours(struct plan *plan) {
  for (size_t i = 0; i < plan->entry_count; i++)
    for (size_t word = 0; word < sources_of(&plan->entries[i]); word++)
      if (is_ours(&plan->entries[i], word)) open_source(&plan->entries[i], word);
}

/* Opens what will be bound, as it is now; the kernel holds on to it from here on. */
static void open_sources(struct plan *plan) {
  for (size_t i = 0; i < plan->entry_count; i++) {
    struct entry *entry = &plan->entries[i];
    size_t count = sources_of(entry);
    for (size_t word = 0; word < count; word++)
      if (!is_ours(entry, word)) open_source(entry, word);
    if (count == 0 || entry->sources[0] < 0 || (entry->device == 0 && entry->inode == 0)) continue;
    struct stat about;
    checked(fstat(entry->sources[0], &about), "source");
    if (about.st_dev != entry->device || about.st_ino != entry->inode) {
      errno = ESTALE;
      give_up("source-changed");
    }
  }
}

static void put_bind(int root, const struct entry *entry) {
  if (entry->sources[0] < 0) return;
  struct stat about;
  checked(fstat(entry->sources[0], &about), "bind");
  int target = open_target(root, entry->target, S_ISDIR(about.st_mode));
  if (target < 0 && errno == ENOENT && (entry->flags & ENTRY_IF_PRESENT) != 0) return;
  checked(target, "bind-target");
  unsigned writable = ENTRY_WRITABLE | ENTRY_SHARED;
  uint64_t rights = (entry->flags & writable) != 0 ? 0 : ATTR_READ_ONLY;
  bind_onto(entry->sources[0], target, EVERYTHING_BELOW, rights | ATTR_NO_SUID | ATTR_NO_DEV);
  close(target);
}

static void put_overlay(int root, const struct entry *entry) {
  if (entry->sources[0] < 0) return;
  char options[256];
  if ((entry->flags & ENTRY_WRITABLE) != 0)
    snprintf(options, sizeof options,
             "lowerdir=/proc/self/fd/%d,upperdir=/proc/self/fd/%d,workdir=/proc/self/fd/%d,userxattr",
             entry->sources[0], entry->sources[1], entry->sources[2]);
  else
    snprintf(options, sizeof options, "lowerdir=/proc/self/fd/%d:/proc/self/fd/%d,userxattr",
             entry->sources[1], entry->sources[0]);
  int target = open_folder(root, entry->target, "overlay-target");
  checked(mount_here(target, "overlay", MS_NOSUID | MS_NODEV, options), "overlay");
  close(target);
}

static void put_tmpfs(int root, const char *target, const char *options) {
  int folder = open_folder(root, target, "tmpfs-target");
  checked(mount_here(folder, "tmpfs", MS_NOSUID | MS_NODEV, options), "tmpfs");
  close(folder);
  int mounted = open_folder(root, target, "tmpfs");
  remember_own(mounted);
  close(mounted);
}

/* An empty file, read-only, over one that is there: what it holds is not seen. */
static void put_nothing(int root, const char *path) {
  static const char nothing[] = ".nothing";
  int target = open_target(root, path, false);
  if (target < 0 && errno == ENOENT) return;
  checked(target, "hide-target");
  int made = openat(root, nothing, O_CREAT | O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0444);
  close(checked(made, "hide"));
  int source = checked(open_without_links(root, nothing, O_PATH), "hide");
  bind_onto(source, target, 0, ATTR_READ_ONLY | ATTR_NO_SUID | ATTR_NO_DEV | ATTR_NO_EXEC);
  close(source);
  close(target);
}

static void put_file(int root, const struct entry *entry) {
  const char *last;
  int parent = open_parent(root, entry->target, &last);
  if (parent < 0 && errno == ENOENT && entry->words[0][0] == 0) return;
  checked(parent, "file");
  if (!is_own(parent) && entry->words[0][0] == 0) {
    close(parent);
    put_nothing(root, entry->target);
    return;
  }
  if (!is_own(parent)) {
    errno = EROFS;
    give_up("file");
  }
  int file = checked(
      openat(parent, last, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0444), "file");
  size_t length = strlen(entry->words[0]);
  if (write(file, entry->words[0], length) != (ssize_t)length) give_up("file");
  close(file);
  close(parent);
}

static void put_link(int root, const struct entry *entry) {
  const char *last;
  int parent = checked(open_parent(root, entry->target, &last), "link");
  if (!is_own(parent)) errno = EROFS;
  if (!is_own(parent) || symlinkat(entry->words[0], parent, last) < 0) give_up("link");
  close(parent);
}

static void put_entry(int root, const struct entry *entry) {
  switch (entry->kind) {
    case ENTRY_DIRECTORY:
      close(open_folder(root, entry->target, "folder"));
      return;
    case ENTRY_LINK:
      put_link(root, entry);
      return;
    case ENTRY_FILE:
      put_file(root, entry);
      return;
    case ENTRY_TMPFS:
      if (entry->sources[0] >= 0)
        put_bind(root, entry);
      else
        put_tmpfs(root, entry->target, entry->words[0]);
      return;
    case ENTRY_BIND:
      put_bind(root, entry);
      return;
    case ENTRY_OVERLAY:
      put_overlay(root, entry);
      return;
    case ENTRY_RIGHTS:
      return;
  }
}

static void put_devices(int root, const int *sources) {
  put_tmpfs(root, "/dev", "size=64k,mode=0755");
  for (size_t i = 0; i < DEVICES; i++) {
    char target[32];
    snprintf(target, sizeof target, "/dev/%s", devices[i]);
    int place = checked(open_target(root, target, false), "device");
    bind_onto(sources[i], place, 0, ATTR_NO_SUID | ATTR_NO_EXEC);
    close(place);
  }
  int terminals = open_folder(root, "/dev/pts", "terminals");
  if (mount_here(terminals, "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620") <
      0)
    report_missing("terminals");
  close(terminals);
  put_tmpfs(root, "/dev/shm", "mode=1777,size=64m");
  static const char *const links[][2] = {{"/dev/ptmx", "pts/ptmx"},
                                         {"/dev/fd", "/proc/self/fd"},
                                         {"/dev/stdin", "/proc/self/fd/0"},
                                         {"/dev/stdout", "/proc/self/fd/1"},
                                         {"/dev/stderr", "/proc/self/fd/2"}};
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    struct entry link = {.kind = ENTRY_LINK, .target = links[i][0], .words = {links[i][1]}};
    put_link(root, &link);
  }
  int folder = open_folder(root, "/dev", "devices");
  checked(set_mount(folder, 0, ATTR_READ_ONLY), "devices");
  close(folder);
}

static void write_zero(int folder, const char *path) {
  int file = openat(folder, path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, "0", 1) != 1)
    report_missing("no-further-namespaces");
  else
    report_held("no-further-namespaces");
  if (file >= 0) close(file);
}

/* The kernel counts these for the user, whatever the namespace: what is taken here others lack. */
static void leave_some(int folder, const char *all, const char *part, long share) {
  char text[32] = "";
  int file = openat(folder, all, O_RDONLY | O_CLOEXEC);
  bool known = file >= 0 && read(file, text, sizeof text - 1) > 0;
  if (file >= 0) close(file);
  file = openat(folder, part, O_WRONLY | O_CLOEXEC);
  if (!known || file < 0 || dprintf(file, "%ld", strtol(text, NULL, 10) / share) < 0)
    report_missing("own-watches");
  if (file >= 0) close(file);
}

static void put_processes(int root) {
  int folder = open_folder(root, "/proc", "proc-target");
  checked(mount_here(folder, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL), "proc");
  close(folder);
  folder = open_folder(root, "/proc", "proc");
  /* Before the next step makes it read-only. */
  write_zero(folder, "sys/user/max_user_namespaces");
  leave_some(folder, "sys/fs/inotify/max_user_instances", "sys/user/max_inotify_instances", 4);
  leave_some(folder, "sys/fs/inotify/max_user_watches", "sys/user/max_inotify_watches", 2);
  static const char *const settings[] = {"sys", "sysrq-trigger", "irq", "bus", "fs"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    int place = open_without_links(folder, settings[i], O_PATH);
    if (place < 0 && errno == ENOENT) continue;
    checked(place, "proc-settings");
    bind_onto(place, place, EVERYTHING_BELOW, ATTR_READ_ONLY | ATTR_NO_SUID | ATTR_NO_DEV);
    close(place);
  }
  close(folder);
}

static void raise_loopback(void) {
  struct ifreq request = {.ifr_flags = IFF_UP | IFF_RUNNING};
  memcpy(request.ifr_name, "lo", 3);
  int socket_of_ours = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  checked(socket_of_ours, "loopback");
  checked(ioctl(socket_of_ours, SIOCSIFFLAGS, &request), "loopback");
  close(socket_of_ours);
  report_held("no-network");
}

static void be_apart(const struct plan *plan) {
  const char *name = plan->hostname == NULL ? "sandbox" : plan->hostname;
  checked(sethostname(name, strlen(name)), "hostname");
  if (plan->own_network) raise_loopback();
}

static void mount_own(const char *path, const char *type, unsigned long flags, const char *options) {
  if (mkdir(path, 0700) < 0 && errno != EEXIST) give_up("box");
  checked(mount(type, path, type, MS_NOSUID | MS_NODEV | flags, options), "box");
}

static void shared_path(char *path, size_t room, size_t index) {
  snprintf(path, room, BOX_OWN "/%zu", index);
}

void box_keep(const struct plan *plan) {
  be_apart(plan);
  /* What the host mounts later is seen by later commands; nothing goes the other way. */
  checked(mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL), "private-mounts");
  mount_own(BOX_OWN, "tmpfs", MS_NOEXEC, "size=64k,nr_inodes=1k,mode=0700");
  mount_own(BOX_PROCESSES, "proc", MS_NOEXEC, NULL);
  for (size_t i = 0; i < plan->entry_count; i++) {
    char path[32];
    shared_path(path, sizeof path, i);
    mount_own(path, "tmpfs", 0, plan->entries[i].words[0]);
  }
}

static void open_shared(struct entry *entry, const struct plan *kept) {
  for (size_t i = 0; kept != NULL && i < kept->entry_count; i++) {
    if (strcmp(kept->entries[i].target, entry->target) != 0) continue;
    char path[32];
    shared_path(path, sizeof path, i);
    entry->sources[0] = checked(open_without_links(AT_FDCWD, path, O_PATH | O_DIRECTORY), "shared");
    return;
  }
  errno = ENOENT;
  give_up("shared");
}

void box_enter(struct plan *plan, const struct plan *kept) {
  if (kept == NULL)
    be_apart(plan);
  else if (plan->own_network)
    report_held("no-network");
  checked(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "private-mounts");
  for (size_t i = 0; i < plan->entry_count; i++)
    if ((plan->entries[i].flags & ENTRY_SHARED) != 0) open_shared(&plan->entries[i], kept);
  open_sources(plan);
  int sources[DEVICES];
  for (size_t i = 0; i < DEVICES; i++) {
    char path[32];
    snprintf(path, sizeof path, "/dev/%s", devices[i]);
    sources[i] = checked(open_without_links(AT_FDCWD, path, O_PATH), "device");
  }
  checked(chdir("/"), "root");
  checked(mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=4m,nr_inodes=4k,mode=0755"),
          "root");
  int root = checked(open_without_links(AT_FDCWD, "/tmp", O_PATH | O_DIRECTORY), "root");
  remember_own(root);
  for (size_t i = 0; i < plan->entry_count; i++) put_entry(root, &plan->entries[i]);
  put_devices(root, sources);
  put_processes(root);
  checked(fchdir(root), "pivot");
  checked((int)syscall(SYS_pivot_root, ".", "."), "pivot");
  checked(umount2(".", MNT_DETACH), "pivot");
  checked(chdir("/"), "pivot");
  int top = checked(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), "root");
  checked(set_mount(top, 0, ATTR_READ_ONLY), "root");
  close(top);
}

/* Folders in memory on the way to a target, and what was made there, become the user's. */
static void give_away(int root, const char *target, const struct plan *plan) {
  char path[4096];
  size_t length = strlen(target);
  if (length >= sizeof path) give_up("give");
  for (size_t end = 1; end <= length; end++) {
    if (target[end] != '/' && target[end] != 0) continue;
    memcpy(path, target + 1, end - 1);
    path[end - 1] = 0;
    int place = open_without_links(root, path, O_PATH);
    if (place < 0) return;
    if (is_own(place)) checked(fchownat(place, "", plan->uid, plan->gid, AT_EMPTY_PATH), "give");
    close(place);
  }
}

/* Whether the place that a target lies in is in memory; what is elsewhere was put there before. */
static bool lies_in_memory(int root, const char *target) {
  const char *last;
  int parent = checked(open_parent(root, target, &last), "parent");
  bool is = is_own(parent);
  struct stat about;
  if (!is) checked(fstatat(parent, last, &about, AT_SYMLINK_NOFOLLOW), "target");
  close(parent);
  return is;
}

void box_fill(const struct plan *plan) {
  int root = checked(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), "root");
  for (size_t i = 0; i < plan->entry_count; i++) {
    if (plan->entries[i].kind != ENTRY_TMPFS) continue;
    int place = checked(open_without_links(root, plan->entries[i].target + 1, O_PATH), "tmpfs");
    remember_own(place);
    close(place);
  }
  for (size_t i = 0; i < plan->entry_count; i++) {
    const struct entry *entry = &plan->entries[i];
    bool is_made = entry->kind == ENTRY_DIRECTORY || entry->kind == ENTRY_LINK ||
                   entry->kind == ENTRY_FILE;
    if (is_made && lies_in_memory(root, entry->target)) put_entry(root, entry);
  }
  for (size_t i = 0; i < plan->entry_count; i++)
    if (plan->entries[i].kind != ENTRY_RIGHTS) give_away(root, plan->entries[i].target, plan);
  close(root);
}
