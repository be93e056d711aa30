#include "kernel.h"

#include "filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#if defined __x86_64__
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "The filter knows the numbers of x86-64 and arm64 only."
#endif

enum {
  /* Later calls are not known here, and what is not known is not there. */
  NEWEST_KNOWN_CALL = 462,
  FIRST_X32_CALL = 0x40000000,
  SET_ID_BITS = 06000,
  CREATES = O_CREAT | (O_TMPFILE & ~O_DIRECTORY),
  NEW_NAMESPACES = 0x7e020000, /* CLONE_NEW* */
  TYPES_INTO_TERMINAL = 0x5412, /* TIOCSTI */
  PASTES_INTO_TERMINAL = 0x541c /* TIOCLINUX */
};

struct program {
  struct sock_filter code[512];
  unsigned short length;
};

static void put(struct program *program, struct sock_filter instruction) {
  program->code[program->length++] = instruction;
}

static void load(struct program *program, size_t offset) {
  put(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void answer(struct program *program, unsigned how) {
  put(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, how));
}

/* The next `count` instructions hold only where the test is true. */
static void only_if(struct program *program, unsigned short test, unsigned value,
                    unsigned char count) {
  put(program, (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, value, 0, count));
}

static size_t number_of_call(void) { return offsetof(struct seccomp_data, nr); }

/* The kernel hands on 64 bits where it reads 32: the low half is what counts (little endian). */
static size_t low_half(unsigned argument) {
  return offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t);
}

static void deny(struct program *program, unsigned call, unsigned error) {
  only_if(program, BPF_JEQ, call, 1);
  answer(program, SECCOMP_RET_ERRNO | error);
}

/* Denies a call whose argument has one of these bits. */
static void deny_bits(struct program *program, unsigned call, unsigned argument, unsigned bits) {
  only_if(program, BPF_JEQ, call, 4);
  load(program, low_half(argument));
  only_if(program, BPF_JSET, bits, 1);
  answer(program, SECCOMP_RET_ERRNO | EPERM);
  load(program, number_of_call());
}

/* The same, where the call creates a file: else nobody sets the argument, and it may be anything. */
static void deny_creating(struct program *program, unsigned call, unsigned flags, unsigned mode) {
  only_if(program, BPF_JEQ, call, 6);
  load(program, low_half(flags));
  only_if(program, BPF_JSET, CREATES, 3);
  load(program, low_half(mode));
  only_if(program, BPF_JSET, SET_ID_BITS, 1);
  answer(program, SECCOMP_RET_ERRNO | EPERM);
  load(program, number_of_call());
}

static void deny_value(struct program *program, unsigned call, unsigned argument, unsigned value) {
  only_if(program, BPF_JEQ, call, 4);
  load(program, low_half(argument));
  only_if(program, BPF_JEQ, value, 1);
  answer(program, SECCOMP_RET_ERRNO | EPERM);
  load(program, number_of_call());
}

static void deny_any(struct program *program, unsigned call, unsigned argument) {
  deny_bits(program, call, argument, UINT32_MAX);
}

static void allow_families(struct program *program, unsigned takes) {
  unsigned families[4] = {AF_NETLINK}, count = 1;
  if ((takes & TAKES_NEIGHBOURS) == 0) families[count++] = AF_UNIX;
  if ((takes & TAKES_INTERNET) == 0) families[count++] = AF_INET;
  if ((takes & TAKES_INTERNET) == 0) families[count++] = AF_INET6;
  only_if(program, BPF_JEQ, SYS_socket, (unsigned char)(2 + 2 * count));
  load(program, low_half(0));
  for (unsigned i = 0; i < count; i++) {
    only_if(program, BPF_JEQ, families[i], 1);
    answer(program, SECCOMP_RET_ALLOW);
  }
  bool is_whole = (takes & (TAKES_INTERNET | TAKES_NEIGHBOURS)) == 0;
  answer(program, SECCOMP_RET_ERRNO | (is_whole ? EAFNOSUPPORT : EACCES));
}

