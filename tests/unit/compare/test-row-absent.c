// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups that one of two windows of a boot does not have. */
#include "row-fixture.h"

#include "base/fd.h"

static struct snapshot_info infos[SIDE_MAX];
static struct rate_list rates;
static const uint64_t second = 1000000000;

static void set_missed(unsigned side, uint64_t missed)
{
	window_set(&infos[side].window, WINDOW_threads_lost, 0);
	window_set(&infos[side].window, WINDOW_threads_missed, missed);
}

static int start_windows(void **state)
{
	start_by_comm(state);
	rates = all_rates();
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		infos[side] = (struct snapshot_info){.kind = KIND_window};
		window_set(&infos[side].window, WINDOW_length_ns, 10 * second);
		set_missed(side, 0);
		tables[side].info = &infos[side];
		tables[side].window_rates = &rates;
	}
	options.per = PER_second;
	options.one_boot = true;
	options.one_sided[0] = options.one_sided[1] = true;
	return 0;
}

static void add(unsigned side, const char *name, int64_t minflt, int64_t wchar)
{
	add_thread(&tables[side], (struct thread_spec){.name = name,
	                                               .interval_ns = 10 * second,
	                                               .life_ns = 10 * second,
	                                               .values = {{METRIC_minflt, minflt},
	                                                          {METRIC_wchar, wchar}}});
}

static void add_groups(void)
{
	add(0, "both", 100, 1000);
	add(1, "both", 100, 1000);
	add(0, "gone", 300, 0);
	add(1, "new", 600, 0);
}

/* A group that was not there did nothing: it is ranked, and its difference has a percentage and an impact. */
static void test_zero(void **state)
{
	struct row_view view;

	(void)state;
	add_groups();
	build_rows(2);
	assert_int_equal(rows.unmatched_count[0], 0);
	view = view_row(&rows, "new", METRIC_minflt);
	assert_true(view.is_new);
	assert_int_equal(view.absence[SIDE_BASELINE], ABSENCE_ZERO);
	assert_true(view.values[SIDE_BASELINE].kind == QUANTITY_REAL);
	assert_true(quantity_is_zero(view.values[SIDE_BASELINE]));
	assert_true(view.delta.real == 60);
	assert_none(view.percent);
	assert_true(view.impact.kind == QUANTITY_REAL && view.impact.real > 0.8);
	view = view_row(&rows, "gone", METRIC_minflt);
	assert_true(view.is_gone);
	assert_true(view.delta.real == -30);
	assert_true(view.percent.real == -100);
	/* A counter without any increase has not changed. */
	assert_false(is_listed(&rows, "new", METRIC_wchar));
	assert_true(is_listed(&rows, "new", METRIC_minflt));
	/* A peak, a policy and the like have no zero. */
	assert_none(view_row(&rows, "new", METRIC_thread_count).values[SIDE_BASELINE]);
	/* Nor has what is divided by its threads. */
	options.per = PER_thread;
	build_rows(2);
	assert_none(view_row(&rows, "new", METRIC_minflt).values[SIDE_BASELINE]);
	options.per = PER_total;
	build_rows(2);
	assert_integer(view_row(&rows, "new", METRIC_minflt).values[SIDE_BASELINE], 0);
	assert_integer(view_row(&rows, "new", METRIC_minflt).delta, 600);
}

/* If threads of the window were never seen, or may not have been, the zero lacks their work. */
static void test_partial(void **state)
{
	(void)state;
	set_missed(SIDE_BASELINE, 1);
	infos[SIDE_BASELINE].window.exits = WINDOW_EXITS_completed;
	infos[SIDE_CANDIDATE].window.exits = WINDOW_EXITS_completed;
	infos[SIDE_CANDIDATE].window.seen[WINDOW_threads_missed] = false;
	add_groups();
	build_rows(2);
	assert_int_equal(view_row(&rows, "new", METRIC_minflt).absence[SIDE_BASELINE],
	                 ABSENCE_PARTIAL);
	assert_int_equal(view_row(&rows, "gone", METRIC_minflt).absence[SIDE_CANDIDATE],
	                 ABSENCE_PARTIAL);
	assert_int_equal(view_row(&rows, "both", METRIC_minflt).absence[SIDE_BASELINE],
	                 ABSENCE_NONE);
}

