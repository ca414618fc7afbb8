// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/select-processes.h"

#include <stdio.h>

#include "check.h"
#include "samples.h"
#include "temp-tree.h"
#include "windows.h"

static void write_process(const struct temp_tree *tree, uint32_t id, const char *comm,
                          uint64_t start)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "%u/comm", id);
	snprintf(text, sizeof(text), "%s\n", comm);
	temp_tree_write_text(tree, path, text);
	snprintf(path, sizeof(path), "%u/stat", id);
	snprintf(text, sizeof(text),
	         "%u (%s) S 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 %llu 0 0 0 0 0\n", id, comm,
	         (unsigned long long)start);
	temp_tree_write_text(tree, path, text);
}

static void check(const struct selection *selection, const struct temp_tree *tree,
                  struct selected_processes *known, size_t count, uint32_t first)
{
	cleanup_(id_list_done) struct id_list found = {0};
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;

	assert_int_equal(select_processes(selection, tree->fd, known, &found, &error), 0);
	assert_int_equal(found.count, count);
	if (count > 0)
		assert_int_equal(found.ids[0], first);
}

static void choose(struct selection *selection)
{
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;

	assert_int_equal(selection_add_comm(selection, "chosen", &error), 0);
}

/* A process that has another name now stays selected; another one that has its id now is not. */
static void test_known(void **state)
{
	cleanup_(selected_processes_done) struct selected_processes known = {0};
	cleanup_(selection_done) struct selection selection = {0};

	choose(&selection);
	write_process(*state, 10, "chosen", 100);
	write_process(*state, 11, "other", 100);
	check(&selection, *state, &known, 1, 10);
	assert_int_equal(known.count, 1);
	write_process(*state, 10, "other", 100);
	check(&selection, *state, &known, 1, 10);
	assert_int_equal(known.count, 1);
	write_process(*state, 10, "other", 200);
	check(&selection, *state, &known, 0, 0);
	/* Nor is it, if it is selected later, the same. */
	write_process(*state, 10, "chosen", 300);
	check(&selection, *state, &known, 1, 10);
	assert_int_equal(known.count, 2);
	check(&selection, *state, NULL, 1, 10);
}

static bool has_record(const struct exit_log *log, uint32_t tid, uint64_t born_ns)
{
	uint32_t row = thread_store_find(&log->records, tid);

	for (; row != THREAD_STORE_NONE; row = thread_store_before(&log->records, row))
		if (thread_store_key(&log->records, row)->start_time_clock_ticks ==
		    born_ns / TICK_NS)
			return true;
	return false;
}

/* The ends of the known process, and of those whose leader fits, but not of others with their ids. */
static void test_exits(void **state)
{
	struct selected_process life = {10, SECOND_TICKS(1), SECOND_TICKS(1)};
	const struct selected_processes known = {&life, 1, 1};
	static const struct {
		uint32_t tid, tgid;
		uint64_t process_born_ns, born_ns;
		const char *comm;
		bool is_kept;
	} cases[] = {
	        {10, 10, SECONDS(1), SECONDS(1), "renamed", true},
	        {12, 10, SECONDS(1), SECONDS(3), "thread", true},
	        {10, 10, SECONDS(5), SECONDS(5), "other", false},
	        {13, 10, SECONDS(5), SECONDS(6), "thread", false},
	        {10, 10, SECONDS(8), SECONDS(8), "chosen", true},
	        {14, 10, SECONDS(8), SECONDS(9), "thread", true},
	        {15, 10, 0, SECONDS(9), "unknown", true},
	        {20, 20, SECONDS(5), SECONDS(5), "other", false},
	        {5, 5, SECONDS(9), SECONDS(9), "chosen", true},
	        {6, 5, SECONDS(9), SECONDS(9), "thread", true},
	        /* Records of kernels that do not tell the process. */
	        {10, 0, 0, SECONDS(1), "leader", true},
	        {10, 0, 0, SECONDS(11), "another leader", false},
	        {21, 0, 0, SECONDS(1), "another thread", false},
	};
	cleanup_(selection_done) struct selection selection = {0};

	(void)state;
	choose(&selection);
	for (int complete = 0; complete < 2; complete++) {
		cleanup_(exit_log_done) struct exit_log log = {0};
		uint64_t late_ns = complete ? 0 : MILLISECONDS(25);

		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			add_end(&log, (struct end_spec){.tid = cases[i].tid,
			                                .tgid = cases[i].tgid,
			                                .born_ns = cases[i].born_ns,
			                                .process_born_ns = cases[i].process_born_ns,
			                                .exited_ns = SECONDS(20 + i),
			                                .late_ns = late_ns,
			                                .is_complete = complete,
			                                .comm = cases[i].comm});
		select_exits(&selection, &known, &log);
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			assert_int_equal(has_record(&log, cases[i].tid, cases[i].born_ns + late_ns),
			                 cases[i].is_kept);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_known, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test(test_exits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
