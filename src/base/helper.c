// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/helper.h"
#include "base/clock.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ctprof/base/macro.h"

void helper_ignore_signals(void)
{
	static const int signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGALRM, SIGTERM,
	                              SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU};
	sigset_t none;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		(void)signal(signals[i], SIG_IGN);
	(void)signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void read_capabilities(struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

	if (syscall(SYS_capget, &header, sets) < 0)
		_exit(1);
}

void helper_keep_capabilities(uint64_t kept)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};

	read_capabilities(sets);
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		sets[i].permitted &= (uint32_t)(kept >> (32 * i));
		sets[i].effective = sets[i].permitted;
		sets[i].inheritable = 0;
	}
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (syscall(SYS_capset, &header, sets) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		_exit(1);
}

static bool may_change_ids(void)
{
	const uint32_t needed = UINT32_C(1) << CAP_SETUID | UINT32_C(1) << CAP_SETGID;
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};

	read_capabilities(sets);
	return (sets[0].effective & needed) == needed;
}

/* The group comes first: the kernel maps no id of the user namespace of an ordinary user but that user's, and nothing has
 * changed when setresgid() says so. */
static void set_ids(uint32_t id)
{
	if (setresgid(id, id, id) < 0) {
		if (errno != EINVAL)
			_exit(1);
		return;
	}
	if (setgroups(0, NULL) < 0)
		_exit(1);
	if (setresuid(id, id, id) < 0 && errno != EINVAL)
		_exit(1);
}

/* Far above what distributions, containers and directories of users hand out, and each process's own. */
static uint32_t stranger_id(void)
{
	return UINT32_C(0xf0000000) | ((uint32_t)getpid() & 0x3fffff);
}

void helper_become_stranger(uint64_t kept)
{
	(void)prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	if (may_change_ids())
		set_ids(stranger_id());
	helper_keep_capabilities(kept);
	(void)prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void helper_end_with_by(pid_t parent, int signal)
{
	if (prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0) < 0 || getppid() != parent)
		_exit(1);
}

void helper_end_with(pid_t parent)
{
	helper_end_with_by(parent, SIGKILL);
}

bool helper_reap(pid_t pid, unsigned wait_ms)
{
	const struct timespec millisecond = {.tv_nsec = NS_PER_MS};

	for (unsigned i = 0; i <= wait_ms; i++) {
		pid_t r = waitpid(pid, NULL, WNOHANG);

		if (r == pid || (r < 0 && errno != EINTR))
			return true;
		(void)nanosleep(&millisecond, NULL);
	}
	return false;
}
