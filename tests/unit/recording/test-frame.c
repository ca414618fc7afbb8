// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "memory-stream.h"
#include "recording/frame.h"
#include "temp-tree.h"

enum { LONG = 300000 };

/* Two frames: a short one, and one of several blocks with bytes that do not compress. */
static uint64_t pack_two(struct strbuf *out)
{
	static char text[LONG];
	unsigned state = 1;
	uint64_t first;

	for (size_t i = 0; i < sizeof(text); i++) {
		state = state * 1103515245 + 12345;
		text[i] = (char)(state >> 16);
	}
	zstd_pack("{\"a\":1}", 7, out);
	first = out->len;
	zstd_pack(text, sizeof(text), out);
	return first;
}

static int open_bytes(const struct temp_tree *tree, const char *bytes, size_t len)
{
	int fd;

	temp_tree_write(tree, "file", bytes, len);
	fd = openat(tree->fd, "file", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void frames_are_found(void **state)
{
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;
	uint64_t first = pack_two(&bytes), end = 0;
	int fd = open_bytes(*state, bytes.data, bytes.len);

	assert_int_equal(frame_find_end(fd, 0, &end), 1);
	assert_int_equal(end, first);
	assert_int_equal(frame_find_end(fd, end, &end), 1);
	assert_int_equal(end, bytes.len);
	assert_int_equal(frame_find_end(fd, end, &end), 0);
	assert_int_equal(end, bytes.len);
	close(fd);
}

/* Every length that a power cut can leave. */
static void torn_tail_is_no_frame(void **state)
{
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;
	uint64_t first = pack_two(&bytes), end;

	for (size_t cut = 0; cut < bytes.len; cut += cut < 40 || cut + 40 > bytes.len ? 1 : 997) {
		int fd = open_bytes(*state, bytes.data, cut);

		end = 1;
		assert_int_equal(frame_find_last_end(fd, &end), 0);
		assert_int_equal(end, cut < first ? 0 : first);
		close(fd);
	}
}

static void other_bytes_are_no_frame(void **state)
{
	static const char hole[64] = {0};
	/* A block of a type that is reserved, and one that is longer than a block can be. */
	static const char reserved[] = "\x28\xb5\x2f\xfd\x20\x07\x07\x00\x00rest",
	                  big[] = "\x28\xb5\x2f\xfd\x20\x07\xff\xff\xffrest";
	uint64_t end = 7;
	int fd = open_bytes(*state, hole, sizeof(hole));

	assert_int_equal(frame_find_end(fd, 0, &end), 0);
	close(fd);
	fd = open_bytes(*state, reserved, sizeof(reserved) - 1);
	assert_int_equal(frame_find_end(fd, 0, &end), 0);
	close(fd);
	fd = open_bytes(*state, big, sizeof(big) - 1);
	assert_int_equal(frame_find_end(fd, 0, &end), 0);
	assert_int_equal(end, 7);
	close(fd);
	assert_true(frame_find_end(-1, 0, &end) < 0);
}

/* A torn tail ends the file. */
static void frames_behind_other_bytes_are_told(void **state)
{
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT, reason = STRBUF_INIT;
	uint64_t end = 0, first;
	int fd;

	zstd_pack("{}", 2, &bytes);
	first = bytes.len;
	/* The frame behind stands across the reader's pieces. */
	for (unsigned i = 0; i < (16 << 10) - 2; i++)
		strbuf_add_char(&bytes, 'x');
	zstd_pack("{}", 2, &bytes);
	fd = open_bytes(*state, bytes.data, bytes.len);
	assert_int_equal(frame_find_end(fd, 0, &end), 1);
	assert_int_equal(end, first);
	assert_int_equal(frame_find_end(fd, first, &end), -EBADMSG);
	assert_int_equal(frame_find_last_end(fd, &end), -EBADMSG);
	close(fd);
	fd = open_bytes(*state, bytes.data, bytes.len - 1);
	assert_int_equal(frame_find_end(fd, first, &end), 0);
	close(fd);
	frame_explain_damage(first, &reason);
	assert_non_null(strstr(strbuf_str(&reason), "on are no window"));
}

/* Each of these could be a frame, has all blocks of those behind it, and does not end. Nobody makes a reader follow all of them. */
static void many_begins_are_no_torn_tail(void **state)
{
	enum { BEGINS = 4000 };
	/* A block of six bytes, which is the next begin. */
	static const char begin[] = "\x28\xb5\x2f\xfd\x20\x01", block[] = "\x30\0\0";
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;
	uint64_t end = 0;
	int fd;

	strbuf_add_char(&bytes, 'x');
	for (unsigned i = 0; i < BEGINS; i++) {
		strbuf_add(&bytes, begin, sizeof(begin) - 1);
		strbuf_add(&bytes, block, sizeof(block) - 1);
	}
	fd = open_bytes(*state, bytes.data, bytes.len);
	assert_int_equal(frame_find_end(fd, 0, &end), -EBADMSG);
	close(fd);
}

/* A power failure may leave the size of a window, and a part of its bytes. */
static void zeros_behind_a_torn_frame_are_its_own(void **state)
{
	enum { ZEROS = 1 << 20, PART = 40 };
	static const char zeros[ZEROS];
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;
	uint64_t first = pack_two(&bytes), end = 0;
	int fd;

	bytes.len = first + PART;
	strbuf_add(&bytes, zeros, sizeof(zeros));
	fd = open_bytes(*state, bytes.data, bytes.len);
	assert_int_equal(frame_find_last_end(fd, &end), 0);
	assert_int_equal(end, first);
	close(fd);
}

/* Writes zeros in place of the bytes from @begin on, and @behind zeros behind them, and expects the last frame to end at @expected. */
static void assert_torn(const struct temp_tree *tree, const struct strbuf *bytes, size_t begin,
                        size_t behind, uint64_t expected)
{
	cleanup_(strbuf_done) struct strbuf copy = STRBUF_INIT;
	uint64_t end = 7;
	int fd;

	strbuf_add(&copy, bytes->data, bytes->len);
	memset(copy.data + begin, 0, copy.len - begin);
	for (size_t i = 0; i < behind; i++)
		strbuf_add_char(&copy, '\0');
	fd = open_bytes(tree, copy.data, copy.len);
	assert_int_equal(frame_find_last_end(fd, &end), 0);
	assert_int_equal(end, expected);
	assert_int_equal(frame_find_headers(fd, expected, &end), 1);
	assert_int_equal(end, bytes->len);
	end = 7;
	assert_int_equal(frame_find_end(fd, expected, &end), 0);
	assert_int_equal(end, 7);
	close(fd);
}

/* A power failure may also leave all headers of blocks, with zeros in place of the bytes of the last one. */
static void a_frame_of_wrong_bytes_at_the_end_is_torn(void **state)
{
	enum { PAGE = 4096, LINE = 64 };
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;
	uint64_t first = pack_two(&bytes);
	size_t ends[] = {4, 8, LINE, PAGE};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		assert_torn(*state, &bytes, bytes.len - ends[i], 0, first);
		assert_torn(*state, &bytes, bytes.len - ends[i], 3000, first);
	}
	/* The only frame of a file. */
	bytes.len = first;
	assert_torn(*state, &bytes, first - 4, 0, 0);
}

/* Readers find the wrong bytes of a frame with a frame behind it: they are damage. */
static void a_frame_of_wrong_bytes_with_others_behind_stays(void **state)
{
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;
	uint64_t first = pack_two(&bytes), end = 0;
	int fd;

	memset(bytes.data + first - 4, 0, 4);
	fd = open_bytes(*state, bytes.data, bytes.len);
	assert_int_equal(frame_find_end(fd, 0, &end), 1);
	assert_int_equal(end, first);
	assert_int_equal(frame_find_last_end(fd, &end), 0);
	assert_int_equal(end, bytes.len);
	close(fd);
}

/* Begins that end at once are not all looked at either. */
static void begins_alone_are_no_torn_tail(void **state)
{
	enum { BEGINS = 300000 };
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;
	uint64_t end = 0;
	int fd;

	for (unsigned i = 0; i < BEGINS; i++)
		strbuf_add(&bytes, "\x28\xb5\x2f\xfd", 4);
	fd = open_bytes(*state, bytes.data, bytes.len);
	assert_int_equal(frame_find_end(fd, 0, &end), -EBADMSG);
	close(fd);
}

static void the_begin_of_a_write_is_known(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		int torn;
	} cases[] = {
	        {"", 0, 1},          {"\x28\xb5", 2, 1}, {"\x28\xb5\x2f\xfd\x20", 5, 1},
	        {"\0\0\0\0x", 5, 1}, {"\x28\xb6", 2, 0}, {"notes", 5, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int fd = open_bytes(*state, cases[i].bytes, cases[i].len);

		assert_int_equal(frame_is_torn(fd, 0), cases[i].torn);
		close(fd);
	}
	assert_true(frame_is_torn(-1, 0) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(frames_are_found, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(torn_tail_is_no_frame, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(other_bytes_are_no_frame, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(frames_behind_other_bytes_are_told, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(many_begins_are_no_torn_tail, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(zeros_behind_a_torn_frame_are_its_own,
	                                        temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(a_frame_of_wrong_bytes_at_the_end_is_torn,
	                                        temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(a_frame_of_wrong_bytes_with_others_behind_stays,
	                                        temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(begins_alone_are_no_torn_tail, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(the_begin_of_a_write_is_known, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
