// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages between ctprof and its helper processes: what arrives is what was sent, and what is no message is refused. */
#include "check.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "jemalloc/helper-message.h"

static int sockets[2];

static int setup(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets);
}

static int teardown(void **state)
{
	(void)state;
	fd_closep(&sockets[0]);
	fd_closep(&sockets[1]);
	return 0;
}

static void test_object(void **state)
{
	const struct jemalloc_object object = {.tag = PROBE_TAG_ok,
	                                       .is_found = true,
	                                       .has_slot = true,
	                                       .slot_address = UINT64_MAX,
	                                       .allocated = INT64_MIN,
	                                       .deallocated = -8,
	                                       .first_address = 4096,
	                                       .first_offset = 8192};
	struct jemalloc_object received;
	struct helper_message message;

	(void)state;
	helper_message_set_object(&message, HELPER_LOOKED, -EREMOTE, &object);
	assert_int_equal(helper_message_send(sockets[0], &message, -1), 0);
	memset(&message, 0, sizeof(message));
	assert_int_equal(helper_message_receive(sockets[1], &message, NULL), 0);
	assert_int_equal(message.object.result, -EREMOTE);
	assert_int_equal(helper_message_object(&message, HELPER_INSPECTED, &received), -EPIPE);
	assert_int_equal(helper_message_object(&message, HELPER_LOOKED, &received), 0);
	assert_int_equal(received.tag, PROBE_TAG_ok);
	assert_true(received.is_found && received.has_slot);
	assert_int_equal(received.slot_address, object.slot_address);
	assert_int_equal(received.allocated, object.allocated);
	assert_int_equal(received.deallocated, object.deallocated);
	assert_int_equal(received.first_address, object.first_address);
	assert_int_equal(received.first_offset, object.first_offset);
}

/* The process that parses files may have been taken over by one of them. */
static void test_object_without_sense(void **state)
{
	const struct jemalloc_object found = {.tag = PROBE_TAG_ok, .is_found = true};
	struct jemalloc_object received = {.allocated = 5};
	struct helper_message message, bad;

	(void)state;
	helper_message_set_object(&message, HELPER_INSPECTED, 0, &found);
	assert_int_equal(helper_message_object(&message, HELPER_INSPECTED, &received), 0);
	received.allocated = 5;
	bad = message;
	bad.object.tag = PROBE_TAG_COUNT;
	assert_int_equal(helper_message_object(&bad, HELPER_INSPECTED, &received), -EPIPE);
	bad = message;
	bad.object.is_found = 2;
	assert_int_equal(helper_message_object(&bad, HELPER_INSPECTED, &received), -EPIPE);
	bad = message;
	bad.object.has_slot = 2;
	assert_int_equal(helper_message_object(&bad, HELPER_INSPECTED, &received), -EPIPE);
	bad = message;
	bad.object.is_found = 0;
	assert_int_equal(helper_message_object(&bad, HELPER_INSPECTED, &received), -EPIPE);
	assert_int_equal(received.allocated, 5);
}

static void test_lengths(void **state)
{
	/* A message of no kind, one that is too short, one that is too long, and one of another kind's length. */
	static const struct {
		uint32_t kind;
		size_t len;
	} bad[] = {
	        {HELPER_MESSAGE_KINDS, sizeof(uint32_t)},
	        {UINT32_MAX, sizeof(uint32_t)},
	        {HELPER_PROBE, 2},
	        {HELPER_PROBE, sizeof(uint32_t) + 1},
	        {HELPER_LOOK, sizeof(uint32_t)},
	        {HELPER_INSPECT, sizeof(struct helper_message)},
	        {HELPER_LOOK, sizeof(struct helper_message) + 1},
	};
	static struct helper_message bytes[2], received;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		bytes[0].kind = bad[i].kind;
		assert_int_equal(send(sockets[0], bytes, bad[i].len, 0), bad[i].len);
		assert_int_equal(helper_message_receive(sockets[1], &received, NULL), -EPIPE);
	}
	for (uint32_t kind = 0; kind < HELPER_MESSAGE_KINDS; kind++) {
		bytes[0].kind = kind;
		assert_int_equal(helper_message_send(sockets[0], bytes, -1), 0);
		assert_int_equal(helper_message_receive(sockets[1], &received, NULL), 0);
		assert_int_equal(received.kind, kind);
	}
	fd_closep(&sockets[0]);
	assert_int_equal(helper_message_receive(sockets[1], &received, NULL), -EPIPE);
	assert_int_equal(helper_message_send(sockets[1], bytes, -1), -EPIPE);
}

static void test_descriptors(void **state)
{
	const struct helper_message message = {.kind = HELPER_INSPECT};
	cleanup_(fd_closep) int fd = -1;
	struct helper_message received;
	struct stat sent, got;
	int before = dup(sockets[0]), after;

	(void)state;
	close(before);
	assert_int_equal(helper_message_send(sockets[0], &message, STDIN_FILENO), 0);
	assert_int_equal(helper_message_receive(sockets[1], &received, &fd), 0);
	assert_int_equal(fstat(STDIN_FILENO, &sent), 0);
	assert_int_equal(fstat(fd, &got), 0);
	assert_int_equal(sent.st_ino, got.st_ino);
	fd_closep(&fd);
	assert_int_equal(helper_message_send(sockets[0], &message, -1), 0);
	assert_int_equal(helper_message_receive(sockets[1], &received, &fd), 0);
	assert_int_equal(fd, -1);
	/* One that is not wanted stays nowhere. */
	assert_int_equal(helper_message_send(sockets[0], &message, STDIN_FILENO), 0);
	assert_int_equal(helper_message_receive(sockets[1], &received, NULL), 0);
	after = dup(sockets[0]);
	close(after);
	assert_int_equal(after, before);
}

#define WITH_SOCKETS(test_) cmocka_unit_test_setup_teardown(test_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WITH_SOCKETS(test_object),
	        WITH_SOCKETS(test_object_without_sense),
	        WITH_SOCKETS(test_lengths),
	        WITH_SOCKETS(test_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
