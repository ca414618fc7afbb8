// SPDX-License-Identifier: GPL-2.0-or-later
/* The ticks of exited threads that have no other witness. */
#include "base/mem.h"
#include "check.h"

#include "groups.h"
#include "samples.h"

#define NO_TOTALS UINT64_MAX

enum { BUSY = 2, IDLE = 40, TICK_NS = 10000000 };

/* Adds a thread of the process @name, and the process's ticks with it. */
static void add(struct group_table *table, const char *name, uint32_t tid, enum window_part part,
                uint64_t ticks, uint64_t run_ns, uint64_t total_ticks)
{
	struct thread_sample sample = {0};

	sample_reset(&sample);
	sample.tid = tid;
	sample.tgid = (uint32_t)name[0];
	sample.start_time_clock_ticks = 7;
	sample.window_part = part;
	sample_name(&sample.pcomm, name);
	sample_name(&sample.comm, name);
	sample_set(&sample, utime_clock_ticks, (struct counter_ticks){ticks});
	sample_set(&sample, stime_clock_ticks, (struct counter_ticks){0});
	sample_set(&sample, syscw, (struct counter_count){1});
	sample_set(&sample, run_time_ns, (struct counter_ns){run_ns});
	if (total_ticks != NO_TOTALS) {
		sample.has_process_totals = true;
		sample.process_totals_seen = 1u << PROCESS_TOTAL_utime_clock_ticks |
		                             1u << PROCESS_TOTAL_stime_clock_ticks |
		                             1u << PROCESS_TOTAL_syscw;
		sample.process_totals[PROCESS_TOTAL_utime_clock_ticks] = total_ticks;
	}
	group_table_add(table, &sample);
	sample_done(&sample);
}

/* Adds a process of two busy threads and many that did next to nothing, all of which lost @rounded_ns in rounding, and exited threads
 * that ran for @exited ticks. The totals of taskstats were not to be read. */
static void add_pool(struct group_table *table, enum window_part part, uint64_t rounded_ns,
                     uint64_t exited)
{
	for (uint32_t i = 0; i < BUSY + IDLE; i++) {
		uint64_t ticks = i < BUSY ? 50 : 0;

		add(table, "a", i + 1, part, ticks, ticks * TICK_NS + rounded_ns / (BUSY + IDLE),
		    i == 0 ? 100 + exited : NO_TOTALS);
	}
}

/* Returns what the ticks of the pool's process have more than its threads ran; up to two ticks may be rounding. */
static uint64_t exited_run_ns(uint64_t rounded_ns, uint64_t exited)
{
	uint64_t ran_ns = rounded_ns / (BUSY + IDLE) * (BUSY + IDLE), ns = exited * TICK_NS;

	return ns > ran_ns + 2 * TICK_NS ? ns - ran_ns : 0;
}

/* Ticks are witnesses of exited threads as far as they are not rounded off in the living: these lose no more than they ran, and in
 * lifetimes the very rest of it. */
static void test_exited_unseen(void **state)
{
	static const struct {
		enum window_part part;
		uint64_t rounded_ns, exited;
		bool unseen;
	} cases[] = {
	        {WINDOW_PART_NONE, 4200000, 70, true},
	        {WINDOW_PART_NONE, 4200000, 1, true},
	        {WINDOW_PART_NONE, 4200000, 0, false},
	        /* 42 threads of which each lacks a tick and a half. */
	        {WINDOW_PART_NONE, 630000000, 60, false},
	        {WINDOW_PART_NONE, 630000000, 64, true},
	        {WINDOW_PART_continued, 4200000, 70, true},
	        {WINDOW_PART_continued, 4200000, 6, false},
	        {WINDOW_PART_continued, 630000000, 64, false},
	};
	const uint32_t taskstats = 1u << PROCESS_SOURCE_taskstats;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct group_table table;
		struct group *into = mem_calloc(1, sizeof(*into));

		group_table_init(&table, group_by_key(GROUP_KEY_pcomm, false));
		add_pool(&table, cases[i].part, cases[i].rounded_ns, cases[i].exited);
		add(&table, "b", 100, cases[i].part, 0, 0, 0);
		group_table_finish(&table);
		assert_int_equal(table_group(&table, "a")->exited_unseen & taskstats,
		                 cases[i].unseen ? taskstats : 0);
		assert_int_equal(
		        table_group(&table, "a")->exited_unseen & 1u << PROCESS_SOURCE_stat, 0);
		assert_int_equal(table_group(&table, "a")->exited_unseen & 1u << PROCESS_SOURCE_io,
		                 0);
		assert_int_equal(table_group(&table, "b")->exited_unseen, 0);
		assert_int_equal(table_group(&table, "a")->exited_run_ns,
		                 exited_run_ns(cases[i].rounded_ns, cases[i].exited));
		group_merge(into, table_group(&table, "a"), 0);
		assert_int_equal(into->exited_run_ns, table_group(&table, "a")->exited_run_ns);
		assert_int_equal(into->exited_unseen, table_group(&table, "a")->exited_unseen);
		group_free(into, 0);
		group_table_done(&table);
		/* Under names of threads they are a group, or nothing. */
		group_table_init(&table, group_by_key(GROUP_KEY_comm, false));
		add_pool(&table, cases[i].part, cases[i].rounded_ns, cases[i].exited);
		group_table_finish(&table);
		for (size_t g = 0; g < table.map.count; g++)
			group_include_exited(&table, table.map.entries[g].value,
			                     (1u << PROCESS_SOURCE_COUNT) - 1, 0);
		assert_int_equal(table_group(&table, "a (exited threads)") != NULL,
		                 cases[i].unseen);
		assert_int_equal(table_group(&table, "a")->exited_unseen, 0);
		if (cases[i].unseen) {
			uint64_t rounded = cases[i].part == WINDOW_PART_NONE
			                           ? cases[i].rounded_ns / 10000000
			                           : 0;

			/* The rounding of the living is in no row. */
			assert_int_equal(table_group(&table, "a (exited threads)")
			                         ->cells[METRIC_utime_clock_ticks]
			                         .number,
			                 cases[i].exited - rounded);
		}
		group_table_done(&table);
	}
}

