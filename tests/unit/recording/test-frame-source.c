// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <fcntl.h>
#include <unistd.h>

#include "recording/frame-source.h"
#include "temp-tree.h"

static void source_has_the_bytes_of_its_frame(void **state)
{
	const struct temp_tree *tree = *state;
	struct frame_source source;
	char buffer[16];
	size_t len = 0;
	int fd;

	temp_tree_write_text(tree, "file", "before[frame]behind");
	fd = openat(tree->fd, "file", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	source = frame_source_make(fd, 6, 13);
	assert_int_equal(source.source.read(&source.source, buffer, 4, &len), 0);
	assert_int_equal(len, 4);
	assert_memory_equal(buffer, "[fra", 4);
	assert_int_equal(source.source.read(&source.source, buffer, sizeof(buffer), &len), 0);
	assert_int_equal(len, 3);
	assert_memory_equal(buffer, "me]", 3);
	assert_int_equal(source.source.read(&source.source, buffer, sizeof(buffer), &len), 0);
	assert_int_equal(len, 0);
	close(fd);
}

/* Frames with less text than the limit have it together. */
static void frames_share_the_limit(void **state)
{
	struct snapshot_limits limits = snapshot_default_limits, of_frame;
	struct frame_budget budget = {0};

	(void)state;
	limits.bytes = 1000000;
	of_frame = frame_limits(&budget, &limits, 100);
	assert_int_equal(of_frame.bytes, 1000000);
	assert_ptr_equal(of_frame.read_bytes, &budget.text);
	assert_int_equal(of_frame.threads, limits.threads);
	*of_frame.read_bytes += 700000;
	assert_int_equal(frame_limits(&budget, &limits, 100).bytes, 300000);
	budget.text = 1000001;
	assert_int_equal(frame_limits(&budget, &limits, 100).bytes, 0);
}

/* Frames that compress as those of ctprof do may be more than the limit together; each has it by itself. */
static void long_recordings_are_read(void **state)
{
	struct snapshot_limits limits = snapshot_default_limits;
	struct frame_budget budget = {0};

	(void)state;
	limits.bytes = 1000000;
	for (unsigned i = 0; i < 100; i++) {
		struct snapshot_limits of_frame = frame_limits(&budget, &limits, 1000);

		assert_int_equal(of_frame.bytes, 1000000);
		*of_frame.read_bytes += 30000;
	}
	assert_int_equal(budget.text, 3000000);
	assert_int_equal(budget.compressed, 100000);
	budget.text = 100000 * UINT64_C(1024) - 400000;
	assert_int_equal(frame_limits(&budget, &limits, 0).bytes, 400000);
	assert_int_equal(frame_limits(&budget, &limits, UINT64_MAX).bytes, 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(source_has_the_bytes_of_its_frame, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test(frames_share_the_limit),
	        cmocka_unit_test(long_recordings_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
