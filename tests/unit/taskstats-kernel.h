/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* taskstats-kernel - the kernel's side of a taskstats socket, played for the test of it: keeps what it is sent, and
 * says what has been put into its queue. For one test, which is linked with --wrap for the functions here. */
#include "check.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <netlink/genl/genl.h>
#include <stdbool.h>
#include <sys/socket.h>

enum { FAMILY = 31, REQUEST_BYTES = 28, DATAGRAMS_MAX = 128, DATAGRAM_BYTES = 8192, KERNEL = 0 };

struct datagram {
	unsigned char bytes[DATAGRAM_BYTES];
	size_t len;
	uint32_t sender;
};

/* The answers of the kernel, and the requests that it got. */
static struct datagram queue[DATAGRAMS_MAX];
static size_t queued, delivered;
static int connect_result, send_errno, receive_errno;
static size_t receive_errno_at; /* fails once, before this datagram */
static bool receive_fails_always;
static unsigned char sent[4096];
static size_t sent_bytes;
static unsigned sends, receives;
static int timeouts_set, buffers_set;

int __wrap_genl_connect(struct nl_sock *socket);
int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t len);
ssize_t __wrap_sendto(int fd, const void *bytes, size_t len, int flags,
                      const struct sockaddr *address, socklen_t address_len);
int __wrap_recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                    struct timespec *timeout);

int __wrap_genl_connect(struct nl_sock *socket)
{
	assert_non_null(socket);
	return connect_result;
}

int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t len)
{
	(void)fd;
	(void)value;
	(void)len;
	assert_int_equal(level, SOL_SOCKET);
	timeouts_set += option == SO_RCVTIMEO;
	buffers_set += option == SO_RCVBUF;
	return 0;
}

ssize_t __wrap_sendto(int fd, const void *bytes, size_t len, int flags,
                      const struct sockaddr *address, socklen_t address_len)
{
	struct sockaddr_nl to;

	(void)fd;
	assert_int_equal(flags, 0);
	assert_int_equal(address_len, sizeof(to));
	memcpy(&to, address, sizeof(to));
	assert_int_equal(to.nl_pid, KERNEL);
	sends++;
	if (send_errno != 0) {
		errno = send_errno;
		return -1;
	}
	assert_true(len <= sizeof(sent));
	memcpy(sent, bytes, len);
	sent_bytes = len;
	return (ssize_t)len;
}

static int fail_receive(int error)
{
	if (!receive_fails_always)
		receive_errno = 0;
	errno = error;
	return -1;
}

int __wrap_recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                    struct timespec *timeout)
{
	unsigned i = 0;

	(void)fd;
	assert_null(timeout);
	assert_true(flags & (MSG_WAITFORONE | MSG_DONTWAIT));
	receives++;
	for (; i < count && delivered < queued; i++) {
		const struct datagram *datagram = &queue[delivered];
		struct msghdr *header = &messages[i].msg_hdr;
		struct sockaddr_nl from = {.nl_family = AF_NETLINK, .nl_pid = datagram->sender};
		size_t len = datagram->len;

		if (receive_errno != 0 && delivered == receive_errno_at)
			break;
		if (len > header->msg_iov->iov_len) {
			len = header->msg_iov->iov_len;
			header->msg_flags |= MSG_TRUNC;
		}
		memcpy(header->msg_iov->iov_base, datagram->bytes, len);
		memcpy(header->msg_name, &from, sizeof(from));
		header->msg_namelen = sizeof(from);
		messages[i].msg_len = (unsigned)len;
		delivered++;
	}
	if (i > 0)
		return (int)i;
	return fail_receive(receive_errno != 0 ? receive_errno : EAGAIN);
}

static uint32_t first_sequence(void)
{
	struct nlmsghdr header;

	memcpy(&header, sent, sizeof(header));
	return header.nlmsg_seq;
}

static struct datagram *add_datagram(uint16_t type, uint32_t sequence)
{
	struct datagram *datagram = &queue[queued++];
	struct nlmsghdr header = {.nlmsg_type = type, .nlmsg_seq = sequence, .nlmsg_pid = 77};

