// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/own-proc.h"

#include <stdint.h>
#include <unistd.h>

#include "base/scan.h"

bool proc_is_own(int proc_fd)
{
	char link[16];
	ssize_t len = readlinkat(proc_fd, "self", link, sizeof(link));
	uint64_t pid;

	return len > 0 && scan_u64(link, (size_t)len, &pid) && pid == (uint64_t)getpid();
}
