#define _GNU_SOURCE
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int answers = REPORT_FD;

void report_on(int descriptor) { answers = descriptor; }

/* Each line is far shorter than PIPE_BUF, so lines of several processes do not mix. */

void report_word(const char *what) { dprintf(answers, "%s\n", what); }

void report_number(const char *what, long number) { dprintf(answers, "%s %ld\n", what, number); }

void report_held(const char *what) { dprintf(answers, "held %s\n", what); }

void report_missing(const char *what) { dprintf(answers, "missing %s %d\n", what, errno); }

void give_up(const char *step) {
  dprintf(answers, "failed %s %d\n", step, errno);
  _exit(125);
}

void report_end(int status) {
  if (WIFSIGNALED(status))
    report_number("killed", WTERMSIG(status));
  else
    report_number("exited", WEXITSTATUS(status));
}

/* A number of the kernel's own tables about this network: the column NAME of the lines "GROUP:". */
static long counted(const char *table, const char *group, const char *name) {
  char heading[2048];
  for (const char *line = table; line != NULL && *line != 0; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (strncmp(line, group, strlen(group)) != 0) continue;
    const char *values = strchr(line, '\n');
    size_t length = values == NULL ? sizeof heading : (size_t)(values - line);
    if (length >= sizeof heading || strncmp(values + 1, group, strlen(group)) != 0) return 0;
    memcpy(heading, line, length);
    heading[length] = 0;
    const char *value = values + 1;
    char *rest = NULL;
    for (char *word = strtok_r(heading, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
      if (strcmp(word, name) == 0) return strtol(value, NULL, 10);
      value = strchr(value, ' ');
      if (value == NULL) return 0;
      value++;
    }
    return 0;
  }
  return 0;
}

long unreached(void) {
  char table[8192];
  int file = open("/proc/self/net/snmp", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, table, sizeof table - 1);
  if (file >= 0) close(file);
  if (length <= 0) return 0;
  table[length] = 0;
  /* A name is asked for at this machine's own address, where nobody answers. */
  return counted(table, "Ip:", "OutNoRoutes") + counted(table, "Udp:", "NoPorts");
}
