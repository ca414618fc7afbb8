// SPDX-License-Identifier: GPL-2.0-or-later
#include "inspector-sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
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

static const uint32_t allowed[] = {
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

enum {
	HEAD = 4, /* the architecture, and the number */
	TAIL = 5, /* openat(2), for reading only, and the rest */
	EACH = 2,
	LEN = HEAD + EACH * ARRAY_SIZE(allowed) + TAIL,
	FLAGS_ARGUMENT = 2,
};

#define LOAD(member_) ((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(member_)))
#define UNLESS_EQUAL(value_, skip_) \
	((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value_), 0, (skip_)))
#define UNLESS_NONE_OF(bits_, skip_) \
	((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits_), (skip_), 0))
#define RETURN(value_) ((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (value_)))

/* Numbers of another architecture mean something else. */
static void fill(struct sock_filter filter[LEN])
{
	const uint32_t refused = SECCOMP_RET_ERRNO | EPERM;
	size_t len = 0;

	filter[len++] = LOAD(offsetof(struct seccomp_data, arch));
	filter[len++] =
	        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
	filter[len++] = RETURN(SECCOMP_RET_KILL_PROCESS);
	filter[len++] = LOAD(offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		filter[len++] = UNLESS_EQUAL(allowed[i], 1);
		filter[len++] = RETURN(SECCOMP_RET_ALLOW);
	}
	/* The low half of the flags, which is all that there is of them. */
	filter[len++] = UNLESS_EQUAL(SYS_openat, 3);
	filter[len++] = LOAD(offsetof(struct seccomp_data, args[FLAGS_ARGUMENT]));
	filter[len++] = UNLESS_NONE_OF(O_ACCMODE | O_CREAT | O_TRUNC, 1);
	filter[len++] = RETURN(SECCOMP_RET_ALLOW);
	filter[len++] = RETURN(refused);
}

void inspector_sandbox_enter(void)
{
	struct sock_filter filter[LEN];
	struct sock_fprog program = {.filter = filter};

	fill(filter);
	program.len = (unsigned short)LEN;
	(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#else
void inspector_sandbox_enter(void)
{
}
#endif
