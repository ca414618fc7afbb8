// SPDX-License-Identifier: GPL-2.0-or-later
/* The counters of exited threads: a process's totals less the sums over its threads. */
#include "check.h"

#include "groups.h"
#include "samples.h"

struct member {
	uint32_t tgid, tid;
	const char *pcomm;
	const char *comm;
	uint64_t user, system, syscw;
	bool no_syscw; /* denied */
	/* Totals of the process, on its first thread. */
	bool totals;
	uint64_t total_user, total_system, total_syscw;
};

static void set_total(struct thread_sample *sample, enum process_total total, uint64_t value)
{
	sample->has_process_totals = true;
	sample->process_totals_seen |= 1u << total;
	sample->process_totals[total] = value;
}

static void add(struct group_table *table, struct member member)
{
	struct thread_sample sample = {0};

	sample_reset(&sample);
	sample.tgid = member.tgid;
	sample.tid = member.tid;
	sample.start_time_clock_ticks = 7;
	sample_name(&sample.pcomm, member.pcomm);
	sample_name(&sample.comm, member.comm);
	sample_name(&sample.cgroup, "/a");
	sample.has_cgroup = true;
	sample_set(&sample, utime_clock_ticks, (struct counter_ticks){member.user});
	sample_set(&sample, stime_clock_ticks, (struct counter_ticks){member.system});
	if (!member.no_syscw)
		sample_set(&sample, syscw, (struct counter_count){member.syscw});
	if (member.totals) {
		set_total(&sample, PROCESS_TOTAL_utime_clock_ticks, member.total_user);
		set_total(&sample, PROCESS_TOTAL_stime_clock_ticks, member.total_system);
		set_total(&sample, PROCESS_TOTAL_syscw, member.total_syscw);
	}
	group_table_add(table, &sample);
	sample_done(&sample);
}

static struct group *get(const struct group_table *table, const char *key)
{
	return table_group(table, key);
}

static void finish(struct group_table *table)
{
	group_table_finish(table);
	for (size_t i = 0; i < table->map.count; i++)
		group_include_exited(table, table->map.entries[i].value,
		                     (1u << PROCESS_SOURCE_COUNT) - 1, 0);
}

static void check_cell(const struct group *group, enum metric_id metric, uint64_t number,
                       uint32_t seen)
{
	assert_non_null(group);
	assert_int_equal(group->cells[metric].number, number);
	assert_int_equal(group->cells[metric].seen, seen);
}

/* One process with two living threads and exited ones, one without, and the next of the first one's name. */
static void add_three(struct group_table *table)
{
	add(table, (struct member){.tgid = 10,
	                           .tid = 10,
	                           .pcomm = "app",
	                           .comm = "app",
	                           .user = 5,
	                           .system = 1,
	                           .syscw = 3,
	                           .totals = true,
	                           .total_user = 100,
	                           .total_system = 30,
	                           .total_syscw = 1003});
	add(table, (struct member){.tgid = 10,
	                           .tid = 11,
	                           .pcomm = "app",
	                           .comm = "worker",
	                           .user = 5,
	                           .system = 9,
	                           .syscw = 4});
	add(table, (struct member){.tgid = 20,
	                           .tid = 20,
	                           .pcomm = "idle",
	                           .comm = "idle",
	                           .user = 1,
	                           .system = 1,
	                           .syscw = 1,
	                           .totals = true,
	                           .total_user = 1,
	                           .total_system = 1,
	                           .total_syscw = 1});
	add(table, (struct member){.tgid = 30,
	                           .tid = 30,
	                           .pcomm = "app",
	                           .comm = "app",
	                           .user = 1,
	                           .system = 1,
	                           .syscw = 1,
	                           .totals = true,
	                           .total_user = 11,
	                           .total_system = 1,
	                           .total_syscw = 1});
	finish(table);
}

