#ifndef INTERLOCK_MEMBERS_H
#define INTERLOCK_MEMBERS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Which processes of a box belong to a command: those in its mount namespace. Nothing inside can
 * leave one, so neither a session of its own nor another parent hides a process.
 */

/* The number of the mount namespace that this process is in; 0 where it cannot be told. */
ino_t own_mounts(void);

/*
 * Sends a signal (0: none) to all in `mounts`, and answers how many there are. Left out are children
 * of the keeper: the first process and those that began a command. `processes` is an open folder of the box's own /proc. One that nobody may look at is everybody's:
 * it counts, and is sent SIGKILL but no other signal. Answers -1 where the folder cannot be read.
 */
int signal_members(int processes, ino_t mounts, int number);

#endif
