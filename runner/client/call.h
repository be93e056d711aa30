#ifndef INTERLOCK_CLIENT_CALL_H
#define INTERLOCK_CLIENT_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "answer.h"
#include "bytes.h"

enum call_end {
  CALL_ANSWERED,
  /* The whole program may make the call: it was not made, or turned away. */
  CALL_OPEN,
  /* It was made, and nothing came back. */
  CALL_BROKEN
};

/*
 * Sends one request to the socket `door` in a folder and reads the head of the answer. With an agent that has a key, signed. HTTP/1.0,
 * so that the body comes as it is.
 */
enum call_end call(struct answer *answer, const char *home, const char *door, const char *agent,
                   const char *path, const struct bytes *body);

/* Where the home is; false where only the whole program finds it. */
bool home_of(const char *named, char *home, size_t size);

#endif
