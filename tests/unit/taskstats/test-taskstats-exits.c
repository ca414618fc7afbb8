// SPDX-License-Identifier: GPL-2.0-or-later
/* The sockets, with the kernel played by the test. */
#include "check.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>

#include "ctprof/metric/sample.h"
#include "taskstats/taskstats-exits.h"
#include "taskstats/taskstats.h"

enum { FAMILY = 31, STEPS_MAX = 32, MESSAGE_BYTES = 4096 };

struct message {
	_Alignas(8) unsigned char bytes[MESSAGE_BYTES];
	size_t len;
};

/* The answers of a socket, one after the other: an error, or messages of a sender. */
struct step {
	int error;
	uint32_t sender;
	struct message message;
};

static struct step steps[STEPS_MAX];
static unsigned step_count, step_next;
static int answers[STEPS_MAX]; /* to the commands, in order */
static char commands[STEPS_MAX][64];
static uint16_t command_types[STEPS_MAX];
static unsigned command_count, answered, forced, ordinary;
static int open_error, force_error;
static size_t taken;
static unsigned char taken_first[STEPS_MAX];
static size_t taken_len[STEPS_MAX];
static size_t taken_process_len;

int __wrap_taskstats_open(struct taskstats_client **ret_client);
uint16_t __wrap_taskstats_family(const struct taskstats_client *client);
int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t len);
ssize_t __wrap_sendto(int fd, const void *bytes, size_t len, int flags,
                      const struct sockaddr *address, socklen_t address_len);
ssize_t __wrap_recvfrom(int fd, void *bytes, size_t len, int flags, struct sockaddr *address,
                        socklen_t *address_len);
int __wrap_recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                    struct timespec *timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);

int __wrap_taskstats_open(struct taskstats_client **ret_client)
{
	*ret_client = NULL;
	return open_error;
}

uint16_t __wrap_taskstats_family(const struct taskstats_client *client)
{
	(void)client;
	return FAMILY;
}

int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t len)
{
	(void)fd;
	(void)level;
	(void)value;
	(void)len;
	forced += option == SO_RCVBUFFORCE;
	ordinary += option == SO_RCVBUF;
	if (option == SO_RCVBUFFORCE && force_error) {
		errno = force_error;
		return -1;
	}
	return 0;
}

ssize_t __wrap_sendto(int fd, const void *bytes, size_t len, int flags,
                      const struct sockaddr *address, socklen_t address_len)
{
	enum { ATTRIBUTE = sizeof(struct nlmsghdr) + sizeof(struct genlmsghdr) };
	struct nlattr attribute;

	(void)fd;
	(void)flags;
	(void)address;
	(void)address_len;
	assert_true(len > ATTRIBUTE + sizeof(attribute));
	memcpy(&attribute, (const char *)bytes + ATTRIBUTE, sizeof(attribute));
	command_types[command_count] = attribute.nla_type;
	snprintf(commands[command_count++], sizeof(commands[0]), "%s",
	         (const char *)bytes + ATTRIBUTE + sizeof(attribute));
	return (ssize_t)len;
}

static void add_header(struct message *message, uint16_t type, uint32_t len)
{
	const struct nlmsghdr header = {.nlmsg_type = type, .nlmsg_len = len};

	memcpy(message->bytes + message->len, &header, sizeof(header));
	message->len += sizeof(header);
}

static void add_attribute(struct message *message, uint16_t type, const void *value, size_t len)
{
	const struct nlattr header = {.nla_len = (uint16_t)(sizeof(header) + len),
	                              .nla_type = type};

	memcpy(message->bytes + message->len, &header, sizeof(header));
	message->len += sizeof(header);
	if (value)
		memcpy(message->bytes + message->len, value, len);
	message->len += value ? (len + 3) & ~(size_t)3 : 0;
}

/* A structure that begins with @mark. */
static void add_structure(struct message *message, bool process, unsigned char mark, size_t len)
{
	unsigned char payload[1024] = {mark};
	uint32_t id = mark;

	add_attribute(message, process ? TASKSTATS_TYPE_AGGR_TGID : TASKSTATS_TYPE_AGGR_PID, NULL,
	              8 + 4 + len);
	add_attribute(message, process ? TASKSTATS_TYPE_TGID : TASKSTATS_TYPE_PID, &id, sizeof(id));
	add_attribute(message, TASKSTATS_TYPE_STATS, payload, len);
}

