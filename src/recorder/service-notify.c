// SPDX-License-Identifier: GPL-2.0-or-later
#include "service-notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/fd.h"

void service_notify(const char *state)
{
	const char *path = secure_getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t len = path ? strlen(path) : 0;
	cleanup_(fd_closep) int fd = -1;

	if (len < 2 || len > sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(address.sun_path, path, len);
	/* An abstract name. */
	if (address.sun_path[0] == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		(void)sendto(fd, state, strlen(state), MSG_NOSIGNAL,
		             (const struct sockaddr *)&address,
		             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
}
