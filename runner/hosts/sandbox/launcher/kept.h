#ifndef INTERLOCK_KEPT_H
#define INTERLOCK_KEPT_H

#include "frame.h"
#include "plan.h"

#include <stdbool.h>
#include <sys/types.h>

/* The box that a keeper keeps: what it is, and what is open of it. Whatever fails ends the process with a report. */
struct kept {
  struct plan *plan;
  bool has_box; /* else the keeper only starts commands */
  bool is_named;
  bool is_first;      /* of a named box: we are its first process */
  bool becomes_owner; /* inside, our own number cannot be told any more */
  pid_t first;        /* the box's first process */
  int mounts;         /* the namespace that commands begin with */
  int processes;      /* its /proc, where it is not named */
  int groups[8];
};

/* Makes the box, with a first process of its own, and joins it but for the rights of its owner. */
void kept_make(struct kept *box);

/* The same as first process of a container, whose mounts and namespaces are another program's work. */
void kept_take(struct kept *box);

/*
 * Between the fork and the command: builds its root in the box where it has one of its own, and
 * becomes it. `files` are its descriptors in order; `spawner` as for `become_command`.
 */
_Noreturn void kept_begin(const struct kept *box, const int *files, const struct frame *frame,
                          pid_t spawner);

#endif