static void add_record(struct message *message, unsigned char mark, bool last)
{
	enum { LEN = 560, PART = 4 + 8 + 4 + LEN };
	const struct genlmsghdr genl = {.cmd = TASKSTATS_CMD_NEW, .version = 1};

	add_header(message, FAMILY, 16 + sizeof(genl) + PART * (last ? 2u : 1u));
	memcpy(message->bytes + message->len, &genl, sizeof(genl));
	message->len += sizeof(genl);
	add_structure(message, false, mark, LEN);
	if (last)
		add_structure(message, true, (unsigned char)(mark + 100), LEN);
}

static struct message *add_step(int error, uint32_t sender)
{
	assert_true(step_count < STEPS_MAX);
	steps[step_count] = (struct step){.error = error, .sender = sender};
	return &steps[step_count++].message;
}

/* A record in front of each answer, which is too early to matter, and one of somebody else. */
ssize_t __wrap_recvfrom(int fd, void *bytes, size_t len, int flags, struct sockaddr *address,
                        socklen_t *address_len)
{
	static unsigned turn;
	struct sockaddr_nl from = {.nl_family = AF_NETLINK, .nl_pid = turn % 4 == 1 ? 99 : 0};
	struct message message = {.len = 0};
	int error = answers[answered];

	(void)fd;
	(void)flags;
	assert_true(len >= MESSAGE_BYTES);
	if (turn++ % 4 == 0) {
		errno = ENOBUFS;
		return -1;
	}
	if (turn % 4 == 3) {
		add_record(&message, 1, false);
	} else {
		/* From somebody else it is none. */
		if (from.nl_pid != 0)
			error = -EIO;
		else
			answered++;
		add_header(&message, NLMSG_ERROR, 16 + sizeof(error));
		memcpy(message.bytes + message.len, &error, sizeof(error));
		message.len += sizeof(error);
	}
	memcpy(bytes, message.bytes, message.len);
	memcpy(address, &from, sizeof(from));
	*address_len = sizeof(from);
	return (ssize_t)message.len;
}

/* The answers of the two calls below: it is known that records come here, and they come. */
static bool is_known = true, records_come;

int __wrap_initial_network_call(int (*work)(void *context), void *context, bool *ret_known);
int __wrap_initial_network_call(int (*work)(void *context), void *context, bool *ret_known)
{
	*ret_known = is_known;
	return work(context);
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	if (timeout > 0) {
		assert_false(is_known);
		return records_come;
	}
	for (nfds_t i = 0; i < count; i++)
		fds[i].revents = i == 0 ? POLLIN : 0;
	return 1;
}

int __wrap_recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                    struct timespec *timeout)
{
	struct sockaddr_nl from = {.nl_family = AF_NETLINK};
	const struct step *step = &steps[step_next];

	(void)fd;
	assert_true(count > 1);
	assert_null(timeout);
	assert_int_equal(flags, MSG_DONTWAIT);
	if (step_next == step_count || step->error) {
		errno = step_next++ < step_count ? step->error : EAGAIN;
		return -1;
	}
	step_next++;
	from.nl_pid = step->sender;
	memcpy(messages[0].msg_hdr.msg_name, &from, sizeof(from));
	messages[0].msg_hdr.msg_namelen = sizeof(from);
	memcpy(messages[0].msg_hdr.msg_iov->iov_base, step->message.bytes, step->message.len);
	messages[0].msg_len = (unsigned)step->message.len;
	return 1;
}

static void handle(void *context, const void *payload, size_t len, unused_ const void *process,
                   size_t process_len)
{
	taken_process_len = process_len;
	assert_ptr_equal(context, steps);
	memcpy(&taken_first[taken], payload, 1);
	taken_len[taken++] = len;
}

static int setup(void **state)
{
	(void)state;
	step_count = step_next = command_count = answered = forced = ordinary = 0;
	open_error = force_error = 0;
	is_known = true;
	taken = 0;
	memset(answers, 0, sizeof(answers));
	return 0;
}

static struct cpu_mask cpus(const char *list)
{
	struct cpu_mask mask;

	assert_true(cpu_mask_parse(&mask, list, strlen(list)));
	return mask;
}

