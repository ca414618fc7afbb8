// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "knob/knob-file.h"
#include "temp-tree.h"

/* To open a device may do something, and so nothing but a regular file is opened at all. */
static void test_not_opened(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *fifo = temp_tree_path(tree, "fifo");
	cleanup_(mem_freep) char *file = temp_tree_path(tree, "file");
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(fd_closep) int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char events[4096];

	assert_int_equal(mkfifo(fifo, 0600), 0);
	temp_tree_write_text(tree, "file", "5\n");
	assert_true(inotify_add_watch(watch, fifo, IN_OPEN) >= 0);
	assert_int_equal(knob_file_read(fifo, &text), -EMEDIUMTYPE);
	assert_int_equal(knob_file_write(fifo, "1", 1), -EMEDIUMTYPE);
	assert_int_equal(read(watch, events, sizeof(events)), -1);
	assert_int_equal(errno, EAGAIN);

	/* The watch sees what is opened. */
	assert_true(inotify_add_watch(watch, file, IN_OPEN) >= 0);
	assert_int_equal(knob_file_read(file, &text), 0);
	assert_string_equal(strbuf_str(&text), "5\n");
	assert_true(read(watch, events, sizeof(events)) > 0);
	assert_int_equal(knob_file_write(file, "17", 2), 0);
	temp_tree_assert_text(tree, "file", "17");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_not_opened, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
