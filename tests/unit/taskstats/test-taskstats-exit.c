// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "exit-record.h"
#include "seen.h"
#include "taskstats/taskstats.h"

static const struct taskstats_rules all = {
        .cpu_delay = true, .delays = TASKSTATS_DELAYS_BOOT, .io = true};
static struct thread_sample sample;
static struct taskstats_exit known;

static int done(void **state)
{
	(void)state;
	sample_done(&sample);
	return 0;
}

static enum source_outcome parse(const void *record, size_t len,
                                 const struct taskstats_rules *rules)
{
	char *bytes = exact_copy(record, len);
	enum source_outcome outcome;

	sample_reset(&sample);
	outcome = taskstats_parse_exit(bytes, len, rules, &sample, &known);
	free(bytes);
	return outcome;
}

static void check_whole(bool has_tgid)
{
	assert_int_equal(sample.tid, RECORD_TID);
	assert_int_equal(known.has_tgid, has_tgid);
	assert_int_equal(sample.tgid, has_tgid ? RECORD_TGID : RECORD_TID);
	assert_text(&sample.comm, "some name");
	assert_true(sample.has_uid);
	assert_int_equal(sample.uid, 1000);
	assert_int_equal(sample.life_ns, UINT64_C(5000000000));
	assert_seen(&sample, nice, -7);
	assert_true(metric_set_has(&sample.seen, METRIC_policy));
	assert_string_equal(sample_value(&sample, METRIC_policy), "SCHED_BATCH");
	assert_seen(&sample, minflt, 41);
	assert_seen(&sample, majflt, 42);
	assert_seen(&sample, read_bytes, 44);
	assert_seen(&sample, write_bytes, 45);
	assert_seen(&sample, cancelled_write_bytes, 46);
	assert_seen(&sample, voluntary_csw, 48); /* with the last one */
	assert_seen(&sample, nonvoluntary_csw, 48);
	assert_seen(&sample, timeslices, 31);
	assert_seen(&sample, wait_time_ns, 32000);
	assert_seen(&sample, run_time_ns, 400000001);
	assert_seen(&sample, blkio_delay_count, 33);
	assert_seen(&sample, hiwater_vm_bytes, 43 * 1024);
	assert_unseen(&sample, rchar);
	assert_unseen(&sample, wchar);
	assert_unseen(&sample, syscr);
	assert_unseen(&sample, syscw);
	assert_unseen(&sample, utime_clock_ticks);
	assert_true(known.has_cpu_time);
	assert_int_equal(known.system_ns, 300000000);
	assert_int_equal(known.user_ns, 100000001);
}

/* The record's structures are those of tests/unit/exit-record.h. */
static void check_facts(bool has_btime64)
{
	static const uint64_t expected[EXIT_FACT_COUNT] = {
	        [EXIT_FACT_exit_code] = 768,
	        [EXIT_FACT_flags] = 0x12,
	        [EXIT_FACT_uid] = 1000,
	        [EXIT_FACT_gid] = 1001,
	        [EXIT_FACT_ppid] = 1,
	        [EXIT_FACT_elapsed_ns] = UINT64_C(5000000000),
	        [EXIT_FACT_user_ns] = 100000000,
	        [EXIT_FACT_system_ns] = 300000000,
	        [EXIT_FACT_user_scaled_ns] = 53000,
	        [EXIT_FACT_system_scaled_ns] = 54000,
	        [EXIT_FACT_cpu_run_real_total_ns] = 56,
	        [EXIT_FACT_cpu_run_virtual_total_ns] = 400000001,
	        [EXIT_FACT_cpu_scaled_run_real_total_ns] = 55,
	        [EXIT_FACT_coremem_mib_us] = 51,
	        [EXIT_FACT_virtmem_mib_us] = 52,
	};

	for (unsigned i = 0; i < EXIT_FACT_COUNT; i++) {
		bool of_process = i >= EXIT_FACT_process_cpu_run_real_total_ns;

		assert_int_equal(sample_has_exit_fact(&sample, (enum exit_fact)i), !of_process);
		if (i == EXIT_FACT_begin_unix_s)
			assert_int_equal(sample.exit_facts[i], has_btime64 ? 1795450667 : 777);
		else if (!of_process)
			assert_int_equal(sample.exit_facts[i], expected[i]);
	}
}