	assert_true(queued <= DATAGRAMS_MAX);
	memset(datagram, 0, sizeof(*datagram));
	memcpy(datagram->bytes, &header, sizeof(header));
	datagram->len = sizeof(header);
	return datagram;
}

static void add_bytes(struct datagram *datagram, const void *bytes, size_t len)
{
	assert_true(datagram->len + len <= sizeof(datagram->bytes));
	if (len > 0)
		memcpy(datagram->bytes + datagram->len, bytes, len);
	datagram->len = (datagram->len + len + 3) & ~(size_t)3;
}

static void add_attribute(struct datagram *datagram, uint16_t type, const void *value, size_t len)
{
	struct nlattr header = {.nla_len = (uint16_t)(sizeof(header) + len), .nla_type = type};

	add_bytes(datagram, &header, sizeof(header));
	add_bytes(datagram, value, len);
}

static void end_datagram(struct datagram *datagram)
{
	struct nlmsghdr header;

	memcpy(&header, datagram->bytes, sizeof(header));
	header.nlmsg_len = (uint32_t)datagram->len;
	memcpy(datagram->bytes, &header, sizeof(header));
}

struct made_reply {
	uint32_t sequence, id;
	size_t len, id_bytes; /* id_bytes 0: the right number */
	bool process, padded, without_id, without_stats;
	uint8_t command; /* 0: the right one */
	unsigned char fill;
};

/* A reply as the kernel makes it, or with something wrong. */
static struct datagram *add_reply(struct made_reply reply)
{
	struct datagram *datagram = add_datagram(FAMILY, reply.sequence);
	struct genlmsghdr genl = {.cmd = reply.command ? reply.command : TASKSTATS_CMD_NEW,
	                          .version = 1};
	static unsigned char payload[DATAGRAM_BYTES];
	size_t nest;
	struct nlattr header = {.nla_type = reply.process ? TASKSTATS_TYPE_AGGR_TGID
	                                                  : TASKSTATS_TYPE_AGGR_PID};

	memset(payload, reply.fill, sizeof(payload));
	add_bytes(datagram, &genl, sizeof(genl));
	nest = datagram->len;
	add_bytes(datagram, &header, sizeof(header));
	if (!reply.without_id)
		add_attribute(datagram, reply.process ? TASKSTATS_TYPE_TGID : TASKSTATS_TYPE_PID,
		              &reply.id, reply.id_bytes ? reply.id_bytes : sizeof(reply.id));
	if (reply.padded)
		add_attribute(datagram, TASKSTATS_TYPE_NULL, NULL, 0);
	if (!reply.without_stats)
		add_attribute(datagram, TASKSTATS_TYPE_STATS, payload, reply.len);
	header.nla_len = (uint16_t)(datagram->len - nest);
	memcpy(datagram->bytes + nest, &header, sizeof(header));
	end_datagram(datagram);
	return datagram;
}

static struct datagram *add_error(uint32_t sequence, int error)
{
	struct datagram *datagram = add_datagram(NLMSG_ERROR, sequence);

	add_bytes(datagram, &error, sizeof(error));
	add_bytes(datagram, sent, REQUEST_BYTES);
	end_datagram(datagram);
	return datagram;
}

/* Adds the answer of the kernel to the request for the family; @sequence is that of a new client, 1. */
static struct datagram *add_family_as(uint16_t type, uint32_t sequence, uint16_t family,
                                      size_t bytes)
{
	struct datagram *datagram = add_datagram(type, sequence);
	const struct genlmsghdr genl = {.cmd = CTRL_CMD_NEWFAMILY, .version = 2};

	add_bytes(datagram, &genl, sizeof(genl));
	add_attribute(datagram, CTRL_ATTR_FAMILY_NAME, "TASKSTATS", sizeof("TASKSTATS"));
	add_attribute(datagram, CTRL_ATTR_FAMILY_ID, &family, bytes);
	end_datagram(datagram);
	return datagram;
}

static inline struct datagram *add_family(uint32_t sequence, uint16_t family)
{
	return add_family_as(GENL_ID_CTRL, sequence, family, sizeof(family));
}
