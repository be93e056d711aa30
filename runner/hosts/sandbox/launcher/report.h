/*
 * What becomes of a launch, a line each, on a descriptor: "held WHAT", "missing WHAT ERRNO", "pid N",
 * "started", "failed STEP ERRNO", "exec ERRNO", "unreached COUNT", "behind", "exited CODE",
 * "killed SIGNAL". The runner reads them (`report.ts`). Nobody reading is no error: the launch itself is not at stake.
 */
#ifndef INTERLOCK_REPORT_H
#define INTERLOCK_REPORT_H

enum { PLAN_FD = 3, REPORT_FD = 4, TOLD_FD = 5, PROXY_FD = 7 };

void report_word(const char *what);
void report_number(const char *what, long number);
void report_held(const char *what);
/* With the errno of the moment. */
void report_missing(const char *what);

/* Says which step failed, with errno, and ends the process with 125. */
_Noreturn void give_up(const char *step);

#endif
