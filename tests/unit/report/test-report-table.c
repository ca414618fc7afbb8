// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "ctprof/metric/host.h"
#include "reports.h"

/* The n-th line of a text, from 0 on, starts with this. */
static void check_line(const char *text, unsigned number, const char *expected)
{
	const char *end;

	for (unsigned i = 0; i < number; i++) {
		text = strchr(text, '\n');
		assert_non_null(text);
		text++;
	}
	end = strchr(text, '\n');
	assert_non_null(end);
	if ((size_t)(end - text) != strlen(expected) ||
	    memcmp(text, expected, strlen(expected)) != 0)
		fail_msg("\"%.*s\" is not \"%s\"", (int)(end - text), text, expected);
}

static void print_only(struct report_fixture *fixture, enum metric_id metric)
{
	memset(fixture->options.measures, 0, sizeof(fixture->options.measures));
	fixture->options.measures[metric] = true;
}

static void name_host(struct report_fixture *fixture)
{
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		struct host *host = &fixture->infos[side].host;

		host_set_text(host, HOST_hostname, "vm", 2);
		host_set_text(host, HOST_kernel_name, "Linux", 5);
		host_set_text(host, HOST_kernel_release, "6.1.0", 5);
	}
}

static void test_report_of_one(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	name_host(fixture);
	add_thread(&fixture->tables[0],
	           (struct thread_spec){.name = "app", .values = {{METRIC_run_time_ns, 1500000}}});
	add_thread(&fixture->tables[0],
	           (struct thread_spec){.name = "app", .values = {{METRIC_run_time_ns, 1500000}}});
	add_thread(&fixture->tables[0], (struct thread_spec){.name = "idle"});
	print_only(fixture, METRIC_run_time_ns);
	text = report_print(fixture, 1, report_table);
	assert_string_equal(
	        text, "a.zst: amounts since each thread's start, vm, Linux 6.1.0, 2023-11-14 "
	              "22:13:20 UTC\n"
	              "\n"
	              "comm-pattern threads metric        value\n"
	              "app                2 run_time_ns 3.000ms\n"
	              "idle               1 run_time_ns       -\n"
	              "\n"
	              "snapshot a.zst: vm, Linux 6.1.0, 2023-11-14 22:13:20 UTC, 7 threads of 3 "
	              "processes\n");
	free(text);
	fixture->infos[0].tally.threads = fixture->infos[0].tally.processes = 1;
	text = report_print(fixture, 1, report_table);
	assert_contains(text, ", 1 thread of 1 process\n");
	free(text);
}

static void test_report_of_two(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	name_host(fixture);
	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_thread(&fixture->tables[side],
		           (struct thread_spec){
		                   .name = "app",
		                   .values = {{METRIC_run_time_ns, side ? 400000 : 100000},
		                              {METRIC_minflt, side ? 0 : 500}}});
	add_thread(&fixture->tables[1], (struct thread_spec){.name = "app"});
	fixture->options.order = ORDER_NAME;
	text = report_print(fixture, 2, report_table);
	check_line(text, 0,
	           "a.zst → b.zst: since each thread's start, of one moment, vm, Linux 6.1.0");
	assert_contains(text, "\nbaseline  a.zst: vm, Linux 6.1.0, 2023-11-14 22:13:20 UTC, 7 "
	                      "threads of 3 processes\n"
	                      "candidate b.zst: vm, Linux 6.1.0, 2023-11-14 22:13:20 UTC, at the "
	                      "same time, 7 threads of 3 processes\n");
	check_line(text, 2,
	           "comm-pattern threads metric        baseline  candidate       delta       %");
	check_line(text, 3,
	           "app              1→2 thread_count         1          2          +1 +100.0%");
	check_line(text, 4,
	           "app              1→2 run_time_ns  100.000µs 400.000µs* +300.000µs¶ +300.0%");
	check_line(text, 5,
	           "app              1→2 minflt             500         0*       -500¶ -100.0%");
	assert_contains(text, "\n* from some of the group's threads");
	free(text);
}

static void test_report_same_boot(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	name_host(fixture);
	for (unsigned side = 0; side < SIDE_MAX; side++)
		host_set_text(&fixture->infos[side].host, HOST_boot_id, "one", 3);
	fixture->infos[1].captured_boottime_ns = 65000000000;
	fixture->infos[1].tally.threads_gone = 2;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "\nbaseline  a.zst: vm, Linux 6.1.0, 2023-11-14 22:13:20 UTC, 7 "
	                      "threads of 3 processes\n"
	                      "candidate b.zst: same boot, 60.000s later, 7 threads of 3 processes "
	                      "(2 exited while being read)\n");
	free(text);
	fixture->infos[1].captured_boottime_ns = 4999999999;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "candidate b.zst: same boot, 1ns EARLIER than the baseline,");
	free(text);
	host_set_text(&fixture->infos[1].host, HOST_boot_id, "two", 3);
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "candidate b.zst: vm, Linux 6.1.0, 2023-11-14");
	free(text);
}

