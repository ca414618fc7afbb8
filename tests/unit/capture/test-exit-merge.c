// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <unistd.h>

#include "capture/exit-merge.h"
#include "exit-record.h"
#include "random.h"
#include "seen.h"

enum { MS = 1000000, LATE_NS = 7 };

static const struct taskstats_rules rules = {
        .cpu_delay = true, .delays = TASKSTATS_DELAYS_BOOT, .io = true};
static struct exit_merge merge;
static struct exit_log result;
static struct thread_sample sample;

static void begin(bool expects_ends)
{
	exit_log_done(&result);
	exit_merge_init(&merge, &rules, NULL, expects_ends, 0);
}

static int done(void **state)
{
	(void)state;
	exit_log_done(&result);
	sample_done(&sample);
	return 0;
}

/* A record that came at a moment, with a mark to know it by. */
static void add_record(uint32_t tid, uint64_t received_ms, uint64_t life_ms, uint64_t mark)
{
	struct record_appended record;

	record_fill(&record, 16);
	record.ac_pid = tid;
	record.ac_etime = life_ms * 1000;
	record.ac_tgetime = life_ms * 1000 + 250000;
	record.blkio.count = mark;
	exit_merge_add_record(&merge, received_ms * MS, LATE_NS, &record, RECORD_LEN);
}

static void add_end(uint32_t tid, uint64_t born_ms, uint64_t ended_ms, uint64_t run_ns)
{
	const struct thread_end end = {.tid = tid,
	                               .tgid = 77,
	                               .uid = 12,
	                               .kept = THREAD_END_SCHED_INFO | THREAD_END_CHARS |
	                                       THREAD_END_BYTES | THREAD_END_CGROUP |
	                                       THREAD_END_CPU_DELAY | THREAD_END_CPU_DELAY_MAX |
	                                       THREAD_END_CPU_DELAY_MIN,
	                               .policy = 0,
	                               .nice = 5,
	                               .born_boottime_ns = born_ms * MS,
	                               .process_born_boottime_ns = UINT64_C(1500) * MS,
	                               .ended_boottime_ns = ended_ms * MS,
	                               .run_ns = run_ns,
	                               .sampled_user_ns = 1,
	                               .sampled_system_ns = 3,
	                               .voluntary_csw = 101,
	                               .nonvoluntary_csw = 102,
	                               .minflt = 103,
	                               .majflt = 104,
	                               .timeslices = 105,
	                               .wait_ns = 106,
	                               .wait_max_ns = 115,
	                               .wait_min_ns = 116,
	                               .nr_migrations = 107,
	                               .rchar = 108,
	                               .wchar = 109,
	                               .syscr = 110,
	                               .syscw = 111,
	                               .read_bytes = 112,
	                               .write_bytes = 113,
	                               .cancelled_write_bytes = 114,
	                               .comm = "last name",
	                               .pcomm = "sixteen letters "};

	exit_merge_add_end(&merge, &end);
}

static const struct exit_note *row(uint32_t number)
{
	assert_true(number < result.records.count);
	thread_store_get(&result.records, number, &sample);
	return &result.notes[number];
}

/* A log has rows up to its limit. The next log begins empty, with the same limit. */
static void test_full(void **state)
{
	enum { RECORDS = 4000, LIMIT = 1 << 16 };
	uint64_t bytes;

	(void)state;
	exit_log_done(&result);
	exit_merge_init(&merge, &rules, NULL, false, LIMIT);
	for (unsigned split = 0; split < 2; split++) {
		for (uint32_t i = 0; i < RECORDS; i++)
			add_record(i + 1, 7000 + i, 5000, i);
		exit_log_done(&result);
		exit_merge_split(&merge, 0, &result);
		bytes = thread_store_bytes(&result.records) +
		        result.records.count * sizeof(result.notes[0]);
		assert_true(bytes >= LIMIT && bytes < LIMIT + LIMIT / 4);
		assert_int_equal(result.received, RECORDS);
		assert_int_equal(result.records.count + result.overruns, RECORDS);
		assert_true(result.records.count > LIMIT / 400);
	}
	exit_log_done(&result);
	exit_merge_finish(&merge, &result);
	assert_int_equal(result.records.count, 0);
	assert_int_equal(result.overruns, 0);
}