/* The run time of a process is a witness, too, but for a tick: in a window it is read before its threads. */
static void test_run_time_shows(void **state)
{
	const uint64_t remainders_ns[] = {0, TICK_NS, TICK_NS + 1};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(remainders_ns); i++) {
		struct thread_sample sample = {0};
		struct group_table table;

		sample_reset(&sample);
		sample.tid = sample.tgid = 1;
		sample.window_part = WINDOW_PART_continued;
		sample_name(&sample.pcomm, "a");
		sample_set(&sample, run_time_ns, (struct counter_ns){50});
		sample.has_process_totals = true;
		sample.process_totals_seen = 1u << PROCESS_TOTAL_run_time_ns;
		sample.process_totals[PROCESS_TOTAL_run_time_ns] = 50 + remainders_ns[i];
		group_table_init(&table, group_by_key(GROUP_KEY_pcomm, false));
		group_table_add(&table, &sample);
		group_table_finish(&table);
		assert_int_equal(table_group(&table, "a")->exited_unseen,
		                 remainders_ns[i] > TICK_NS
		                         ? GROUP_EXITED_RAN | 1u << PROCESS_SOURCE_io |
		                                   1u << PROCESS_SOURCE_taskstats
		                         : 0);
		/* It has the work, and needs no ticks for it. */
		assert_int_equal(table_group(&table, "a")->exited_run_ns, 0);
		group_table_done(&table);
		sample_done(&sample);
	}
}

/* So is the count of waits for a CPU, which short threads have as well, but for a few and a hundredth. BPF reads the total and the threads
 * together. */
