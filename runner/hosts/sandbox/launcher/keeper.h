#ifndef INTERLOCK_KEEPER_H
#define INTERLOCK_KEEPER_H

#include "plan.h"

/*
 * Stays, and starts the commands that it is told of on CONTROL_FD (`frame.h`): in one box that lives
 * as long as this process (MODE_KEEP), or as they are (MODE_START). Ends with its parent and with
 * the control socket, and takes the box along.
 */
_Noreturn void keep(struct plan *plan);

#endif
