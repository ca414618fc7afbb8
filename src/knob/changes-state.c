// SPDX-License-Identifier: GPL-2.0-or-later
#include "changes-state.h"

#include <errno.h>
#include <sys/epoll.h>

int changes_watch(struct changes *changes, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(changes->watch_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

void changes_unwatch(struct changes *changes, int fd)
{
	if (fd >= 0)
		(void)epoll_ctl(changes->watch_fd, EPOLL_CTL_DEL, fd, NULL);
}

void changes_line(struct strbuf *lines)
{
	if (lines->len > 0)
		strbuf_add_char(lines, '\n');
}
