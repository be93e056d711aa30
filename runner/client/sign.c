#include "sign.h"

#include <string.h>

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t word, int by) { return word >> by | word << (32 - by); }

static void add_block(struct sha256 *hash, const unsigned char *block) {
  uint32_t w[64];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
           (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  uint32_t v[8];
  memcpy(v, hash->state, sizeof v);
  for (int i = 0; i < 64; i++) {
    uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
    uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    uint32_t one = v[7] + s1 + choice + round_constants[i] + w[i];
    uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
    uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    memmove(v + 1, v, 7 * sizeof v[0]);
    v[4] += one;
    v[0] = one + s0 + majority;
  }
  for (int i = 0; i < 8; i++) hash->state[i] += v[i];
}

void sha256_begin(struct sha256 *hash) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(hash->state, start, sizeof start);
  hash->length = 0;
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t length) {
  const unsigned char *from = bytes;
  size_t used = hash->length % 64;
  hash->length += length;
  while (length > 0) {
    size_t part = 64 - used < length ? 64 - used : length;
    memcpy(hash->block + used, from, part);
    used += part;
    from += part;
    length -= part;
    if (used == 64) {
      add_block(hash, hash->block);
      used = 0;
    }
  }
}

void sha256_end(struct sha256 *hash, unsigned char *digest) {
  static const unsigned char padding[64] = {0x80};
  uint64_t bits = hash->length * 8;
  unsigned char end[8];
  for (int i = 0; i < 8; i++) end[i] = (unsigned char)(bits >> (56 - 8 * i));
  size_t used = hash->length % 64;
  sha256_add(hash, padding, used < 56 ? 56 - used : 120 - used);
  sha256_add(hash, end, sizeof end);
  for (int i = 0; i < DIGEST_BYTES; i++)
    digest[i] = (unsigned char)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void hmac_begin(struct hmac *mac, const unsigned char *key, size_t length) {
  unsigned char inner_key[64];
  memset(inner_key, 0x36, sizeof inner_key);
  memset(mac->outer_key, 0x5c, sizeof mac->outer_key);
  for (size_t i = 0; i < length && i < 64; i++) {
    inner_key[i] ^= key[i];
    mac->outer_key[i] ^= key[i];
  }
  sha256_begin(&mac->inner);
  sha256_add(&mac->inner, inner_key, sizeof inner_key);
}

void hmac_end(struct hmac *mac, unsigned char *digest) {
  unsigned char inner[DIGEST_BYTES];
  sha256_end(&mac->inner, inner);
  struct sha256 outer;
  sha256_begin(&outer);
  sha256_add(&outer, mac->outer_key, sizeof mac->outer_key);
  sha256_add(&outer, inner, sizeof inner);
  sha256_end(&outer, digest);
}

void hmac_field(struct hmac *mac, const void *bytes, size_t length) {
  unsigned char prefix[4];
  for (int i = 0; i < 4; i++) prefix[i] = (unsigned char)(length >> (24 - 8 * i));
  sha256_add(&mac->inner, prefix, sizeof prefix);
  sha256_add(&mac->inner, bytes, length);
}

void to_hex(const unsigned char *bytes, size_t length, char *text) {
  for (size_t i = 0; i < length; i++) {
    *text++ = "0123456789abcdef"[bytes[i] >> 4];
    *text++ = "0123456789abcdef"[bytes[i] & 15];
  }
  *text = '\0';
}

static const char base64url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void to_base64url(const unsigned char *bytes, size_t length, char *text) {
  for (size_t i = 0; i < length; i += 3) {
    size_t there = length - i < 3 ? length - i : 3;
    uint32_t word = (uint32_t)bytes[i] << 16;
    if (there > 1) word |= (uint32_t)bytes[i + 1] << 8;
    if (there > 2) word |= bytes[i + 2];
    for (size_t c = 0; c <= there; c++) *text++ = base64url[word >> (18 - 6 * c) & 63];
  }
  *text = '\0';
}

int key_from_base64url(const char *text, unsigned char *key) {
  uint32_t word = 0;
  int bits = 0;
  size_t made = 0;
  for (size_t i = 0; i < 43; i++) {
    const char *at = text[i] == '\0' ? NULL : strchr(base64url, text[i]);
    if (at == NULL) return -1;
    word = word << 6 | (uint32_t)(at - base64url);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      key[made++] = (unsigned char)(word >> bits);
    }
  }
  /* Two bits are left over, and are zero in what was written by the same rules. */
  return (word & 3) == 0 ? 0 : -1;
}
