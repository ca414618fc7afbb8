// SPDX-License-Identifier: GPL-2.0-or-later
#include "taskstats/taskstats.h"

/* libnl connects and parses messages. The code here sends and receives: one system call each way for 32 threads costs
 * less than handling one message at a time, and libnl's way to find a family reports every error alike.
 * The kernel answers a request while it is being sent, so all replies of a batch are there when the send returns. A
 * wait means that something is wrong. */
#include <errno.h>
#include <linux/cgroupstats.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/genl/genl.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/mem.h"

enum {
	TIMEOUT_SECONDS = 2,
	/* Twice the size of a batch with the longest payload that is kept, and the kernel's own bookkeeping. */
	RECEIVE_BUFFER_BYTES = 512 << 10,
	DATAGRAM_BYTES = 4096, /* a page: a reply has 596 bytes with version 16 */
	ERRNO_MAX = 4095,
};

struct request {
	struct nlmsghdr header;
	struct genlmsghdr genl;
	struct nlattr attribute;
	uint32_t id;
};
_Static_assert(sizeof(struct request) % NLMSG_ALIGNTO == 0 &&
                       offsetof(struct request, id) == sizeof(struct nlmsghdr) +
                                                               sizeof(struct genlmsghdr) +
                                                               sizeof(struct nlattr),
               "requests stand behind one another as netlink aligns them");

struct taskstats_client {
	struct nl_sock *socket; /* owned */
	uint16_t family;
	uint32_t next_sequence;

	struct request requests[TASKSTATS_BATCH];
	struct sockaddr_nl senders[TASKSTATS_BATCH];
	struct iovec vectors[TASKSTATS_BATCH];
	struct mmsghdr datagrams[TASKSTATS_BATCH];
	unsigned char bytes[TASKSTATS_BATCH][DATAGRAM_BYTES];
};

/* A batch under way. */
struct batch {
	bool process;
	const uint32_t *ids; /* borrowed, as replies */
	struct taskstats_reply *replies;
	size_t count, outstanding;
	uint32_t sequence; /* of the first request */
	uint32_t answered; /* one bit each */
};
_Static_assert(TASKSTATS_BATCH <= 32, "a bit for each request");

/* libnl has error numbers of its own, and not for every error of a system call. */
static int errno_of_libnl(int error)
{
	switch (error < 0 ? -error : error) {
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_PERM:
		return -EPERM;
	case NLE_NOACCESS:
		return -EACCES;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_AGAIN:
		return -ETIMEDOUT;
	case NLE_AF_NOSUPPORT:
		return -EAFNOSUPPORT;
	case NLE_PROTO_MISMATCH:
		return -EPROTONOSUPPORT;
	case NLE_BUSY:
		return -EBUSY;
	case NLE_EXIST:
		return -EADDRINUSE;
	}
	return -EIO;
}

/* The environment can make libnl's default callbacks print each message; these never do. */
static struct nl_sock *socket_new(void)
{
	struct nl_cb *callbacks = nl_cb_alloc(NL_CB_DEFAULT);
	struct nl_sock *socket = callbacks ? nl_socket_alloc_cb(callbacks) : NULL;

	if (!socket)
		mem_exhausted();
	nl_cb_put(callbacks);
	return socket;
}

static int socket_set_up(struct nl_sock *socket)
{
	const struct timeval timeout = {.tv_sec = TIMEOUT_SECONDS};
	int fd = nl_socket_get_fd(socket);

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){RECEIVE_BUFFER_BYTES}, sizeof(int)) < 0)
		return -errno;
	return 0;
}

uint16_t taskstats_family(const struct taskstats_client *client)
{
	return client->family;
}

void taskstats_freep(struct taskstats_client **client)
{
	if (*client)
		nl_socket_free((*client)->socket);
	free(*client);
	*client = NULL;
}

static int bytes_send(struct taskstats_client *client, const void *bytes, size_t len)
{
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	ssize_t sent = sendto(nl_socket_get_fd(client->socket), bytes, len, 0,
	                      (const struct sockaddr *)&kernel, sizeof(kernel));

	if (sent < 0)
		return -errno;
	return (size_t)sent == len ? 0 : -EIO;
}

