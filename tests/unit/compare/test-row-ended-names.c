// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of threads that ended: of two windows with other sources of ends they are not the same. */
#include "compare/row-ended-names.h"

#include "row-fixture.h"

static struct snapshot_info infos[SIDE_MAX];
static struct rate_list rates;
static const uint64_t second = 1000000000;

static void start_by(enum group_key key)
{
	start_tables(group_by_key(key, false));
	rates = all_rates();
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		infos[side] = (struct snapshot_info){.kind = KIND_window};
		window_set(&infos[side].window, WINDOW_length_ns, 10 * second);
		window_set(&infos[side].window, WINDOW_threads_lost, 0);
		window_set(&infos[side].window, WINDOW_threads_missed, 0);
		tables[side].info = &infos[side];
		tables[side].window_rates = &rates;
	}
	options.per = PER_second;
	options.one_boot = true;
	options.one_sided[0] = options.one_sided[1] = true;
}

static void add(unsigned side, const char *cgroup, enum window_part part, int64_t number)
{
	add_thread(&tables[side],
	           (struct thread_spec){.name = "work",
	                                .cgroup = cgroup,
	                                .window_part = part,
	                                .interval_ns = 10 * second,
	                                .life_ns = 10 * second,
	                                .values = {{METRIC_minflt, number},
	                                           {METRIC_blkio_delay_total_ns, number},
	                                           {METRIC_wait_sum, number}}});
}

static void choose(unsigned side, const char *selection)
{
	host_set_text(&infos[side].host, HOST_selection, selection, strlen(selection));
}

