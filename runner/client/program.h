#ifndef INTERLOCK_CLIENT_PROGRAM_H
#define INTERLOCK_CLIENT_PROGRAM_H

#include <sys/types.h>

#include "bytes.h"

#define MOST_WORDS 24
#define NOT_STARTED 127

/* The program that this one stands for, and what it was given. */
struct program {
  char **words; /* NODE PROGRAM ARGS… */
  int count;
  struct bytes input;
  /* The host behind the shell that started this: its number and the moment of its start. */
  char host[64];
};

extern struct program self;

/* Becomes the whole program. Also called by handlers of signals, so it allocates nothing. */
void become(const char *doubt) __attribute__((noreturn));
/* Becomes the whole program, which reads the same input anew. */
void become_with_input(void) __attribute__((noreturn));

void listen_to(int number, void (*handler)(int));

/* NODE PROGRAM HOST --agent NAME --wait SECONDS [--home FOLDER] [--decide-only] */
void hook(void) __attribute__((noreturn));
/* NODE PROGRAM run --ticket TICKET [--tell-folder] */
void redeem(void) __attribute__((noreturn));

#endif
