// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples of the records of a pass. */
#include "bpf/thread-end.h"
#include "seen.h"
#include "task-record.h"

static struct task_record_rules rules;
static struct task_record values;
static struct cpu_mask cpus[2];
static struct task_record_text names[1];
static struct task_record_pass pass;
static struct process_record process;
static struct thread_sample sample;

static int setup(void **state)
{
	(void)state;
	rules = values_rules();
	values = values_thread();
	memset(cpus, 0, sizeof(cpus));
	assert_true(cpu_mask_parse(&cpus[0], "0-1", 3));
	memset(names, 0, sizeof(names));
	pass = (struct task_record_pass){.cpus = cpus,
	                                 .names = names,
	                                 .begin_boottime_ns = VALUES_AGE_NS,
	                                 .end_boottime_ns = VALUES_AGE_NS};
	process = (struct process_record){.tgid = VALUES_TGID,
	                                  .uid = 33,
	                                  .nr_threads = 7,
	                                  .rss_pages = 3,
	                                  .vsize_pages = 5,
	                                  .ppid = 1,
	                                  .pgrp = 20,
	                                  .session = 30,
	                                  .read_boottime_ns = VALUES_AGE_NS + 1};
	return 0;
}

static int done(void **state)
{
	(void)state;
	sample_done(&sample);
	return 0;
}

static void make(void)
{
	sample_reset(&sample);
	task_record_sample(&rules, &pass, &values, &process, &sample);
}

static void test_identity(void **state)
{
	(void)state;
	values.born_boottime_ns = UINT64_C(12345678901);
	make();
	assert_int_equal(sample.tid, VALUES_TID);
	assert_int_equal(sample.tgid, VALUES_TGID);
	assert_text(&sample.comm, "worker");
	assert_int_equal(sample.start_time_clock_ticks, 1234);
	assert_int_equal(sample.read_boottime_ns, VALUES_AGE_NS + 1);
	assert_true(sample.has_uid);
	assert_int_equal(sample.uid, 33);
	assert_unseen(&sample, nr_threads);
	assert_unseen(&sample, rss_bytes);
	assert_unseen(&sample, vsize_bytes);
	assert_false(sample.has_parent);
	values.tid = VALUES_TGID;
	make();
	assert_seen(&sample, nr_threads, 7);
	assert_seen(&sample, rss_bytes, 3 * 4096);
	assert_seen(&sample, vsize_bytes, 5 * 4096);
	assert_true(sample.has_parent);
	assert_int_equal(sample.ppid, 1);
	assert_int_equal(sample.pgrp, 20);
	assert_int_equal(sample.session, 30);
	process.session = UINT32_MAX;
	make();
	assert_false(sample.has_parent);

	sample_reset(&sample);
	task_record_sample(&rules, &pass, &values, NULL, &sample);
	assert_unseen(&sample, nr_threads);
	assert_unseen(&sample, rss_bytes);
	assert_false(sample.has_uid);
	assert_int_equal(sample.read_boottime_ns, VALUES_AGE_NS);
}

/* Without memory a leader has exited, or is a thread of the kernel. */
static void test_memory_of_leaders(void **state)
{
	(void)state;
	values.tid = VALUES_TGID;
	process.rss_pages = process.vsize_pages = 0;
	make();
	assert_unseen(&sample, rss_bytes);
	assert_unseen(&sample, vsize_bytes);
	process.nr_threads = 1;
	make();
	assert_seen(&sample, rss_bytes, 0);
	assert_seen(&sample, vsize_bytes, 0);
	process.vsize_pages = UINT64_MAX;
	make();
	assert_seen(&sample, vsize_bytes, UINT64_MAX);
}

/* The content of the field's place. */
#define AT(field_)                                                                                 \
	(1000 +                                                                                    \
	 (offsetof(struct task_record, field_) - offsetof(struct task_record, born_boottime_ns)) / \
	         8)

