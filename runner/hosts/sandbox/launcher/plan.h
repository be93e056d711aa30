/*
 * What the launcher is told: one message on a descriptor, read whole before anything is done.
 *
 *   message = "ILKBOX01" field*          field = tag (1 byte) length (4 bytes, little endian) value
 *
 * Numbers are little endian; texts end with a zero byte inside their value. `plan.c` says which tags
 * there are. Anything unknown, doubled, cut short or left over is refused.
 */
#ifndef INTERLOCK_PLAN_H
#define INTERLOCK_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAN_MOST_BYTES = 4 << 20, PLAN_MOST_ENTRIES = 512, PLAN_MOST_WORDS = 65536 };

/*
 * BOX: namespaces and a root of its own. HOLD: Landlock alone, in the process itself. INSIDE: the
 * first process of a box that another program has built from the same entries. KEEP: a box for
 * several commands, with nothing to run yet; JOIN: one of those commands. START: no box, but a
 * process that starts HOLDs and BAREs; BARE: as it is, held by nothing. NAMED: a box with one root
 * for all of its commands, which outlives who made it; its JOINs come by a socket and bring no entries.
 * FIRST: the same, as the first process of a container that another program has built.
 */
enum mode {
  MODE_BOX = 1,
  MODE_HOLD = 2,
  MODE_INSIDE = 3,
  MODE_KEEP = 4,
  MODE_JOIN = 5,
  MODE_START = 6,
  MODE_BARE = 7,
  MODE_NAMED = 8,
  MODE_FIRST = 9,
};

enum entry_kind {
  ENTRY_DIRECTORY = 'd', /* target */
  ENTRY_LINK = 'l',      /* target, text */
  ENTRY_FILE = 'f',      /* target, content */
  ENTRY_TMPFS = 't',     /* target, mount options */
  ENTRY_BIND = 'b',      /* target, source */
  ENTRY_OVERLAY = 'o',   /* target, lower, upper, work; not writable: upper over lower, work unused */
  ENTRY_RIGHTS = 'r',    /* target: a path that HOLD gives rights on */
};

enum entry_flags {
  ENTRY_WRITABLE = 1,
  ENTRY_EXECUTABLE = 2,
  ENTRY_IF_PRESENT = 4, /* a source that is gone is left out instead of ending the launch */
  ENTRY_READABLE = 8,
  ENTRY_SHARED = 32, /* a tmpfs that the box keeps from command to command; JOIN alone */
  ENTRY_OURS = 16, /* sources lie where only we get to: a bind's, an overlay's upper and work */
};

struct entry {
  enum entry_kind kind;
  uint32_t flags;
  uint64_t device; /* what the source must be; both 0: whatever it is */
  uint64_t inode;
  const char *target;
  const char *words[3]; /* what else the kind needs, in the order above */
  int sources[3];       /* the opened words of a bind or an overlay; -1 before */
};

struct limits {
  uint64_t processes, memory, file_size, cpu_seconds, open_files; /* 0: as it is */
};

struct plan {
  enum mode mode;
  uint32_t uid, gid; /* whose rights the command has, outside and inside */
  uint32_t parent;   /* the process whose end is ours; 0 where we may outlive it */
  bool own_network;
  bool tells; /* descriptor 5 becomes the command's 3 */
  bool stays; /* it is for a box that stays: never without Landlock; not of the message */
  bool terminal; /* descriptor 0 becomes the command's controlling terminal */
  uint32_t proxy_port; /* on the box's own loopback, handed out on descriptor 7; 0: none */
  struct limits limits;
  const char *hostname, *cwd, *file;
  const char **argv, **env; /* null at the end */
  size_t argc, envc;
  struct entry *entries;
  size_t entry_count;
  const char *groups[8]; /* files of control groups that the command's processes begin in */
  size_t group_count;
};

/*
 * Reads a message of `length` bytes; the plan keeps pointing into it. Answers null, or a word that
 * says what is wrong with it. Free with `plan_free` in either case.
 */
const char *plan_read(struct plan *plan, const unsigned char *bytes, size_t length);

void plan_free(struct plan *plan);

#endif
