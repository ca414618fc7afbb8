// SPDX-License-Identifier: GPL-2.0-or-later
#include "taskstats/taskstats-exits.h"

/* While a thread exits, the kernel sends its record to each socket that has registered for the CPU, and drops it if the
 * socket is full. One socket serves a few CPUs, so that not all fill one buffer. */
#include <errno.h>
#include <limits.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/own-names.h"
#include "base/worker.h"
#include "ctprof/metric/sample.h"
#include "taskstats/initial-network.h"
#include "taskstats/taskstats.h"

enum {
	CPUS_OF_SOCKET = 8,
	RECEIVE_BUFFER_BYTES = 16 << 20, /* the kernel doubles it: some 14,000 records */
	TIMEOUT_SECONDS = 2,
	BATCH = 64,
	BATCHES_MAX = 4096,    /* more than a socket holds: one socket cannot starve the others */
	DATAGRAM_BYTES = 4096, /* a record has 700 bytes, that of a last thread twice as many */
	ERRNO_MAX = 4095,
};

struct listener {
	struct strbuf cpus; /* "0-7", the registered CPUs */
};

struct taskstats_exits {
	uint16_t family;
	int buffer_bytes; /* of each socket, as it is asked for */
	uint64_t overruns;
	size_t count;
	struct pollfd *sockets;     /* owned, as the next two; their descriptors are ours */
	struct pollfd *waiting;     /* for taskstats_exits_wait() alone: the sockets and one more */
	struct listener *listeners; /* one for each socket */

	struct sockaddr_nl senders[BATCH];
	struct iovec vectors[BATCH];
	struct mmsghdr datagrams[BATCH];
	_Alignas(struct nlmsghdr) unsigned char bytes[BATCH][DATAGRAM_BYTES];
};

static void message_handle(uint16_t family, struct nlmsghdr *message,
                           taskstats_exit_handler *handle, void *context)
{
	struct nlattr *both, *stats, *process;

	if (message->nlmsg_type != family || !genlmsg_valid_hdr(message, 0) ||
	    genlmsg_hdr(message)->cmd != TASKSTATS_CMD_NEW)
		return;
	both = nlmsg_find_attr(message, GENL_HDRLEN, TASKSTATS_TYPE_AGGR_PID);
	stats = both ? nla_find(nla_data(both), nla_len(both), TASKSTATS_TYPE_STATS) : NULL;
	if (!stats)
		return;
	both = nlmsg_find_attr(message, GENL_HDRLEN, TASKSTATS_TYPE_AGGR_TGID);
	process = both ? nla_find(nla_data(both), nla_len(both), TASKSTATS_TYPE_STATS) : NULL;
	handle(context, nla_data(stats), (size_t)nla_len(stats), process ? nla_data(process) : NULL,
	       process ? (size_t)nla_len(process) : 0);
}

void taskstats_exits_parse(uint16_t family, void *bytes, size_t len, taskstats_exit_handler *handle,
                           void *context)
{
	struct nlmsghdr *message = bytes;
	int left = (int)len;

	for (; nlmsg_ok(message, left); message = nlmsg_next(message, &left))
		message_handle(family, message, handle, context);
}

/* Errors of a socket that is being closed are ignored. */
static int command_send(uint16_t family, int fd, uint16_t type, const struct strbuf *cpus,
                        uint16_t flags)
{
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	struct nl_msg *message = nlmsg_alloc();
	struct nlmsghdr *header;
	ssize_t sent = -1;
	int error = EMSGSIZE;

	if (!message)
		return -ENOMEM;
	if (genlmsg_put(message, 0, 1, family, 0, flags, TASKSTATS_CMD_GET,
	                TASKSTATS_GENL_VERSION) &&
	    nla_put_string(message, type, strbuf_str(cpus)) == 0) {
		header = nlmsg_hdr(message);
		sent = sendto(fd, header, header->nlmsg_len, 0, (const struct sockaddr *)&kernel,
		              sizeof(kernel));
		error = errno;
	}
	nlmsg_free(message);
	return sent < 0 ? -error : 0;
}