/* Names and paths of others are made safe. */
static void test_report_hostile_texts(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	name_host(fixture);
	fixture->report.sides[0].path = "a\x1b[31m\n.zst";
	host_set_text(&fixture->infos[0].host, HOST_hostname, "\x1b]0;x\x07", 6);
	host_set_text(&fixture->infos[0].host, HOST_kernel_release, "6\xff\n", 3);
	add_thread(&fixture->tables[0],
	           (struct thread_spec){.name = "\x1b[2J\xe2\x80\xae", .policy = "\x1b[31mSCHED"});
	text = report_print(fixture, 1, report_table);
	for (const char *c = text; *c; c++)
		assert_true(*c == '\n' || (*c != '\x7f' && (unsigned char)*c >= ' '));
	assert_contains(text, "a\\x1b[31m\\x0a.zst: \\x1b]0;x\\x07, Linux 6\\xff\\x0a, ");
	assert_contains(text, "\n\\x1b[2J\\xe2\\x80\\xae ");
	assert_contains(text, " \\x1b[31mSCHED\n");
	assert_null(strstr(text, "\xe2\x80\xae"));
	free(text);
}

static void check_value(struct report_fixture *fixture, enum metric_id metric, const char *expected)
{
	struct strbuf value = STRBUF_INIT;
	struct row_view view;
	char *text = report_print(fixture, 1, report_table);

	free(text);
	view = view_row(&fixture->rows, "a", metric);
	report_add_value(&view, 0, &value);
	assert_text(&value, expected);
	strbuf_done(&value);
}

/* Each rule in the words of the reference. */
static void test_report_values(void **state)
{
	struct report_fixture *fixture = *state;

	add_thread(&fixture->tables[0], (struct thread_spec){.name = "a",
	                                                     .state = 'S',
	                                                     .policy = "SCHED_OTHER",
	                                                     .cpus = "0-3,8",
	                                                     .values = {{METRIC_nice, 3},
	                                                                {METRIC_minflt, 8697},
	                                                                {METRIC_nr_threads, 3}}});
	check_value(fixture, METRIC_nice, "3");
	check_value(fixture, METRIC_state, "S");
	check_value(fixture, METRIC_cpu_affinity, "5 cpus (0-3,8)");
	check_value(fixture, METRIC_minflt, "8.697K");
	check_value(fixture, METRIC_wait_max, "-");
	add_thread(&fixture->tables[0], (struct thread_spec){.name = "a",
	                                                     .tgid = 1,
	                                                     .state = 'R',
	                                                     .policy = "SCHED_OTHER",
	                                                     .cpus = "4-8",
	                                                     .values = {{METRIC_nice, -5}}});
	check_value(fixture, METRIC_nice, "-5..3");
	check_value(fixture, METRIC_state, "R (1/2)");
	check_value(fixture, METRIC_policy, "SCHED_OTHER");
	check_value(fixture, METRIC_cpu_affinity, "5 cpus (mixed)");
	check_value(fixture, METRIC_minflt, "8.697K*");
	check_value(fixture, METRIC_nr_threads, "3");
	add_thread(&fixture->tables[0],
	           (struct thread_spec){.name = "a", .tgid = 1, .state = 'S', .cpus = "0"});
	check_value(fixture, METRIC_state, "S (2/3)");
	check_value(fixture, METRIC_policy, "SCHED_OTHER*");
	check_value(fixture, METRIC_cpu_affinity, "1-5 cpus (mixed)");
	check_value(fixture, METRIC_thread_count, "3");
}

static void test_report_labels_in_delta(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	fixture->options.unchanged = true;
	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_thread(&fixture->tables[side],
		           (struct thread_spec){.name = "a",
		                                .state = side ? 'R' : 'S',
		                                .policy = "SCHED_OTHER",
		                                .values = {{METRIC_ext_enabled, side}}});
	add_thread(&fixture->tables[0], (struct thread_spec){.name = "b", .state = 'S'});
	add_thread(&fixture->tables[1], (struct thread_spec){.name = "b"});
	print_only(fixture, METRIC_state);
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "\na                  1 state         S         R differs -\n");
	assert_contains(text, "\nb                  1 state         S         -       - -\n");
	free(text);
	print_only(fixture, METRIC_policy);
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "\na                  1 policy SCHED_OTHER SCHED_OTHER  same -\n");
	free(text);
}

