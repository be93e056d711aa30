#ifndef INTERLOCK_CLIENT_SHIM_H
#define INTERLOCK_CLIENT_SHIM_H

#include <stdbool.h>

/* Whether this program stands in a sandbox in the place of a brokered tool. */
bool is_shim(const char *name);

/*
 * NAME WORDS…: has the runner run the tool, and is what that was. What is not the runner's to run
 * becomes the program of that name that the sandbox has.
 */
void shim(char **words) __attribute__((noreturn));

#endif