/* Other name spaces, other processes' memory, the kernel's own settings and rarer doors. */
static const unsigned denied[] = {
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_open_tree,
    SYS_move_mount, 430 /* fsopen */, 431 /* fsconfig */, 432 /* fsmount */, 433 /* fspick */,
    SYS_mount_setattr, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
    440 /* process_madvise */, 438 /* pidfd_getfd */, SYS_kcmp, SYS_keyctl, SYS_add_key,
    SYS_request_key, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_name_to_handle_at,
    SYS_open_by_handle_at, SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module,
    SYS_delete_module, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_syslog, SYS_acct, SYS_quotactl,
    443 /* quotactl_fd */, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime,
    SYS_sethostname, SYS_setdomainname, SYS_vhangup, SYS_fanotify_init, SYS_move_pages,
    SYS_migrate_pages,
#ifdef __x86_64__
    SYS_iopl, SYS_ioperm, SYS_uselib, SYS__sysctl, SYS_ustat, SYS_sysfs, SYS_modify_ldt,
#endif
};

static const unsigned between_neighbours[] = {SYS_shmget, SYS_shmat, SYS_msgget, SYS_msgsnd,
                                              SYS_msgrcv, SYS_semget, SYS_semop, SYS_semtimedop,
                                              SYS_mq_open, SYS_mq_unlink};

static const unsigned changes[] = {
    SYS_fchmod, SYS_fchmodat, 452 /* fchmodat2 */, SYS_fchown, SYS_fchownat, SYS_utimensat,
    SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr,
    SYS_fremovexattr,
#ifdef __x86_64__
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
};

static void deny_all(struct program *program, const unsigned *calls, size_t count) {
  for (size_t i = 0; i < count; i++) deny(program, calls[i], EPERM);
}

static void deny_set_id(struct program *program) {
  deny_bits(program, SYS_fchmod, 1, SET_ID_BITS);
  deny_bits(program, SYS_fchmodat, 2, SET_ID_BITS);
  deny_bits(program, 452 /* fchmodat2 */, 2, SET_ID_BITS);
  deny_bits(program, SYS_mknodat, 2, SET_ID_BITS);
  deny_creating(program, SYS_openat, 2, 3);
  /* Its arguments lie in memory, where a filter cannot look; programs then use the older call. */
  deny(program, SYS_openat2, ENOSYS);
#ifdef __x86_64__
  deny_bits(program, SYS_chmod, 1, SET_ID_BITS);
  deny_bits(program, SYS_creat, 1, SET_ID_BITS);
  deny_bits(program, SYS_mknod, 1, SET_ID_BITS);
  deny_creating(program, SYS_open, 1, 2);
#endif
}

int filter_load(unsigned takes) {
  struct program program = {.length = 0};
  load(&program, offsetof(struct seccomp_data, arch));
  put(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0));
  answer(&program, SECCOMP_RET_KILL_PROCESS);
  load(&program, number_of_call());
  only_if(&program, BPF_JGE, FIRST_X32_CALL, 1);
  answer(&program, SECCOMP_RET_KILL_PROCESS);
  only_if(&program, BPF_JGT, NEWEST_KNOWN_CALL, 1);
  answer(&program, SECCOMP_RET_ERRNO | ENOSYS);
  /* A queue of calls that no filter sees. */
  for (unsigned call = 425; call <= 427; call++) deny(&program, call, EPERM);
  deny_value(&program, SYS_ioctl, 1, TYPES_INTO_TERMINAL);
  deny_value(&program, SYS_ioctl, 1, PASTES_INTO_TERMINAL);
  deny_all(&program, denied, sizeof denied / sizeof *denied);
  deny_bits(&program, SYS_clone, 0, NEW_NAMESPACES);
  deny(&program, 435 /* clone3 */, ENOSYS);
  if ((takes & TAKES_NEIGHBOURS) != 0)
    deny_all(&program, between_neighbours, sizeof between_neighbours / sizeof *between_neighbours);
  if ((takes & TAKES_OTHERS) != 0) {
    deny_any(&program, SYS_prlimit64, 0);
    deny_any(&program, SYS_setpriority, 1);
  }
  if ((takes & TAKES_CHANGES) != 0) deny_all(&program, changes, sizeof changes / sizeof *changes);
  if ((takes & TAKES_TRUNCATE) != 0) deny(&program, SYS_truncate, EPERM);
  if ((takes & TAKES_SET_ID) != 0) deny_set_id(&program);
  allow_families(&program, takes);
  answer(&program, SECCOMP_RET_ALLOW);
  struct sock_fprog loaded = {program.length, program.code};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &loaded);
}