static void test_record_alone(void **state)
{
	const struct exit_note *note;

	(void)state;
	begin(false);
	add_record(5, 7000, 5000, 1);
	assert_int_equal(merge.log.records.count, 1);
	exit_merge_add_record(&merge, 1, LATE_NS, "nonsense", 8);
	add_record(6, 7000, 8000, 1); /* older than the clock */
	exit_merge_finish(&merge, &result);
	assert_int_equal(result.received, 2);
	assert_int_equal(result.ends, 0);
	assert_int_equal(result.records.count, 2);
	note = row(0);
	assert_int_equal(note->born_boottime_ns, UINT64_C(2000) * MS);
	assert_int_equal(note->exited_boottime_ns, UINT64_C(7000) * MS);
	assert_true(note->has_tgid);
	assert_false(note->is_complete);
	assert_true(note->has_cpu_time);
	assert_int_equal(note->user_ns + note->system_ns, 400000001);
	assert_int_equal(sample.tid, 5);
	assert_int_equal(sample.tgid, RECORD_TGID);
	assert_int_equal(sample.start_time_clock_ticks, 2 * sysconf(_SC_CLK_TCK));
	assert_int_equal(sample.life_ns, UINT64_C(5000) * MS);
	assert_int_equal(note->process_born_boottime_ns, UINT64_C(1750) * MS);
	assert_int_equal(sample_process_start(&sample), 175 * sysconf(_SC_CLK_TCK) / 100);
	assert_seen(&sample, minflt, 41);
	assert_int_equal(row(1)->born_boottime_ns, 0);
	assert_int_equal(row(1)->process_born_boottime_ns, 0);
	assert_int_equal(sample_process_start(&sample), PROCESS_START_UNKNOWN);
}

static void check_values_of_end(void)
{
	assert_seen(&sample, run_time_ns, 1000);
	assert_seen(&sample, voluntary_csw, 101);
	assert_seen(&sample, nonvoluntary_csw, 102);
	assert_seen(&sample, minflt, 103);
	assert_seen(&sample, majflt, 104);
	assert_seen(&sample, timeslices, 105);
	assert_seen(&sample, wait_time_ns, 106);
	assert_seen(&sample, cpu_delay_count, 105);
	assert_seen(&sample, cpu_delay_total_ns, 106);
	assert_seen(&sample, cpu_delay_max_ns, 115);
	assert_seen(&sample, cpu_delay_min_ns, 116);
	assert_seen(&sample, nr_migrations, 107);
	assert_seen(&sample, rchar, 108);
	assert_seen(&sample, wchar, 109);
	assert_seen(&sample, syscr, 110);
	assert_seen(&sample, syscw, 111);
	assert_seen(&sample, read_bytes, 112);
	assert_seen(&sample, write_bytes, 113);
	assert_seen(&sample, cancelled_write_bytes, 114);
	assert_seen(&sample, nice, 5);
	assert_string_equal(sample_value(&sample, METRIC_policy), "SCHED_OTHER");
	assert_text(&sample.comm, "last name");
	assert_text(&sample.pcomm, "sixteen letters ");
	assert_int_equal(sample.uid, 12);
	assert_int_equal(sample.tgid, 77);
	assert_int_equal(sample_process_start(&sample), 15 * sysconf(_SC_CLK_TCK) / 10);
	assert_false(sample.has_cgroup);
}