enum { NONE = -1 };

/* The candidate has so much CPU time in no row. */
static void set_lacks(int64_t unaccounted_s, uint64_t times_longer)
{
	struct snapshot_info *info = &infos[SIDE_CANDIDATE];

	window_set(&info->window, WINDOW_length_ns, times_longer * 10 * second);
	info->host.seen[HOST_clock_ticks_per_second] = true;
	info->host.numbers[HOST_clock_ticks_per_second] = 100;
	if (unaccounted_s != NONE)
		window_set(&info->window, WINDOW_unaccounted_clock_ticks,
		           100 * (uint64_t)unaccounted_s);
}

static void add_short(enum window_part part, int64_t run_s)
{
	struct thread_spec spec = {.name = "short",
	                           .interval_ns = second,
	                           .life_ns = second,
	                           .window_part = part,
	                           .values = {{METRIC_minflt, 300}}};

	if (run_s != NONE) {
		spec.values[1].metric = METRIC_run_time_ns;
		spec.values[1].number = run_s * (int64_t)second;
	}
	add_thread(&tables[0], spec);
}

/* A window that has no records of ends says nothing of a group whose threads ended in the other one, or may have ended unseen in this
 * one after a tenth or more of the work: there is no zero, no difference and no rank, and the group is neither new nor gone. */
static void test_unknown(void **state)
{
	static const struct {
		enum window_exits exits; /* of the candidate */
		bool missed_known;
		enum window_part part; /* of the thread in the baseline */
		enum row_absence absence;
		int64_t run_s;         /* of this thread; NONE: not known */
		int64_t unaccounted_s; /* of the candidate; NONE: not known */
		uint64_t times_longer; /* the candidate, than the baseline */
	} cases[] = {
	        {WINDOW_EXITS_off, false, WINDOW_PART_passed, ABSENCE_UNKNOWN, 1, 0, 1},
	        {WINDOW_EXITS_denied, false, WINDOW_PART_exited, ABSENCE_UNKNOWN, 1, 0, 1},
	        {WINDOW_EXITS_off, false, WINDOW_PART_continued, ABSENCE_PARTIAL, 1, 0, 1},
	        {WINDOW_EXITS_off, false, WINDOW_PART_continued, ABSENCE_PARTIAL, 20, 2, 1},
	        {WINDOW_EXITS_off, false, WINDOW_PART_continued, ABSENCE_UNKNOWN, 20, 3, 1},
	        {WINDOW_EXITS_off, false, WINDOW_PART_continued, ABSENCE_PARTIAL, 20, 6, 3},
	        {WINDOW_EXITS_off, false, WINDOW_PART_continued, ABSENCE_UNKNOWN, 20, NONE, 1},
	        {WINDOW_EXITS_off, false, WINDOW_PART_continued, ABSENCE_UNKNOWN, NONE, 0, 1},
	        {WINDOW_EXITS_completed, false, WINDOW_PART_passed, ABSENCE_PARTIAL, 1, NONE, 1},
	        {WINDOW_EXITS_off, true, WINDOW_PART_passed, ABSENCE_ZERO, 1, NONE, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool unknown = cases[i].absence == ABSENCE_UNKNOWN, marked;
		struct row_view view;

		start_windows(state);
		infos[SIDE_BASELINE].window.exits = WINDOW_EXITS_completed;
		infos[SIDE_CANDIDATE].window.exits = cases[i].exits;
		infos[SIDE_CANDIDATE].window.seen[WINDOW_threads_missed] = cases[i].missed_known;
		set_lacks(cases[i].unaccounted_s, cases[i].times_longer);
		add(0, "both", 100, 1000);
		add(1, "both", 100, 1000);
		add_short(cases[i].part, cases[i].run_s);
		build_rows(2);
		assert_int_equal(row_absence(&rows, find_group(&rows, "short"), SIDE_CANDIDATE),
		                 cases[i].absence);
		view = view_row(&rows, "short", METRIC_minflt);
		assert_int_equal(view.is_gone, !unknown);
		/* The CPU time in no row bounds CPU time alone. */
		marked = unknown || (cases[i].exits == WINDOW_EXITS_off && !cases[i].missed_known);
		assert_int_equal(view.measured_differently, marked);
		assert_int_equal(view_row(&rows, "short", METRIC_run_time_ns).measured_differently,
		                 unknown && cases[i].run_s != NONE);
		assert_int_equal(view.values[SIDE_CANDIDATE].kind == QUANTITY_NONE, unknown);
		assert_int_equal(view.delta.kind == QUANTITY_NONE, unknown);
		assert_int_equal(view.percent.kind == QUANTITY_NONE, unknown);
		assert_int_equal(view.impact.kind == QUANTITY_NONE, marked);
		end_rows(state);
	}
}

/* A process or a thread is no other one: if it was not there, nothing that ended unseen was it. */
static void test_unknown_of_lives(void **state)
{
	static const enum group_key keys[] = {GROUP_KEY_pid, GROUP_KEY_thread, GROUP_KEY_pcomm};

	(void)state;
	infos[SIDE_BASELINE].window.exits = WINDOW_EXITS_completed;
	infos[SIDE_CANDIDATE].window.seen[WINDOW_threads_missed] = false;
	set_lacks(9, 1);
	add_groups();
	add_short(WINDOW_PART_continued, 1);
	build_rows(2);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		rows.by = group_by_key(keys[i], false);
		assert_int_equal(view_row(&rows, "short", METRIC_minflt).measured_differently,
		                 keys[i] == GROUP_KEY_pcomm);
		assert_int_equal(row_absence(&rows, find_group(&rows, "short"), SIDE_CANDIDATE),
		                 keys[i] == GROUP_KEY_pcomm ? ABSENCE_UNKNOWN : ABSENCE_PARTIAL);
	}
}

