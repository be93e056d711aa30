#ifndef INTERLOCK_BOX_H
#define INTERLOCK_BOX_H

#include "plan.h"

/*
 * Inside new namespaces, as their first process: builds the root that the plan describes and moves
 * into it. Whatever fails ends the process with a report.
 */
void box_enter(struct plan *plan);

/* Opens what lies in folders of ours, before we become somebody who cannot get there. */
void box_open_ours(struct plan *plan);

#endif
