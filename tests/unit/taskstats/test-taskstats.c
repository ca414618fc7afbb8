// SPDX-License-Identifier: GPL-2.0-or-later
/* The socket, with the kernel played by the test: what it is sent is kept, and what it receives is made up. */
#include "taskstats-kernel.h"

#include <netlink/errno.h>

#include "taskstats/taskstats.h"

static struct taskstats_client *client;
static struct taskstats_reply replies[TASKSTATS_BATCH];
static uint32_t next_sequence; /* the first one of the next batch */

static int setup(void **state)
{
	(void)state;
	queued = delivered = sent_bytes = receive_errno_at = 0;
	connect_result = send_errno = receive_errno = 0;
	sends = receives = 0;
	timeouts_set = buffers_set = 0;
	memset(replies, 0xee, sizeof(replies));
	add_family(1, FAMILY);
	assert_int_equal(taskstats_open(&client), 0);
	queued = delivered = 0;
	/* The numbers of a client rise from its own start. */
	assert_int_equal(taskstats_ask(client, false, (uint32_t[]){1}, 1, replies), 0);
	next_sequence = first_sequence() + 1;
	queued = delivered = 0;
	sends = receives = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	taskstats_freep(&client);
	return 0;
}

static void check_open_fails(int error)
{
	struct taskstats_client *other = NULL;

	assert_int_equal(taskstats_open(&other), error);
	assert_null(other);
}

static void test_taskstats_connect_fails(void **state)
{
	static const struct {
		int libnl, error;
	} cases[] = {
	        {NLE_OBJ_NOTFOUND, -ENOENT},
	        {NLE_PERM, -EPERM},
	        {NLE_AF_NOSUPPORT, -EAFNOSUPPORT},
	        {NLE_NOACCESS, -EACCES},
	        {NLE_AGAIN, -ETIMEDOUT},
	        {NLE_FAILURE, -EIO},
	        {NLE_NOMEM, -ENOMEM},
	        {NLE_BUSY, -EBUSY},
	        {NLE_EXIST, -EADDRINUSE},
	        {NLE_PROTO_MISMATCH, -EPROTONOSUPPORT},
	};

	(void)state;
	assert_int_equal(buffers_set, 1);
	assert_int_equal(timeouts_set, 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		connect_result = -cases[i].libnl;
		check_open_fails(cases[i].error);
	}
	assert_int_equal(sends, 0);
}

static void test_taskstats_family_fails(void **state)
{
	struct datagram *datagram;
	struct nlmsghdr header;

	(void)state;
	check_open_fails(-ETIMEDOUT);
	memcpy(&header, sent, sizeof(header));
	assert_int_equal(header.nlmsg_type, GENL_ID_CTRL);
	assert_int_equal(header.nlmsg_len, sent_bytes);
	assert_string_equal((char *)sent + 24, "TASKSTATS");
	add_error(1, -ENOENT);
	check_open_fails(-ENOENT);
	add_error(1, 0);
	check_open_fails(-EBADMSG);
	add_family(1, 0);
	check_open_fails(-EBADMSG);
	add_family_as(GENL_ID_CTRL, 1, FAMILY, 1);
	check_open_fails(-EBADMSG);
	add_family_as(GENL_ID_CTRL + 1, 1, FAMILY, sizeof(uint16_t));
	check_open_fails(-EBADMSG);
	datagram = add_datagram(GENL_ID_CTRL, 1);
	end_datagram(datagram);
	check_open_fails(-EBADMSG);
	add_family(2, FAMILY);
	datagram = add_family(1, FAMILY);
	datagram->sender = 4711;
	datagram = add_family(1, FAMILY);
	datagram->len = 8;
	check_open_fails(-ETIMEDOUT);
	send_errno = ECONNREFUSED;
	check_open_fails(-ECONNREFUSED);
	send_errno = 0;
	receive_errno = EACCES;
	receive_errno_at = queued;
	check_open_fails(-EACCES);
}

/* Interrupted again and again. */
static void test_taskstats_family_never(void **state)
{
	(void)state;
	receive_errno = EINTR;
	receive_errno_at = queued;
	receive_fails_always = true;
	check_open_fails(-ETIMEDOUT);
	receive_fails_always = false;
}

