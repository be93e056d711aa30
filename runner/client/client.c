/*
 * `interlock-client NODE PROGRAM ARGS…` does what `NODE PROGRAM ARGS…` does, in less time: the two
 * programs that an agent's host starts for each call, the hook and `interlock run --ticket`, need no
 * more than a socket. It knows the straight way alone. Whatever else happens, it becomes the program
 * that it stands for, which has the words for it; so nothing is allowed here that is not there.
 *
 * In a sandbox, under the name of a brokered tool, it brings calls of that tool to the runner (shim.h).
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "shim.h"

/* Whether nothing but the home is said by variables; what else they say, the whole program knows. */
static bool is_plain_environment(void) {
  static const char ours[] = "INTERLOCK_", home[] = "INTERLOCK_HOME=";
  for (char **entry = environ; *entry != NULL; entry++)
    if (strncmp(*entry, ours, sizeof ours - 1) == 0 && strncmp(*entry, home, sizeof home - 1) != 0)
      return false;
  return true;
}

static bool ends_in(const char *text, const char *end) {
  size_t length = strlen(text), part = strlen(end);
  return length >= part && strcmp(text + length - part, end) == 0;
}

int main(int argc, char **argv) {
  if (argc > 0 && is_shim(argv[0])) shim(argv);
  if (argc < 3 || argc - 1 > MOST_WORDS || argv[1][0] != '/') return NOT_STARTED;
  self.words = argv + 1;
  self.count = argc - 1;
  if (getuid() != geteuid() || getgid() != getegid() || !is_plain_environment()) become(NULL);
  if (ends_in(argv[2], "/runner/hook/main.cjs")) hook();
  if (argc > 3 && ends_in(argv[2], "/runner/cli/main.js") && strcmp(argv[3], "run") == 0) redeem();
  become(NULL);
}