/* Threads of one name may have been in a process that both windows have: their CPU time is in its total alone. */
static void test_unknown_in_process(void **state)
{
	fold_number exited[PROCESS_TOTAL_COUNT] = {0};

	(void)state;
	infos[SIDE_CANDIDATE].window.seen[WINDOW_threads_missed] = false;
	set_lacks(0, 1);
	add_groups();
	add_short(WINDOW_PART_continued, 1);
	build_rows(2);
	rows.by = group_by_key(GROUP_KEY_pid, false);
	rows.by.keys[rows.by.count++] = GROUP_KEY_comm;
	rows.totals[SIDE_CANDIDATE]->exited = exited;
	for (unsigned ticks = 6; ticks <= 7; ticks++) {
		exited[PROCESS_TOTAL_stime_clock_ticks] = ticks;
		assert_int_equal(row_absence(&rows, find_group(&rows, "short"), SIDE_CANDIDATE),
		                 ticks == 7 ? ABSENCE_UNKNOWN : ABSENCE_PARTIAL);
	}
	rows.totals[SIDE_CANDIDATE]->exited = NULL;
}

/* A window with records that misses more threads than a tenth of those that ended does not show that the group was not there. */
static void test_unknown_beside_missed(void **state)
{
	(void)state;
	for (uint64_t missed = 0; missed <= 1; missed++) {
		start_windows(state);
		infos[SIDE_BASELINE].window.exits = WINDOW_EXITS_completed;
		infos[SIDE_CANDIDATE].window.exits = WINDOW_EXITS_completed;
		set_missed(SIDE_CANDIDATE, missed);
		add_groups();
		add_short(WINDOW_PART_passed, 1);
		build_rows(2);
		assert_int_equal(row_absence(&rows, find_group(&rows, "short"), SIDE_CANDIDATE),
		                 missed > 0 ? ABSENCE_UNKNOWN : ABSENCE_ZERO);
		end_rows(state);
	}
}

/* A metric that a side has of no thread is no zero there, and neither is one that the group itself lacks. */
static void test_unseen(void **state)
{
	(void)state;
	add_thread(&tables[0], (struct thread_spec){.name = "both",
	                                            .interval_ns = 10 * second,
	                                            .life_ns = 10 * second,
	                                            .values = {{METRIC_minflt, 100}}});
	add(1, "both", 100, 5);
	add_thread(&tables[1], (struct thread_spec){.name = "new",
	                                            .interval_ns = 10 * second,
	                                            .life_ns = 10 * second,
	                                            .values = {{METRIC_wchar, 5}}});
	build_rows(2);
	assert_none(view_row(&rows, "new", METRIC_wchar).values[SIDE_BASELINE]);
	assert_none(view_row(&rows, "new", METRIC_minflt).values[SIDE_BASELINE]);
}

