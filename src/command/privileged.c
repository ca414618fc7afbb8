// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/privileged.h"

#include <linux/capability.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

bool process_is_set_id(void)
{
	return getauxval(AT_SECURE) != 0 || getuid() != geteuid() || getgid() != getegid();
}

static bool has_capability(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};

	/* An error counts as having one. */
	if (syscall(SYS_capget, &header, sets) < 0)
		return true;
	return (sets[0].permitted | sets[1].permitted | sets[0].effective | sets[1].effective) != 0;
}

bool process_is_privileged(void)
{
	return geteuid() == 0 || process_is_set_id() || has_capability();
}
