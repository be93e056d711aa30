/* System calls that older C libraries have no function for, and the numbers they are told. */
#ifndef INTERLOCK_KERNEL_H
#define INTERLOCK_KERNEL_H

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#define SYS_move_mount 429
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum {
  ATTR_READ_ONLY = 0x01, /* MOUNT_ATTR_* */
  ATTR_NO_SUID = 0x02,
  ATTR_NO_DEV = 0x04,
  ATTR_NO_EXEC = 0x08,
  TREE_CLONE = 1,
  MOVE_EMPTY_PATHS = 0x04 | 0x40, /* of the source, of the target */
  EVERYTHING_BELOW = 0x8000,      /* AT_RECURSIVE */
  CLOSE_AT_EXEC = 4,
};

/*
 * Opens a path none of whose parts is a link; what is opened then cannot be another place. The path
 * holds no "." and no "..". Where the call for it is kept from us (systemd's RestrictSUIDSGID does so),
 * part by part.
 */
int open_without_links(int folder, const char *path, uint64_t flags);

/*
 * Who sends a signal with words of its own (sigqueue) says itself who it is, but cannot say that it
 * came by kill(2): of those the kernel wrote the number, and none stands for outside.
 */
static inline bool is_from_outside(const siginfo_t *about) {
  return about->si_code == SI_USER && about->si_pid == 0;
}

static inline int clone_tree(int source) {
  return (int)syscall(SYS_open_tree, source, "",
                      TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH | EVERYTHING_BELOW);
}

static inline int set_mount(int mount, unsigned below, uint64_t set) {
  struct {
    uint64_t set, clear, propagation, user_namespace;
  } attributes = {set, 0, 0, 0};
  return (int)syscall(SYS_mount_setattr, mount, "", AT_EMPTY_PATH | below, &attributes,
                      sizeof attributes);
}

static inline int put_mount(int mount, int target) {
  return (int)syscall(SYS_move_mount, mount, "", target, "", MOVE_EMPTY_PATHS);
}

#endif