/* Behind what is not the answer, and after a signal. */
static void test_taskstats_family_late(void **state)
{
	struct taskstats_client *other = NULL;

	(void)state;
	add_family(2, FAMILY + 1);
	add_family(1, FAMILY);
	receive_errno = EINTR;
	receive_errno_at = 1;
	assert_int_equal(taskstats_open(&other), 0);
	assert_int_equal(receives, 3);
	taskstats_freep(&other);
}

static void test_taskstats_requests(void **state)
{
	static const uint32_t ids[3] = {7, 4000000000u, 9};

	(void)state;
	for (int process = 0; process < 2; process++) {
		assert_int_equal(taskstats_ask(client, process, ids, 3, replies), 0);
		assert_int_equal(sent_bytes, 3 * REQUEST_BYTES);
		for (uint32_t i = 0; i < 3; i++) {
			struct {
				struct nlmsghdr header;
				struct genlmsghdr genl;
				struct nlattr attribute;
				uint32_t id;
			} request;

			memcpy(&request, sent + i * REQUEST_BYTES, sizeof(request));
			assert_int_equal(request.header.nlmsg_len, REQUEST_BYTES);
			assert_int_equal(request.header.nlmsg_type, FAMILY);
			assert_int_equal(request.header.nlmsg_flags, NLM_F_REQUEST);
			assert_int_equal(request.header.nlmsg_seq, next_sequence + i);
			assert_int_equal(request.genl.cmd, TASKSTATS_CMD_GET);
			assert_int_equal(request.attribute.nla_len, 8);
			assert_int_equal(request.attribute.nla_type,
			                 process ? TASKSTATS_CMD_ATTR_TGID
			                         : TASKSTATS_CMD_ATTR_PID);
			assert_int_equal(request.id, ids[i]);
		}
		next_sequence += 3;
	}
	assert_int_equal(sends, 2);
}

static void check_reply(size_t index, size_t len, unsigned char fill)
{
	assert_int_equal(replies[index].error, 0);
	assert_int_equal(replies[index].len, len);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(replies[index].payload[i], fill);
}

static void test_taskstats_replies(void **state)
{
	uint32_t ids[TASKSTATS_BATCH];

	(void)state;
	for (int process = 0; process < 2; process++) {
		/* In another order than the requests, and padded as some machines do. */
		queued = delivered = 0;
		receives = 0;
		for (uint32_t i = 0; i < TASKSTATS_BATCH; i++)
			ids[i] = 100 + i;
		for (uint32_t i = TASKSTATS_BATCH; i-- > 0;)
			add_reply((struct made_reply){.sequence = next_sequence + i,
			                              .id = ids[i],
			                              .len = 560 + i,
			                              .process = process,
			                              .padded = i % 2,
			                              .fill = (unsigned char)i});
		assert_int_equal(taskstats_ask(client, process, ids, TASKSTATS_BATCH, replies), 0);
		for (size_t i = 0; i < TASKSTATS_BATCH; i++)
			check_reply(i, 560 + i, (unsigned char)i);
		assert_int_equal(receives, 1);
		next_sequence += TASKSTATS_BATCH;
	}
}

static void test_taskstats_lengths(void **state)
{
	static const struct {
		size_t len, kept;
		int error;
	} cases[] = {{0, 0, 0},       {1, 1, 0},       {1023, 1023, 0},    {1024, 1024, 0},
	             {1025, 1024, 0}, {4000, 1024, 0}, {6000, 0, -EBADMSG}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		queued = delivered = 0;
		add_reply((struct made_reply){
		        .sequence = next_sequence++, .id = 5, .len = cases[i].len, .fill = 3});
		assert_int_equal(taskstats_ask(client, false, (uint32_t[]){5}, 1, replies), 0);
		if (cases[i].error == 0)
			check_reply(0, cases[i].kept, 3);
		assert_int_equal(replies[0].error, cases[i].error);
		assert_int_equal(replies[0].len, cases[i].kept);
	}
}