static void test_waits_for_cpu_show(void **state)
{
	static const struct {
		uint64_t total, exited;
		const char *source;
		bool shown;
	} cases[] = {{1, 0, "procfs", false},      {10, 4, "procfs", false},
	             {10, 5, "procfs", true},      {10000, 104, "procfs", false},
	             {10000, 105, "procfs", true}, {1, 0, "bpf", false},
	             {10000, 1, "bpf", true},      {10, 4, NULL, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct thread_sample sample = {0};
		cleanup_(host_done) struct host host = {0};
		struct group_table table;

		if (cases[i].source)
			host_set_text(&host, HOST_source, cases[i].source, strlen(cases[i].source));
		sample_reset(&sample);
		sample.tid = sample.tgid = 1;
		sample.window_part = WINDOW_PART_continued;
		sample_name(&sample.pcomm, "a");
		sample_set(&sample, cpu_delay_count,
		           (struct counter_count){cases[i].total - cases[i].exited});
		sample.has_process_totals = true;
		sample.process_totals_seen = 1u << PROCESS_TOTAL_cpu_delay_count;
		sample.process_totals[PROCESS_TOTAL_cpu_delay_count] = cases[i].total;
		group_table_init(&table, group_by_key(GROUP_KEY_pcomm, false));
		table.host = &host;
		group_table_add(&table, &sample);
		group_table_finish(&table);
		assert_int_equal(table_group(&table, "a")->exited_unseen,
		                 cases[i].shown ? GROUP_EXITED_RAN | 1u << PROCESS_SOURCE_io |
		                                          1u << PROCESS_SOURCE_schedstat
		                                : 0);
		group_table_done(&table);
		sample_done(&sample);
	}
}

/* Totals lack them wherever they are not known; rows do so in a lifetime, and in a window if the ends of threads are not known, or not
 * all. */
static void test_lacks(void **state)
{
	static const struct {
		uint32_t left_out, unseen;
		enum snapshot_kind kind;
		enum window_exits exits;
		bool run_time, syscw, voluntary_csw;
		uint64_t missed;
		bool missed_unknown;
	} cases[] = {
	        {0, 0, KIND_window, WINDOW_EXITS_off, false, false, false, 0, false},
	        {0, GROUP_EXITED_RAN, KIND_window, WINDOW_EXITS_off, false, false, true, 0, false},
	        {0, GROUP_EXITED_RAN, KIND_window, WINDOW_EXITS_denied, false, false, true, 0,
	         false},
	        {0, GROUP_EXITED_RAN, KIND_window, WINDOW_EXITS_recorded, false, false, false, 0,
	         false},
	        {0, GROUP_EXITED_RAN, KIND_window, WINDOW_EXITS_completed, false, false, false, 0,
	         false},
	        {0, GROUP_EXITED_RAN, KIND_window, WINDOW_EXITS_recorded, false, false, true, 1,
	         false},
	        {0, GROUP_EXITED_RAN, KIND_window, WINDOW_EXITS_recorded, false, false, true, 0,
	         true},
	        {0, 0, KIND_window, WINDOW_EXITS_recorded, false, false, false, 1, false},
	        {0, GROUP_EXITED_RAN, KIND_lifetime, WINDOW_EXITS_off, false, false, true, 0,
	         false},
	        {0, 0, KIND_lifetime, WINDOW_EXITS_off, false, false, false, 0, false},
	        {0, 1u << PROCESS_SOURCE_schedstat, KIND_lifetime, WINDOW_EXITS_off, true, false,
	         false, 0, false},
	        {1u << PROCESS_TOTAL_syscw, 0, KIND_lifetime, WINDOW_EXITS_off, false, true, false,
	         0, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct group group = {.exited_left_out = cases[i].left_out,
		                      .exited_unseen = cases[i].unseen};
		struct derive_frame frame = {.kind = cases[i].kind,
		                             .exits = cases[i].exits,
		                             .missed = cases[i].missed,
		                             .missed_known = !cases[i].missed_unknown};

		assert_int_equal(group_lacks_exited(&group, &frame, METRIC_run_time_ns),
		                 cases[i].run_time);
		assert_int_equal(group_lacks_exited(&group, &frame, METRIC_syscw), cases[i].syscw);
		assert_int_equal(group_lacks_exited(&group, &frame, METRIC_voluntary_csw),
		                 cases[i].voluntary_csw);
		assert_int_equal(group_lacks_exited(&group, &frame, METRIC_lived_ns),
		                 cases[i].voluntary_csw);
		assert_false(group_lacks_exited(&group, &frame, METRIC_nice));
	}
}

/* Two processes of one name, whose exited threads have a name together: it lacks those of a process whose totals are not known. */
static void test_lacks_of_one(void **state)
{
	const uint32_t run = 1u << PROCESS_TOTAL_run_time_ns,
	               ticks = 1u << PROCESS_TOTAL_utime_clock_ticks;

	(void)state;
	for (unsigned first_lacks = 0; first_lacks < 2; first_lacks++)
		for (unsigned lacking = 0; lacking < 4; lacking++) {
			struct group_table table;
			const struct group *exited;

			group_table_init(&table, group_by_key(GROUP_KEY_comm, false));
			for (unsigned process = 0; process < 2; process++) {
				struct thread_sample sample = {0};

				sample_reset(&sample);
				sample.tid = sample.tgid = process + 1;
				sample.start_time_clock_ticks = 7;
				sample_name(&sample.pcomm, "x");
				sample_name(&sample.comm, "x");
				if (lacking != 1 || process == first_lacks)
					sample_set(&sample, run_time_ns, (struct counter_ns){1});
				if (lacking != 2 || process == first_lacks)
					sample_set(&sample, utime_clock_ticks,
					           (struct counter_ticks){0});
				sample_set(&sample, stime_clock_ticks, (struct counter_ticks){0});
				sample.has_process_totals = true;
				sample.process_totals_seen = 1u << PROCESS_TOTAL_utime_clock_ticks |
				                             1u << PROCESS_TOTAL_stime_clock_ticks |
				                             1u << PROCESS_TOTAL_run_time_ns;
				/* The ticks may have more than the run time. */
				sample.process_totals[PROCESS_TOTAL_utime_clock_ticks] =
				        lacking == 3 && process == first_lacks ? 130 : 60;
				sample.process_totals[PROCESS_TOTAL_run_time_ns] = 600000000;
				group_table_add(&table, &sample);
				sample_done(&sample);
			}
			group_table_finish(&table);
			exited = table_group(&table, "x (exited threads)");
			assert_non_null(exited);
			assert_int_equal(exited->exited_left_out & (run | ticks),
			                 lacking == 2   ? ticks
			                 : lacking != 0 ? run
			                                : 0);
			group_table_done(&table);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_exited_unseen),      cmocka_unit_test(test_run_time_shows),
	        cmocka_unit_test(test_waits_for_cpu_show), cmocka_unit_test(test_lacks),
	        cmocka_unit_test(test_lacks_of_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