/* Returns 1 if the datagram is no answer, 0, or the kernel's -errno. */
static int answer_parse(struct nlmsghdr *message, size_t len)
{
	int error;

	if (!nlmsg_ok(message, (int)len) || message->nlmsg_type != NLMSG_ERROR)
		return 1;
	if (nlmsg_datalen(message) < (int)sizeof(error))
		return -EBADMSG;
	memcpy(&error, nlmsg_data(message), sizeof(error));
	return error <= 0 && error >= -ERRNO_MAX ? error : -EBADMSG;
}

/* Receives one datagram at a time. Records may be before the answer, of threads that exited before the listening
 * began; those behind it stay in the socket. */
static int answer_receive(struct taskstats_exits *exits, int fd)
{
	enum { OTHERS_MAX = 100000 };
	struct sockaddr_nl *sender = &exits->senders[0];

	for (int others = 0; others < OTHERS_MAX; others++) {
		socklen_t sender_len = sizeof(*sender);
		ssize_t got = recvfrom(fd, exits->bytes[0], DATAGRAM_BYTES, 0,
		                       (struct sockaddr *)sender, &sender_len);
		int r;

		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		if (got < 0 && errno != EINTR && errno != ENOBUFS)
			return -errno;
		if (got < 0 || sender->nl_pid != 0)
			continue;
		r = answer_parse((struct nlmsghdr *)exits->bytes[0], (size_t)got);
		if (r <= 0)
			return r;
	}
	return -ETIMEDOUT;
}

