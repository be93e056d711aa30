#ifndef INTERLOCK_CLIENT_SIGN_H
#define INTERLOCK_CLIENT_SIGN_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_BYTES 32
#define DIGEST_HEX (2 * DIGEST_BYTES + 1)

struct sha256 {
  uint32_t state[8];
  uint64_t length;
  unsigned char block[64];
};

/* FIPS 180-4. `sha256_end` writes 32 bytes. */
void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t length);
void sha256_end(struct sha256 *hash, unsigned char *digest);

/* RFC 2104, with a key of at most 64 bytes. */
struct hmac {
  struct sha256 inner;
  unsigned char outer_key[64];
};
void hmac_begin(struct hmac *mac, const unsigned char *key, size_t length);
void hmac_end(struct hmac *mac, unsigned char *digest);

/* Adds a field under its length, 4 bytes big-endian, so that no two lists of fields are the same bytes. */
void hmac_field(struct hmac *mac, const void *bytes, size_t length);

/* Lower case, ended by NUL. */
void to_hex(const unsigned char *bytes, size_t length, char *text);
/* Without padding, ended by NUL: `text` takes 4 characters for each 3 bytes begun, and one. */
void to_base64url(const unsigned char *bytes, size_t length, char *text);
/* 43 characters to 32 bytes; -1 where they are not what `to_base64url` writes. */
int key_from_base64url(const char *text, unsigned char *key);

#endif
