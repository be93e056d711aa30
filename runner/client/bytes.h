#ifndef INTERLOCK_CLIENT_BYTES_H
#define INTERLOCK_CLIENT_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that grow. Whatever adds to them returns false where there is no room. */
struct bytes {
  unsigned char *at;
  size_t length;
  size_t room;
};

bool has_room(struct bytes *bytes, size_t more);
bool add(struct bytes *bytes, const void *from, size_t length);
bool add_text(struct bytes *bytes, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A JSON string; false for what JSON has no plain way to say. */
bool add_json(struct bytes *bytes, const char *text);
bool write_all(int fd, const void *from, size_t length);

#endif
