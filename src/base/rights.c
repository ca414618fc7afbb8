// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The effective capabilities that the program was started with, if its user has not got them. */
static struct {
	bool are_extra;
	uint32_t effective[_LINUX_CAPABILITY_U32S_3];
} granted;

static int get_effective(uint32_t ret_effective[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &header, sets) < 0)
		return -errno;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		ret_effective[i] = sets[i].effective;
	return 0;
}

/* Sets the effective capabilities of this thread. */
static int set_effective(const uint32_t effective[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &header, sets) < 0)
		return -errno;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		sets[i].effective = effective[i];
	return syscall(SYS_capset, &header, sets) < 0 ? -errno : 0;
}

static int lower(void)
{
	static const uint32_t none[_LINUX_CAPABILITY_U32S_3] = {0};

	return set_effective(none);
}

/* Gives up the ids of a set-id program for good. A command would get them back with all their rights: execve(2) goes by the
 * effective ids. */
static int drop_ids(void)
{
	uid_t uid = getuid();
	gid_t gid = getgid();

	return setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0 ? -errno : 0;
}

int rights_init(void)
{
	int r;

	if (getauxval(AT_SECURE) == 0 || getuid() == 0)
		return 0;
	r = drop_ids();
	if (r == 0)
		r = get_effective(granted.effective);
	if (r < 0)
		return r;
	granted.are_extra = true;
	return lower();
}

/* Returns whether the rights of this thread are those that were granted. */
static bool are_raised(void)
{
	uint32_t effective[_LINUX_CAPABILITY_U32S_3];

	return granted.are_extra && get_effective(effective) == 0 &&
	       memcmp(effective, granted.effective, sizeof(effective)) == 0;
}

bool rights_raise(void)
{
	if (!granted.are_extra || are_raised())
		return false;
	/* Without them values are missing, with their reasons. */
	(void)!set_effective(granted.effective);
	return true;
}

bool rights_pause(void)
{
	const bool raised = are_raised();

	rights_lower(&raised);
	return raised;
}

void rights_resume(const bool *paused)
{
	if (*paused)
		(void)!set_effective(granted.effective);
}

void rights_lower(const bool *raised)
{
	if (!*raised || lower() == 0)
		return;
	/* Nothing else may be done with these rights. */
	fputs("ctprof: the rights of this program cannot be given up\n", stderr);
	abort();
}
