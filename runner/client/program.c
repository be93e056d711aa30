#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

struct program self;

void become(const char *doubt) {
  static char *words[MOST_WORDS + 5];
  static const struct itimerval never;
  setitimer(ITIMER_REAL, &never, NULL);
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int count = 0;
  while (count < self.count) {
    words[count] = self.words[count];
    count++;
  }
  if (doubt != NULL) {
    words[count++] = "--doubt";
    words[count++] = (char *)(size_t)doubt;
    words[count++] = "--of";
    words[count++] = self.host;
  }
  words[count] = NULL;
  execv(words[0], words);
  _exit(NOT_STARTED);
}

void become_with_input(void) {
  static const struct itimerval never;
  setitimer(ITIMER_REAL, &never, NULL);
  int fd = memfd_create("input", 0);
  if (fd < 0) become("broken");
  for (size_t done = 0; done < self.input.length;) {
    ssize_t put = write(fd, self.input.at + done, self.input.length - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) become("broken");
    done += (size_t)put;
  }
  if (lseek(fd, 0, SEEK_SET) != 0 || dup2(fd, 0) != 0) become("broken");
  if (fd != 0) close(fd);
  become(NULL);
}

void listen_to(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigfillset(&action.sa_mask);
  sigaction(number, &action, NULL);
}
