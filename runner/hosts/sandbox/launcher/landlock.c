#include "kernel.h"

#include "landlock.h"
#include "report.h"

#include <errno.h>
#include <sys/stat.h>

enum {
  EXECUTE = 1 << 0,
  WRITE_FILE = 1 << 1,
  READ_FILE = 1 << 2,
  READ_DIR = 1 << 3,
  UP_TO_MAKE_SYM = (1 << 13) - 1, /* version 1 */
  REFER = 1 << 13,                /* 2 */
  TRUNCATE = 1 << 14,             /* 3 */
  IOCTL_DEV = 1 << 15,            /* 5 */
  OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV,
  READS = READ_FILE | READ_DIR,
  ABSTRACT_SOCKETS = 1, /* scopes, 6 */
  SIGNALS = 2,
};

int landlock_version(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
  return version < 0 ? 0 : (int)version;
}

static uint64_t known_rights(int version) {
  uint64_t rights = UP_TO_MAKE_SYM;
  if (version >= 2) rights |= REFER;
  if (version >= 3) rights |= TRUNCATE;
  if (version >= 5) rights |= IOCTL_DEV;
  return rights;
}

/* The rights stay with what was opened here, whatever its name leads to later. */
static int give_on(int ruleset, int place, uint64_t rights) {
  struct stat about;
  if (fstat(place, &about) == 0 && !S_ISDIR(about.st_mode)) rights &= OF_FILES;
  struct {
    uint64_t rights;
    int32_t place;
  } __attribute__((packed)) rule = {rights, place};
  long given = rights == 0 ? 0 : syscall(SYS_landlock_add_rule, ruleset, 1, &rule, 0);
  int error = errno;
  close(place);
  errno = error;
  return given < 0 ? -1 : 0;
}

static int give(int ruleset, const char *path, uint64_t rights) {
  int place = open_without_links(AT_FDCWD, path, O_PATH);
  return place < 0 ? -1 : give_on(ruleset, place, rights);
}

/* What was looked at before is that and nothing else: another file of its name ends the launch. */
static int give_same(int ruleset, const struct entry *entry, uint64_t rights) {
  int place = open_without_links(AT_FDCWD, entry->target, O_PATH);
  struct stat about;
  if (place < 0 || fstat(place, &about) < 0) give_up("source-changed");
  if (about.st_dev != entry->device || about.st_ino != entry->inode) {
    errno = ESTALE;
    give_up("source-changed");
  }
  return give_on(ruleset, place, rights);
}

static uint64_t rights_in_box(const struct entry *entry, uint64_t all) {
  switch (entry->kind) {
    case ENTRY_BIND:
    case ENTRY_OVERLAY:
      return (entry->flags & ENTRY_WRITABLE) != 0 ? all : EXECUTE | READS;
    case ENTRY_TMPFS:
      return all;
    case ENTRY_FILE:
      return READ_FILE;
    default:
      return 0;
  }
}

static uint64_t rights_of_flags(const struct entry *entry, uint64_t all) {
  uint64_t rights = 0;
  if ((entry->flags & ENTRY_READABLE) != 0) rights |= READS;
  if ((entry->flags & ENTRY_EXECUTABLE) != 0) rights |= EXECUTE;
  if ((entry->flags & ENTRY_WRITABLE) != 0) rights |= all & ~(uint64_t)(EXECUTE | READS);
  return rights;
}

static int give_all(int ruleset, const struct plan *plan, uint64_t all) {
  bool in_box = plan->mode != MODE_HOLD;
  if (in_box && (give(ruleset, "/", READ_DIR & all) < 0 || give(ruleset, "/proc", READS) < 0 ||
                 give(ruleset, "/dev", (READS | WRITE_FILE | IOCTL_DEV) & all) < 0 ||
                 give(ruleset, "/dev/shm", all) < 0))
    return -1;
  for (size_t i = 0; i < plan->entry_count; i++) {
    const struct entry *entry = &plan->entries[i];
    uint64_t rights = in_box ? rights_in_box(entry, all) : rights_of_flags(entry, all);
    bool may_be_missing = (entry->flags & ENTRY_IF_PRESENT) != 0;
    if (rights == 0) continue;
    bool is_known = !in_box && (entry->device != 0 || entry->inode != 0);
    int given = is_known ? give_same(ruleset, entry, rights & all)
                         : give(ruleset, entry->target, rights & all);
    if (given < 0 && !(may_be_missing && errno == ENOENT)) return -1;
  }
  return 0;
}

/*
 * Where processes and the network are the host's own, signals to others and sockets by name end at
 * the hold. A box keeps its signals: a second command in it has to reach the first one's processes.
 */
static uint64_t scopes_of(const struct plan *plan) {
  if (plan->mode == MODE_HOLD) return ABSTRACT_SOCKETS | SIGNALS;
  return plan->own_network ? 0 : ABSTRACT_SOCKETS;
}

int landlock_hold(const struct plan *plan) {
  int version = landlock_version();
  /* Rights on the network are left out: they break servers. */
  struct {
    uint64_t files, network, scopes;
  } handled = {known_rights(version), 0, scopes_of(plan)};
  size_t size = handled.scopes == 0 ? sizeof handled.files : sizeof handled;
  if (handled.scopes != 0 && version < 6) {
    errno = ENOSYS;
    report_missing("scopes");
    size = sizeof handled.files;
  }
  int ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
  if (ruleset < 0) return -1;
  if (give_all(ruleset, plan, handled.files) < 0) return -1;
  return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}