static void test_record_and_end(void **state)
{
	const struct exit_note *note;

	(void)state;
	begin(true);
	add_record(5, 7010, 4999, 55);
	assert_int_equal(merge.waiting, 1);
	add_end(5, 2005, 7005, 1000);
	exit_merge_match(&merge, UINT64_MAX);
	assert_int_equal(merge.waiting, 0);
	add_end(6, 2005, 7005, 1000);
	exit_merge_finish(&merge, &result);
	assert_int_equal(result.records.count, 2);
	assert_int_equal(result.ends, 2);
	assert_int_equal(result.received, 1);
	for (uint32_t i = 0; i < 2; i++) {
		note = row(i);
		assert_true(note->is_complete && note->has_tgid && note->has_cpu_time);
		assert_int_equal(note->born_boottime_ns, UINT64_C(2005) * MS);
		assert_int_equal(note->exited_boottime_ns, UINT64_C(7005) * MS);
		assert_int_equal(note->user_ns, 250);
		assert_int_equal(note->system_ns, 750);
		assert_int_equal(sample.life_ns, UINT64_C(5000) * MS);
		check_values_of_end();
	}
	/* Only the record knows of other delays than those waiting for a CPU. */
	(void)row(0);
	assert_seen(&sample, blkio_delay_count, 55);
	assert_int_equal(sample.outcomes[SOURCE_taskstats], OUTCOME_read);
	(void)row(1);
	assert_unseen(&sample, blkio_delay_count);
}

/* Delay accounting is switched on while the listening goes on. */
static void test_other_rules(void **state)
{
	const struct taskstats_rules off = {.delays = TASKSTATS_DELAYS_OFF},
	                             later = {.delays = TASKSTATS_DELAYS_LATER};

	(void)state;
	begin(false);
	exit_merge_set_rules(&merge, &off);
	add_record(9, 7000, 1000, 55);
	exit_merge_set_rules(&merge, &later);
	add_record(10, 7000, 1000, 55);
	exit_merge_finish(&merge, &result);
	assert_int_equal(result.records.count, 2);
	(void)row(0);
	assert_unseen(&sample, blkio_delay_count);
	(void)row(1);
	assert_seen(&sample, blkio_delay_count, 55);
}

/* registry/exits.def has those metrics that records, and records with ends, have values of. */
static void check_parts(enum window_exits exits)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;
		enum exit_part part = exit_part_of(metric, exits);

		if (metric == METRIC_thread_count || metric == METRIC_lived_ns ||
		    metric == METRIC_utime_clock_ticks || metric == METRIC_stime_clock_ticks)
			assert_int_not_equal(part, EXIT_PART_NOTHING);
		else if (metric_table[i].source == SOURCE_taskstats)
			assert_int_not_equal(part, EXIT_PART_NOTHING);
		else
			assert_int_equal(metric_set_has(&sample.seen, metric),
			                 part != EXIT_PART_NOTHING);
	}
}

static void test_parts(void **state)
{
	struct record_appended record;

	(void)state;
	begin(false);
	add_record(5, 7000, 5000, 1);
	record_fill(&record, 16);
	record.ac_utime = record.ac_stime = 1000;
	record.cpu_run_virtual_total = 2000000;
	exit_merge_add_record(&merge, UINT64_C(8000) * MS, LATE_NS, &record, RECORD_LEN);
	exit_merge_finish(&merge, &result);
	assert_true(row(0)->has_cpu_time);
	check_parts(WINDOW_EXITS_recorded);
	/* The record of a short life has part of the values. */
	assert_false(row(1)->has_cpu_time);
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_table[i].source != SOURCE_synthetic &&
		    exit_part_of((enum metric_id)i, WINDOW_EXITS_recorded) == EXIT_PART_WHOLE &&
		    metric_table[i].source != SOURCE_taskstats)
			assert_true(metric_set_has(&sample.seen, (enum metric_id)i));
	begin(true);
	add_record(5, 7010, 4999, 55);
	add_end(5, 2005, 7005, 1000);
	exit_merge_finish(&merge, &result);
	assert_true(row(0)->has_cpu_time);
	check_parts(WINDOW_EXITS_completed);
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		assert_int_equal(exit_part_of((enum metric_id)i, WINDOW_EXITS_denied),
		                 EXIT_PART_NOTHING);
		assert_true(exit_part_of((enum metric_id)i, WINDOW_EXITS_recorded) <=
		            exit_part_of((enum metric_id)i, WINDOW_EXITS_completed));
	}
}