static void test_registers(void **state)
{
	struct cpu_mask mask = cpus("0-17,20,64-65");
	struct taskstats_exits *exits = NULL;

	(void)state;
	assert_int_equal(taskstats_exits_open(&mask, 0, &exits), 0);
	assert_int_equal(command_count, 3);
	assert_string_equal(commands[0], "0-7");
	assert_string_equal(commands[1], "8-15");
	assert_string_equal(commands[2], "16-17,20,64-65");
	assert_int_equal(command_types[0], TASKSTATS_CMD_ATTR_REGISTER_CPUMASK);
	assert_int_equal(forced, 3);
	assert_int_equal(ordinary, 0);
	taskstats_exits_freep(&exits);
	assert_int_equal(command_count, 6);
	assert_int_equal(command_types[5], TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK);
	assert_string_equal(commands[5], "16-17,20,64-65");
}

static void test_refused(void **state)
{
	struct cpu_mask mask = cpus("0-15");
	struct taskstats_exits *exits = NULL;

	(void)state;
	force_error = EPERM;
	answers[1] = -EPERM;
	assert_int_equal(taskstats_exits_open(&mask, 0, &exits), -EPERM);
	assert_null(exits);
	assert_int_equal(ordinary, 2);
	open_error = -ENOENT;
	assert_int_equal(taskstats_exits_open(&mask, 0, &exits), -ENOENT);
	assert_null(exits);
}

/* The kernel registers a socket of another network namespace, and sends it nothing. */
static void test_elsewhere(void **state)
{
	struct cpu_mask mask = cpus("0-100"), none = cpus("101-102");
	struct taskstats_exits *exits = NULL;

	(void)state;
	is_known = false;
	for (unsigned come = 0; come < 2; come++) {
		answered = command_count = 0;
		records_come = come > 0;
		assert_int_equal(
		        taskstats_exits_open(sched_getcpu() <= 100 ? &mask : &none, 0, &exits),
		        come > 0 ? 0 : -EPERM);
		taskstats_exits_freep(&exits);
	}
	/* Nobody listens where the thread ended that was to be heard. */
	answered = command_count = 0;
	records_come = false;
	assert_int_equal(taskstats_exits_open(sched_getcpu() <= 100 ? &none : &mask, 0, &exits), 0);
	taskstats_exits_freep(&exits);
}

static void test_reads(void **state)
{
	struct cpu_mask mask = cpus("0-1");
	struct taskstats_exits *exits = NULL;
	struct message *message;

	(void)state;
	assert_int_equal(taskstats_exits_open(&mask, 0, &exits), 0);
	message = add_step(0, 0);
	add_record(message, 11, false);
	add_record(message, 12, true);
	add_step(EINTR, 0);
	add_step(ENOBUFS, 0);
	message = add_step(0, 4711); /* not the kernel */
	add_record(message, 13, false);
	message = add_step(0, 0);
	add_record(message, 14, true);
	taskstats_exits_read(exits, handle, steps);
	assert_int_equal(taken, 3);
	assert_int_equal(taken_first[0], 11);
	assert_int_equal(taken_first[1], 12);
	assert_int_equal(taken_first[2], 14);
	assert_int_equal(taken_len[2], 560);
	assert_int_equal(taken_process_len, 560); /* of the last one, whose process had several */
	assert_int_equal(taskstats_exits_overruns(exits), 1);
	/* Anything else ends the reading, not the listening. */
	step_count = step_next = 0;
	add_step(EIO, 0);
	message = add_step(0, 0);
	add_record(message, 15, false);
	taskstats_exits_read(exits, handle, steps);
	assert_int_equal(taken, 3);
	taskstats_exits_read(exits, handle, steps);
	assert_int_equal(taken, 4);
	assert_int_equal(taken_process_len, 0);
	taskstats_exits_freep(&exits);
}

/* Every cut of a datagram gives whole structures or none. */
static void test_cut(void **state)
{
	struct message whole = {.len = 0};

	(void)state;
	add_record(&whole, 21, true);
	for (size_t len = 0; len <= whole.len; len++) {
		unsigned char *bytes = (unsigned char *)exact_copy((char *)whole.bytes, len);

		taken = 0;
		taskstats_exits_parse(FAMILY, bytes, len, handle, steps);
		assert_int_equal(taken, len == whole.len);
		taken = 0;
		taskstats_exits_parse(FAMILY + 1, bytes, len, handle, steps);
		assert_int_equal(taken, 0);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup(test_registers, setup),
	        cmocka_unit_test_setup(test_refused, setup),
	        cmocka_unit_test_setup(test_elsewhere, setup),
	        cmocka_unit_test_setup(test_reads, setup),
	        cmocka_unit_test_setup(test_cut, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