static void test_taskstats_errors(void **state)
{
	static const struct {
		int said, error;
	} cases[] = {
	        {-EPERM, -EPERM}, {-ESRCH, -ESRCH},  {-EINVAL, -EINVAL},    {0, -EBADMSG},
	        {5, -EBADMSG},    {-5000, -EBADMSG}, {INT32_MIN, -EBADMSG},
	};
	struct datagram *datagram;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		queued = delivered = 0;
		add_error(next_sequence++, cases[i].said);
		assert_int_equal(taskstats_ask(client, false, (uint32_t[]){5}, 1, replies), 0);
		assert_int_equal(replies[0].error, cases[i].error);
		assert_int_equal(replies[0].len, 0);
	}
	/* Too short to hold an error. */
	queued = delivered = 0;
	datagram = add_datagram(NLMSG_ERROR, next_sequence++);
	end_datagram(datagram);
	assert_int_equal(taskstats_ask(client, false, (uint32_t[]){5}, 1, replies), 0);
	assert_int_equal(replies[0].error, -EBADMSG);
}

static void test_taskstats_not_what_was_asked_for(void **state)
{
	static const struct made_reply wrong[] = {
	        {.id = 6, .len = 560},
	        {.id = 5, .len = 560, .process = true},
	        {.id = 5, .len = 560, .without_id = true},
	        {.id = 5, .len = 560, .id_bytes = 3},
	        {.id = 5, .len = 560, .without_stats = true},
	        {.id = 5, .len = 560, .command = TASKSTATS_CMD_GET},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct made_reply reply = wrong[i];

		queued = delivered = 0;
		reply.sequence = next_sequence++;
		add_reply(reply);
		assert_int_equal(taskstats_ask(client, false, (uint32_t[]){5}, 1, replies), 0);
		assert_int_equal(replies[0].error, -EBADMSG);
		assert_int_equal(replies[0].len, 0);
	}
}

static void test_taskstats_strays(void **state)
{
	struct datagram *datagram;

	(void)state;
	/* Late, early, from a process, of another family, twice; the right one comes behind them. */
	add_reply((struct made_reply){.sequence = next_sequence - 1, .id = 5, .len = 8, .fill = 1});
	add_reply((struct made_reply){.sequence = next_sequence + 1, .id = 5, .len = 8, .fill = 2});
	datagram = add_reply(
	        (struct made_reply){.sequence = next_sequence, .id = 5, .len = 8, .fill = 3});
	datagram->sender = 4711;
	datagram = add_datagram(FAMILY + 1, next_sequence);
	end_datagram(datagram);
	add_reply((struct made_reply){.sequence = next_sequence, .id = 5, .len = 8, .fill = 5});
	add_error(next_sequence, -EPERM);
	next_sequence++;
	assert_int_equal(taskstats_ask(client, false, (uint32_t[]){5}, 1, replies), 0);
	check_reply(0, 8, 5);
}

static void test_taskstats_timeout(void **state)
{
	static const uint32_t ids[3] = {5, 6, 7};

	(void)state;
	add_reply((struct made_reply){.sequence = next_sequence + 1, .id = 6, .len = 8, .fill = 1});
	assert_int_equal(taskstats_ask(client, false, ids, 3, replies), 0);
	assert_int_equal(replies[0].error, -ETIMEDOUT);
	check_reply(1, 8, 1);
	assert_int_equal(replies[2].error, -ETIMEDOUT);
	next_sequence += 3;

	/* Requests that were given up come with the next batch. */
	queued = delivered = 0;
	add_reply((struct made_reply){.sequence = next_sequence - 3, .id = 5, .len = 8, .fill = 2});
	add_reply((struct made_reply){.sequence = next_sequence, .id = 5, .len = 8, .fill = 3});
	assert_int_equal(taskstats_ask(client, false, ids, 1, replies), 0);
	check_reply(0, 8, 3);
}