/* A value that the kernel does not keep is not zero. */
static void test_end_without_gates(void **state)
{
	const struct thread_end end = {.tid = 5, .tgid = 5, .run_ns = 1};
	const struct taskstats_rules none = {.delays = TASKSTATS_DELAYS_OFF};

	(void)state;
	begin(true);
	exit_merge_add_end(&merge, &end);
	exit_merge_finish(&merge, &result);
	(void)row(0);
	assert_seen(&sample, run_time_ns, 1);
	assert_unseen(&sample, timeslices);
	assert_unseen(&sample, wait_time_ns);
	assert_unseen(&sample, rchar);
	assert_unseen(&sample, syscw);
	assert_unseen(&sample, read_bytes);
	assert_int_equal(sample.pcomm.len, 0);
	/* Without delay accounting no counter is one of delays. */
	begin(true);
	exit_merge_set_rules(&merge, &none);
	add_end(5, 2005, 7005, 1000);
	exit_merge_finish(&merge, &result);
	(void)row(0);
	assert_unseen(&sample, cpu_delay_count);
	assert_unseen(&sample, cpu_delay_total_ns);
	assert_unseen(&sample, cpu_delay_max_ns);
	assert_unseen(&sample, cpu_delay_min_ns);
}

/* Lives that are so short that several are heard of at once, and that a record looks possible for any of them: they come
 * in one order. */
static void test_reused_tid_at_once(void **state)
{
	(void)state;
	begin(true);
	add_record(9, 1010, 3, 1);
	add_record(9, 1010, 5, 2);
	add_record(9, 1010, 4, 3);
	add_end(9, 1000, 1003, 11);
	add_end(9, 1003, 1008, 22);
	exit_merge_match(&merge, UINT64_MAX);
	add_end(9, 1008, 1012, 33);
	exit_merge_finish(&merge, &result);
	assert_int_equal(result.ends, 3);
	assert_int_equal(result.records.count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		(void)row(i);
		assert_seen(&sample, run_time_ns, 11 * (i + 1));
		assert_seen(&sample, blkio_delay_count, i + 1);
	}
}

/* The same tid three times: each end has the record of its own life. */
static void test_reused_tid(void **state)
{
	(void)state;
	begin(true);
	add_record(9, 1000, 900, 1);
	add_record(9, 2000, 500, 2);
	add_record(9, 3000, 1, 3);
	add_end(9, 100, 1001, 11);
	add_end(9, 1499, 2001, 22);
	add_end(9, 2999, 3001, 33);
	exit_merge_finish(&merge, &result);
	assert_int_equal(result.records.count, 3);
	assert_int_equal(result.ends, 3);
	for (uint32_t i = 0; i < 3; i++) {
		(void)row(i);
		assert_seen(&sample, run_time_ns, 11 * (i + 1));
		assert_seen(&sample, blkio_delay_count, i + 1);
	}
}

/* A thread has executed a program, and the old leader has its id at the last switch, or not yet. Its birth is that of the process. */
static void test_exchanged_tid(void **state)
{
	(void)state;
	for (uint32_t tid = 77; tid < 79; tid++) {
		begin(true);
		add_record(77, 3000, 1500, 1);
		add_record(77, 9000, 7500, 2);
		add_end(tid, 1500, 3001, 1000);
		add_end(77, 1500, 9001, 2000);
		exit_merge_finish(&merge, &result);
		assert_int_equal(result.records.count, 2);
		for (uint32_t i = 0; i < 2; i++) {
			assert_true(row(i)->is_complete);
			assert_int_equal(sample.tid, 77);
			assert_seen(&sample, run_time_ns, 1000 * (i + 1));
			assert_seen(&sample, blkio_delay_count, i + 1);
		}
	}
}