/* In another boot nobody knows what the group did, if anything. */
static void test_other_boot(void **state)
{
	(void)state;
	options.one_boot = false;
	add_groups();
	build_rows(2);
	assert_none(view_row(&rows, "new", METRIC_minflt).values[SIDE_BASELINE]);
	assert_none(view_row(&rows, "new", METRIC_minflt).delta);
	assert_false(view_row(&rows, "new", METRIC_minflt).is_new);
	options.one_sided[0] = options.one_sided[1] = false;
	build_rows(2);
	assert_int_equal(rows.unmatched_count[SIDE_CANDIDATE], 1);
}

/* A side whose processes were chosen does not show that a group of the other one was not there. The other side does. */
static void test_chosen(void **state)
{
	struct row_view view;

	(void)state;
	options.is_chosen[SIDE_CANDIDATE] = true;
	add_groups();
	build_rows(2);
	view = view_row(&rows, "gone", METRIC_minflt);
	assert_int_equal(view.absence[SIDE_CANDIDATE], ABSENCE_NONE);
	assert_none(view.values[SIDE_CANDIDATE]);
	assert_none(view.delta);
	assert_none(view.percent);
	assert_none(view.impact);
	assert_false(view.is_gone);
	view = view_row(&rows, "new", METRIC_minflt);
	assert_int_equal(view.absence[SIDE_BASELINE], ABSENCE_ZERO);
	assert_true(view.is_new);
	options.one_sided[SIDE_BASELINE] = false;
	build_rows(2);
	assert_int_equal(rows.unmatched_count[SIDE_BASELINE], 1);
	assert_string_equal(rows.unmatched[SIDE_BASELINE][0].label, "gone");
	assert_int_equal(rows.unmatched_count[SIDE_CANDIDATE], 0);
	assert_true(is_listed(&rows, "new", METRIC_minflt));
}

static void add_of_process(unsigned side, const char *name, uint32_t tgid)
{
	add_thread(&tables[side], (struct thread_spec){.name = name,
	                                               .tgid = tgid,
	                                               .interval_ns = 10 * second,
	                                               .life_ns = 10 * second,
	                                               .values = {{METRIC_minflt, 300}}});
}

/* A side whose processes were chosen by id shows that those were not there. */
static void test_chosen_ids(void **state)
{
	uint32_t ids[] = {7, 9};
	const struct id_list chosen = {ids, 2, 2};

	(void)state;
	options.is_chosen[SIDE_CANDIDATE] = true;
	options.chosen_ids[SIDE_CANDIDATE] = &chosen;
	options.one_sided[SIDE_BASELINE] = false;
	add(0, "both", 100, 1000);
	add(1, "both", 100, 1000);
	add_of_process(0, "chosen", 9);
	add_of_process(0, "other", 8);
	add_of_process(0, "several", 7);
	add_of_process(0, "several", 9);
	build_rows(2);
	assert_int_equal(rows.unmatched_count[SIDE_BASELINE], 2);
	assert_int_equal(row_absence(&rows, find_group(&rows, "chosen"), SIDE_CANDIDATE),
	                 ABSENCE_ZERO);
	assert_true(view_row(&rows, "chosen", METRIC_minflt).is_gone);
	assert_true(view_row(&rows, "chosen", METRIC_minflt).delta.real == -30);
	assert_false(is_listed(&rows, "other", METRIC_minflt));
	assert_false(is_listed(&rows, "several", METRIC_minflt));
}

#define ABSENT_TEST(test_) cmocka_unit_test_setup_teardown(test_, start_windows, end_rows)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        ABSENT_TEST(test_zero),
	        ABSENT_TEST(test_partial),
	        cmocka_unit_test(test_unknown),
	        ABSENT_TEST(test_unseen),
	        ABSENT_TEST(test_other_boot),
	        ABSENT_TEST(test_chosen),
	        ABSENT_TEST(test_chosen_ids),
	        ABSENT_TEST(test_unknown_of_lives),
	        ABSENT_TEST(test_unknown_in_process),
	        cmocka_unit_test(test_unknown_beside_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