/* No acknowledgement is requested: it would be a second message for each thread. */
static int requests_send(struct taskstats_client *client, const struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		client->requests[i] = (struct request){
		        .header = {.nlmsg_len = sizeof(struct request),
		                   .nlmsg_type = client->family,
		                   .nlmsg_flags = NLM_F_REQUEST,
		                   .nlmsg_seq = batch->sequence + (uint32_t)i},
		        .genl = {.cmd = TASKSTATS_CMD_GET, .version = TASKSTATS_GENL_VERSION},
		        .attribute = {.nla_len = sizeof(struct request) -
		                                 offsetof(struct request, attribute),
		                      .nla_type = batch->process ? TASKSTATS_CMD_ATTR_TGID
		                                                 : TASKSTATS_CMD_ATTR_PID},
		        .id = batch->ids[i],
		};
	return bytes_send(client, client->requests, batch->count * sizeof(client->requests[0]));
}

static int error_of_message(struct nlmsghdr *message)
{
	int error;

	if (nlmsg_datalen(message) < (int)sizeof(error))
		return -EBADMSG;
	memcpy(&error, nlmsg_data(message), sizeof(error));
	return error < 0 && error >= -ERRNO_MAX ? error : -EBADMSG;
}

/* The id and the structure are in one nested attribute, on some machines with padding between. */
static int payload_store(const struct batch *batch, size_t index, struct nlmsghdr *message)
{
	struct taskstats_reply *reply = &batch->replies[index];
	struct nlattr *both, *id, *stats;

	if (!genlmsg_valid_hdr(message, 0) || genlmsg_hdr(message)->cmd != TASKSTATS_CMD_NEW)
		return -EBADMSG;
	both = nlmsg_find_attr(message, GENL_HDRLEN,
	                       batch->process ? TASKSTATS_TYPE_AGGR_TGID : TASKSTATS_TYPE_AGGR_PID);
	if (!both)
		return -EBADMSG;
	id = nla_find(nla_data(both), nla_len(both),
	              batch->process ? TASKSTATS_TYPE_TGID : TASKSTATS_TYPE_PID);
	stats = nla_find(nla_data(both), nla_len(both), TASKSTATS_TYPE_STATS);
	if (!id || !stats || nla_len(id) != sizeof(uint32_t) ||
	    nla_get_u32(id) != batch->ids[index])
		return -EBADMSG;
	reply->len = (size_t)nla_len(stats);
	if (reply->len > sizeof(reply->payload))
		reply->len = sizeof(reply->payload);
	memcpy(reply->payload, nla_data(stats), reply->len);
	return 0;
}

/* Anything but the first reply to a request of this batch is ignored: it may be late, from a batch that was given
 * up. */
static void message_handle(const struct taskstats_client *client, struct batch *batch,
                           struct nlmsghdr *message, bool whole)
{
	uint32_t index = message->nlmsg_seq - batch->sequence;
	bool is_error = message->nlmsg_type == NLMSG_ERROR;

	if (index >= batch->count || (batch->answered >> index & 1) ||
	    (!is_error && message->nlmsg_type != client->family))
		return;
	if (!whole)
		batch->replies[index].error = -EBADMSG;
	else if (is_error)
		batch->replies[index].error = error_of_message(message);
	else
		batch->replies[index].error = payload_store(batch, index, message);
	batch->answered |= UINT32_C(1) << index;
	batch->outstanding--;
}

bool taskstats_is_from_kernel(const struct msghdr *message)
{
	const struct sockaddr_nl *sender = message->msg_name;

	return message->msg_namelen == sizeof(*sender) && sender->nl_family == AF_NETLINK &&
	       sender->nl_pid == 0;
}

static void datagram_handle(struct taskstats_client *client, struct batch *batch, size_t index)
{
	struct nlmsghdr *message = (struct nlmsghdr *)client->bytes[index];
	int left = (int)client->datagrams[index].msg_len;

	if (!taskstats_is_from_kernel(&client->datagrams[index].msg_hdr))
		return;
	for (; nlmsg_ok(message, left); message = nlmsg_next(message, &left))
		message_handle(client, batch, message, true);
	/* The last header may be longer than the datagram. */
	if (left >= (int)sizeof(*message))
		message_handle(client, batch, message, false);
}

