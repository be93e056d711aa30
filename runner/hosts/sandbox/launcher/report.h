/*
 * What becomes of a launch, a line each, on a descriptor: "held WHAT", "missing WHAT ERRNO", "pid N",
 * "started", "failed STEP ERRNO", "exec ERRNO", "unreached COUNT", "behind", "exited CODE",
 * "killed SIGNAL"; of a keeper, "kept". The runner reads them (`report.ts`). Nobody reading is no error: the launch itself is not at stake.
 */
#ifndef INTERLOCK_REPORT_H
#define INTERLOCK_REPORT_H

enum {
  PLAN_FD = 3,
  REPORT_FD = 4,
  TOLD_FD = 5,
  CONTROL_FD = 5, /* of a keeper, which runs nothing itself */
  PROXY_FD = 7,
};

/* Says the following on another descriptor than REPORT_FD. */
void report_on(int descriptor);

void report_word(const char *what);
void report_number(const char *what, long number);
void report_held(const char *what);
/* With the errno of the moment. */
void report_missing(const char *what);

/* The end of a command, from its status as waitpid answers it. */
void report_end(int status);

/* How often something in this network looked for a way out of it, where there is none. */
long unreached(void);

/* Says which step failed, with errno, and ends the process with 125. */
_Noreturn void give_up(const char *step);

#endif