/* Both windows have all ends, and all that they have of the delays. */
static void test_names(void **state)
{
	static const struct {
		enum group_key key;
		const char *selection;
		enum window_exits exits[SIDE_MAX];
		enum window_exits also; /* of the candidate */
		bool differ;
	} cases[] = {
	        {GROUP_KEY_cgroup, NULL, {WINDOW_EXITS_completed, WINDOW_EXITS_recorded}, 0, true},
	        {GROUP_KEY_cgroup, NULL, {WINDOW_EXITS_recorded, WINDOW_EXITS_completed}, 0, true},
	        {GROUP_KEY_cgroup, NULL, {WINDOW_EXITS_recorded, WINDOW_EXITS_recorded}, 0, false},
	        {GROUP_KEY_cgroup, NULL, {WINDOW_EXITS_completed, WINDOW_EXITS_off}, 0, false},
	        {GROUP_KEY_cgroup,
	         NULL,
	         {WINDOW_EXITS_completed, WINDOW_EXITS_completed},
	         WINDOW_EXITS_recorded,
	         true},
	        {GROUP_KEY_cgroup,
	         NULL,
	         {WINDOW_EXITS_completed, WINDOW_EXITS_completed},
	         WINDOW_EXITS_off,
	         false},
	        {GROUP_KEY_container,
	         NULL,
	         {WINDOW_EXITS_completed, WINDOW_EXITS_recorded},
	         0,
	         true},
	        {GROUP_KEY_user, NULL, {WINDOW_EXITS_completed, WINDOW_EXITS_recorded}, 0, true},
	        {GROUP_KEY_pcomm, NULL, {WINDOW_EXITS_completed, WINDOW_EXITS_recorded}, 0, false},
	        {GROUP_KEY_cgroup_v1_cpu,
	         NULL,
	         {WINDOW_EXITS_completed, WINDOW_EXITS_recorded},
	         0,
	         false},
	        {GROUP_KEY_pcomm,
	         "cgroup /a",
	         {WINDOW_EXITS_completed, WINDOW_EXITS_recorded},
	         0,
	         true},
	        {GROUP_KEY_pcomm,
	         "pid 1 and cgroup /a",
	         {WINDOW_EXITS_completed, WINDOW_EXITS_recorded},
	         0,
	         true},
	        {GROUP_KEY_pcomm,
	         "cgroup /a",
	         {WINDOW_EXITS_recorded, WINDOW_EXITS_recorded},
	         0,
	         false},
	        {GROUP_KEY_pcomm,
	         "comm cgroup",
	         {WINDOW_EXITS_completed, WINDOW_EXITS_recorded},
	         0,
	         false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		start_by(cases[i].key);
		for (unsigned side = 0; side < SIDE_MAX; side++) {
			infos[side].window.exits = cases[i].exits[side];
			add(side, "/a", WINDOW_PART_passed, 1000);
		}
		infos[SIDE_CANDIDATE].window.exits_also = cases[i].also ? 1u << cases[i].also : 0;
		if (cases[i].selection)
			choose(SIDE_CANDIDATE, cases[i].selection);
		build_rows(2);
		assert_int_equal(row_ended_names_differ(&rows, &rows.groups[0]), cases[i].differ);
		for (unsigned side = 0; side < SIDE_MAX; side++)
			host_done(&infos[side].host);
		end_rows(state);
	}
}

/* A record's birth may be a tick late: only where two windows overlap can they have the same thread. */
static void test_births(void **state)
{
	static const struct {
		enum group_key key;
		enum window_exits exits; /* of the candidate */
		uint64_t begin_ns;       /* of the candidate; the baseline is from 1000 to 2000 */
		bool other_boot, both, differ;
	} cases[] = {
	        {GROUP_KEY_pid, WINDOW_EXITS_recorded, 1999, false, false, true},
	        {GROUP_KEY_thread, WINDOW_EXITS_recorded, 1999, false, false, true},
	        {GROUP_KEY_thread, WINDOW_EXITS_recorded, 1, false, false, true},
	        {GROUP_KEY_pcomm, WINDOW_EXITS_recorded, 1999, false, false, false},
	        {GROUP_KEY_pid, WINDOW_EXITS_completed, 1999, false, false, false},
	        {GROUP_KEY_pid, WINDOW_EXITS_recorded, 2000, false, false, false},
	        {GROUP_KEY_pid, WINDOW_EXITS_recorded, 0, false, false, false},
	        {GROUP_KEY_pid, WINDOW_EXITS_recorded, 1999, true, false, false},
	        {GROUP_KEY_pid, WINDOW_EXITS_recorded, 1999, false, true, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct row_set set = {.sides = SIDE_MAX, .by = group_by_key(cases[i].key, false)};
		struct group here = {0};
		struct row_group group = {.sides = {&here, cases[i].both ? &here : NULL}};

		set.one_boot = !cases[i].other_boot;
		for (unsigned side = 0; side < SIDE_MAX; side++)
			set.frames[side] = (struct derive_frame){.kind = KIND_window,
			                                         .exits = WINDOW_EXITS_completed,
			                                         .begin_ns = 1000,
			                                         .length_ns = 1000};
		set.frames[SIDE_CANDIDATE].exits = cases[i].exits;
		set.frames[SIDE_CANDIDATE].begin_ns = cases[i].begin_ns;
		assert_int_equal(row_ended_names_differ(&set, &group), cases[i].differ);
	}
}

/* The candidate does not know in which cgroup its threads ended. Values of threads that went on are measured alike. */
static void test_rows(void **state)
{
	static const struct {
		const char *label;
		unsigned measure;
		bool differs;
	} cases[] = {
	        {"/calm", METRIC_minflt, false},
	        {"/both", METRIC_minflt, true},
	        {"/both", METRIC_blkio_delay_total_ns, true},
	        {"/both", METRIC_thread_count, true},
	        {"/both", METRIC_wait_sum, false},
	        {"/ended", METRIC_blkio_delay_total_ns, true},
	        {"/ended", METRIC_thread_count, true},
	        {"(no cgroup)", METRIC_blkio_delay_total_ns, true},
	};

	start_by(GROUP_KEY_cgroup);
	infos[SIDE_BASELINE].window.exits = WINDOW_EXITS_completed;
	infos[SIDE_CANDIDATE].window.exits = WINDOW_EXITS_recorded;
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add(side, "/calm", WINDOW_PART_continued, 1000 + 1000 * (int)side);
		add(side, "/both", WINDOW_PART_continued, 1000 + 1000 * (int)side);
	}
	add(SIDE_BASELINE, "/both", WINDOW_PART_passed, 9000);
	add(SIDE_BASELINE, "/ended", WINDOW_PART_passed, 9000);
	add(SIDE_BASELINE, "/left", WINDOW_PART_continued, 9000);
	add(SIDE_CANDIDATE, NULL, WINDOW_PART_passed, 18000);
	build_rows(2);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct row_view view = view_row(&rows, cases[i].label, cases[i].measure);

		assert_int_equal(view.measured_differently, cases[i].differs);
		assert_false(cases[i].differs && view.impact.kind != QUANTITY_NONE);
	}
	assert_int_equal(row_absence(&rows, find_group(&rows, "/ended"), SIDE_CANDIDATE),
	                 ABSENCE_UNKNOWN);
	assert_int_equal(row_absence(&rows, find_group(&rows, "(no cgroup)"), SIDE_BASELINE),
	                 ABSENCE_UNKNOWN);
	assert_int_equal(row_absence(&rows, find_group(&rows, "/left"), SIDE_CANDIDATE),
	                 ABSENCE_ZERO);
	assert_true(view_row(&rows, "/left", METRIC_minflt).is_gone);
	assert_false(view_row(&rows, "/ended", METRIC_minflt).is_gone);
	assert_false(view_row(&rows, "(no cgroup)", METRIC_minflt).is_new);
	end_rows(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_names),
	        cmocka_unit_test(test_births),
	        cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
