#ifndef INTERLOCK_COMMAND_H
#define INTERLOCK_COMMAND_H

#include "plan.h"

#include <sys/types.h>

/* Reads what stands on PLAN_FD to its end; null where that fails or is too long. */
unsigned char *read_message(size_t *length);

/*
 * Becomes the command, under everything that holds it. Does not come back. A `spawner` that waits for
 * it says itself that it has begun, and the command does not begin without it; 0: there is none.
 */
_Noreturn void become_command(const struct plan *plan, pid_t spawner);

#endif
