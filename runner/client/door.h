#ifndef INTERLOCK_CLIENT_DOOR_H
#define INTERLOCK_CLIENT_DOOR_H

#include <stddef.h>

/*
 * Connects to the socket `name` of a home that belongs to this user or root, with nobody else able to
 * write there: the rules of shared/ipc/transport/door.ts, for the plain case. Nothing is sent.
 * Returns a descriptor, or -1 for everything that is not plain.
 */
int door_connect(const char *home, const char *name);

/* The beginning of one file that only this user can use, ended by NUL. */
enum private_file { PRIVATE_THERE, PRIVATE_MISSING, PRIVATE_DOUBTFUL };
enum private_file private_read(const char *path, char *text, size_t size);

#endif