static void test_taskstats_no_room(void **state)
{
	static const uint32_t ids[3] = {5, 6, 7};

	(void)state;
	add_reply((struct made_reply){.sequence = next_sequence, .id = 5, .len = 8, .fill = 1});
	add_reply((struct made_reply){.sequence = next_sequence + 2, .id = 7, .len = 8, .fill = 2});
	receive_errno = ENOBUFS;
	receive_errno_at = 1;
	assert_int_equal(taskstats_ask(client, false, ids, 3, replies), 0);
	check_reply(0, 8, 1);
	assert_int_equal(replies[1].error, -ENOBUFS);
	check_reply(2, 8, 2);
}

static void test_taskstats_interrupted(void **state)
{
	(void)state;
	add_reply((struct made_reply){.sequence = next_sequence, .id = 5, .len = 8, .fill = 1});
	receive_errno = EINTR;
	receive_errno_at = 0;
	assert_int_equal(taskstats_ask(client, false, (uint32_t[]){5}, 1, replies), 0);
	check_reply(0, 8, 1);
	assert_int_equal(receives, 2);
}

static void test_taskstats_socket_fails(void **state)
{
	uint32_t ids[TASKSTATS_BATCH + 1] = {5};

	(void)state;
	send_errno = EACCES;
	assert_int_equal(taskstats_ask(client, false, ids, 1, replies), -EACCES);
	assert_int_equal(receives, 0);
	send_errno = 0;
	receive_errno = ENOMEM;
	receive_errno_at = queued;
	assert_int_equal(taskstats_ask(client, false, ids, 1, replies), -ENOMEM);
	sends = receives = 0;
	assert_int_equal(taskstats_ask(client, false, ids, 0, replies), 0);
	assert_int_equal(taskstats_ask(client, false, NULL, 0, NULL), 0);
	assert_int_equal(taskstats_ask(client, false, ids, TASKSTATS_BATCH + 1, replies), -EINVAL);
	assert_int_equal(sends + receives, 0);
}

/* Every byte of a reply's headers with every value: no more is read than there is, which a sanitizer watches, and
 * the one thread asked for has a reply that is right, or an error. */
static void test_taskstats_hostile(void **state)
{
	enum { HEADERS = 16 + 4 + 4 + 8 + 4 };

	(void)state;
	for (size_t at = 0; at < HEADERS; at++)
		for (unsigned value = 0; value < 256; value++) {
			struct datagram *datagram;

			queued = delivered = 0;
			datagram = add_reply((struct made_reply){
			        .sequence = next_sequence++, .id = 5, .len = 40, .fill = 9});
			datagram->bytes[at] = (unsigned char)value;
			assert_int_equal(taskstats_ask(client, false, (uint32_t[]){5}, 1, replies),
			                 0);
			assert_true(replies[0].error <= 0);
			if (replies[0].error == 0)
				assert_true(replies[0].len <= 40);
		}
	for (size_t len = 0; len <= HEADERS + 40; len++) {
		struct datagram *datagram;

		queued = delivered = 0;
		datagram = add_reply((struct made_reply){
		        .sequence = next_sequence++, .id = 5, .len = 40, .fill = 9});
		datagram->len = len;
		assert_int_equal(taskstats_ask(client, false, (uint32_t[]){5}, 1, replies), 0);
		assert_int_equal(replies[0].error, len < 16             ? -ETIMEDOUT
		                                   : len < HEADERS + 40 ? -EBADMSG
		                                                        : 0);
	}
}

int main(void)
{
#define TEST(name_) cmocka_unit_test_setup_teardown(name_, setup, teardown)
	const struct CMUnitTest tests[] = {
	        TEST(test_taskstats_connect_fails),
	        TEST(test_taskstats_family_fails),
	        TEST(test_taskstats_family_never),
	        TEST(test_taskstats_family_late),
	        TEST(test_taskstats_requests),
	        TEST(test_taskstats_replies),
	        TEST(test_taskstats_lengths),
	        TEST(test_taskstats_errors),
	        TEST(test_taskstats_not_what_was_asked_for),
	        TEST(test_taskstats_strays),
	        TEST(test_taskstats_timeout),
	        TEST(test_taskstats_no_room),
	        TEST(test_taskstats_interrupted),
	        TEST(test_taskstats_socket_fails),
	        TEST(test_taskstats_hostile),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
