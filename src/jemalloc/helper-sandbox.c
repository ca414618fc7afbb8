// SPDX-License-Identifier: GPL-2.0-or-later
#include "helper-sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "ctprof/base/macro.h"

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Sanitizers ask for more than the program does. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(OWN_ARCHITECTURE) && !defined(HAS_SANITIZER)

static const uint32_t for_all[] = {
        /* memory */
        SYS_brk,
        SYS_mmap,
        SYS_mprotect,
        SYS_mremap,
        SYS_munmap,
        SYS_madvise,
        /* files that are open */
        SYS_read,
        SYS_pread64,
        SYS_lseek,
        SYS_fstat,
        SYS_newfstatat,
        SYS_fcntl,
        SYS_close,
#ifdef SYS_readlink
        SYS_readlink,
#endif
        SYS_readlinkat,
        /* the socket */
        SYS_ppoll,
#ifdef SYS_poll
        SYS_poll,
#endif
        SYS_recvmsg,
        SYS_sendmsg,
        /* what the C library does at any time */
        SYS_futex,
        SYS_getrandom,
        SYS_clock_gettime,
        SYS_gettimeofday,
        SYS_sysinfo,
        SYS_sched_getaffinity,
        SYS_rt_sigprocmask,
        SYS_rt_sigreturn,
        SYS_getpid,
        SYS_gettid,
        SYS_exit,
        SYS_exit_group,
};

static const uint32_t for_files[] = {
        SYS_openat2,
        SYS_statx,
        SYS_statfs,
        SYS_fstatfs,
        /* the process that parses */
        SYS_socketpair,
        SYS_clone,
        SYS_set_robust_list,
        SYS_wait4,
        SYS_kill,
        SYS_clock_nanosleep,
        SYS_restart_syscall,
        /* what that one gives up */
        SYS_rt_sigaction,
        SYS_dup3,
        SYS_close_range,
        SYS_prlimit64,
        SYS_capget,
        SYS_capset,
        SYS_prctl,
        SYS_setgroups,
        SYS_setresgid,
        SYS_setresuid,
        SYS_getppid,
};

static const uint32_t for_memory[] = {
        SYS_process_vm_readv,   SYS_wait4,           SYS_rt_sigtimedwait,
        SYS_sched_setscheduler, SYS_restart_syscall,
};

static const uint32_t ptrace_requests[] = {PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_GETREGSET,
                                           PTRACE_DETACH};
/* Asks whether a thread is there. */
static const uint32_t tgkill_signals[] = {0};

enum {
	LEN_MAX = 256,
	OPENAT_FLAGS = 2, /* arguments of system calls */
	PTRACE_REQUEST = 0,
	TGKILL_SIGNAL = 2,
};

static const uint32_t refused = SECCOMP_RET_ERRNO | EPERM;

#define LOAD(member_) ((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(member_)))
#define UNLESS_EQUAL(value_, skip_) \
	((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value_), 0, (skip_)))
#define UNLESS_NONE_OF(bits_, skip_) \
	((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits_), (skip_), 0))
#define RETURN(value_) ((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (value_)))

struct filter {
	struct sock_filter code[LEN_MAX];
	unsigned short len;
};

static void add(struct filter *filter, struct sock_filter instruction)
{
	filter->code[filter->len++] = instruction;
}

/* Allows what is equal to one of @values: the number of the call, or what was loaded of its arguments. */
static void allow(struct filter *filter, const uint32_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		add(filter, UNLESS_EQUAL(values[i], 1));
		add(filter, RETURN(SECCOMP_RET_ALLOW));
	}
}

/* Allows a call where one argument is one of @values. Its low half is compared. */
static void allow_with(struct filter *filter, uint32_t call, unsigned argument,
                       const uint32_t *values, size_t count)
{
	add(filter, UNLESS_EQUAL(call, (uint8_t)(2 * count + 2)));
	add(filter, LOAD(offsetof(struct seccomp_data, args[argument])));
	allow(filter, values, count);
	add(filter, RETURN(refused));
}

/* Numbers of another architecture mean something else. */
static void fill(struct filter *filter, enum helper_sandbox sandbox)
{
	add(filter, LOAD(offsetof(struct seccomp_data, arch)));
	add(filter,
	    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0));
	add(filter, RETURN(SECCOMP_RET_KILL_PROCESS));
	add(filter, LOAD(offsetof(struct seccomp_data, nr)));
	allow(filter, for_all, ARRAY_SIZE(for_all));
	if (sandbox == HELPER_SANDBOX_FILES)
		allow(filter, for_files, ARRAY_SIZE(for_files));
	if (sandbox == HELPER_SANDBOX_MEMORY) {
		allow(filter, for_memory, ARRAY_SIZE(for_memory));
		allow_with(filter, SYS_ptrace, PTRACE_REQUEST, ptrace_requests,
		           ARRAY_SIZE(ptrace_requests));
		allow_with(filter, SYS_tgkill, TGKILL_SIGNAL, tgkill_signals,
		           ARRAY_SIZE(tgkill_signals));
	}
	/* For reading only. The low half of the flags is all that there is of them. */
	add(filter, UNLESS_EQUAL(SYS_openat, 3));
	add(filter, LOAD(offsetof(struct seccomp_data, args[OPENAT_FLAGS])));
	add(filter, UNLESS_NONE_OF(O_ACCMODE | O_CREAT | O_TRUNC, 1));
	add(filter, RETURN(SECCOMP_RET_ALLOW));
	add(filter, RETURN(refused));
}

_Static_assert(2 * (ARRAY_SIZE(for_all) + ARRAY_SIZE(for_files) + ARRAY_SIZE(for_memory)) + 64 <
                       LEN_MAX,
               "every filter fits");

void helper_sandbox_enter(enum helper_sandbox sandbox)
{
	struct filter filter = {.len = 0};
	struct sock_fprog program = {.filter = filter.code};

	fill(&filter, sandbox);
	program.len = filter.len;
	(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#else
void helper_sandbox_enter(enum helper_sandbox sandbox)
{
	(void)sandbox;
}
#endif
