// SPDX-License-Identifier: GPL-2.0-or-later
#include "descriptor-socket.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

union descriptor_room {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int descriptor_socket_send(int socket, const void *bytes, size_t len, int fd)
{
	union descriptor_room room = {0};
	struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t sent;

	if (fd >= 0) {
		message.msg_control = room.bytes;
		message.msg_controllen = sizeof(room.bytes);
		room.header.cmsg_level = SOL_SOCKET;
		room.header.cmsg_type = SCM_RIGHTS;
		room.header.cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(&room.header), &fd, sizeof(fd));
	}
	do {
		sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

static int descriptor_in(struct msghdr *message)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

/* Descriptors for which there is no room are closed by the kernel. */
ssize_t descriptor_socket_receive(int socket, void *bytes, size_t len, int *ret_fd)
{
	union descriptor_room room = {0};
	struct iovec part = {.iov_base = bytes, .iov_len = len};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t received;

	if (ret_fd) {
		*ret_fd = -1;
		message.msg_control = room.bytes;
		message.msg_controllen = sizeof(room.bytes);
	}
	do {
		received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	} while (received < 0 && errno == EINTR);
	if (received < 0)
		return -errno;
	if (ret_fd)
		*ret_fd = descriptor_in(&message);
	return message.msg_flags & MSG_TRUNC ? -EMSGSIZE : received;
}
