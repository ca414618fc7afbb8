// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>

#include "base/mem.h"
#include "effect/trial.h"

static struct trial trial;
static struct trial_file files[8];
static size_t count;

static int setup(void **state)
{
	(void)state;
	(void)trial_arm_of(&trial, "A");
	(void)trial_arm_of(&trial, "B");
	count = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < count; i++)
		labels_done(&files[i].labels);
	trial_done(&trial);
	return 0;
}

static struct trial_file *add(const char *path, unsigned arm, const char *boot)
{
	files[count] = (struct trial_file){.path = path,
	                                   .arm = arm,
	                                   .boot_id = (char *)(uintptr_t)boot,
	                                   .start_unix_ns = count};
	return &files[count++];
}

static void label(struct trial_file *file, const char *pair)
{
	struct strbuf error = STRBUF_INIT;

	assert_int_equal(labels_add_pair(&file->labels, pair, &error), 0);
}

static int make(enum trial_blocks_by by, const char *name, const char *sentence)
{
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;
	int r = trial_of_files(&trial, files, count, by, name, &error);

	assert_text(&error, sentence);
	if (r == 0)
		trial_find_blocks(&trial);
	return r;
}

static void test_names(void **state)
{
	(void)state;
	add("d/base-09.zst", 0, "x");
	add("d/tuned-09.zst", 1, "x");
	add("d/tuned-10.zst", 1, "x");
	add("d/base-10.zst", 0, "x");
	add("d/base-19.zst", 0, "x");
	add("d/tuned-19.zst", 1, "x");
	assert_int_equal(make(TRIAL_BLOCKS_AUTO, NULL, ""), 0);
	assert_false(trial.blocks_unknown);
	assert_int_equal(trial.block_count, 3);
	assert_string_equal(trial.units[trial.blocks[1].units[0]].path, "d/tuned-10.zst");
	assert_string_equal(trial.units[trial.blocks[1].units[1]].path, "d/base-10.zst");
	assert_string_equal(trial.units[trial.blocks[2].units[0]].path, "d/base-19.zst");
}

/* The part that differs stands in front. */
static void test_names_begin(void **state)
{
	(void)state;
	add("1-a.zst", 0, NULL);
	add("1-b.zst", 1, NULL);
	add("11-b.zst", 1, NULL);
	add("11-a.zst", 0, NULL);
	assert_int_equal(make(TRIAL_BLOCKS_AUTO, NULL, ""), 0);
	assert_false(trial.blocks_unknown);
	assert_int_equal(trial.block_count, 2);
}

static void test_unknown(void **state)
{
	(void)state;
	add("n-1.zst", 0, "x");
	add("n-2.zst", 0, "x");
	add("n-3.zst", 1, "x");
	add("n-4.zst", 1, "x");
	assert_int_equal(make(TRIAL_BLOCKS_AUTO, NULL, ""), 0);
	assert_true(trial.blocks_unknown);
	assert_int_equal(trial.block_count, 1);
	assert_int_equal(trial.unit_count, 4);
}

/* Ranges have no names: the nth ones are a block. */
static void test_ranges(void **state)
{
	(void)state;
	add("r@10:00..10:05", 0, "x")->is_range = true;
	add("r@10:10..10:15", 0, "x")->is_range = true;
	add("r@10:05..10:10", 1, "x")->is_range = true;
	add("r@10:15..10:20", 1, "x")->is_range = true;
	assert_int_equal(make(TRIAL_BLOCKS_AUTO, NULL, ""), 0);
	assert_false(trial.blocks_unknown);
	assert_int_equal(trial.block_count, 2);
	assert_string_equal(trial.units[trial.blocks[0].units[1]].path, "r@10:05..10:10");
	assert_string_equal(trial.units[trial.blocks[1].units[0]].path, "r@10:10..10:15");
}

static void test_ranges_uneven(void **state)
{
	(void)state;
	add("r@10:00..10:05", 0, "x")->is_range = true;
	add("r@10:10..10:15", 0, "x")->is_range = true;
	add("r@10:05..10:10", 1, "x")->is_range = true;
	assert_int_equal(make(TRIAL_BLOCKS_AUTO, NULL, ""), 0);
	assert_true(trial.blocks_unknown);
}

static void test_labels(void **state)
{
	(void)state;
	label(add("p", 0, "x"), "block=7");
	label(add("q", 1, "x"), "block=7");
	label(add("r", 1, "x"), "block=8");
	label(add("s", 0, "x"), "block=8");
	label(add("t", 0, "x"), "block=9");
	assert_int_equal(make(TRIAL_BLOCKS_AUTO, NULL, ""), 0);
	assert_int_equal(trial.block_count, 2);
	/* The block without B is left out, and counted. */
	assert_int_equal(trial.partial, 1);
	assert_int_equal(trial.unit_count, 4);
}

static void test_missing_label(void **state)
{
	(void)state;
	label(add("p", 0, "x"), "round=7");
	add("q\x1b", 1, "x");
	assert_int_equal(make(TRIAL_BLOCKS_LABEL, "round", "q\\x1b has no label 'round'"), -EINVAL);
}

static void test_boots(void **state)
{
	(void)state;
	add("a-1", 0, "x");
	add("b-1", 1, "y");
	add("b-2", 1, "y");
	add("a-2", 0, "x");
	assert_int_equal(make(TRIAL_BLOCKS_NAME, NULL, ""), 0);
	assert_true(trial.boots_differ);
	assert_int_equal(trial.block_count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_names, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_names_begin, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_ranges, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_ranges_uneven, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_labels, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_missing_label, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_boots, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