/* A record whose end was lost is not given to the next thread of that tid. */
static void test_lost_end(void **state)
{
	(void)state;
	begin(true);
	/* These leave room behind them, the last one first. */
	add_record(1, 500, 100, 7);
	add_record(2, 500, 100, 7);
	add_end(1, 400, 500, 11);
	add_end(2, 400, 500, 11);
	exit_merge_match(&merge, UINT64_MAX);
	add_record(9, 1000, 100, 1);
	add_end(9, 1500, 9000, 22);
	exit_merge_match(&merge, UINT64_MAX);
	assert_int_equal(merge.waiting, 1);
	/* Nor is one of a longer life than this. */
	add_record(10, 5000, 4000, 2);
	add_end(10, 4000, 5000, 33);
	exit_merge_finish(&merge, &result);
	assert_int_equal(result.records.count, 6);
	assert_int_equal(result.ends, 4);
	(void)row(2);
	assert_unseen(&sample, blkio_delay_count);
	(void)row(3);
	assert_unseen(&sample, blkio_delay_count);
	/* Those that are left over, in the order in which they came. */
	assert_false(row(4)->is_complete);
	assert_seen(&sample, blkio_delay_count, 1);
	assert_false(row(5)->is_complete);
	assert_seen(&sample, blkio_delay_count, 2);
}

static void test_clocks_apart(void **state)
{
	(void)state;
	begin(true);
	add_record(9, 1000, 101, 1); /* its clock was read a little earlier */
	add_end(9, 900, 1000, 22);
	exit_merge_finish(&merge, &result);
	assert_int_equal(result.records.count, 1);
}

static void test_until(void **state)
{
	(void)state;
	begin(true);
	add_record(1, 1000, 100, 1);
	add_end(1, 900, 2000, 11);
	add_end(2, 900, 2000, 22);
	add_end(3, 900, 1500, 33);
	exit_merge_match(&merge, UINT64_C(1500) * MS);
	exit_merge_finish(&merge, &result);
	assert_int_equal(result.records.count, 2);
	(void)row(0);
	assert_int_equal(sample.tid, 1);
	(void)row(1);
	assert_int_equal(sample.tid, 3);
}

/* Ends in another order than records, a tenth of them missing on each side. */
static void test_many(void **state)
{
	enum { MANY = 20000 };
	static uint32_t order[MANY];
	struct random random = random_start(1, 0);
	uint32_t both = 0, rows = 0;

	(void)state;
	begin(true);
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t other = (uint32_t)random_below(&random, i + 1);

		order[i] = order[other];
		order[other] = i;
	}
	for (uint32_t i = 0; i < MANY; i++)
		if (i % 10 != 0)
			add_record(i + 1, 5000 + i, 100, i);
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t tid = order[i];

		if (tid % 10 != 1)
			add_end(tid + 1, 4900 + tid, 5001 + tid, tid);
		if (i % 1000 == 0)
			exit_merge_match(&merge, UINT64_MAX);
	}
	exit_merge_finish(&merge, &result);
	assert_int_equal(result.records.count, MANY);
	assert_int_equal(result.received, MANY / 10 * 9);
	assert_int_equal(result.ends, MANY / 10 * 9);
	for (uint32_t i = 0; i < result.records.count; i++, rows++) {
		bool complete = row(i)->is_complete;

		if (complete)
			assert_seen(&sample, run_time_ns, sample.tid - 1);
		if ((sample.tid - 1) % 10 != 0)
			assert_seen(&sample, blkio_delay_count, sample.tid - 1);
		both += complete && metric_set_has(&sample.seen, METRIC_blkio_delay_count);
	}
	assert_int_equal(both, MANY / 10 * 8);
}

