#ifndef INTERLOCK_FILTER_H
#define INTERLOCK_FILTER_H

#include <stdbool.h>

/*
 * Loads the filter of system calls; it cannot be taken back. In a box it takes away what leads out
 * of namespaces or into the kernel's rarer parts; in the process itself only ways round Landlock.
 * Without `internet` no socket of the internet can be made. Answers 0, or -1 with errno.
 */
int filter_load(bool in_box, bool internet);

#endif
