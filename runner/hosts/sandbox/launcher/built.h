#ifndef INTERLOCK_BUILT_H
#define INTERLOCK_BUILT_H

#include "plan.h"

/*
 * What another program has built is not believed, but looked at from inside, before anything runs in
 * it. Whatever is not as the plan says ends the process with a report.
 */

/* Nothing but the loopback is there. */
void built_require_own_network(void);

/* What lies at its place is what the gate saw: who bound it may have been led elsewhere. */
void built_compare(const struct plan *plan);

/*
 * The root of a container is the one of the plan: folders in memory are, what is read-only is. What is
 * to lie in memory is put there, and given to the plan's user.
 */
void built_take(const struct plan *plan);

#endif
