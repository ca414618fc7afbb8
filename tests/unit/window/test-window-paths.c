// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths and titles of processes that ended while their files were read last. */
#include "window/window.h"

#include "check.h"
#include "samples.h"
#include "windows.h"

/* A process that ended while its files were read last has the paths of the first reading, unless it is another
 * program by its name. */
static void paths_of_the_first_reading(void **state)
{
	static const char *const names[] = {"one", "two"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		cleanup_(reading_done) struct reading before;
		cleanup_(reading_done) struct reading after;
		cleanup_(exit_log_done) struct exit_log exits = {0};
		cleanup_(snapshot_copy_done) struct snapshot_copy window = {0};
		struct thread_sample *first, *last;
		const struct thread_sample *row;

		reading_init(&before, SECONDS(100));
		reading_init(&after, SECONDS(130));
		first = reading_add(&before, 6, 6, 100);
		last = reading_add(&after, 6, 6, 100);
		sample_name(&first->pcomm, "one");
		sample_name(&last->pcomm, names[i]);
		sample_name(&first->exe, "/bin/one");
		sample_name(&first->cwd, "/home");
		sample_name(&first->cgroup, "/a");
		strbuf_add_str(&first->cgroups_v1, "cpu:/v\n");
		first->has_exe = first->has_cwd = first->has_cgroup = true;
		last->outcomes[SOURCE_exe] = last->outcomes[SOURCE_cwd] =
		        last->outcomes[SOURCE_cgroup] = OUTCOME_gone;
		window_between(&before, &after, &exits, &window);
		assert_int_equal(window.result, 0);
		row = snapshot_copy_find(&window, 6);
		assert_int_equal(row->has_cgroup, i == 0);
		assert_string_equal(strbuf_str(&row->cgroup), i == 0 ? "/a" : "");
		assert_string_equal(strbuf_str(&row->cgroups_v1), i == 0 ? "cpu:/v\n" : "");
		assert_int_equal(row->has_exe, i == 0);
		assert_int_equal(row->has_cwd, i == 0);
		assert_int_equal(row->outcomes[SOURCE_exe] == OUTCOME_gone, i != 0);
	}
}

/* So has a thread that ended, unless its record has another cgroup of version 2: it was moved, perhaps in the others, too. */
static void cgroups_of_the_first_reading(void **state)
{
	static const struct {
		const char *name, *cgroup; /* of the record; NULL: not known */
		const char *v2, *v1;       /* of the row; NULL: not known */
		bool is_v1;                /* the first reading has no cgroups of version 2 */
	} cases[] = {
	        {"one", "/a", "/a", "cpu:/v\n", false}, {"one", NULL, "/a", "cpu:/v\n", false},
	        {"one", "/b", "/b", "", false},         {"two", "/a", "/a", "", false},
	        {"two", NULL, NULL, "", false},         {"one", "/b", "/b", "cpu:/v\n", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(reading_done) struct reading before;
		cleanup_(reading_done) struct reading after;
		cleanup_(exit_log_done) struct exit_log exits = {0};
		cleanup_(snapshot_copy_done) struct snapshot_copy window = {0};
		struct thread_sample *first;
		const struct thread_sample *row;

		reading_init(&before, SECONDS(100));
		reading_init(&after, SECONDS(130));
		first = reading_add(&before, 6, 6, SECOND_TICKS(60));
		sample_name(&first->pcomm, "one");
		sample_name(&first->cgroup, "/a");
		strbuf_add_str(&first->cgroups_v1, "cpu:/v\n");
		first->has_cgroup = true;
		first->cgroup_is_v1 = cases[i].is_v1;
		add_end(&exits, (struct end_spec){.tid = 6,
		                                  .tgid = 6,
		                                  .born_ns = SECONDS(60),
		                                  .exited_ns = SECONDS(110),
		                                  .is_complete = true,
		                                  .comm = cases[i].name,
		                                  .pcomm = cases[i].name,
		                                  .cgroup = cases[i].cgroup});
		window_between(&before, &after, &exits, &window);
		assert_int_equal(window.result, 0);
		row = snapshot_copy_find(&window, 6);
		assert_int_equal(row->window_part, WINDOW_PART_exited);
		assert_int_equal(row->has_cgroup, cases[i].v2 != NULL);
		assert_string_equal(strbuf_str(&row->cgroup), cases[i].v2 ? cases[i].v2 : "");
		assert_string_equal(strbuf_str(&row->cgroups_v1), cases[i].v1);
	}
}

/* A thread that was born and ended inside has the leader's cgroups of version 1, unless the leader has moved: it may have been in either. */
static void cgroups_of_a_moved_leader(void **state)
{
	static const char *const later[] = {"cpu:/v\n", "cpu:/w\n", ""};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(later); i++) {
		cleanup_(reading_done) struct reading before;
		cleanup_(reading_done) struct reading after;
		cleanup_(exit_log_done) struct exit_log exits = {0};
		cleanup_(snapshot_copy_done) struct snapshot_copy window = {0};

		reading_init(&before, SECONDS(100));
		reading_init(&after, SECONDS(130));
		strbuf_add_str(&reading_add(&before, 6, 6, SECOND_TICKS(60))->cgroups_v1, later[0]);
		strbuf_add_str(&reading_add(&after, 6, 6, SECOND_TICKS(60))->cgroups_v1, later[i]);
		add_end(&exits, (struct end_spec){.tid = 7,
		                                  .tgid = 6,
		                                  .born_ns = SECONDS(110),
		                                  .exited_ns = SECONDS(120),
		                                  .is_complete = true});
		window_between(&before, &after, &exits, &window);
		assert_int_equal(window.result, 0);
		assert_string_equal(strbuf_str(&snapshot_copy_find(&window, 7)->cgroups_v1),
		                    i == 1 ? "" : later[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(paths_of_the_first_reading),
	        cmocka_unit_test(cgroups_of_the_first_reading),
	        cmocka_unit_test(cgroups_of_a_moved_leader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
