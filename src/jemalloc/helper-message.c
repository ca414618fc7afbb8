// SPDX-License-Identifier: GPL-2.0-or-later
#include "helper-message.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#define UP_TO(member_) \
	(offsetof(struct helper_message, member_) + sizeof(((struct helper_message *)0)->member_))

/* The bytes of a message of each kind. */
static const size_t lengths[HELPER_MESSAGE_KINDS] = {
        [HELPER_LOOK] = UP_TO(look),
        [HELPER_LOOKED] = UP_TO(object),
        [HELPER_INSPECT] = UP_TO(kind),
        [HELPER_INSPECTED] = UP_TO(object),
        [HELPER_WANT_DEBUG_FILE] = UP_TO(wanted),
        [HELPER_DEBUG_FILE] = UP_TO(kind),
        [HELPER_PROBE] = UP_TO(kind),
        [HELPER_PROBED] = UP_TO(kind),
};

union descriptor_room {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int helper_message_send(int socket, const struct helper_message *message, int fd)
{
	union descriptor_room room = {0};
	struct iovec part = {.iov_base = (void *)(uintptr_t)message,
	                     .iov_len = lengths[message->kind]};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t sent;

	if (fd >= 0) {
		header.msg_control = room.bytes;
		header.msg_controllen = sizeof(room.bytes);
		room.header.cmsg_level = SOL_SOCKET;
		room.header.cmsg_type = SCM_RIGHTS;
		room.header.cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(&room.header), &fd, sizeof(fd));
	}
	do {
		sent = sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
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

/* The kernel closes descriptors for which there is no room. */
int helper_message_receive(int socket, struct helper_message *ret_message, int *ret_fd)
{
	union descriptor_room room = {0};
	struct iovec part = {.iov_base = ret_message, .iov_len = sizeof(*ret_message)};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t received;

	if (ret_fd) {
		*ret_fd = -1;
		header.msg_control = room.bytes;
		header.msg_controllen = sizeof(room.bytes);
	}
	do {
		received = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
	} while (received < 0 && errno == EINTR);
	if (received > 0 && ret_fd)
		*ret_fd = descriptor_in(&header);
	return received >= (ssize_t)sizeof(ret_message->kind) &&
	                       ret_message->kind < HELPER_MESSAGE_KINDS &&
	                       (size_t)received == lengths[ret_message->kind] &&
	                       !(header.msg_flags & MSG_TRUNC)
	               ? 0
	               : -EPIPE;
}

void helper_message_set_object(struct helper_message *message, enum helper_message_kind kind,
                               int result, const struct jemalloc_object *object)
{
	*message = (struct helper_message){
	        .kind = kind,
	        .object = {.result = result,
	                   .tag = object->tag,
	                   .is_found = object->is_found,
	                   .has_slot = object->has_slot,
	                   .slot_address = object->slot_address,
	                   .allocated = object->allocated,
	                   .deallocated = object->deallocated,
	                   .first_address = object->first_address,
	                   .first_offset = object->first_offset},
	};
}

int helper_message_object(const struct helper_message *message, enum helper_message_kind kind,
                          struct jemalloc_object *ret_object)
{
	if (message->kind != kind || message->object.tag >= PROBE_TAG_COUNT ||
	    message->object.is_found > 1 || message->object.has_slot > 1 ||
	    (message->object.tag == PROBE_TAG_ok && !message->object.is_found))
		return -EPIPE;
	*ret_object = (struct jemalloc_object){
	        .tag = (enum probe_tag)message->object.tag,
	        .is_found = message->object.is_found,
	        .has_slot = message->object.has_slot,
	        .slot_address = message->object.slot_address,
	        .allocated = message->object.allocated,
	        .deallocated = message->object.deallocated,
	        .first_address = message->object.first_address,
	        .first_offset = message->object.first_offset,
	};
	return 0;
}
