// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The effective capabilities that the program was started with, if its user has not got them. */
static struct {
	bool are_extra;
	uint32_t effective[_LINUX_CAPABILITY_U32S_3];
} granted;

/* Sets the effective capabilities of this thread. Those of file access follow the ids too, and so are set behind them. */
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

/* These calls have no errors: they return the id from before. */
static int set_file_ids(uid_t uid, gid_t gid)
{
	setfsgid(gid);
	setfsuid(uid);
	return (uid_t)setfsuid((uid_t)-1) == uid && (gid_t)setfsgid((gid_t)-1) == gid ? 0 : -EPERM;
}

static int lower(void)
{
	static const uint32_t none[_LINUX_CAPABILITY_U32S_3] = {0};
	int r = set_file_ids(getuid(), getgid());

	return r < 0 ? r : set_effective(none);
}

int rights_init(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (getauxval(AT_SECURE) == 0 || getuid() == 0)
		return 0;
	if (syscall(SYS_capget, &header, sets) < 0)
		return -errno;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		granted.effective[i] = sets[i].effective;
	granted.are_extra = true;
	return lower();
}

bool rights_raise(void)
{
	uid_t uid = (uid_t)setfsuid((uid_t)-1);
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (!granted.are_extra || syscall(SYS_capget, &header, sets) < 0)
		return false;
	if (uid == geteuid() && sets[0].effective == granted.effective[0] &&
	    sets[1].effective == granted.effective[1])
		return false;
	/* Without them values are missing, with their reasons. */
	(void)!set_file_ids(geteuid(), getegid());
	(void)!set_effective(granted.effective);
	return true;
}

void rights_lower(const bool *raised)
{
	if (!*raised || lower() == 0)
		return;
	/* Nothing else may be done with these rights. */
	fputs("ctprof: the rights of this program cannot be given up\n", stderr);
	abort();
}