static void check_delays(void)
{
#define CHECK_DELAY(name_)                                                             \
	do {                                                                           \
		assert_seen(&sample, name_##_delay_count, 500 + THREAD_DELAY_##name_); \
		assert_seen(&sample, name_##_delay_total_ns,                           \
		            AT(delays[THREAD_DELAY_##name_].total_ns));                \
		assert_seen(&sample, name_##_delay_max_ns,                             \
		            AT(delays[THREAD_DELAY_##name_].max_ns));                  \
		assert_seen(&sample, name_##_delay_min_ns,                             \
		            AT(delays[THREAD_DELAY_##name_].min_ns));                  \
	} while (0)
	CHECK_DELAY(blkio);
	CHECK_DELAY(swapin);
	CHECK_DELAY(freepages);
	CHECK_DELAY(thrashing);
	CHECK_DELAY(compact);
	CHECK_DELAY(wpcopy);
	CHECK_DELAY(irq);
	assert_seen(&sample, cpu_delay_count, AT(timeslices));
	assert_seen(&sample, cpu_delay_total_ns, AT(wait_ns));
	assert_seen(&sample, cpu_delay_max_ns, AT(wait_max_ns));
	assert_seen(&sample, cpu_delay_min_ns, AT(wait_min_ns));
}

static void check_schedstats(void)
{
#define CHECK_STAT(metric_, field_) assert_seen(&sample, metric_, AT(schedstats.field_))
	CHECK_STAT(wait_max, wait_max);
	CHECK_STAT(wait_count, wait_count);
	CHECK_STAT(wait_sum, wait_sum);
	CHECK_STAT(iowait_count, iowait_count);
	CHECK_STAT(iowait_sum, iowait_sum);
	CHECK_STAT(sleep_max, sleep_max);
	CHECK_STAT(block_max, block_max);
	CHECK_STAT(block_sum, sum_block_runtime);
	CHECK_STAT(exec_max, exec_max);
	CHECK_STAT(slice_max, slice_max);
	CHECK_STAT(nr_failed_migrations_affine, nr_failed_migrations_affine);
	CHECK_STAT(nr_failed_migrations_running, nr_failed_migrations_running);
	CHECK_STAT(nr_failed_migrations_hot, nr_failed_migrations_hot);
	CHECK_STAT(nr_forced_migrations, nr_forced_migrations);
	CHECK_STAT(nr_wakeups, nr_wakeups);
	CHECK_STAT(nr_wakeups_sync, nr_wakeups_sync);
	CHECK_STAT(nr_wakeups_migrate, nr_wakeups_migrate);
	CHECK_STAT(nr_wakeups_local, nr_wakeups_local);
	CHECK_STAT(nr_wakeups_remote, nr_wakeups_remote);
	CHECK_STAT(nr_wakeups_affine, nr_wakeups_affine);
	CHECK_STAT(nr_wakeups_affine_attempts, nr_wakeups_affine_attempts);
	CHECK_STAT(core_forceidle_sum, core_forceidle_sum);
}

static void test_all(void **state)
{
	(void)state;
	values.schedstats.sum_sleep_runtime = 5000000;
	values.flags |= TASK_RECORD_KNOWS_IOWAIT | TASK_RECORD_IOWAIT;
	make();
	check_delays();
	check_schedstats();
	assert_seen(&sample, voluntary_sleep_ns, 5000000 - AT(schedstats.sum_block_runtime));
	assert_seen(&sample, run_time_ns, AT(run_ns));
	assert_seen(&sample, wait_time_ns, AT(wait_ns));
	assert_seen(&sample, timeslices, AT(timeslices));
	assert_seen(&sample, voluntary_csw, AT(voluntary_csw));
	assert_seen(&sample, nonvoluntary_csw, AT(nonvoluntary_csw));
	assert_seen(&sample, nr_migrations, AT(nr_migrations));
	assert_seen(&sample, minflt, AT(minflt));
	assert_seen(&sample, majflt, AT(majflt));
	assert_seen(&sample, rchar, AT(io.rchar));
	assert_seen(&sample, wchar, AT(io.wchar));
	assert_seen(&sample, syscr, AT(io.syscr));
	assert_seen(&sample, syscw, AT(io.syscw));
	assert_seen(&sample, read_bytes, AT(io.read_bytes));
	assert_seen(&sample, write_bytes, AT(io.write_bytes));
	assert_seen(&sample, cancelled_write_bytes, AT(io.cancelled_write_bytes));
	assert_seen(&sample, hiwater_rss_bytes, 4096 * AT(hiwater_rss_pages));
	assert_seen(&sample, hiwater_vm_bytes, 4096 * AT(hiwater_vm_pages));
	assert_seen(&sample, fair_slice_ns, 2800000);
	assert_seen(&sample, ext_enabled, false);
	assert_seen(&sample, nice, 5);
	assert_seen(&sample, priority, 25);
	assert_seen(&sample, rt_priority, 0);
	assert_seen(&sample, processor, 5);
	assert_seen(&sample, state, 'S');
	assert_seen(&sample, nr_iowait, 1);
	assert_string_equal(sample.policy.v.bytes, "SCHED_OTHER");
	assert_true(cpu_mask_equal(&sample.cpu_affinity.v, &cpus[0]));
}

/* Nothing that the sources of /proc give is forgotten. */
static void test_nothing_is_left_out(void **state)
{
	(void)state;
	values.tid = values.tgid;
	values.schedstats.sum_sleep_runtime = 5000000;
	values.flags |= TASK_RECORD_KNOWS_IOWAIT;
	make();
	for (unsigned metric = 0; metric < METRIC_COUNT; metric++) {
		enum metric_source source = metric_table[metric].source;

		if (source == SOURCE_synthetic || source == SOURCE_jemalloc)
			continue;
		if (!metric_set_has(&sample.seen, (enum metric_id)metric))
			fail_msg("%s is not there", metric_table[metric].name);
		assert_int_equal(sample.outcomes[source], OUTCOME_read);
	}
}

/* Whatever source the registry gives to the pass, each thread has its outcome. */
static void test_outcomes(void **state)
{
	(void)state;
	make();
	for (unsigned source = 0; source < SOURCE_COUNT; source++)
		if (source_table[source].pass == SOURCE_PASS_THREAD &&
		    sample.outcomes[source] == OUTCOME_unneeded)
			fail_msg("%s has no outcome", source_table[source].name);
}

/* A field that is not printed at the moment is not there, and neither is the source without its file. */
static void test_not_printed(void **state)
{
	(void)state;
	for (unsigned metric = 0; metric < METRIC_COUNT; metric++) {
		enum metric_source source = metric_table[metric].source;

		if (source != SOURCE_schedstat && source != SOURCE_sched && source != SOURCE_io)
			continue;
		/* status has these, too. */
		if (metric == METRIC_voluntary_csw || metric == METRIC_nonvoluntary_csw)
			continue;
		rules = values_rules();
		metric_set_remove(&rules.printed, (enum metric_id)metric);
		make();
		assert_false(metric_set_has(&sample.seen, (enum metric_id)metric));
		assert_int_equal(sample_reason(&sample, (enum metric_id)metric), OUTCOME_off);
	}
	for (enum metric_source source = SOURCE_schedstat; source <= SOURCE_io; source++) {
		rules = values_rules();
		rules.outcomes[source] = OUTCOME_denied;
		make();
		for (unsigned metric = 0; metric < METRIC_COUNT; metric++)
			if (metric_table[metric].source == source &&
			    metric != METRIC_voluntary_csw && metric != METRIC_nonvoluntary_csw) {
				assert_false(metric_set_has(&sample.seen, (enum metric_id)metric));
				assert_int_equal(sample_reason(&sample, (enum metric_id)metric),
				                 OUTCOME_denied);
			}
	}
}

static void test_not_kept(void **state)
{
	(void)state;
	rules.kept &= ~(uint32_t)(TASK_RECORD_COMPACT | TASK_RECORD_WPCOPY | TASK_RECORD_IRQ);
	make();
	assert_unseen(&sample, compact_delay_count);
	assert_unseen(&sample, wpcopy_delay_total_ns);
	assert_unseen(&sample, irq_delay_max_ns);
	assert_seen(&sample, thrashing_delay_count, 500 + THREAD_DELAY_thrashing);

	rules = values_rules();
	rules.kept &= ~(uint32_t)(TASK_RECORD_DELAY_MAX | TASK_RECORD_DELAY_MIN);
	make();
	assert_unseen(&sample, cpu_delay_max_ns);
	assert_unseen(&sample, blkio_delay_min_ns);
	assert_seen(&sample, cpu_delay_count, AT(timeslices));

	rules = values_rules();
	rules.kept &= ~(uint32_t)TASK_RECORD_SCHED_INFO;
	make();
	assert_unseen(&sample, cpu_delay_count);
	rules.kept &= ~(uint32_t)TASK_RECORD_HIWATER;
	make();
	assert_unseen(&sample, hiwater_rss_bytes);
	assert_unseen(&sample, hiwater_vm_bytes);

	rules = values_rules();
	rules.kept = TASK_RECORD_SCHED_INFO | TASK_RECORD_BYTES;
	make();
	assert_seen(&sample, timeslices, AT(timeslices));
	assert_seen(&sample, nr_migrations, AT(nr_migrations));
	assert_seen(&sample, read_bytes, AT(io.read_bytes));
	assert_unseen(&sample, rchar);
	assert_unseen(&sample, nr_wakeups);
	assert_unseen(&sample, voluntary_sleep_ns);
	assert_unseen(&sample, core_forceidle_sum);
	assert_unseen(&sample, fair_slice_ns);
	assert_unseen(&sample, ext_enabled);

	rules = values_rules();
	rules.outcomes[SOURCE_taskstats] = OUTCOME_off;
	make();
	assert_unseen(&sample, hiwater_rss_bytes);
	assert_unseen(&sample, blkio_delay_count);
	assert_int_equal(sample_reason(&sample, METRIC_cpu_delay_count), OUTCOME_off);
}

static void test_delay_rules(void **state)
{
	(void)state;
	rules.taskstats.delays = TASKSTATS_DELAYS_OFF;
	make();
	assert_unseen(&sample, blkio_delay_count);
	assert_seen(&sample, cpu_delay_count, AT(timeslices));
	rules.taskstats.delays = TASKSTATS_DELAYS_LATER;
	make();
	assert_seen(&sample, blkio_delay_count, 500);
	values.flags &= ~(uint32_t)TASK_RECORD_HAS_DELAYS;
	make();
	assert_unseen(&sample, blkio_delay_count);
	rules.taskstats.cpu_delay = false;
	make();
	assert_unseen(&sample, cpu_delay_count);
}

static void test_interrupts(void **state)
{
	(void)state;
	rules.taskstats.irq = false;
	make();
	assert_seen(&sample, irq_delay_count, 500 + THREAD_DELAY_irq);
	values.delay_counts[THREAD_DELAY_irq] = 0;
	make();
	assert_seen(&sample, irq_delay_count, 0);
	values.delays[THREAD_DELAY_irq].total_ns = 0;
	make();
	assert_unseen(&sample, irq_delay_count);
	rules.taskstats.irq = true;
	make();
	assert_seen(&sample, irq_delay_count, 0);
}

/* Longer than the thread has lived. */
static void test_impossible_waits(void **state)
{
	const uint64_t life = UINT64_C(100000000000);

	(void)state;
	values.born_boottime_ns = VALUES_AGE_NS - life;
	values.delays[THREAD_DELAY_blkio].total_ns = life + life / 100 + 1000000000;
	values.delays[THREAD_DELAY_blkio].max_ns = life + life / 100 + 1000000001;
	values.wait_ns = VALUES_AGE_NS;
	make();
	assert_seen(&sample, blkio_delay_total_ns, life + life / 100 + 1000000000);
	assert_impossible(&sample, blkio_delay_max_ns, life + life / 100 + 1000000001);
	assert_impossible(&sample, cpu_delay_total_ns, VALUES_AGE_NS);
	/* The value of schedstat is taken if nobody asks. */
	assert_seen(&sample, wait_time_ns, VALUES_AGE_NS);

	values.born_boottime_ns = VALUES_AGE_NS + 5;
	values.wait_ns = 1000000001;
	make();
	assert_impossible(&sample, cpu_delay_total_ns, 1000000001);
}

static void test_limits(void **state)
{
	(void)state;
	memset(&values.schedstats, 0xff, sizeof(values.schedstats));
	memset(&values.io, 0xff, sizeof(values.io));
	values.nr_migrations = UINT64_C(1) << 63;
	values.slice_ns = UINT32_MAX;
	values.hiwater_vm_pages = UINT64_MAX;
	values.hiwater_rss_pages = UINT64_MAX / 4096;
	values.priority = -101;
	values.nice = -20;
	values.policy = 200;
	values.processor = UINT16_MAX;
	make();
	assert_malformed(&sample, nr_wakeups);
	assert_malformed(&sample, wait_max);
	assert_malformed(&sample, voluntary_sleep_ns);
	assert_malformed(&sample, nr_migrations);
	assert_seen(&sample, rchar, UINT64_MAX);
	assert_unseen(&sample, fair_slice_ns);
	assert_seen(&sample, hiwater_vm_bytes, UINT64_MAX);
	assert_seen(&sample, hiwater_rss_bytes, UINT64_MAX / 4096 * 4096);
	assert_seen(&sample, priority, -101);
	assert_seen(&sample, nice, -20);
	assert_seen(&sample, processor, UINT16_MAX);
	assert_string_equal(sample.policy.v.bytes, "SCHED_UNKNOWN(200)");

	values = values_thread();
	values.schedstats.sum_sleep_runtime = 5;
	values.schedstats.sum_block_runtime = 6;
	make();
	assert_malformed(&sample, voluntary_sleep_ns);
	assert_seen(&sample, block_sum, 6);
}

static void test_policies(void **state)
{
	static const struct {
		uint8_t policy;
		const char *name;
		bool fair;
	} cases[] = {{0, "SCHED_OTHER", true},       {1, "SCHED_FIFO", false},
	             {2, "SCHED_RR", false},         {3, "SCHED_BATCH", true},
	             {4, "SCHED_UNKNOWN(4)", false}, {5, "SCHED_IDLE", false},
	             {6, "SCHED_DEADLINE", false},   {7, "SCHED_EXT", true},
	             {8, "SCHED_UNKNOWN(8)", false}, {255, "SCHED_UNKNOWN(255)", false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		values.policy = cases[i].policy;
		values.flags = cases[i].fair ? TASK_RECORD_ON_EXT : 0;
		make();
		assert_string_equal(sample.policy.v.bytes, cases[i].name);
		assert_int_equal(metric_set_has(&sample.seen, METRIC_fair_slice_ns), cases[i].fair);
		assert_seen(&sample, ext_enabled, cases[i].fair);
	}
}

/* Zeros from a thread that has run. */
static void test_schedstat_off(void **state)
{
	(void)state;
	values.run_ns = values.wait_ns = values.timeslices = 0;
	values.sampled_user_ns = values.sampled_system_ns = 0;
	values.prev_user_ns = values.prev_system_ns = 0;
	make();
	assert_seen(&sample, run_time_ns, 0);
	rules.kept &= ~(uint32_t)TASK_RECORD_PREV_CPUTIME;
	values.sampled_user_ns = 20000000;
	make();
	assert_seen(&sample, utime_clock_ticks, 2);
	assert_unseen(&sample, run_time_ns);
	assert_int_equal(sample.outcomes[SOURCE_schedstat], OUTCOME_off);
}

static void test_cpu_time(void **state)
{
	(void)state;
	values.run_ns = UINT64_C(3000000000);
	values.sampled_user_ns = UINT64_C(1000000000);
	values.sampled_system_ns = UINT64_C(500000000);
	make();
	assert_seen(&sample, utime_clock_ticks, 200);
	assert_seen(&sample, stime_clock_ticks, 100);
	rules.kept &= ~(uint32_t)TASK_RECORD_PREV_CPUTIME;
	make();
	assert_seen(&sample, utime_clock_ticks, 100);
	assert_seen(&sample, stime_clock_ticks, 50);
	values.flags |= TASK_RECORD_TIME_RUNS;
	make();
	assert_unseen(&sample, utime_clock_ticks);
	assert_unseen(&sample, stime_clock_ticks);
}

static void test_names(void **state)
{
	(void)state;
	memcpy(values.comm, "0123456789abcdef", TASK_RECORD_COMM_BYTES);
	make();
	assert_text(&sample.comm, "0123456789abcdef");
	for (unsigned byte = 1; byte < 256; byte++) {
		memset(values.comm, (int)byte, sizeof(values.comm) - 1);
		values.comm[sizeof(values.comm) - 1] = '\0';
		make();
		assert_int_equal(sample.comm.len, sizeof(values.comm) - 1);
		assert_memory_equal(sample.comm.data, values.comm, sample.comm.len);
	}
	values.comm[0] = '\0';
	make();
	assert_int_equal(sample.comm.len, 0);

	/* A pointer is no name. */
	values.name = 1;
	make();
	assert_int_equal(sample.comm.len, 0);
	values.flags |= TASK_RECORD_KERNEL;
	memset(names[0].bytes, 'k', sizeof(names[0].bytes));
	make();
	assert_int_equal(sample.comm.len, sizeof(names[0].bytes));
	values.name = 0;
	make();
	assert_int_equal(sample.comm.len, 0);
}

static void test_affinity(void **state)
{
	(void)state;
	values.cpus = 1;
	make();
	assert_unseen(&sample, cpu_affinity);
	assert_int_equal(sample.outcomes[SOURCE_affinity], OUTCOME_malformed);
	assert_true(cpu_mask_parse(&cpus[1], "8191", 4));
	make();
	assert_true(cpu_mask_has(&sample.cpu_affinity.v, 8191));
	assert_int_equal(sample.outcomes[SOURCE_affinity], OUTCOME_read);
	values.flags &= ~(uint32_t)TASK_RECORD_HAS_CPUS;
	make();
	assert_unseen(&sample, cpu_affinity);
}

static void test_memory_gone(void **state)
{
	(void)state;
	values.hiwater_vm_pages = 0;
	make();
	assert_unseen(&sample, hiwater_rss_bytes);
	assert_unseen(&sample, hiwater_vm_bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup(test_identity, setup),
	        cmocka_unit_test_setup(test_all, setup),
	        cmocka_unit_test_setup(test_memory_of_leaders, setup),
	        cmocka_unit_test_setup(test_nothing_is_left_out, setup),
	        cmocka_unit_test_setup(test_outcomes, setup),
	        cmocka_unit_test_setup(test_not_printed, setup),
	        cmocka_unit_test_setup(test_not_kept, setup),
	        cmocka_unit_test_setup(test_delay_rules, setup),
	        cmocka_unit_test_setup(test_interrupts, setup),
	        cmocka_unit_test_setup(test_impossible_waits, setup),
	        cmocka_unit_test_setup(test_limits, setup),
	        cmocka_unit_test_setup(test_policies, setup),
	        cmocka_unit_test_setup(test_schedstat_off, setup),
	        cmocka_unit_test_setup(test_cpu_time, setup),
	        cmocka_unit_test_setup(test_names, setup),
	        cmocka_unit_test_setup(test_affinity, setup),
	        cmocka_unit_test_setup(test_memory_gone, setup),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
