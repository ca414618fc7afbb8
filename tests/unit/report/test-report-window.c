// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "report/report-overview.h"
#include "report/report-text.h"
#include "reports.h"

static const uint64_t second = 1000000000;

static void expect(struct report_fixture *fixture, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	fixture->rows.sides = 1;
	fixture->report.rows = &fixture->rows;
	report_add_window(&fixture->report, SIDE_BASELINE, &text);
	assert_text(&text, expected);
	fixture->rows.sides = 0;
}

static struct snapshot_window *make_window(struct report_fixture *fixture, unsigned side)
{
	fixture->infos[side].kind = KIND_window;
	return &fixture->infos[side].window;
}

static void test_lifetime(void **state)
{
	expect(*state, "");
}

static void test_nothing_known(void **state)
{
	make_window(*state, 0);
	expect(*state, "window    of unknown length\n");
}

/* Up to 5 % is how exact waiting is. */
static void test_longer(void **state)
{
	struct report_fixture *fixture = *state;
	struct snapshot_window *window = make_window(fixture, 0);

	window_set(window, WINDOW_length_ns, second + second / 20);
	window_set(window, WINDOW_asked_length_ns, second);
	expect(fixture, "window    1.050s\n");
	window_set(window, WINDOW_length_ns, second + second / 20 + 1);
	expect(fixture, "window    1.050s (longer than the 1.000s that were asked for)\n");
	window_set(window, WINDOW_length_ns, second / 2);
	expect(fixture, "window    500.000ms\n");
}

static void expect_first_line(struct report_fixture *fixture, unsigned sides, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	fixture->rows.sides = sides;
	fixture->report.rows = &fixture->rows;
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		fixture->infos[side].captured_at_unix_ns = 0;
		fixture->rows.frames[side] = derive_frame_of(&fixture->infos[side]);
		fixture->report.sides[side].path = side == 0 ? "a.zst" : "b.zst";
	}
	report_add_two_lines(&fixture->report, &text);
	assert_text(&text, expected);
	fixture->rows.sides = 0;
}

/* The first line of each table has it as well, of either side. */
static void test_longer_in_first_line(void **state)
{
	struct report_fixture *fixture = *state;
	struct snapshot_window *a = make_window(fixture, 0), *b = make_window(fixture, 1);

	window_set(a, WINDOW_length_ns, 3516 * (second / 1000));
	window_set(a, WINDOW_asked_length_ns, 2 * second);
	window_set(b, WINDOW_length_ns, 2 * second + second / 20);
	window_set(b, WINDOW_asked_length_ns, 2 * second);
	expect_first_line(fixture, 1, "a.zst: window of 3.5s (2.0s asked)\n");
	expect_first_line(fixture, 2, "a.zst → b.zst: windows of 3.5s (2.0s asked) and 2.0s\n");
	window_set(b, WINDOW_asked_length_ns, second);
	window_set(a, WINDOW_gaps, 1);
	window_set(a, WINDOW_gap_ns, 4 * second);
	expect_first_line(fixture, 2,
	                  "a.zst → b.zst: windows of 3.5s (2.0s asked) (1 gap of 4.0s left out) "
	                  "and 2.0s (1.0s asked)\n");
}

