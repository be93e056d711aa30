#ifndef INTERLOCK_NAMED_H
#define INTERLOCK_NAMED_H

#include "plan.h"

/*
 * What is particular to a named box. Whoever may open its socket may bring commands to it, see
 * `frame.h`: the socket lies in a folder of the one who made it, and no box sees that folder.
 */

/*
 * Takes the next who knocks. Answers a socket, or -1 where it is nobody, or the box's own user where
 * that is not who made the box.
 */
int named_accept(int listener, const struct plan *plan, bool becomes_owner);

/* Sends one byte, and with it a copy of `file` where that is one. */
void named_hand_out(int peer, int file);

/* Asks all others in the box to end. */
void named_ask_all(void);

/*
 * The first process of a box: reaps. Told to end from outside it asks all others to, and ends with the
 * last of them.
 */
_Noreturn void named_watch(void);

#endif
