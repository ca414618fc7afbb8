// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/process-ids.h"
#include "samples.h"

static struct thread_sample *row(uint32_t tgid, uint32_t tid)
{
	static struct thread_sample sample;

	sample_reset(&sample);
	sample.tgid = tgid;
	sample.tid = tid;
	sample.start_time_clock_ticks = 70;
	return &sample;
}

static void test_leader(void **state)
{
	struct thread_sample *sample = row(10, 10);
	struct process_ids ids;

	(void)state;
	sample->ppid = 1;
	sample->pgrp = 9;
	sample->session = 8;
	sample->has_parent = true;
	/* The parent at its end is another one where that of the reading has ended. */
	sample_set_exit_fact(sample, EXIT_FACT_ppid, 3);
	ids = process_ids_of(sample, 5);
	assert_true(ids.is_known && ids.has_parent && ids.has_session);
	assert_int_equal(ids.tgid, 10);
	assert_int_equal(ids.start_clock_ticks, 70);
	assert_int_equal(ids.host_hash, 5);
	assert_int_equal(ids.ppid, 1);
	assert_int_equal(ids.pgrp, 9);
	assert_int_equal(ids.session, 8);
}

/* A process that was never read has its parent from the record of its end. */
static void test_record(void **state)
{
	struct thread_sample *sample = row(10, 10);
	struct process_ids ids = process_ids_of(sample, 5);

	(void)state;
	assert_true(ids.is_known && !ids.has_parent && !ids.has_session);
	sample_set_exit_fact(sample, EXIT_FACT_ppid, 3);
	ids = process_ids_of(sample, 5);
	assert_true(ids.has_parent && !ids.has_session);
	assert_int_equal(ids.ppid, 3);
	/* Other threads have none of it. */
	sample->tid = 11;
	ids = process_ids_of(sample, 5);
	assert_true(ids.is_known && !ids.has_parent);
}

static void test_same(void **state)
{
	struct process_ids ids = process_ids_of(row(10, 10), 5), other = ids;

	(void)state;
	other.ppid = 7;
	assert_true(process_ids_are_same(&ids, &other));
	other.tgid++;
	assert_false(process_ids_are_same(&ids, &other));
	other = ids;
	other.start_clock_ticks++;
	assert_false(process_ids_are_same(&ids, &other));
	other = ids;
	other.host_hash++;
	assert_false(process_ids_are_same(&ids, &other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_leader),
	        cmocka_unit_test(test_record),
	        cmocka_unit_test(test_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