static int socket_open(int buffer_bytes)
{
	const struct timeval timeout = {.tv_sec = TIMEOUT_SECONDS};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	if (fd < 0)
		return -errno;
	/* If the limit cannot be exceeded, the buffer is as large as the limit. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof(int)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof(int));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	return fd;
}

static int register_for(struct taskstats_exits *exits, const struct cpu_mask *cpus)
{
	struct listener *listener = &exits->listeners[exits->count];
	int fd = socket_open(exits->buffer_bytes), r;

	if (fd < 0)
		return fd;
	exits->sockets[exits->count++] = (struct pollfd){.fd = fd, .events = POLLIN};
	*listener = (struct listener){0};
	cpu_mask_format(cpus, &listener->cpus);
	r = command_send(exits->family, fd, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, &listener->cpus,
	                 NLM_F_REQUEST | NLM_F_ACK);
	if (r == -ENOMEM)
		mem_exhausted();
	return r < 0 ? r : answer_receive(exits, fd);
}

static int register_for_all(struct taskstats_exits *exits, const struct cpu_mask *cpus)
{
	unsigned cpu = cpu_mask_next(cpus, 0);
	size_t sockets = cpu_mask_count(cpus) / CPUS_OF_SOCKET + 1;

	exits->sockets = mem_calloc(sockets, sizeof(exits->sockets[0]));
	exits->waiting = mem_calloc(sockets + 1, sizeof(exits->waiting[0]));
	exits->listeners = mem_calloc(sockets, sizeof(exits->listeners[0]));
	while (cpu < CPU_MASK_CPUS) {
		struct cpu_mask some;
		int r;

		cpu_mask_clear(&some);
		for (int i = 0; i < CPUS_OF_SOCKET && cpu < CPU_MASK_CPUS; i++) {
			if (!cpu_mask_add(&some, cpu))
				break;
			cpu = cpu_mask_next(cpus, cpu + 1);
		}
		r = register_for(exits, &some);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The sockets of a registration. */
struct registration {
	struct taskstats_exits *exits;
	const struct cpu_mask *cpus;
};

static int register_here(void *context)
{
	struct registration *registration = context;

	return register_for_all(registration->exits, registration->cpus);
}

static void *end_here(void *context)
{
	*(int *)context = sched_getcpu();
	return NULL;
}

/* Returns whether records come. The kernel sends that of a thread before anybody can join the thread. */
static bool records_come(const struct taskstats_exits *exits, const struct cpu_mask *cpus)
{
	enum { PATIENCE_MS = 500 };
	pthread_t thread;
	int cpu = -1;

	if (!worker_start(&thread, end_here, &cpu, own_names[OWN_NAME_exits]))
		return true;
	pthread_join(thread, NULL);
	/* Nobody listens on other CPUs. */
	return cpu < 0 || cpu_mask_next(cpus, (unsigned)cpu) != (unsigned)cpu ||
	       poll(exits->sockets, exits->count, PATIENCE_MS) > 0;
}

int taskstats_exits_open(const struct cpu_mask *cpus, uint64_t buffer_bytes,
                         struct taskstats_exits **ret_exits)
{
	cleanup_(taskstats_exits_freep) struct taskstats_exits *exits = NULL;
	cleanup_(taskstats_freep) struct taskstats_client *client = NULL;
	int r = taskstats_open(&client);
	bool is_known;

	if (r < 0)
		return r;
	exits = mem_calloc(1, sizeof(*exits));
	exits->family = taskstats_family(client);
	exits->buffer_bytes = buffer_bytes > 0 && buffer_bytes <= INT_MAX / 2
	                              ? (int)buffer_bytes
	                              : RECEIVE_BUFFER_BYTES;
	r = initial_network_call(register_here, &(struct registration){exits, cpus}, &is_known);
	if (r < 0)
		return r;
	if (!is_known && !records_come(exits, cpus))
		return -EPERM;
	*ret_exits = take_ptr(exits);
	return 0;
}

void taskstats_exits_freep(struct taskstats_exits **exits_ref)
{
	struct taskstats_exits *exits = *exits_ref;

	if (!exits)
		return;
	for (size_t i = 0; i < exits->count; i++) {
		(void)command_send(exits->family, exits->sockets[i].fd,
		                   TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK, &exits->listeners[i].cpus,
		                   NLM_F_REQUEST);
		fd_closep(&exits->sockets[i].fd);
		strbuf_done(&exits->listeners[i].cpus);
	}
	free(exits->sockets);
	free(exits->waiting);
	free(exits->listeners);
	free(exits);
	*exits_ref = NULL;
}

/* Returns how many arrived, or -errno. */
static int datagrams_receive(struct taskstats_exits *exits, int fd)
{
	int count;

	for (size_t i = 0; i < BATCH; i++) {
		exits->vectors[i] = (struct iovec){exits->bytes[i], sizeof(exits->bytes[i])};
		exits->datagrams[i].msg_hdr =
		        (struct msghdr){.msg_name = &exits->senders[i],
		                        .msg_namelen = sizeof(exits->senders[i]),
		                        .msg_iov = &exits->vectors[i],
		                        .msg_iovlen = 1};
	}
	count = recvmmsg(fd, exits->datagrams, BATCH, MSG_DONTWAIT, NULL);
	return count < 0 ? -errno : count;
}

/* Any other error than a full socket or an interruption means that the socket has nothing now. */
static void socket_read(struct taskstats_exits *exits, int fd, taskstats_exit_handler *handle,
                        void *context)
{
	for (int batches = 0; batches < BATCHES_MAX; batches++) {
		int count = datagrams_receive(exits, fd);

		if (count == -ENOBUFS)
			exits->overruns++;
		else if (count < 0 && count != -EINTR)
			return;
		for (int i = 0; i < count; i++)
			if (taskstats_is_from_kernel(&exits->datagrams[i].msg_hdr))
				taskstats_exits_parse(exits->family, exits->bytes[i],
				                      exits->datagrams[i].msg_len, handle, context);
	}
}

void taskstats_exits_read(struct taskstats_exits *exits, taskstats_exit_handler *handle,
                          void *context)
{
	int ready = poll(exits->sockets, exits->count, 0);

	for (size_t i = 0; i < exits->count; i++)
		/* After an interruption all sockets are read. */
		if (ready < 0 || exits->sockets[i].revents != 0)
			socket_read(exits, exits->sockets[i].fd, handle, context);
}

bool taskstats_exits_wait(struct taskstats_exits *exits, int fd, int timeout_ms)
{
	struct pollfd *other = &exits->waiting[exits->count];

	for (size_t i = 0; i < exits->count; i++)
		exits->waiting[i] = (struct pollfd){.fd = exits->sockets[i].fd, .events = POLLIN};
	*other = (struct pollfd){.fd = fd, .events = POLLIN};
	return poll(exits->waiting, exits->count + 1, timeout_ms) > 0 && other->revents != 0;
}

uint64_t taskstats_exits_overruns(const struct taskstats_exits *exits)
{
	return exits->overruns;
}