static void test_report_left_out(void **state)
{
	struct report_fixture *fixture = *state;
	struct strbuf text = STRBUF_INIT;
	char *printed;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_thread(&fixture->tables[side],
		           (struct thread_spec){
		                   .name = "a",
		                   .values = {{METRIC_minflt, side}, {METRIC_majflt, side}}});
	fixture->report.limit = 1;
	printed = report_print(fixture, 2, report_table);
	assert_int_equal(report_shown(&fixture->report), 1);
	assert_int_equal(report_left_out(&fixture->report), 1);
	assert_contains(printed,
	                "\n1 more row (--limit 0 shows all); 1 unchanged, 121 seen on neither side "
	                "(--unchanged shows them)\n");
	free(printed);
	fixture->report.limit = 2;
	free(report_print(fixture, 2, report_table));
	report_add_left_out(&fixture->report, &text);
	assert_text(&text, "1 unchanged, 121 seen on neither side (--unchanged shows them)");
	strbuf_clear(&text);
	fixture->rows.unchanged_count = 0;
	report_add_left_out(&fixture->report, &text);
	assert_text(&text, "121 seen on neither side (--unchanged shows them)");
	strbuf_clear(&text);
	fixture->rows.unseen_count = 0;
	report_add_left_out(&fixture->report, &text);
	assert_text(&text, "");
	fixture->rows.row_total = 3;
	report_add_left_out(&fixture->report, &text);
	assert_text(&text, "1 more row (--limit 0 shows all)");
	fixture->report.limit = 0;
	free(report_print(fixture, 2, report_table));
	assert_int_equal(report_left_out(&fixture->report), 0);
	assert_int_equal(report_shown(&fixture->report), 2);
	strbuf_done(&text);
}

static void test_report_nothing(void **state)
{
	struct report_fixture *fixture = *state;
	char *text = report_print(fixture, 1, report_table);

	check_line(text, 2, "no rows");
	free(text);
	add_thread(&fixture->tables[0], (struct thread_spec){.name = "a"});
	add_thread(&fixture->tables[1], (struct thread_spec){.name = "a"});
	text = report_print(fixture, 2, report_table);
	check_line(text, 2, "no row changed");
	free(text);
}

static void test_report_unmatched(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	add_thread(&fixture->tables[0],
	           (struct thread_spec){.name = "gone", .values = {{METRIC_run_time_ns, 2000}}});
	add_thread(&fixture->tables[0], (struct thread_spec){.name = "gone"});
	for (char letter = 'a'; letter < 'k'; letter++)
		add_thread(&fixture->tables[1],
		           (struct thread_spec){.name = (const char[]){'x', letter, 0}});
	fixture->report.limit = 15;
	text = report_print(fixture, 2, report_table);
	assert_contains(text,
	                "\n1 group only in the baseline: gone (2 threads, run time 2.000µs)\n");
	assert_contains(text, "\n10 groups only in the candidate: xa (1 thread), xb (1 thread), ");
	assert_contains(text, "xh (1 thread) and 2 more (--limit 0 lists all)\n");
	free(text);
	fixture->report.limit = 0;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "xi (1 thread), xj (1 thread)\n");
	free(text);
}

/* On a terminal, no more than fit on its line, and one at least. */
static void test_report_unmatched_width(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	for (char letter = 'a'; letter < 'd'; letter++)
		add_thread(&fixture->tables[0],
		           (struct thread_spec){.name = (const char[]){'x', letter, 0}});
	fixture->report.limit = 15;
	fixture->report.style.width = 200;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, ": xa (1 thread), xb (1 thread), xc (1 thread)\n");
	free(text);
	fixture->report.style.width = 100;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, ": xa (1 thread), xb (1 thread) and 1 more (--limit 0 lists all)\n");
	free(text);
	fixture->report.style.width = 30;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "\n3 groups only in the baseline:\n  xa (1 thread) and 2 more\n"
	                      "  (--limit 0 lists all)\n");
	free(text);
	/* Text is not folded where hardly a word fits. */
	fixture->report.style.width = 8;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, ": xa (1 thread) and 2 more (--limit 0 lists all)\n");
	free(text);
	fixture->report.limit = 0;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, ": xa (1 thread), xb (1 thread), xc (1 thread)\n");
	free(text);
}

/* A dagger where the threads are not the same ones. */
static void test_report_members(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	fixture->options.continues = true;
	add_thread(&fixture->tables[0],
	           (struct thread_spec){.name = "a", .tid = 5, .values = {{METRIC_minflt, 5}}});
	add_thread(&fixture->tables[1],
	           (struct thread_spec){.name = "a", .tid = 6, .values = {{METRIC_minflt, 7}}});
	print_only(fixture, METRIC_minflt);
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "\na                 1† minflt        5         7    +2 +40.0%\n");
	assert_contains(text, "\n† not the same threads on both sides");
	free(text);
}

