#ifndef INTERLOCK_OWNER_H
#define INTERLOCK_OWNER_H

#include "plan.h"

#include <sys/types.h>

/* Whoever fails here ends with a report. */

/* From now on our end comes with our parent's. Whether it is still there has to be looked at afterwards. */
void end_with_parent(void);

/* Only root may become somebody else. */
void require_rights_of(const struct plan *plan);

/* Becomes the owner, and stays tied to the process that holds the other end of `outside`. */
void become_owner(const struct plan *plan, int outside);

/* Becomes the owner. What the kernel forgets on that (the tie to the parent) stays forgotten. */
void take_rights_of(const struct plan *plan);

/* Gives the namespace of `child` its one user and group. */
void map_ids(const struct plan *plan, pid_t child, bool by_root);

void write_file(const char *path, const char *text, const char *step);

#endif
