#ifndef INTERLOCK_LANDLOCK_H
#define INTERLOCK_LANDLOCK_H

#include "plan.h"

/* The version of Landlock that this kernel has; 0 where there is none. */
int landlock_version(void);

/*
 * Restricts the process to what the plan's entries give, for good. In a box the rights follow from
 * the kind of each entry; else they stand in its flags. Answers 0, or -1 with errno.
 */
int landlock_hold(const struct plan *plan);

#endif
