#ifndef INTERLOCK_BOX_H
#define INTERLOCK_BOX_H

#include "plan.h"

/*
 * Inside new namespaces, as their first process: builds the root that the plan describes and moves
 * into it. Whatever fails ends the process with a report.
 */
void box_enter(struct plan *plan, const struct plan *kept);

/*
 * The same for a box that several commands come to, one root each: what they have in common, under
 * BOX_OWN, where their own roots hide it. `box_enter` then gets its plan as `kept`, else null.
 */
void box_keep(const struct plan *plan);

#define BOX_OWN "/sys"
#define BOX_PROCESSES BOX_OWN "/proc"

/* Puts what a plan has in memory into the folders for that, which another program has mounted. */
void box_fill(const struct plan *plan);

/* Opens what lies in folders of ours, before we become somebody who cannot get there. */
void box_open_ours(struct plan *plan);

#endif