static void test_report_headings(void **state)
{
	struct report_fixture *fixture = *state;

	add_thread(&fixture->tables[0], (struct thread_spec){.name = "a"});
	for (unsigned key = 0; key < GROUP_KEY_COUNT; key++)
		for (unsigned normalised = 0; normalised < 2; normalised++) {
			bool literal = key == GROUP_KEY_comm && !normalised;
			struct strbuf expected = STRBUF_INIT;
			char *text;

			fixture->tables[0].by = group_by_key((enum group_key)key, !normalised);
			text = report_print(fixture, 1, report_table);
			strbuf_addf(&expected, "\n\n%s ",
			            literal ? "comm" : group_key_table[key].heading);
			assert_contains(text, expected.data);
			strbuf_done(&expected);
			free(text);
		}
}

static void test_report_colors(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_thread(&fixture->tables[side],
		           (struct thread_spec){.name = "a",
		                                .values = {{METRIC_minflt, side ? 20 : 10}}});
		add_thread(&fixture->tables[side],
		           (struct thread_spec){.name = "b",
		                                .values = {{METRIC_minflt, side ? 10 : 20}}});
		add_thread(&fixture->tables[side],
		           (struct thread_spec){.name = "c", .values = {{METRIC_minflt, 10}}});
	}
	print_only(fixture, METRIC_minflt);
	fixture->options.unchanged = true;
	text = report_print(fixture, 2, report_table);
	assert_null(strchr(text, '\033'));
	free(text);
	fixture->report.style.color = true;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "\033[33m+10\033[0m \033[1;33m+100.0%\033[0m\n");
	/* Bold is what is above 50, and not 50 itself. */
	assert_contains(text, "\033[35m-10\033[0m  \033[35m-50.0%\033[0m\n");
	assert_contains(text, " +0   +0.0%\n");
	free(text);
}

/* If nothing else can be narrower, names of metrics are cut, or go on below. */
static void test_report_wraps(void **state)
{
	struct report_fixture *fixture = *state;
	char *text;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_thread(&fixture->tables[side],
		           (struct thread_spec){
		                   .name = "a",
		                   .values = {{METRIC_nonvoluntary_csw, side ? 20 : 10}}});
	print_only(fixture, METRIC_nonvoluntary_csw);
	fixture->report.style.width = 20;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "\na            nonvoluntar…   +10\n");
	free(text);
	/* Columns leave before that, in the registry's order. */
	fixture->report.style.width = 62;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, "threads metric           candidate delta       %\n");
	free(text);
	fixture->report.style.width = 20;
	fixture->report.style.wrap = true;
	text = report_print(fixture, 2, report_table);
	assert_contains(text, " nonvoluntary ");
	assert_contains(text, " _csw\n");
	free(text);
}

static void test_report_exited(void **state)
{
	static const struct row_cpu_time cpu_times[] = {
	        {.seen = true, .user_clock_ticks = 1000, .system_clock_ticks = 100},
	        {.seen = true, .user_clock_ticks = 1400, .system_clock_ticks = 200}};
	struct report_fixture *fixture = *state;
	char *text;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_thread(&fixture->tables[side],
		           (struct thread_spec){
		                   .name = "a",
		                   .values = {{METRIC_utime_clock_ticks, side ? 300 : 100},
		                              {METRIC_stime_clock_ticks, 10}}});
	host_set_number(&fixture->infos[1].host, HOST_clock_ticks_per_second, 100);
	fixture->cpu_times = cpu_times;
	text = report_print(fixture, 2, report_table);
	/* 200 and 100 ticks of the 400 and 100 that the host used. */
	assert_contains(text, "\nexited    up to 3.00s of the 5.00s of CPU time in between");
	assert_contains(text, "\n(exited threads)       - utime_clock_ticks");
	free(text);
	fixture->cpu_times = NULL;
	text = report_print(fixture, 2, report_table);
	assert_null(strstr(text, "exited"));
	free(text);
}

#define on_report(test_) \
	cmocka_unit_test_setup_teardown(test_, report_fixture_setup, report_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_report(test_report_of_one),    on_report(test_report_of_two),
	        on_report(test_report_same_boot), on_report(test_report_hostile_texts),
	        on_report(test_report_values),    on_report(test_report_labels_in_delta),
	        on_report(test_report_left_out),  on_report(test_report_nothing),
	        on_report(test_report_unmatched), on_report(test_report_unmatched_width),
	        on_report(test_report_members),   on_report(test_report_headings),
	        on_report(test_report_colors),    on_report(test_report_wraps),
	        on_report(test_report_exited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