/* The kernel sets the exit code of leaders only, and without delay accounting it has no totals. */
static void test_exit_facts_unseen(void **state)
{
	struct taskstats_rules rules = all;
	struct record_appended record;

	(void)state;
	record_fill(&record, 16);
	record.ac_exitcode = 0;
	rules.cpu_delay = false;
	record.hiwater_vm = 0;
	assert_int_equal(parse(&record, RECORD_LEN, &rules), OUTCOME_read);
	assert_false(sample_has_exit_fact(&sample, EXIT_FACT_exit_code));
	assert_false(sample_has_exit_fact(&sample, EXIT_FACT_cpu_run_real_total_ns));
	assert_false(sample_has_exit_fact(&sample, EXIT_FACT_coremem_mib_us));
	assert_true(sample_has_exit_fact(&sample, EXIT_FACT_gid));
	record.ac_tgid = RECORD_TID;
	assert_int_equal(parse(&record, RECORD_LEN, &rules), OUTCOME_read);
	assert_true(sample_has_exit_fact(&sample, EXIT_FACT_exit_code));
	assert_int_equal(sample.exit_facts[EXIT_FACT_exit_code], 0);
	taskstats_parse_exit_process(&record, RECORD_LEN, &rules, &sample);
	assert_false(sample_has_exit_fact(&sample, EXIT_FACT_process_cpu_count));
	taskstats_parse_exit_process(&record, RECORD_LEN, &all, &sample);
	assert_int_equal(sample.exit_facts[EXIT_FACT_process_cpu_count], 31);
	assert_int_equal(sample.exit_facts[EXIT_FACT_process_cpu_delay_total_ns], 32000);
	assert_int_equal(sample.exit_facts[EXIT_FACT_process_cpu_run_real_total_ns], 56);
	assert_int_equal(sample.exit_facts[EXIT_FACT_process_cpu_run_virtual_total_ns], 400000001);
	taskstats_parse_exit_process("no record", 9, &all, &sample);
}

static void test_exit_layouts(void **state)
{
	static const struct {
		unsigned version;
		size_t len;
	} appended[] = {{8, 328},  {9, 344},  {10, 352}, {11, 368}, {12, 400},
	                {13, 416}, {14, 432}, {16, 560}, {17, 560}};
	struct record_appended record;
	struct record_max with_max;
	struct record_range with_range;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(appended); i++) {
		record_fill(&record, appended[i].version);
		assert_int_equal(parse(&record, appended[i].len, &all), OUTCOME_read);
		check_whole(appended[i].version >= 12);
		check_facts(appended[i].version >= 10);
	}
	record_fill(&with_max, 14);
	assert_int_equal(parse(&with_max, 496, &all), OUTCOME_read);
	check_whole(true);
	check_facts(true);
	for (unsigned version = 14; version <= 15; version++) {
		record_fill(&with_range, version);
		assert_int_equal(parse(&with_range, 560, &all), OUTCOME_read);
		check_whole(true);
		check_facts(true);
	}
	assert_int_equal(parse(&with_range, 552, &all), OUTCOME_malformed);
}

/* A record that was cut has what is inside, and is refused where it does not say whose it is and how old. */
static void test_exit_every_length(void **state)
{
	struct record_appended record;

	(void)state;
	record_fill(&record, 16);
	for (size_t len = 0; len <= RECORD_LEN; len++) {
		bool whole = len >= 152;

		assert_int_equal(parse(&record, len, &all),
		                 whole ? OUTCOME_read : OUTCOME_malformed);
		if (!whole) {
			assert_int_equal(count_metrics(&sample.seen), 0);
			continue;
		}
		assert_int_equal(metric_set_has(&sample.seen, METRIC_minflt), len >= 176);
		assert_int_equal(metric_set_has(&sample.seen, METRIC_voluntary_csw), len >= 280);
		assert_int_equal(metric_set_has(&sample.seen, METRIC_nonvoluntary_csw), len >= 288);
		assert_int_equal(known.has_tgid, len >= 372);
	}
}

