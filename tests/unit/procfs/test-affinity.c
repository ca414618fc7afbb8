// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "procfs/procfs.h"
#include "seen.h"

static struct thread_sample sample;
static int wanted_error;  /* what the system call fails with, or 0 */
static long wanted_bytes; /* how much it fills in with zeros, or 0 for the real thing */

long __real_syscall(long number, long a, long b, void *c);
long __wrap_syscall(long number, long a, long b, void *c);
long __wrap_syscall(long number, long a, long b, void *c)
{
	assert_int_equal(number, SYS_sched_getaffinity);
	if (wanted_error != 0) {
		errno = wanted_error;
		return -1;
	}
	if (wanted_bytes > 0) {
		memset(c, 0, (size_t)wanted_bytes);
		return wanted_bytes;
	}
	return __real_syscall(number, a, b, c);
}

static enum source_outcome read_of(uint32_t tid)
{
	sample_reset(&sample);
	memset(&sample.cpu_affinity, 0xff, sizeof(sample.cpu_affinity));
	sample.tid = tid;
	return affinity_read(&sample);
}

static void assert_same(const cpu_set_t *set)
{
	assert_true(metric_set_has(&sample.seen, METRIC_cpu_affinity));
	assert_int_equal(cpu_mask_count(&sample.cpu_affinity.v), CPU_COUNT(set));
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		assert_int_equal(cpu_mask_has(&sample.cpu_affinity.v, cpu),
		                 CPU_ISSET(cpu, set) != 0);
}

static void test_affinity_of_ours(void **state)
{
	cpu_set_t before, one;
	unsigned last = 0;
	enum source_outcome outcome;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(read_of((uint32_t)gettid()), OUTCOME_read);
	assert_same(&before);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		last = CPU_ISSET(cpu, &before) ? cpu : last;
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	outcome = read_of((uint32_t)gettid());
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(outcome, OUTCOME_read);
	assert_same(&one);
}

static void test_affinity_of_nobody(void **state)
{
	(void)state;
	/* Beyond the largest that the kernel gives. */
	assert_int_equal(read_of(INT32_MAX), OUTCOME_gone);
	assert_unseen(&sample, cpu_affinity);
}

static void test_affinity_errors(void **state)
{
	static const struct {
		int error;
		enum source_outcome outcome;
	} cases[] = {{ESRCH, OUTCOME_gone},       {EPERM, OUTCOME_denied},
	             {EACCES, OUTCOME_denied},    {ENOSYS, OUTCOME_off},
	             {EINVAL, OUTCOME_malformed}, {EFAULT, OUTCOME_malformed}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		wanted_error = cases[i].error;
		assert_int_equal(read_of(1), cases[i].outcome);
		wanted_error = 0;
		assert_unseen(&sample, cpu_affinity);
	}
}

static void test_affinity_empty(void **state)
{
	(void)state;
	wanted_bytes = 64;
	assert_int_equal(read_of(1), OUTCOME_malformed);
	wanted_bytes = 0;
	assert_unseen(&sample, cpu_affinity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_affinity_of_ours),
	        cmocka_unit_test(test_affinity_of_nobody),
	        cmocka_unit_test(test_affinity_errors),
	        cmocka_unit_test(test_affinity_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
