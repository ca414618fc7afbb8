// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "knob/changes.h"
#include "knob/journal.h"
#include "temp-tree.h"

/* Writes a journal of this boot, or of another one. "@" in it stands for the tree. */
static void write_journal_in(struct temp_tree *tree, bool is_of_this_boot, const char *directory,
                             const char *entries)
{
	struct strbuf text = STRBUF_INIT, boot_id = STRBUF_INIT;

	assert_int_equal(journal_boot_id(&boot_id), 0);
	strbuf_addf(&text,
	            "ctprof changes 1\nboot %s\nbegan 1700000000\ndirectory %s\nlabel a\\x1bb\n",
	            is_of_this_boot ? strbuf_str(&boot_id) : "another", directory);
	for (; *entries; entries++) {
		if (*entries == '@')
			strbuf_add_str(&text, tree->path);
		else
			strbuf_add_char(&text, *entries);
	}
	(void)mkdirat(tree->fd, "state", 0700);
	assert_int_equal(fchmodat(tree->fd, "state", 0700, 0), 0);
	temp_tree_write(tree, "state/changes", text.data, text.len);
	strbuf_done(&text);
	strbuf_done(&boot_id);
}

static void write_journal(struct temp_tree *tree, bool is_of_this_boot, const char *entries)
{
	write_journal_in(tree, is_of_this_boot, "/", entries);
}

static int restore(struct temp_tree *tree, size_t want_done, const char *want_text)
{
	char *dir = temp_tree_path(tree, "state");
	struct strbuf text = STRBUF_INIT;
	size_t done;
	int r = changes_restore(dir, &done, &text);

	if (!strstr(strbuf_str(&text), want_text))
		fprintf(stderr, "%s\n", strbuf_str(&text));
	assert_non_null(strstr(strbuf_str(&text), want_text));
	assert_int_equal(done, want_done);
	strbuf_done(&text);
	free(dir);
	return r;
}

static bool is_pending(struct temp_tree *tree)
{
	char *dir = temp_tree_path(tree, "state");
	struct strbuf line = STRBUF_INIT;
	bool pending = changes_pending(dir, &line);

	assert_int_equal(pending, line.len > 0);
	assert_null(strchr(strbuf_str(&line), '\033'));
	strbuf_done(&line);
	free(dir);
	return pending;
}

static void test_same_boot(void **state)
{
	struct temp_tree *tree = *state;

	temp_tree_write_text(tree, "a", "2\n");
	temp_tree_write_text(tree, "b", "9\n");
	/* It was killed between truncating the file and writing it. */
	temp_tree_write_text(tree, "c", "");
	write_journal(tree, true,
	              "file plain memory set @/a 1\\x0a 2\n"
	              "file plain disk set @/b 1\\x0a 2\n"
	              "file plain disk set @/c 1\\x0a 2\n"
	              "file plain disk set @/none 1\\x0a 2\n"
	              "exec false echo\\x20undo>>@/log\n"
	              "exec false echo\\x20not>>@/log\n"
	              "end 6\n"
	              "running 4 0 0\n");
	assert_true(is_pending(tree));
	assert_int_equal(restore(tree, 4, "/b: somebody else has set it to '9': left alone"), 1);
	temp_tree_assert_text(tree, "a", "1\n");
	temp_tree_assert_text(tree, "b", "9\n");
	temp_tree_assert_text(tree, "c", "1\n");
	temp_tree_assert_text(tree, "log", "undo\n");
	assert_false(is_pending(tree));
	assert_int_equal(restore(tree, 0, ""), 0);
}

/* A boot resets memory; disks and what commands did stay. */
static void test_other_boot(void **state)
{
	struct temp_tree *tree = *state;

	temp_tree_write_text(tree, "a", "2\n");
	temp_tree_write_text(tree, "b", "2\n");
	write_journal(tree, false,
	              "file plain memory set @/a 1\\x0a 2\n"
	              "file plain kernel set /proc/sys/kernel/no-such 1\\x0a 2\n"
	              "file plain disk set @/b 1\\x0a 2\n"
	              "exec false echo\\x20undo>>@/log\n"
	              "daemon sleep\\x201000\n"
	              "end 5\n"
	              /* In this boot it is the first process. */
	              "running 4 1 0\n"
	              "undoing 3 1 0\n");
	assert_int_equal(restore(tree, 5, "has been booted since"), 0);
	temp_tree_assert_text(tree, "a", "2\n");
	temp_tree_assert_text(tree, "b", "1\n");
	temp_tree_assert_text(tree, "log", "undo\n");
	assert_false(is_pending(tree));
}

/* An entry that cannot be restored stays pending. */
static void test_failure(void **state)
{
	struct temp_tree *tree = *state;

	write_journal(tree, true, "exec false exit\\x207\nend 1\nran 0 0 0\n");
	assert_int_equal(restore(tree, 0, "exit status 7"), 1);
	assert_true(is_pending(tree));
	assert_int_equal(restore(tree, 0, "exit status 7"), 1);
	temp_tree_write_text(tree, "state/changes", "nonsense\n");
	assert_true(is_pending(tree));
	assert_true(restore(tree, 0, "no journal of ctprof") < 0);
	/* Others may have written it. */
	assert_int_equal(fchmodat(tree->fd, "state", 0770, 0), 0);
	assert_false(is_pending(tree));
	assert_true(restore(tree, 0, "nobody else") < 0);
}

/* A directory that others may exchange by now, or a link, is not where the experiment began. */
static void test_directory(void **state)
{
	static const struct {
		const char *name;
		bool runs;
	} cases[] = {{"own", true},
	             {"shared/own", false},
	             {"shared", false},
	             {"link", false},
	             {"none", false}};
	struct temp_tree *tree = *state;

	temp_tree_make_dir(tree, "own");
	temp_tree_make_dir(tree, "shared");
	temp_tree_make_dir(tree, "shared/own");
	assert_int_equal(fchmodat(tree->fd, "shared", 0777, 0), 0);
	assert_int_equal(symlinkat("own", tree->fd, "link"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *path = temp_tree_path(tree, cases[i].name);

		write_journal_in(tree, true, path,
		                 "exec false echo\\x20undo>log\nend 1\nran 0 0 0\n");
		assert_int_equal(restore(tree, cases[i].runs, cases[i].runs ? "" : "not run in "),
		                 !cases[i].runs);
		assert_int_equal(is_pending(tree), !cases[i].runs);
		assert_int_equal(faccessat(tree->fd, "own/log", F_OK, 0), cases[i].runs ? 0 : -1);
		(void)unlinkat(tree->fd, "own/log", 0);
		assert_int_equal(faccessat(tree->fd, "shared/log", F_OK, 0), -1);
		assert_int_equal(faccessat(tree->fd, "shared/own/log", F_OK, 0), -1);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function_) \
	cmocka_unit_test_setup_teardown(function_, temp_tree_setup, temp_tree_teardown)
	        TEST(test_same_boot),
	        TEST(test_other_boot),
	        TEST(test_directory),
	        TEST(test_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
