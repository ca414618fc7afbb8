// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "host/host-read.h"
#include "temp-tree.h"

static const char *const files[SCHED_EXT_COUNT][2] = {
        [SCHED_EXT_state] = {"kernel/sched_ext/state", "enabled\n"},
        [SCHED_EXT_switch_all] = {"kernel/sched_ext/switch_all", "1\n"},
        [SCHED_EXT_nr_rejected] = {"kernel/sched_ext/nr_rejected", "17\n"},
        [SCHED_EXT_hotplug_seq] = {"kernel/sched_ext/hotplug_seq", "0\n"},
        [SCHED_EXT_enable_seq] = {"kernel/sched_ext/enable_seq", "9223372036854775807\n"},
};
static const int64_t numbers[SCHED_EXT_COUNT] = {[SCHED_EXT_switch_all] = 1,
                                                 [SCHED_EXT_nr_rejected] = 17,
                                                 [SCHED_EXT_enable_seq] = INT64_MAX};

static struct sched_ext sched_ext;

static int done(void **state)
{
	(void)state;
	sched_ext_done(&sched_ext);
	return 0;
}

static int setup(void **state)
{
	int r = temp_tree_setup(state);

	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++)
		temp_tree_write_text(*state, files[i][0], files[i][1]);
	return r;
}

static void assert_file(unsigned i)
{
	const struct fact_value *value = &sched_ext.values[i];

	if (i == SCHED_EXT_state) {
		assert_int_equal(value->state, FACT_TEXT);
		assert_string_equal(value->text, "enabled");
	} else {
		assert_int_equal(value->state, FACT_NUMBER);
		assert_int_equal(value->number, numbers[i]);
	}
}

static void test_sched_ext_present(void **state)
{
	const struct temp_tree *tree = *state;

	sched_ext_read(tree->fd, &sched_ext);
	assert_true(sched_ext.present);
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++)
		assert_file(i);
}

/* Each file that is missing costs its own value only. */
static void test_sched_ext_partial(void **state)
{
	const struct temp_tree *tree = *state;

	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++) {
		temp_tree_remove(tree, files[i][0]);
		sched_ext_read(tree->fd, &sched_ext);
		assert_true(sched_ext.present);
		for (unsigned j = 0; j < SCHED_EXT_COUNT; j++)
			if (j > i)
				assert_file(j);
			else
				assert_int_equal(sched_ext.values[j].state, FACT_UNSEEN);
	}
}

static void assert_absent(int sys_fd)
{
	sched_ext_read(sys_fd, &sched_ext);
	assert_false(sched_ext.present);
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++)
		assert_int_equal(sched_ext.values[i].state, FACT_UNSEEN);
}

/* Earlier values are forgotten. */
static void test_sched_ext_absent(void **state)
{
	const struct temp_tree *tree = *state;

	sched_ext_read(tree->fd, &sched_ext);
	assert_true(sched_ext.present);
	temp_tree_remove(tree, "kernel/sched_ext");
	assert_absent(tree->fd);
	assert_absent(-1);
	temp_tree_write_text(tree, "kernel/sched_ext", "a file\n");
	assert_absent(tree->fd);
}

static void test_sched_ext_senseless(void **state)
{
	static const char *const texts[] = {
	        "", "\n", "-1\n", "x\n", "1 2\n", "9223372036854775808\n", "1\n\n"};
	const struct temp_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		temp_tree_write_text(tree, "kernel/sched_ext/nr_rejected", texts[i]);
		sched_ext_read(tree->fd, &sched_ext);
		assert_int_equal(sched_ext.values[SCHED_EXT_nr_rejected].state, FACT_UNSEEN);
		assert_file(SCHED_EXT_enable_seq);
	}
}

static void test_sched_ext_hostile_state(void **state)
{
	static const char hostile[] = "\x1b[31m\xff\xfe state\twith\nlines\n";
	const struct temp_tree *tree = *state;
	struct strbuf huge = STRBUF_INIT;

	temp_tree_write_text(tree, "kernel/sched_ext/state", hostile);
	sched_ext_read(tree->fd, &sched_ext);
	assert_string_equal(sched_ext.values[SCHED_EXT_state].text,
	                    "\x1b[31m\xff\xfe state\twith\nlines");

	temp_tree_write_text(tree, "kernel/sched_ext/state", "");
	sched_ext_read(tree->fd, &sched_ext);
	assert_int_equal(sched_ext.values[SCHED_EXT_state].state, FACT_UNSEEN);

	for (int i = 0; i < 100000; i++)
		strbuf_add_char(&huge, 'x');
	temp_tree_write_text(tree, "kernel/sched_ext/state", strbuf_str(&huge));
	sched_ext_read(tree->fd, &sched_ext);
	assert_int_equal(sched_ext.values[SCHED_EXT_state].state, FACT_UNSEEN);
	strbuf_done(&huge);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_sched_ext_present),       in_tree(test_sched_ext_partial),
	        in_tree(test_sched_ext_absent),        in_tree(test_sched_ext_senseless),
	        in_tree(test_sched_ext_hostile_state),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
