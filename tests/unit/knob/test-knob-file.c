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

static void check_find(const struct temp_tree *tree, const char *name, int expected)
{
	cleanup_(mem_freep) char *path = temp_tree_path(tree, name);
	cleanup_(strbuf_done) struct strbuf place = STRBUF_INIT, phrase = STRBUF_INIT;
	enum knob_store store;

	assert_int_equal(knob_file_find(path, &place, &store, &phrase), expected);
	/* A refusal has a reason. */
	assert_int_equal(phrase.len > 0, expected == -EPERM);
}

/* Others choose the target of a link that they may have put there, whoever owns it. */
static void test_links(void **state)
{
	const struct temp_tree *tree = *state;

	temp_tree_write_text(tree, "own/file", "5\n");
	temp_tree_make_dir(tree, "dir");
	assert_int_equal(symlinkat("../own/file", tree->fd, "dir/link"), 0);
	temp_tree_write_text(tree, "dir/file", "5\n");
	check_find(tree, "dir/link", 0);
	check_find(tree, "dir/file", 0);
	check_find(tree, "dir/none", -ENOENT);
	check_find(tree, "dir", -EMEDIUMTYPE);
	assert_int_equal(fchmodat(tree->fd, "dir", 01777, 0), 0);
	check_find(tree, "dir/link", -EPERM);
	/* They may have moved a file there, too. */
	check_find(tree, "dir/file", -EPERM);
	assert_int_equal(fchmodat(tree->fd, "dir", 0755, 0), 0);
	if (geteuid() != 0)
		return;
	assert_int_equal(fchownat(tree->fd, "dir", 65534, 65534, 0), 0);
	check_find(tree, "dir/link", -EPERM);
	assert_int_equal(fchownat(tree->fd, "dir", 0, 0, 0), 0);
	assert_int_equal(fchownat(tree->fd, "own/file", 65534, 65534, 0), 0);
	check_find(tree, "dir/link", -EPERM);
}

/* Links of the kernel's are followed. */
static void test_kernel(void **state)
{
	cleanup_(strbuf_done) struct strbuf place = STRBUF_INIT, phrase = STRBUF_INIT;
	enum knob_store store;

	(void)state;
	assert_int_equal(knob_file_find("/proc/self/oom_score_adj", &place, &store, &phrase), 0);
	assert_int_equal(store, KNOB_STORE_KERNEL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_not_opened, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_links, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
