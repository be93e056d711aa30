#ifndef INTERLOCK_FILTER_H
#define INTERLOCK_FILTER_H

/* What the filter takes away besides what leads out of namespaces or into the kernel's rarer parts. */
enum filter_takes {
  TAKES_SET_ID = 1,    /* files that run as their owner */
  TAKES_INTERNET = 2,  /* its sockets */
  TAKES_NEIGHBOURS = 4, /* sockets by path, shared memory and queues of the same user's programs */
  TAKES_OTHERS = 8,    /* limits and priority of other processes */
  TAKES_CHANGES = 16,  /* rights, times, owners and attributes of files: Landlock knows none of them */
  TAKES_TRUNCATE = 32, /* emptying a file by its name, which old versions of Landlock do not know */
};

/* Loads the filter of system calls; it cannot be taken back. Answers 0, or -1 with errno. */
int filter_load(unsigned takes);

#endif
