#ifndef INTERLOCK_TREE_H
#define INTERLOCK_TREE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The tree of files that a box is given while it is built: its places, and what is mounted on them.
 * A target is an absolute path in that tree; no link is followed on the way to it. Whatever fails
 * ends the process with a report.
 */

/* The result of a system call, or the end of this process. */
int checked(int result, const char *step);

/* From now on the file system that `folder` lies in is one of ours, and may be filled. */
void remember_own(int folder);
bool is_own(int folder);

/* The folder of a target, and its last part; -1 where there is none. Makes missing ones in file systems of ours. */
int open_parent(int root, const char *target, const char **last);

/* The place that something is mounted on; made where it is missing in a file system of ours, else -1. */
int open_target(int root, const char *target, bool is_folder);

/* The same for a folder that has to be there. */
int open_folder(int root, const char *target, const char *step);

/* Mounts what is open as `source` at the place `target`, with `attributes` for it and what is below. */
void bind_onto(int source, int target, unsigned below, uint64_t attributes);

/* A new file system over an open folder; -1 where the kernel refuses. */
int mount_here(int folder, const char *type, unsigned long flags, const char *options);

#endif