static void test_cpu_time(void **state)
{
	static const struct {
		struct thread_end end;
		uint64_t user, system;
	} cases[] = {
	        {{.run_ns = 1000}, 1000, 0},
	        {{.run_ns = 1000, .sampled_user_ns = 4000000}, 1000, 0},
	        {{.run_ns = 1000, .sampled_system_ns = 4000000}, 0, 1000},
	        {{.run_ns = 1000, .sampled_user_ns = 1, .sampled_system_ns = 2}, 334, 666},
	        {{.run_ns = UINT64_MAX,
	          .sampled_user_ns = UINT64_MAX,
	          .sampled_system_ns = UINT64_MAX},
	         UINT64_MAX / 2 + 1,
	         UINT64_MAX / 2},
	        /* A number that was shown before does not fall. */
	        {{.run_ns = 1000, .prev_system_ns = 400}, 600, 400},
	        {{.run_ns = 1000, .sampled_system_ns = 1, .prev_user_ns = 300}, 300, 700},
	        {{.run_ns = 1000, .prev_system_ns = 4000}, 0, 1000},
	        {{.run_ns = 1000, .sampled_system_ns = 1, .prev_user_ns = 4000}, 0, 1000},
	        {{.run_ns = 0}, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t user, system;

		thread_end_cpu_time(&cases[i].end, &user, &system);
		assert_int_equal(user, cases[i].user);
		assert_int_equal(system, cases[i].system);
	}
}

/* The log is taken while records wait: they stay, and are in the log of their ends. */
static void test_take(void **state)
{
	(void)state;
	begin(true);
	add_record(5, 7000, 5000, 1);
	add_record(6, 7100, 5000, 1);
	add_end(6, 2100, 7101, 1000);
	exit_merge_match(&merge, UINT64_MAX);
	assert_true(exit_merge_waits(&merge, UINT64_C(7000) * MS));
	assert_false(exit_merge_waits(&merge, UINT64_C(6999) * MS));
	exit_merge_split(&merge, UINT64_C(7000) * MS, &result);
	assert_int_equal(result.received, 2);
	assert_int_equal(result.ends, 1);
	assert_int_equal(result.records.count, 1);
	row(0);
	assert_int_equal(sample.tid, 6);
	exit_log_done(&result);
	/* A later record of the same id does not come first. */
	add_record(5, 7300, 100, 2);
	add_end(5, 2000, 7200, 1000);
	exit_merge_match(&merge, UINT64_MAX);
	exit_merge_split(&merge, 0, &result);
	assert_int_equal(result.received, 1);
	assert_int_equal(result.records.count, 1);
	assert_int_equal(row(0)->exited_boottime_ns, UINT64_C(7200) * MS);
	exit_log_done(&result);
	/* An end that never comes. */
	exit_merge_split(&merge, UINT64_C(70000) * MS, &result);
	assert_int_equal(result.records.count, 1);
	assert_false(row(0)->is_complete);
	assert_false(exit_merge_waits(&merge, UINT64_MAX));
	exit_log_done(&result);
	exit_merge_finish(&merge, &result);
	assert_int_equal(result.records.count, 0);
}

/* Records of threads that no end is wanted of: those from before a moment are forgotten, and a later one keeps its place. */
static void test_drop(void **state)
{
	(void)state;
	begin(true);
	add_record(5, 7000, 5000, 1);
	add_record(6, 7100, 5000, 2);
	add_record(5, 7200, 100, 3);
	exit_merge_drop(&merge, UINT64_C(7100) * MS);
	assert_int_equal(merge.waiting, 2);
	add_end(5, 7100, 7201, 1000);
	exit_merge_match(&merge, UINT64_MAX);
	exit_merge_drop(&merge, UINT64_MAX);
	exit_merge_finish(&merge, &result);
	assert_int_equal(result.records.count, 1);
	assert_true(row(0)->is_complete);
	assert_int_equal(sample.blkio_delay_count.v, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_record_alone),
	        cmocka_unit_test(test_record_and_end),
	        cmocka_unit_test(test_other_rules),
	        cmocka_unit_test(test_parts),
	        cmocka_unit_test(test_end_without_gates),
	        cmocka_unit_test(test_reused_tid),
	        cmocka_unit_test(test_reused_tid_at_once),
	        cmocka_unit_test(test_lost_end),
	        cmocka_unit_test(test_clocks_apart),
	        cmocka_unit_test(test_until),
	        cmocka_unit_test(test_many),
	        cmocka_unit_test(test_cpu_time),
	        cmocka_unit_test(test_take),
	        cmocka_unit_test(test_full),
	        cmocka_unit_test(test_drop),
	        cmocka_unit_test(test_exchanged_tid),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
