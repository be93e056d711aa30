#define _GNU_SOURCE
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Each line is far shorter than PIPE_BUF, so lines of several processes do not mix. */

void report_word(const char *what) { dprintf(REPORT_FD, "%s\n", what); }

void report_number(const char *what, long number) { dprintf(REPORT_FD, "%s %ld\n", what, number); }

void report_held(const char *what) { dprintf(REPORT_FD, "held %s\n", what); }

void report_missing(const char *what) { dprintf(REPORT_FD, "missing %s %d\n", what, errno); }

void give_up(const char *step) {
  dprintf(REPORT_FD, "failed %s %d\n", step, errno);
  _exit(125);
}
