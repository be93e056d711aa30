#include "answer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define HEAD_LIMIT 16384

void answer_begin(struct answer *answer, int fd) {
  answer->fd = fd;
  answer->from = 0;
  answer->to = 0;
  answer->left = 0;
}

/* Reads once more behind what is there. */
static enum answer_end more(struct answer *answer) {
  if (answer->from > 0) {
    memmove(answer->bytes, answer->bytes + answer->from, answer->to - answer->from);
    answer->to -= answer->from;
    answer->from = 0;
  }
  if (answer->to == sizeof answer->bytes) return ANSWER_FOREIGN;
  for (;;) {
    ssize_t got = read(answer->fd, answer->bytes + answer->to, sizeof answer->bytes - answer->to);
    if (got > 0) {
      answer->to += (size_t)got;
      return ANSWER_OK;
    }
    if (got == 0 || errno != EINTR) return ANSWER_BROKEN;
  }
}

enum answer_end answer_head(struct answer *answer, int *status) {
  static const char version[] = "HTTP/1.1 ";
  for (;;) {
    size_t length = answer->to - answer->from;
    const unsigned char *head = answer->bytes + answer->from;
    for (size_t i = 0; i + 4 <= length; i++) {
      if (memcmp(head + i, "\r\n\r\n", 4) != 0) continue;
      size_t digits = sizeof version - 1;
      if (i < digits + 3 || memcmp(head, version, digits) != 0) return ANSWER_FOREIGN;
      *status = 0;
      for (size_t d = digits; d < digits + 3; d++) {
        if (head[d] < '0' || head[d] > '9') return ANSWER_FOREIGN;
        *status = *status * 10 + (head[d] - '0');
      }
      if (head[digits + 3] != ' ' && head[digits + 3] != '\r') return ANSWER_FOREIGN;
      answer->from += i + 4;
      return ANSWER_OK;
    }
    if (length > HEAD_LIMIT) return ANSWER_FOREIGN;
    enum answer_end end = more(answer);
    if (end != ANSWER_OK) return end;
  }
}

enum answer_end answer_frame(struct answer *answer, enum frame_kind *kind, uint32_t *length) {
  if (answer->left > 0) return ANSWER_FOREIGN;
  for (;;) {
    size_t there = answer->to - answer->from;
    const unsigned char *head = answer->bytes + answer->from;
    if (there > 0 && (head[0] == '\0' || strchr("oefxh", head[0]) == NULL)) return ANSWER_FOREIGN;
    if (there >= 5) break;
    enum answer_end end = more(answer);
    if (end != ANSWER_OK) return end;
  }
  const unsigned char *at = answer->bytes + answer->from;
  *length = (uint32_t)at[1] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 8 | at[4];
  *kind = (enum frame_kind)at[0];
  if (*length > FRAME_LIMIT || (*kind == FRAME_EXIT && *length != 1)) return ANSWER_FOREIGN;
  answer->from += 5;
  answer->left = *length;
  return ANSWER_OK;
}

enum answer_end answer_bytes(struct answer *answer, const unsigned char **bytes, size_t *length) {
  *length = 0;
  if (answer->left == 0) return ANSWER_OK;
  if (answer->from == answer->to) {
    enum answer_end end = more(answer);
    if (end != ANSWER_OK) return end;
  }
  size_t there = answer->to - answer->from;
  *length = there < answer->left ? there : answer->left;
  *bytes = answer->bytes + answer->from;
  answer->from += *length;
  answer->left -= (uint32_t)*length;
  return ANSWER_OK;
}
