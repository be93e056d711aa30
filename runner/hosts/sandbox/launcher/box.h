#ifndef INTERLOCK_BOX_H
#define INTERLOCK_BOX_H

#include "plan.h"

/*
 * Inside new namespaces, as their first process: builds the root that the plan describes and moves
 * into it. Whatever fails ends the process with a report.
 */
void box_enter(struct plan *plan);

#endif
