/*
 * What the keeper of a box is told, each in one packet of its control socket:
 *
 *   type (1 byte) flags (1) zero (2) command (4) number (4)      numbers are little endian
 *
 * A packet that is anything else ends the box: whoever sends it is not who we think. A named box has
 * many who ask, each on a connection of its own: there it ends the connection.
 */
#ifndef INTERLOCK_FRAME_H
#define INTERLOCK_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRAME_BYTES = 12, FRAME_MOST_FILES = 6, FRAME_FILES = 5 };

enum frame_type {
  FRAME_RUN = 'R',    /* with descriptors 0 to 4 of the command, and 5 where it tells */
  FRAME_SIGNAL = 'S', /* number: the signal, for all of its processes */
  FRAME_LISTENER = 'L', /* of a named box: the proxy's socket comes back with one byte, if there is one */
  FRAME_END = 'E',      /* of a named box; number: SIGTERM asks all in it to end, SIGKILL ends it */
};

struct frame {
  enum frame_type type;
  bool tells;
  uint32_t command; /* as whoever asks counts them */
  uint32_t number;
};

/* Reads a packet that came with so many descriptors. Answers whether it is one. */
bool frame_read(struct frame *frame, const unsigned char *bytes, size_t length, size_t files);

#endif
