// SPDX-License-Identifier: GPL-2.0-or-later
/* The registry here has a metric that BPF does not carry: no row is without its value and without a reason. */
#include "ctprof/base/strbuf.h"
#include "seen.h"
#include "snapshot/snapshot-row-write.h"
#include "snapshot/snapshot-row.h"
#include "snapshot/thread-store.h"
#include "task-record.h"
#include "window/window-subtract.h"

static struct task_record_rules rules;
static struct task_record values;
static struct cpu_mask cpus[1];
static struct task_record_pass pass = {
        .cpus = cpus, .begin_boottime_ns = VALUES_AGE_NS, .end_boottime_ns = VALUES_AGE_NS};
static struct thread_sample sample, other;

static int setup(void **state)
{
	(void)state;
	rules = values_rules();
	values = values_thread();
	values.schedstats.sum_sleep_runtime = 5000000;
	assert_true(cpu_mask_parse(&cpus[0], "0-1", 3));
	sample_reset(&sample);
	sample_reset(&other);
	return 0;
}

static int done(void **state)
{
	(void)state;
	sample_done(&sample);
	sample_done(&other);
	return 0;
}

static void make(void)
{
	sample_reset(&sample);
	task_record_sample(&rules, &pass, &values, NULL, &sample);
}

static enum source_outcome reason(void)
{
	assert_unseen(&sample, test_extra_events);
	return sample_reason(&sample, METRIC_test_extra_events);
}

static void test_reason(void **state)
{
	(void)state;
	make();
	assert_int_equal(reason(), OUTCOME_skipped);
	assert_int_equal(count_metrics(&sample.skipped), 1);
	/* The file would not have given it either. */
	rules.outcomes[SOURCE_sched] = OUTCOME_off;
	make();
	assert_int_equal(reason(), OUTCOME_off);
	assert_int_equal(count_metrics(&sample.skipped), 0);
}

static void test_written(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct json_writer out = JSON_WRITER_INIT(&text);
	struct thread_row_writer rows = {0};

	(void)state;
	make();
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		rows.rules[s] = OUTCOME_read;
	thread_row_writer_init(&rows);
	thread_row_write(&rows, &out, &sample);
	assert_non_null(
	        strstr(strbuf_str(&text), "\"missing\":{\"test_extra_events\":\"skipped\"}"));
	thread_row_writer_done(&rows);
}

static void test_stored(void **state)
{
	struct thread_store store = {0};

	(void)state;
	make();
	(void)thread_store_add(&store, &sample);
	sample_reset(&sample);
	thread_store_get(&store, 0, &sample);
	assert_int_equal(reason(), OUTCOME_skipped);
	thread_store_done(&store);
}

/* Whichever of the two readings was by BPF. */
static void test_window(void **state)
{
	uint64_t went_back = 0;

	(void)state;
	make();
	sample_set(&other, test_extra_events, (struct counter_count){5});
	window_subtract(&sample, &other, &went_back);
	assert_int_equal(reason(), OUTCOME_skipped);

	make();
	sample_reset(&other);
	window_subtract(&other, &sample, &went_back);
	assert_int_equal(count_metrics(&other.skipped), 0);
	sample_set(&other, test_extra_events, (struct counter_count){5});
	window_subtract(&other, &sample, &went_back);
	assert_unseen(&other, test_extra_events);
	assert_int_equal(sample_reason(&other, METRIC_test_extra_events), OUTCOME_skipped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup(test_reason, setup),
	        cmocka_unit_test_setup(test_written, setup),
	        cmocka_unit_test_setup(test_stored, setup),
	        cmocka_unit_test_setup(test_window, setup),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
