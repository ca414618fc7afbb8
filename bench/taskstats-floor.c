// SPDX-License-Identifier: GPL-2.0-or-later
#include "taskstats-floor.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "taskstats/taskstats.h"

enum { REPLY_BYTES = 4096, RECEIVE_BYTES = 1 << 20, ATTRIBUTE_BYTES = sizeof(struct nlattr) };

struct request {
	struct nlmsghdr header;
	struct genlmsghdr genl;
	struct nlattr attribute;
	uint32_t id;
};

static int find_family(int fd, uint16_t *ret_family)
{
	const struct {
		struct nlmsghdr header;
		struct genlmsghdr genl;
		struct nlattr attribute;
		char name[12];
	} request = {{.nlmsg_len = sizeof(request),
	              .nlmsg_type = GENL_ID_CTRL,
	              .nlmsg_flags = NLM_F_REQUEST},
	             {.cmd = CTRL_CMD_GETFAMILY, .version = 1},
	             {.nla_len = ATTRIBUTE_BYTES + sizeof(TASKSTATS_GENL_NAME),
	              .nla_type = CTRL_ATTR_FAMILY_NAME},
	             TASKSTATS_GENL_NAME};
	char reply[REPLY_BYTES];
	ssize_t len;

	if (send(fd, &request, sizeof(request), 0) < 0)
		return -errno;
	len = recv(fd, reply, sizeof(reply), 0);
	for (ssize_t at = sizeof(struct nlmsghdr) + sizeof(struct genlmsghdr);
	     at + ATTRIBUTE_BYTES + 2 <= len;) {
		struct nlattr attribute;

		memcpy(&attribute, reply + at, sizeof(attribute));
		if (attribute.nla_type == CTRL_ATTR_FAMILY_ID) {
			memcpy(ret_family, reply + at + ATTRIBUTE_BYTES, sizeof(*ret_family));
			return 0;
		}
		if (attribute.nla_len < ATTRIBUTE_BYTES)
			break;
		at += (attribute.nla_len + 3) / 4 * 4;
	}
	return -ENOENT;
}

int taskstats_floor_open(struct taskstats_floor *ret_floor)
{
	const struct sockaddr_nl any = {.nl_family = AF_NETLINK};
	int r = 0;

	ret_floor->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (ret_floor->fd < 0 ||
	    bind(ret_floor->fd, (const struct sockaddr *)&any, sizeof(any)) < 0 ||
	    setsockopt(ret_floor->fd, SOL_SOCKET, SO_RCVBUF, &(int){RECEIVE_BYTES}, sizeof(int)) <
	            0)
		r = -errno;
	if (r == 0)
		r = find_family(ret_floor->fd, &ret_floor->family);
	if (r < 0)
		taskstats_floor_close(ret_floor);
	return r;
}

void taskstats_floor_close(struct taskstats_floor *floor)
{
	if (floor->fd >= 0)
		close(floor->fd);
	floor->fd = -1;
}

int taskstats_floor_ask(const struct taskstats_floor *floor, const uint32_t *ids, size_t count)
{
	static unsigned char replies[TASKSTATS_BATCH][REPLY_BYTES];
	struct request requests[TASKSTATS_BATCH] = {0};
	struct mmsghdr datagrams[TASKSTATS_BATCH] = {0};
	struct iovec vectors[TASKSTATS_BATCH];
	size_t received = 0;

	for (size_t i = 0; i < count; i++)
		requests[i] = (struct request){
		        {.nlmsg_len = sizeof(struct request),
		         .nlmsg_type = floor->family,
		         .nlmsg_flags = NLM_F_REQUEST},
		        {.cmd = TASKSTATS_CMD_GET, .version = TASKSTATS_GENL_VERSION},
		        {.nla_len = ATTRIBUTE_BYTES + sizeof(uint32_t),
		         .nla_type = TASKSTATS_CMD_ATTR_PID},
		        ids[i]};
	if (send(floor->fd, requests, count * sizeof(requests[0]), 0) < 0)
		return -errno;
	while (received < count) {
		int more;

		for (size_t i = 0; i < count - received; i++) {
			vectors[i] = (struct iovec){replies[i], REPLY_BYTES};
			datagrams[i].msg_hdr.msg_iov = &vectors[i];
			datagrams[i].msg_hdr.msg_iovlen = 1;
		}
		more = recvmmsg(floor->fd, datagrams, (unsigned)(count - received), MSG_WAITFORONE,
		                NULL);
		if (more < 0)
			return -errno;
		received += (size_t)more;
	}
	return (int)received;
}
