#define _GNU_SOURCE
#include "bytes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool has_room(struct bytes *bytes, size_t more) {
  if (bytes->room - bytes->length >= more) return true;
  size_t room = 2 * (bytes->length + more);
  unsigned char *at = realloc(bytes->at, room);
  if (at == NULL) return false;
  bytes->at = at;
  bytes->room = room;
  return true;
}

bool add(struct bytes *bytes, const void *from, size_t length) {
  if (!has_room(bytes, length)) return false;
  memcpy(bytes->at + bytes->length, from, length);
  bytes->length += length;
  return true;
}

bool add_text(struct bytes *bytes, const char *format, ...) {
  char text[8192];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return length >= 0 && (size_t)length < sizeof text && add(bytes, text, (size_t)length);
}

bool write_all(int fd, const void *from, size_t length) {
  const unsigned char *at = from;
  while (length > 0) {
    ssize_t put = write(fd, at, length);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    length -= (size_t)put;
  }
  return true;
}

/* The length of the UTF-8 character at `at`, 0 where there is none (RFC 3629). */
static size_t character(const unsigned char *at) {
  if (at[0] < 0x80) return 1;
  size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  if (at[0] < 0xc2 || at[0] > 0xf4) return 0;
  for (size_t i = 1; i < length; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  if (at[0] == 0xe0 && at[1] < 0xa0) return 0;
  if (at[0] == 0xed && at[1] > 0x9f) return 0;
  if (at[0] == 0xf0 && at[1] < 0x90) return 0;
  if (at[0] == 0xf4 && at[1] > 0x8f) return 0;
  return length;
}

bool add_json(struct bytes *bytes, const char *text) {
  if (!add(bytes, "\"", 1)) return false;
  for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
    size_t length = character(at);
    if (length == 0 || *at < 0x20) return false;
    if ((*at == '"' || *at == '\\') && !add(bytes, "\\", 1)) return false;
    if (!add(bytes, at, length)) return false;
    at += length;
  }
  return add(bytes, "\"", 1);
}
