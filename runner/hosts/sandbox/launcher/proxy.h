#ifndef INTERLOCK_PROXY_H
#define INTERLOCK_PROXY_H

#include "plan.h"

/*
 * Opens the port of the plan on the box's own loopback and hands the socket to the runner, which
 * accepts on it from outside: whoever comes there is in this box, and nobody else gets to it. Ends
 * the launch where that cannot be done. Nothing where the plan names no port.
 */
void proxy_offer(const struct plan *plan);

/* Opens it alone, for whoever comes to ask. Answers -1 where the plan names no port. */
int proxy_open(const struct plan *plan);

#endif
