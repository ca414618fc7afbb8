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
		first->has_exe = first->has_cwd = first->has_cgroup = true;
		last->outcomes[SOURCE_exe] = last->outcomes[SOURCE_cwd] =
		        last->outcomes[SOURCE_cgroup] = OUTCOME_gone;
		window_between(&before, &after, &exits, &window);
		assert_int_equal(window.result, 0);
		row = snapshot_copy_find(&window, 6);
		assert_int_equal(row->has_cgroup, i == 0);
		assert_string_equal(strbuf_str(&row->cgroup), i == 0 ? "/a" : "");
		assert_int_equal(row->has_exe, i == 0);
		assert_int_equal(row->has_cwd, i == 0);
		assert_int_equal(row->outcomes[SOURCE_exe] == OUTCOME_gone, i != 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(paths_of_the_first_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