static void test_exit_key(void **state)
{
	struct record_appended record;
	uint64_t elapsed_ns;
	uint32_t tid;

	(void)state;
	record_fill(&record, 16);
	assert_true(taskstats_exit_key(&record, RECORD_LEN, &tid, &elapsed_ns));
	assert_int_equal(tid, RECORD_TID);
	assert_int_equal(elapsed_ns, UINT64_C(5000000000));
	record.ac_etime = UINT64_MAX / 1000 + 1;
	assert_false(taskstats_exit_key(&record, RECORD_LEN, &tid, &elapsed_ns));
	record_fill(&record, 16);
	record.ac_pid = 0;
	assert_false(taskstats_exit_key(&record, RECORD_LEN, &tid, &elapsed_ns));
	assert_int_equal(parse(&record, RECORD_LEN, &all), OUTCOME_malformed);
	record_fill(&record, 7);
	assert_false(taskstats_exit_key(&record, RECORD_LEN, &tid, &elapsed_ns));
}

/* Less than twenty ticks of CPU time may be nothing at all of it. */
static void test_exit_cpu_time(void **state)
{
	struct record_appended record;
	struct taskstats_rules rules = all;

	(void)state;
	record_fill(&record, 16);
	record.cpu_run_virtual_total = 199999999;
	record.ac_utime = record.ac_stime = 99999;
	assert_int_equal(parse(&record, RECORD_LEN, &all), OUTCOME_read);
	assert_unseen(&sample, run_time_ns);
	assert_false(known.has_cpu_time);
	record.cpu_run_virtual_total = 200000000;
	record.ac_utime = 0;
	record.ac_stime = 200000;
	assert_int_equal(parse(&record, RECORD_LEN, &all), OUTCOME_read);
	assert_seen(&sample, run_time_ns, 200000000);
	assert_true(known.has_cpu_time);
	assert_int_equal(known.user_ns, 0);
	assert_int_equal(known.system_ns, 200000000);
	/* No exact time to divide. */
	rules.cpu_delay = false;
	record.ac_utime = 7000;
	assert_int_equal(parse(&record, RECORD_LEN, &rules), OUTCOME_read);
	assert_unseen(&sample, run_time_ns);
	assert_unseen(&sample, timeslices);
	assert_unseen(&sample, wait_time_ns);
	assert_int_equal(known.user_ns, 7000000);
	assert_int_equal(known.system_ns, 200000000);
	record.ac_utime = UINT64_MAX;
	assert_int_equal(parse(&record, RECORD_LEN, &rules), OUTCOME_read);
	assert_false(known.has_cpu_time);
	record.ac_utime = UINT64_MAX - record.ac_stime;
	assert_int_equal(parse(&record, RECORD_LEN, &rules), OUTCOME_read);
	assert_false(known.has_cpu_time);
}

static void test_exit_rules(void **state)
{
	struct record_appended record;
	struct taskstats_rules rules = all;

	(void)state;
	record_fill(&record, 16);
	rules.io = false;
	assert_int_equal(parse(&record, RECORD_LEN, &rules), OUTCOME_read);
	assert_unseen(&sample, read_bytes);
	assert_unseen(&sample, write_bytes);
	assert_unseen(&sample, cancelled_write_bytes);
	assert_seen(&sample, minflt, 41);
	/* A wait of more than a life. */
	record.cpu.total = UINT64_C(7000000000);
	assert_int_equal(parse(&record, RECORD_LEN, &all), OUTCOME_read);
	assert_impossible(&sample, wait_time_ns, UINT64_C(7000000000));
	record.nvcsw = UINT64_MAX;
	memset(record.ac_comm, 'x', sizeof(record.ac_comm));
	record.ac_tgid = 0;
	assert_int_equal(parse(&record, RECORD_LEN, &all), OUTCOME_read);
	assert_unseen(&sample, voluntary_csw);
	assert_int_equal(sample.comm.len, sizeof(record.ac_comm));
	assert_false(known.has_tgid);
	assert_int_equal(sample.tgid, RECORD_TID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_exit_layouts), cmocka_unit_test(test_exit_every_length),
	        cmocka_unit_test(test_exit_key),     cmocka_unit_test(test_exit_cpu_time),
	        cmocka_unit_test(test_exit_rules),   cmocka_unit_test(test_exit_facts_unseen),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
