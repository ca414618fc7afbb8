// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(frames_are_found, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(torn_tail_is_no_frame, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(other_bytes_are_no_frame, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