/* Returns how many arrived, or -errno. */
static int datagrams_receive(struct taskstats_client *client, int flags)
{
	int count;

	for (size_t i = 0; i < TASKSTATS_BATCH; i++) {
		client->vectors[i] = (struct iovec){client->bytes[i], sizeof(client->bytes[i])};
		client->datagrams[i].msg_hdr =
		        (struct msghdr){.msg_name = &client->senders[i],
		                        .msg_namelen = sizeof(client->senders[i]),
		                        .msg_iov = &client->vectors[i],
		                        .msg_iovlen = 1};
	}
	count = recvmmsg(nl_socket_get_fd(client->socket), client->datagrams, TASKSTATS_BATCH,
	                 flags, NULL);
	return count < 0 ? -errno : count;
}

/* The socket itself waits no longer than TIMEOUT_SECONDS; the clock ends a stream of unrelated messages. */
static int replies_receive(struct taskstats_client *client, struct batch *batch)
{
	int flags = MSG_WAITFORONE, missing = -ETIMEDOUT;
	uint64_t until_ns = 0;

	while (batch->outstanding > 0) {
		int count = datagrams_receive(client, flags);

		for (int i = 0; i < count; i++)
			datagram_handle(client, batch, (size_t)i);
		if (count == -EAGAIN || count == -EWOULDBLOCK)
			break;
		if (count == -ENOBUFS && missing == -ENOBUFS)
			break;
		if (count == -ENOBUFS) {
			/* The kernel had no room for a reply: it is lost, but the others are there. */
			missing = -ENOBUFS;
			flags = MSG_DONTWAIT;
		} else if (count < 0 && count != -EINTR) {
			return count;
		}
		if (batch->outstanding == 0)
			break;
		if (until_ns == 0)
			until_ns = clock_now_ns(CLOCK_MONOTONIC) + TIMEOUT_SECONDS * NS_PER_SECOND;
		else if (clock_now_ns(CLOCK_MONOTONIC) > until_ns)
			break;
	}
	for (size_t i = 0; i < batch->count; i++)
		if (!(batch->answered >> i & 1))
			batch->replies[i].error = missing;
	return 0;
}

int taskstats_ask(struct taskstats_client *client, bool process, const uint32_t *ids, size_t count,
                  struct taskstats_reply *replies)
{
	struct batch batch = {.process = process,
	                      .ids = ids,
	                      .replies = replies,
	                      .count = count,
	                      .outstanding = count,
	                      .sequence = client->next_sequence};
	int r;

