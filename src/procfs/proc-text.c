// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/proc-text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/watch.h"

ssize_t proc_text_read(uint32_t tgid, uint32_t tid, const char *name,
                       char text[static PROC_TEXT_BYTES])
{
	cleanup_(fd_closep) int fd = -1;
	char path[64];
	size_t len = 0;

	if (tid == 0)
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", tgid, name);
	else
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/%s", tgid, tid,
		         name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (len < PROC_TEXT_BYTES) {
		ssize_t n;

		watch_enter();
		n = read(fd, text + len, PROC_TEXT_BYTES - len);
		watch_leave();
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}
