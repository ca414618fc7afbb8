/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* kernel-ability - what a test needs of the kernel and an emulator of a process does not have. Each function tries the ability
 * itself. need_ functions skip the test, with the reason, where it is missing. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

#define skip_because(reason_)                            \
	do {                                             \
		print_message("skipped: " reason_ "\n"); \
		skip();                                  \
	} while (0)

static inline void need_openat2(void)
{
	if (syscall(SYS_openat2, -1, "", NULL, 0) < 0 && errno == ENOSYS)
		skip_because("there is no openat2 here");
}

/* Nothing has the process id -1. */
static inline bool has_ptrace(void)
{
	return ptrace(PTRACE_DETACH, -1, NULL, NULL) >= 0 || errno != ENOSYS;
}

static inline void need_ptrace(void)
{
	if (!has_ptrace())
		skip_because("there is no ptrace here");
}

static inline void need_seccomp(void)
{
	if (prctl(PR_GET_SECCOMP) < 0 && errno == EINVAL)
		skip_because("there is no seccomp here");
}

/* The process of a program is the program's own: its comm is the program's name. An emulator has its own name there, and
 * threads of its own. */
static inline void need_own_process(void)
{
	char comm[32] = "";
	FILE *file = fopen("/proc/self/comm", "re");

	assert_non_null(file);
	assert_non_null(fgets(comm, sizeof(comm), file));
	fclose(file);
	comm[strcspn(comm, "\n")] = '\0';
	if (strncmp(comm, program_invocation_short_name, strlen(comm)) != 0)
		skip_because("another program runs this one, and /proc names that");
}
