#define _GNU_SOURCE
#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "door.h"
#include "sign.h"

/* Adds the headers that sign the call; false where only the whole program can say what is wrong. */
static bool add_signature(struct bytes *head, const char *home, const char *agent, const char *path,
                          const struct bytes *body) {
  char file[4400], text[64], nonce[44], hex[DIGEST_HEX], at[24];
  unsigned char key[32], random[32], digest[DIGEST_BYTES];
  int length = snprintf(file, sizeof file, "%s/keys/agents/%s.key", home, agent);
  if (length < 0 || (size_t)length >= sizeof file) return false;
  enum private_file found = private_read(file, text, sizeof text);
  if (found == PRIVATE_MISSING) return true;
  text[strcspn(text, "\n")] = '\0';
  if (found != PRIVATE_THERE || strlen(text) != 43 || key_from_base64url(text, key) != 0)
    return false;
  explicit_bzero(text, sizeof text);
  if (getrandom(random, sizeof random, 0) != sizeof random) return false;
  to_base64url(random, sizeof random, nonce);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(at, sizeof at, "%lld", (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000);
  struct sha256 hash;
  sha256_begin(&hash);
  sha256_add(&hash, body->at, body->length);
  sha256_end(&hash, digest);
  to_hex(digest, sizeof digest, hex);
  struct hmac mac;
  hmac_begin(&mac, key, sizeof key);
  explicit_bzero(key, sizeof key);
  const char *fields[] = {"interlock request 2", agent, "POST", path, at, nonce, hex};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    hmac_field(&mac, fields[i], strlen(fields[i]));
  hmac_end(&mac, digest);
  explicit_bzero(&mac, sizeof mac);
  to_hex(digest, sizeof digest, hex);
  return add_text(head,
                  "x-interlock-agent: %s\r\nx-interlock-ts: %s\r\nx-interlock-nonce: %s\r\n"
                  "x-interlock-signs: bytes\r\nx-interlock-mac: %s\r\n",
                  agent, at, nonce, hex);
}

enum call_end call(struct answer *answer, const char *home, const char *door, const char *agent,
                   const char *path, const struct bytes *body) {
  static struct bytes head;
  if (!add_text(&head,
                "POST %s HTTP/1.0\r\nhost: interlock\r\nconnection: close\r\n"
                "content-type: application/json\r\naccept: application/x-interlock-frames\r\n"
                "content-length: %zu\r\n",
                path, body->length))
    return CALL_OPEN;
  if (agent != NULL && !add_signature(&head, home, agent, path, body))
    return CALL_OPEN;
  if (!add(&head, "\r\n", 2)) return CALL_OPEN;
  int fd = door_connect(home, door);
  if (fd < 0) return CALL_OPEN;
  if (!write_all(fd, head.at, head.length) || !write_all(fd, body->at, body->length))
    return CALL_OPEN;
  answer_begin(answer, fd);
  int status;
  enum answer_end end = answer_head(answer, &status);
  if (end != ANSWER_OK) return end == ANSWER_BROKEN ? CALL_BROKEN : CALL_OPEN;
  return status == 200 ? CALL_ANSWERED : CALL_OPEN;
}

bool home_of(const char *named, char *home, size_t size) {
  const char *folder = getenv("HOME");
  int length = named != NULL && *named != '\0' ? snprintf(home, size, "%s", named)
               : folder != NULL                ? snprintf(home, size, "%s/.interlock", folder)
                                               : -1;
  return length > 0 && (size_t)length < size && home[0] == '/';
}