static void test_exited_in_process(void **state)
{
	struct group_table table;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_pcomm, true));
	add_three(&table);
	assert_int_equal(table.map.count, 2);
	check_cell(get(&table, "app"), METRIC_utime_clock_ticks, 111, 3);
	check_cell(get(&table, "app"), METRIC_stime_clock_ticks, 31, 3);
	check_cell(get(&table, "app"), METRIC_syscw, 1004, 3);
	assert_int_equal(get(&table, "app")->threads, 3);
	check_cell(get(&table, "idle"), METRIC_syscw, 1, 1);
	assert_int_equal(group_exited_part(get(&table, "app"), METRIC_syscw), 996);
	/* Finishing twice adds nothing. */
	group_table_finish(&table);
	assert_int_equal(group_exited_part(get(&table, "app"), METRIC_syscw), 996);
	group_table_done(&table);
}

static void test_exited_in_cgroup(void **state)
{
	struct group_table table;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_cgroup, false));
	add_three(&table);
	assert_int_equal(table.map.count, 1);
	check_cell(get(&table, "/a"), METRIC_utime_clock_ticks, 112, 4);
	check_cell(get(&table, "/a"), METRIC_syscw, 1005, 4);
	group_table_done(&table);
}

/* Exited threads have no name, so they stand beside the living ones of their process. */
static void test_exited_by_comm(void **state)
{
	struct group_table table;
	const struct group *exited;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_comm_exact, false));
	add_three(&table);
	check_cell(get(&table, "app"), METRIC_utime_clock_ticks, 6, 2);
	check_cell(get(&table, "worker"), METRIC_utime_clock_ticks, 5, 1);
	exited = get(&table, "app (exited threads)");
	check_cell(exited, METRIC_utime_clock_ticks, 100, 1);
	check_cell(exited, METRIC_stime_clock_ticks, 20, 1);
	check_cell(exited, METRIC_syscw, 996, 1);
	assert_int_equal(exited->threads, 0);
	assert_int_equal(exited->cells[METRIC_rchar].seen, 0);
	assert_null(get(&table, "idle (exited threads)"));
	group_table_done(&table);
}

/* Ticks that the threads' readings round off are no work of exited threads. */
static void test_exited_by_comm_rounding(void **state)
{
	struct group_table table;

	(void)state;
	for (uint64_t off = 1; off <= 5; off++) {
		group_table_init(&table, group_by_key(GROUP_KEY_comm, false));
		add(&table, (struct member){.tgid = 1,
		                            .tid = 1,
		                            .pcomm = "a",
		                            .comm = "a",
		                            .user = 10,
		                            .totals = true,
		                            .total_user = 20 + off});
		add(&table,
		    (struct member){.tgid = 1, .tid = 2, .pcomm = "a", .comm = "b", .user = 10});
		finish(&table);
		assert_int_equal(get(&table, "a (exited threads)") != NULL, off > 4);
		group_table_done(&table);
	}
}

/* The kernel's split of CPU time differs between a process and its threads; their sum does not. */
static void test_exited_cpu_split(void **state)
{
	static const struct {
		uint64_t user, system, want_user, want_system;
	} cases[] = {
	        {80, 20, 90, 10},   /* another split of the same time */
	        {100, 0, 90, 10},   /* the other way round */
	        {80, 70, 90, 60},   /* 50 of exited threads, 10 of them taken by the split */
	        {150, 10, 150, 10}, /* all in user mode */
	        {140, 0, 130, 10},  /* 40 of exited threads */
	        {50, 30, 90, 10},   /* less than the threads: read before them */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct group_table table;

		group_table_init(&table, group_by_key(GROUP_KEY_pcomm, false));
		add(&table, (struct member){.tgid = 1,
		                            .tid = 1,
		                            .pcomm = "a",
		                            .comm = "a",
		                            .user = 90,
		                            .system = 10,
		                            .totals = true,
		                            .total_user = cases[i].user,
		                            .total_system = cases[i].system});
		finish(&table);
		check_cell(get(&table, "a"), METRIC_utime_clock_ticks, cases[i].want_user, 1);
		check_cell(get(&table, "a"), METRIC_stime_clock_ticks, cases[i].want_system, 1);
		group_table_done(&table);
	}
}

