#ifndef INTERLOCK_CLIENT_ANSWER_H
#define INTERLOCK_CLIENT_ANSWER_H

#include <stddef.h>
#include <stdint.h>

/* What the runner answers, read from a descriptor as it comes. */
struct answer {
  int fd;
  size_t from;
  size_t to;
  /* Bytes of the present frame that were not handed out yet. */
  uint32_t left;
  unsigned char bytes[65536];
};

enum answer_end {
  ANSWER_OK = 0,
  /* The connection ended, or broke. */
  ANSWER_BROKEN = -1,
  /* Not what a runner of this version sends. */
  ANSWER_FOREIGN = -2
};

/*
 * A frame is one byte for its kind, its length in 4 bytes big-endian, and that many bytes
 * (runner/ingress/http/streams.ts). The last one says how it ended.
 */
enum frame_kind {
  FRAME_OUTPUT = 'o',
  FRAME_ERRORS = 'e',
  /* The folder in which the command ended. */
  FRAME_FOLDER = 'f',
  /* The end, with one byte: the exit status. */
  FRAME_EXIT = 'x',
  /* The end: only the whole program can go on from here. */
  FRAME_HAND_OVER = 'h'
};

#define FRAME_LIMIT (4u * 1024 * 1024)

void answer_begin(struct answer *answer, int fd);

/* Reads the head of an HTTP response. Writes its status; the body begins behind it. */
enum answer_end answer_head(struct answer *answer, int *status);

/* The next frame's kind and length. Its bytes have to be taken before the next call. */
enum answer_end answer_frame(struct answer *answer, enum frame_kind *kind, uint32_t *length);

/* Some bytes of the present frame, at least one; none when all are taken. */
enum answer_end answer_bytes(struct answer *answer, const unsigned char **bytes, size_t *length);

#endif