static void test_numbers(void **state)
{
	struct report_fixture *fixture = *state;
	struct snapshot_window *window = make_window(fixture, 0);

	window_set(window, WINDOW_length_ns, 30 * second + 2000000);
	window_set(window, WINDOW_begin_unix_ns, 1700000000 * second);
	window_set(window, WINDOW_threads_continued, 90);
	window_set(window, WINDOW_threads_born, 0);
	window_set(window, WINDOW_threads_passed, 1);
	expect(fixture, "window    30.002s from 2023-11-14 22:13:20 UTC; threads: 90 continued, 1 "
	                "born and exited\n");
	window->exits = WINDOW_EXITS_skipped;
	window_set(window, WINDOW_threads_lost, 0);
	window_set(window, WINDOW_threads_missed, 40);
	window_set(window, WINDOW_unaccounted_clock_ticks, 150);
	expect(fixture, "window    30.002s from 2023-11-14 22:13:20 UTC; threads: 90 continued, 1 "
	                "born and exited, at least 40 never seen\n"
	                "exits     not recorded: nobody listened\n");
	host_set_number(&fixture->infos[0].host, HOST_clock_ticks_per_second, 100);
	window->exits = WINDOW_EXITS_completed;
	window_set(window, WINDOW_values_went_back, 1);
	expect(fixture,
	       "window    30.002s from 2023-11-14 22:13:20 UTC; threads: 90 continued, 1 "
	       "born and exited, 0 lost, at least 40 never seen\n"
	       "exits     recorded, complete to the last switch of each thread; at least 1.50s of "
	       "the "
	       "host's CPU time is in no row and no process total; 1 value went back and is left "
	       "out\n");
	window_set(window, WINDOW_exit_records, 0);
	window_set(window, WINDOW_values_went_back, 0);
	window_set(window, WINDOW_unaccounted_clock_ticks, 0);
	expect(fixture,
	       "window    30.002s from 2023-11-14 22:13:20 UTC; threads: 90 continued, 1 "
	       "born and exited, 0 lost, at least 40 never seen\n"
	       "exits     recorded, complete to the last switch of each thread; no record of the "
	       "kernel came, with their other delays and peaks\n");
	window_set(window, WINDOW_exit_records, 1);
	window_set(window, WINDOW_threads_unknown, 1);
	window_set(window, WINDOW_threads_lost, 3);
	window_set(window, WINDOW_threads_missed, 0);
	window_set(window, WINDOW_unaccounted_clock_ticks, 0);
	window_set(window, WINDOW_values_went_back, 2);
	window_set(window, WINDOW_exit_overruns, 1);
	window_set(window, WINDOW_cgroups_lost, 1);
	expect(fixture,
	       "window    30.002s from 2023-11-14 22:13:20 UTC; threads: 90 continued, 1 "
	       "born and exited, 3 lost, 1 unknown at the begin\n"
	       "exits     recorded, complete to the last switch of each thread; 1 time there "
	       "was no room for a record; 2 values went back and are left out; 1 cgroup "
	       "was removed or left empty\n");
}

static void set_span(struct report_fixture *fixture, unsigned side, uint64_t begin, uint64_t length)
{
	struct snapshot_window *window = make_window(fixture, side);

	window_set(window, WINDOW_begin_boottime_ns, begin);
	window_set(window, WINDOW_length_ns, length);
	host_set_text(&fixture->infos[side].host, HOST_boot_id, "boot", 4);
}

static void check_overlap(struct report_fixture *fixture, uint64_t overlap_ns, const char *line)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	uint64_t found;
	bool same;

	assert_true(report_windows_overlap(&fixture->report, &found, &same));
	assert_int_equal(found, overlap_ns);
	report_add_overlap(&fixture->report, &text);
	assert_text(&text, line);
}

static void test_overlap(void **state)
{
	struct report_fixture *fixture = *state;
	uint64_t found;
	bool same;

	assert_false(report_windows_overlap(&fixture->report, &found, &same));
	set_span(fixture, 0, 100 * second, 30 * second);
	assert_false(report_windows_overlap(&fixture->report, &found, &same));
	/* One behind the other, and the other way round. */
	set_span(fixture, 1, 130 * second, 30 * second);
	check_overlap(fixture, 0, "");
	set_span(fixture, 1, 70 * second, 30 * second);
	check_overlap(fixture, 0, "");
	set_span(fixture, 1, 127 * second, 30 * second);
	check_overlap(fixture, 3 * second,
	              "overlap   the windows overlap by 3.000s: what was done then is on both "
	              "sides\n");
	/* One inside the other. */
	set_span(fixture, 1, 110 * second, 5 * second);
	check_overlap(fixture, 5 * second,
	              "overlap   the windows overlap by 5.000s: what was done then is on both "
	              "sides\n");
	/* Two equal windows have no line. */
	set_span(fixture, 1, 100 * second, 30 * second);
	check_overlap(fixture, 30 * second, "");
	/* Beyond what 64 bits hold. */
	set_span(fixture, 1, UINT64_MAX, UINT64_MAX);
	check_overlap(fixture, 0, "");
	set_span(fixture, 1, 127 * second, 30 * second);
	host_set_text(&fixture->infos[1].host, HOST_boot_id, "other", 5);
	check_overlap(fixture, 0, "");
}

#define WINDOW_TEST(test_) \
	cmocka_unit_test_setup_teardown(test_, report_fixture_setup, report_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WINDOW_TEST(test_lifetime), WINDOW_TEST(test_nothing_known),
	        WINDOW_TEST(test_longer),   WINDOW_TEST(test_longer_in_first_line),
	        WINDOW_TEST(test_numbers),  WINDOW_TEST(test_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