	if (count > TASKSTATS_BATCH)
		return -EINVAL;
	if (count == 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		replies[i].len = 0;
	client->next_sequence += (uint32_t)count;
	r = requests_send(client, &batch);
	if (r < 0)
		return r;
	return replies_receive(client, &batch);
}

/* Parses the answer to one request, from the header behind that of netlink on. Returns a positive number, or -errno. */
typedef int answer_parser(const struct taskstats_client *client, struct nlmsghdr *message,
                          void *ret);

/* Parses a datagram. Returns 0 if it is no answer, or as the parser does. */
static int answer_find(struct taskstats_client *client, size_t index, uint32_t sequence,
                       answer_parser *parse, void *ret)
{
	struct nlmsghdr *message = (struct nlmsghdr *)client->bytes[index];

	if (!taskstats_is_from_kernel(&client->datagrams[index].msg_hdr) ||
	    !nlmsg_ok(message, (int)client->datagrams[index].msg_len) ||
	    message->nlmsg_seq != sequence)
		return 0;
	if (message->nlmsg_type == NLMSG_ERROR)
		return error_of_message(message);
	return parse(client, message, ret);
}

static int answer_receive(struct taskstats_client *client, uint32_t sequence, answer_parser *parse,
                          void *ret)
{
	enum { INTERRUPTIONS_MAX = 16 };
	int r = 0;

	for (int attempt = 0; r == 0 && attempt < INTERRUPTIONS_MAX; attempt++) {
		int count = datagrams_receive(client, MSG_WAITFORONE);

		if (count == -EAGAIN || count == -EWOULDBLOCK)
			return -ETIMEDOUT;
		if (count < 0 && count != -EINTR)
			return count;
		for (int i = 0; r == 0 && i < count; i++)
			r = answer_find(client, (size_t)i, sequence, parse, ret);
	}
	return r != 0 ? r : -ETIMEDOUT;
}

/* Returns the number of the family. */
static int family_parse(unused_ const struct taskstats_client *client, struct nlmsghdr *message,
                        unused_ void *ret)
{
	struct nlattr *id;

	if (message->nlmsg_type != GENL_ID_CTRL || !genlmsg_valid_hdr(message, 0))
		return -EBADMSG;
	id = nlmsg_find_attr(message, GENL_HDRLEN, CTRL_ATTR_FAMILY_ID);
	if (!id || nla_len(id) != sizeof(uint16_t) || nla_get_u16(id) == 0)
		return -EBADMSG;
	return nla_get_u16(id);
}

/* Returns the number, or -errno; the kernel's own error for an unknown family is -ENOENT. */
static int family_resolve(struct taskstats_client *client)
{
	const struct {
		struct nlmsghdr header;
		struct genlmsghdr genl;
		struct nlattr attribute;
		char name[(sizeof(TASKSTATS_GENL_NAME) + 3) / 4 * 4];
	} request = {
	        .header = {.nlmsg_len = sizeof(request),
	                   .nlmsg_type = GENL_ID_CTRL,
	                   .nlmsg_flags = NLM_F_REQUEST,
	                   .nlmsg_seq = client->next_sequence++},
	        .genl = {.cmd = CTRL_CMD_GETFAMILY, .version = 1},
	        .attribute = {.nla_len = sizeof(struct nlattr) + sizeof(TASKSTATS_GENL_NAME),
	                      .nla_type = CTRL_ATTR_FAMILY_NAME},
	        .name = TASKSTATS_GENL_NAME,
	};
	int r = bytes_send(client, &request, sizeof(request));

	return r < 0 ? r : answer_receive(client, request.header.nlmsg_seq, family_parse, NULL);
}

/* The kernel appends fields, if any. */
static int cgroup_parse(const struct taskstats_client *client, struct nlmsghdr *message, void *ret)
{
	struct taskstats_cgroup *states = ret;
	struct cgroupstats stats;
	struct nlattr *attribute;

	if (message->nlmsg_type != client->family || !genlmsg_valid_hdr(message, 0) ||
	    genlmsg_hdr(message)->cmd != CGROUPSTATS_CMD_NEW)
		return -EBADMSG;
	attribute = nlmsg_find_attr(message, GENL_HDRLEN, CGROUPSTATS_TYPE_CGROUP_STATS);
	if (!attribute || nla_len(attribute) < (int)sizeof(stats))
		return -EBADMSG;
	memcpy(&stats, nla_data(attribute), sizeof(stats));
	*states = (struct taskstats_cgroup){.sleeping = stats.nr_sleeping,
	                                    .running = stats.nr_running,
	                                    .stopped = stats.nr_stopped,
	                                    .uninterruptible = stats.nr_uninterruptible,
	                                    .io_wait = stats.nr_io_wait};
	return 1;
}

int taskstats_ask_cgroup(struct taskstats_client *client, int dir_fd, struct taskstats_cgroup *ret)
{
	struct request request = {
	        .header = {.nlmsg_len = sizeof(request),
	                   .nlmsg_type = client->family,
	                   .nlmsg_flags = NLM_F_REQUEST,
	                   .nlmsg_seq = client->next_sequence++},
	        .genl = {.cmd = CGROUPSTATS_CMD_GET, .version = TASKSTATS_GENL_VERSION},
	        .attribute = {.nla_len = sizeof(request) - offsetof(struct request, attribute),
	                      .nla_type = CGROUPSTATS_CMD_ATTR_FD},
	        .id = (uint32_t)dir_fd,
	};
	int r = bytes_send(client, &request, sizeof(request));

	if (r == 0)
		r = answer_receive(client, request.header.nlmsg_seq, cgroup_parse, ret);
	return r < 0 ? r : 0;
}

int taskstats_open(struct taskstats_client **ret_client)
{
	cleanup_(taskstats_freep) struct taskstats_client *client = NULL;
	int r;

	client = mem_calloc(1, sizeof(*client));
	client->socket = socket_new();
	client->next_sequence = 1;
	r = genl_connect(client->socket);
	if (r < 0)
		return errno_of_libnl(r);
	r = socket_set_up(client->socket);
	if (r < 0)
		return r;
	r = family_resolve(client);
	if (r < 0)
		return r;
	client->family = (uint16_t)r;
	*ret_client = take_ptr(client);
	return 0;
}