/* Two threads, one of which has no syscw. */
static struct group_table partial_table(struct group_by by, const char *cgroup, bool is_impossible,
                                        uint64_t total)
{
	struct thread_sample sample = {0};
	struct group_table table;

	group_table_init(&table, by);
	add(&table, (struct member){.tgid = 1,
	                            .tid = 1,
	                            .pcomm = "a",
	                            .comm = "a",
	                            .syscw = 1,
	                            .totals = true,
	                            .total_syscw = total});
	sample_reset(&sample);
	sample.tgid = 1;
	sample.tid = 2;
	sample.start_time_clock_ticks = 7;
	sample_name(&sample.pcomm, "a");
	sample_name(&sample.comm, "b");
	sample_name(&sample.cgroup, cgroup);
	sample.has_cgroup = true;
	sample_set(&sample, utime_clock_ticks, (struct counter_ticks){0});
	sample_set(&sample, stime_clock_ticks, (struct counter_ticks){0});
	if (is_impossible)
		sample_set_impossible(&sample, METRIC_syscw, UINT64_MAX);
	group_table_add(&table, &sample);
	sample_done(&sample);
	finish(&table);
	return table;
}

/* A total that is lower than the sum of some threads has none of the work of the others. */
static void test_total_below_sum(void **state)
{
	(void)state;
	for (unsigned total = 0; total <= 1; total++) {
		struct group_table table =
		        partial_table(group_by_key(GROUP_KEY_pcomm, false), "/a", false, total);

		check_cell(get(&table, "a"), METRIC_syscw, 1, 1 + total);
		group_table_done(&table);
	}
}

/* The excess of a total over the sum is that of exited threads and of a living one whose share is not known. A group that has all of
 * the process has all of the total; none of several groups has it, and no group if a thread's value is wrong in the total too. */
