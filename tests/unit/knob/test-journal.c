// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "knob/journal.h"
#include "temp-tree.h"

static const char head[] = "ctprof changes 1\n"
                           "boot 11111111-2222\n"
                           "began 1700000000\n"
                           "directory /root\n"
                           "label a\\x20label\n"
                           "file plain kernel set /proc/sys/vm/x 1\\x092\\x0a 3 4\n"
                           "file flag disk any /a\\x20b \\-\n"
                           "exec touch\\x20a rm\\x20a\n"
                           "daemon sleep\\x2010\n"
                           "end 4\n";

static void test_read(void **state)
{
	struct temp_tree *tree = *state;
	struct journal journal = JOURNAL_INIT;

	temp_tree_write_text(tree, "changes", head);
	assert_int_equal(journal_read(&journal, tree->fd), 0);
	assert_int_equal(journal.count, 4);
	assert_string_equal(journal.label, "a label");
	assert_string_equal(journal.directory, "/root");
	assert_int_equal(journal.began_s, 1700000000);
	assert_string_equal(journal.entries[0].old, "1\t2\n");
	assert_int_equal(journal.entries[0].value_count, 2);
	assert_string_equal(journal.entries[0].values[1], "4");
	assert_int_equal(journal.entries[1].store, KNOB_STORE_DISK);
	assert_int_equal(journal.entries[1].form, VALUE_FLAG);
	assert_true(journal.entries[1].any);
	assert_int_equal(journal.entries[1].old_len, 0);
	assert_string_equal(journal.entries[2].undo, "rm a");
	assert_null(journal.entries[3].undo);
	assert_int_equal(journal.entries[3].state, JOURNAL_IDLE);
	assert_int_equal(
	        journal_note(&journal, &journal.entries[2], JOURNAL_RUNNING, 12, 345, true), 0);
	assert_int_equal(journal_note(&journal, &journal.entries[3], JOURNAL_RAN, 0, 0, false), 0);
	journal_done(&journal);
	assert_int_equal(journal_read(&journal, tree->fd), 0);
	assert_int_equal(journal.entries[2].state, JOURNAL_RUNNING);
	assert_int_equal(journal.entries[2].session, 12);
	assert_int_equal(journal.entries[2].start_ticks, 345);
	assert_int_equal(journal.entries[3].state, JOURNAL_RAN);
	journal_done(&journal);
}

/* It is written as it is read. */
static void test_write(void **state)
{
	struct temp_tree *tree = *state;
	struct journal journal = JOURNAL_INIT;

	temp_tree_write_text(tree, "changes", head);
	assert_int_equal(journal_read(&journal, tree->fd), 0);
	assert_int_equal(journal_remove(tree->fd), 0);
	assert_false(journal_exists(tree->fd));
	assert_int_equal(journal_write(&journal, tree->fd), 0);
	temp_tree_assert_text(tree, "changes", head);
	assert_int_equal(temp_tree_count(tree, "."), 1);
	journal_done(&journal);
}

static int read_text(struct temp_tree *tree, const char *text, size_t len)
{
	struct journal journal = JOURNAL_INIT;
	int r;

	temp_tree_write(tree, "changes", text, len);
	r = journal_read(&journal, tree->fd);
	journal_done(&journal);
	return r;
}

/* A crash may have cut the last note. The head is whole, or it is no journal. */
static void test_cut(void **state)
{
	struct temp_tree *tree = *state;
	struct strbuf text = STRBUF_INIT;
	struct journal journal = JOURNAL_INIT;

	for (size_t len = 0; len < sizeof(head) - 1; len++)
		assert_int_equal(read_text(tree, head, len), -EBADMSG);
	strbuf_addf(&text, "%srunning 2 7 8\nidle 2 0", head);
	temp_tree_write(tree, "changes", text.data, text.len);
	assert_int_equal(journal_read(&journal, tree->fd), 0);
	assert_int_equal(journal.entries[2].state, JOURNAL_RUNNING);
	journal_done(&journal);
	strbuf_done(&text);
}

static void test_nonsense(void **state)
{
	static const char *const notes[] = {
	        "idle 4 0 0\n",
	        "idle 0 0 0\n",
	        "idle 2 0\n",
	        "running 2 -1 0\n",
	        "sleep 2 0 0\n",
	        "\n",
	        "running 2 9999999999 0\n",
	        "file plain kernel set /a b\n",
	};
	struct temp_tree *tree = *state;
	struct journal journal = JOURNAL_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(notes); i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf_addf(&text, "%s%s", head, notes[i]);
		assert_int_equal(read_text(tree, text.data, text.len), -EBADMSG);
		strbuf_done(&text);
	}
	/* Each byte is exchanged for one that means something, and nothing else happens than an answer. */
	for (size_t i = 0; i < sizeof(head) - 1; i++)
		for (const char *c = "\\ \n"; *c; c++) {
			char copy[sizeof(head)];
			int r;

			memcpy(copy, head, sizeof(head));
			copy[i] = *c;
			r = read_text(tree, copy, sizeof(head) - 1);
			assert_true(r == 0 || r == -EBADMSG);
		}
	temp_tree_remove(tree, "changes");
	assert_int_equal(journal_read(&journal, tree->fd), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function_) \
	cmocka_unit_test_setup_teardown(function_, temp_tree_setup, temp_tree_teardown)
	        TEST(test_read),
	        TEST(test_write),
	        TEST(test_cut),
	        TEST(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
