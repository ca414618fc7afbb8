// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "input/recording-operand.h"
#include "memory-stream.h"
#include "temp-tree.h"

static int is_recording(const struct temp_tree *tree, const char *name)
{
	char *path = temp_tree_path(tree, name);
	int r = recording_operand_is(path);

	free(path);
	return r;
}

static void write_files(const struct temp_tree *tree)
{
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;

	zstd_pack("{}", 2, &bytes);
	temp_tree_write(tree, "snapshot", bytes.data, bytes.len);
	zstd_pack("{}", 2, &bytes);
	temp_tree_write(tree, "windows", bytes.data, bytes.len);
	assert_int_equal(mkdirat(tree->fd, "directory", 0700), 0);
	temp_tree_write_text(tree, "text", "x");
}

static void recordings_are_known(void **state)
{
	const struct temp_tree *tree = *state;

	write_files(tree);
	assert_int_equal(is_recording(tree, "directory"), 1);
	assert_int_equal(is_recording(tree, "directory@-1h"), 1);
	assert_int_equal(is_recording(tree, "windows"), 1);
	assert_int_equal(is_recording(tree, "snapshot"), 0);
	assert_int_equal(is_recording(tree, "snapshot@-1h"), 1);
	assert_int_equal(is_recording(tree, "text"), 0);
	assert_int_equal(is_recording(tree, "nothing"), 0);
	assert_int_equal(recording_operand_is("-"), 0);
	assert_int_equal(recording_operand_is("/dev/null"), 0);
}

/* One that cannot be opened may be one. */
static void an_error_is_no_answer(void **state)
{
	const struct temp_tree *tree = *state;
	struct rlimit limit, none;

	write_files(tree);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){0, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(is_recording(tree, "directory"), -EMFILE);
	assert_int_equal(is_recording(tree, "windows"), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(recordings_are_known, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(an_error_is_no_answer, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