static void test_exited_partial(void **state)
{
	const struct {
		enum group_key key;
		const char *group;
		const char *cgroup;
		bool is_impossible, is_whole;
	} cases[] = {
	        {GROUP_KEY_pcomm, "a", "/a", false, true},
	        {GROUP_KEY_pcomm, "a", "/b", false, true},
	        {GROUP_KEY_pcomm, "a", "/a", true, false},
	        {GROUP_KEY_cgroup, "/a", "/a", false, true},
	        {GROUP_KEY_cgroup, "/a", "/b", false, false},
	        {GROUP_KEY_comm_exact, "a", "/a", false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct group_table table =
		        partial_table(group_by_key(cases[i].key, false), cases[i].cgroup,
		                      cases[i].is_impossible, 100);
		const struct group *group = get(&table, cases[i].group);

		check_cell(group, METRIC_syscw, cases[i].is_whole ? 100 : 1,
		           cases[i].is_whole ? 2 : 1);
		assert_int_equal(group_covered(group, METRIC_syscw), cases[i].is_whole);
		assert_int_equal(group_covered(group, METRIC_utime_clock_ticks), 0);
		assert_int_equal(group_exited_part(group, METRIC_syscw),
		                 cases[i].is_whole ? 99 : 0);
		/* A total that one snapshot lacks cannot be compared with that of the other one. */
		if (cases[i].key != GROUP_KEY_comm_exact) {
			assert_int_equal(group->unknown[PROCESS_SOURCE_io] == 0, cases[i].is_whole);
			assert_true(group->unknown[PROCESS_SOURCE_stat] == 0);
		}
		group_table_done(&table);
	}
}

/* Without an own value of any thread the group has the total; a mean of threads is over those that have one. */
static void test_exited_alone_are_covered(void **state)
{
	const unsigned io = 1u << PROCESS_SOURCE_io;
	struct group_table table;
	struct group *total;

	(void)state;
	for (int is_included = 0; is_included < 2; is_included++) {
		group_table_init(&table, group_by_key(GROUP_KEY_pcomm, false));
		add(&table, (struct member){.tgid = 1,
		                            .tid = 1,
		                            .pcomm = "a",
		                            .comm = "a",
		                            .no_syscw = true,
		                            .totals = true,
		                            .total_syscw = 100});
		group_table_finish(&table);
		group_include_exited(&table, get(&table, "a"), is_included ? io : 0, io);
		check_cell(get(&table, "a"), METRIC_syscw, is_included ? 100 : 0,
		           is_included ? 1 : 0);
		assert_int_equal(group_covered(get(&table, "a"), METRIC_syscw), is_included);
		total = group_table_total(&table);
		assert_int_equal(group_covered(total, METRIC_syscw), is_included);
		assert_int_equal(total->cells[METRIC_syscw].seen, is_included);
		group_free(total, 0);
		group_table_done(&table);
	}
}

/* A row of a process that has used 100 in all; @swapin and @run are not seen where they are negative. */
static void add_delays(struct group_table *table, uint32_t tid, enum window_part part, int64_t run,
                       int64_t swapin)
{
	struct thread_sample sample = {0};

	sample_reset(&sample);
	sample.tgid = 1;
	sample.tid = tid;
	sample.start_time_clock_ticks = 7;
	sample.window_part = part;
	sample.interval_ns = sample.life_ns = 1;
	sample_name(&sample.pcomm, "a");
	sample_name(&sample.comm, "a");
	sample_set(&sample, cpu_delay_count, (struct counter_count){1});
	if (run >= 0)
		sample_set(&sample, run_time_ns, (struct counter_ns){(uint64_t)run});
	if (swapin >= 0) {
		sample_set(&sample, swapin_delay_count, (struct counter_count){1});
		sample_set(&sample, swapin_delay_total_ns, (struct counter_ns){(uint64_t)swapin});
	}
	set_total(&sample, PROCESS_TOTAL_run_time_ns, 100);
	set_total(&sample, PROCESS_TOTAL_swapin_delay_total_ns, 100);
	group_table_add(table, &sample);
	sample_done(&sample);
}

/* A thread without a delay record is in no total, and what a thread did that ended without a full record is work of ended
 * threads: neither takes from the others what exited threads did. A living thread whose value could not be read has its part in
 * the total as well. */
static void test_exited_beside_one_without_a_record(void **state)
{
	static const struct {
		enum window_part part;
		int64_t run, swapin;
		uint64_t run_sum, swapin_sum; /* of the group */
	} cases[] = {
	        {WINDOW_PART_NONE, 20, 20, 100, 100},      {WINDOW_PART_NONE, 20, -1, 100, 100},
	        {WINDOW_PART_continued, 20, -1, 100, 100}, {WINDOW_PART_exited, -1, -1, 100, 100},
	        {WINDOW_PART_passed, -1, 20, 100, 100},    {WINDOW_PART_NONE, -1, 20, 100, 100},
	        {WINDOW_PART_continued, -1, -1, 100, 100},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct group_table table;

		group_table_init(&table, group_by_key(GROUP_KEY_pcomm, false));
		add_delays(&table, 1, cases[i].part, 10, 10);
		add_delays(&table, 2, cases[i].part, cases[i].run, cases[i].swapin);
		finish(&table);
		assert_int_equal(get(&table, "a")->cells[METRIC_run_time_ns].number,
		                 cases[i].run_sum);
		assert_int_equal(get(&table, "a")->cells[METRIC_swapin_delay_total_ns].number,
		                 cases[i].swapin_sum);
		group_table_done(&table);
	}
}

/* The kernel's total of the run time lacks what short threads ran, and the clock ticks do not: these show it, if it is more than what ticks
 * round off and a hundredth. */
static void test_exited_run_of_short_threads(void **state)
{
	static const struct {
		uint64_t ticks, run_ns, unseen_ns;
	} cases[] = {
	        {300, 500000000, 2500000000}, {300, 3000000000, 0}, {300, 2960000000, 0},
	        {300, 2940000000, 60000000},  {2, 1000000, 0},      {300, 4000000000, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct group_table table;
		struct thread_sample sample = {0};
		const struct group *group;

		group_table_init(&table, group_by_key(GROUP_KEY_pcomm, false));
		sample_reset(&sample);
		sample.tgid = sample.tid = 1;
		sample_name(&sample.pcomm, "a");
		sample_name(&sample.comm, "a");
		sample_set(&sample, run_time_ns, (struct counter_ns){0});
		sample_set(&sample, utime_clock_ticks, (struct counter_ticks){0});
		sample_set(&sample, stime_clock_ticks, (struct counter_ticks){0});
		set_total(&sample, PROCESS_TOTAL_run_time_ns, cases[i].run_ns);
		set_total(&sample, PROCESS_TOTAL_utime_clock_ticks, cases[i].ticks);
		set_total(&sample, PROCESS_TOTAL_stime_clock_ticks, 0);
		group_table_add(&table, &sample);
		group_table_finish(&table);
		group = get(&table, "a");
		assert_int_equal(group->exited_run_ns, cases[i].unseen_ns);
		assert_int_equal(group->exited_left_out,
		                 cases[i].unseen_ns > 0 ? 1u << PROCESS_TOTAL_run_time_ns : 0);
		sample_done(&sample);
		group_table_done(&table);
	}
}

/* Snapshots of before have no totals. */
static void test_exited_without_totals(void **state)
{
	struct group_table table;

	(void)state;
	group_table_init(&table, group_by_key(GROUP_KEY_comm, false));
	add(&table, (struct member){.tgid = 1, .tid = 1, .pcomm = "a", .comm = "a", .user = 4});
	add(&table, (struct member){.tgid = 2,
	                            .tid = 2,
	                            .pcomm = "a",
	                            .comm = "a",
	                            .user = 5,
	                            .totals = true,
	                            .total_user = 5});
	add(&table, (struct member){.tgid = 3, .tid = 3, .pcomm = "a", .comm = "a", .user = 6});
	finish(&table);
	assert_int_equal(table.map.count, 1);
	check_cell(get(&table, "a"), METRIC_utime_clock_ticks, 15, 3);
	group_table_done(&table);
}

/* A total that one side lacks is no work undone. */
static void test_exited_comparable(void **state)
{
	struct group_table with, without, other;
	const unsigned stat = 1u << PROCESS_SOURCE_stat, io = 1u << PROCESS_SOURCE_io,
	               taskstats = 1u << PROCESS_SOURCE_taskstats | 1u << PROCESS_SOURCE_schedstat;
	struct group *group;

	(void)state;
	group_table_init(&with, group_by_key(GROUP_KEY_pcomm, false));
	group_table_init(&without, group_by_key(GROUP_KEY_pcomm, false));
	group_table_init(&other, group_by_key(GROUP_KEY_pcomm, false));
	add(&with, (struct member){.tgid = 1,
	                           .tid = 1,
	                           .pcomm = "a",
	                           .comm = "a",
	                           .user = 1,
	                           .syscw = 2,
	                           .totals = true,
	                           .total_user = 51,
	                           .total_syscw = 102});
	add(&without,
	    (struct member){.tgid = 1, .tid = 1, .pcomm = "a", .comm = "a", .user = 1, .syscw = 2});
	add(&other, (struct member){.tgid = 2,
	                            .tid = 2,
	                            .pcomm = "a",
	                            .comm = "a",
	                            .user = 1,
	                            .syscw = 2,
	                            .totals = true,
	                            .total_user = 1,
	                            .total_syscw = 2});
	group_table_finish(&with);
	group_table_finish(&without);
	group_table_finish(&other);
	assert_int_equal(group_comparable_sources(get(&with, "a"), get(&other, "a")), stat | io);
	/* Taskstats are not known of either, and of the same process. */
	assert_int_equal(group_comparable_sources(get(&with, "a"), get(&without, "a")), taskstats);
	group = get(&with, "a");
	group_include_exited(&with, group, stat, io);
	group = get(&with, "a");
	check_cell(group, METRIC_utime_clock_ticks, 51, 1);
	check_cell(group, METRIC_syscw, 2, 1);
	/* All of what was left out, whether anything had been done or not. */
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		unsigned source = process_total_source(i);

		assert_int_equal(group->exited_left_out >> i & 1, (io & 1u << source) != 0);
	}
	group_table_done(&with);
	group_table_done(&without);
	group_table_done(&other);
}

/* That nothing had exited yet is known, and so a zero to compare with; where it is not known, there is none. */
static void test_exited_complete(void **state)
{
	const unsigned stat = 1u << PROCESS_SOURCE_stat;
	struct member known = {.tgid = 1,
	                       .tid = 1,
	                       .pcomm = "a",
	                       .comm = "a",
	                       .user = 10,
	                       .totals = true,
	                       .total_user = 10};
	struct member unknown = {.tgid = 2, .tid = 2, .pcomm = "b", .comm = "b", .user = 10};
	struct member gone = {.tgid = 3, .tid = 3, .pcomm = "c", .comm = "c"};
	struct group_table before, after;
	struct group *group;

	(void)state;
	group_table_init(&before, group_by_key(GROUP_KEY_comm_exact, false));
	group_table_init(&after, group_by_key(GROUP_KEY_comm_exact, false));
	add(&before, known);
	add(&before, unknown);
	group_table_finish(&before);
	known.total_user = 60;
	unknown.totals = gone.totals = true;
	unknown.total_user = gone.total_user = 70;
	add(&after, known);
	add(&after, unknown);
	add(&after, gone);
	group_table_finish(&after);
	assert_null(get(&before, "a (exited threads)"));
	group_table_complete(&before, &after);
	group_table_complete(&after, &before);
	group = get(&before, "a (exited threads)");
	assert_non_null(group);
	assert_true(group_comparable_sources(group, get(&after, "a (exited threads)")) & stat);
	group_include_exited(&before, group, stat, 0);
	group = get(&before, "a (exited threads)");
	check_cell(group, METRIC_utime_clock_ticks, 0, 1);
	assert_int_equal(group->cells[METRIC_minflt].seen, 0);
	group = get(&before, "b (exited threads)");
	assert_non_null(group);
	assert_false(group_comparable_sources(group, get(&after, "b (exited threads)")) & stat);
	group_include_exited(&before, group, 0, stat);
	group = get(&before, "b (exited threads)");
	assert_int_equal(group->cells[METRIC_utime_clock_ticks].seen, 0);
	/* The process was not there. */
	assert_null(get(&before, "c (exited threads)"));
	group_table_done(&before);
	group_table_done(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_exited_in_process),
	        cmocka_unit_test(test_exited_in_cgroup),
	        cmocka_unit_test(test_exited_by_comm),
	        cmocka_unit_test(test_exited_by_comm_rounding),
	        cmocka_unit_test(test_exited_cpu_split),
	        cmocka_unit_test(test_exited_partial),
	        cmocka_unit_test(test_exited_alone_are_covered),
	        cmocka_unit_test(test_total_below_sum),
	        cmocka_unit_test(test_exited_beside_one_without_a_record),
	        cmocka_unit_test(test_exited_run_of_short_threads),
	        cmocka_unit_test(test_exited_without_totals),
	        cmocka_unit_test(test_exited_comparable),
	        cmocka_unit_test(test_exited_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
