// SPDX-License-Identifier: GPL-2.0-or-later
#include "job-base.h"

#include <sys/resource.h>

/* Counters of different precision may differ by a little. */
static void subtract(struct job_values *values, enum job_value_id id, double number)
{
	double rest = values->numbers[id] - number;

	if (values->seen[id])
		values->numbers[id] = rest > 0 ? rest : 0;
}

/* The copy runs in kernel mode nearly all of the time. The kernel may have a short run as user time alone: it divides the whole by what
 * ticks have seen. */
static void subtract_cpu(const struct job_base *base, struct job_values *values)
{
	double system_time = values->numbers[JOB_system_time];

	if (!base->live.has_schedstat)
		return;
	subtract(values, JOB_cpu_time, base->live.run_time);
	subtract(values, JOB_system_time, base->live.run_time);
	if (values->seen[JOB_system_time] && base->live.run_time > system_time)
		subtract(values, JOB_user_time, base->live.run_time - system_time);
}

static void subtract_io(const struct job_base *base, struct job_values *values)
{
	if (!base->live.has_io)
		return;
	subtract(values, JOB_rchar, base->live.io[JOB_IO_RCHAR]);
	subtract(values, JOB_wchar, base->live.io[JOB_IO_WCHAR]);
	subtract(values, JOB_syscr, base->live.io[JOB_IO_SYSCR]);
	subtract(values, JOB_syscw, base->live.io[JOB_IO_SYSCW]);
	subtract(values, JOB_read_bytes, base->live.io[JOB_IO_READ_BYTES]);
	subtract(values, JOB_write_bytes, base->live.io[JOB_IO_WRITE_BYTES]);
	subtract(values, JOB_cancelled_write_bytes, base->live.io[JOB_IO_CANCELLED]);
}

/* The copy is part of the sums of wait4(2). It has less than a millisecond of CPU time. */
static void forget_counts(struct job_values *values)
{
	static const enum job_value_id counts[] = {JOB_minor_faults, JOB_major_faults,
	                                           JOB_voluntary_switches,
	                                           JOB_involuntary_switches};

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		if (values->seen[counts[i]] && values->sources[counts[i]] == JOB_SOURCE_wait)
			job_forget(values, counts[i]);
}

void job_base_subtract(const struct job_base *base, struct job_values *of_cgroup,
                       struct job_values *values)
{
	static const enum job_value_id times[] = {JOB_cpu_time, JOB_user_time, JOB_system_time};

	for (unsigned i = 0; i < ARRAY_SIZE(times); i++)
		if (base->cgroup.seen[times[i]])
			subtract(of_cgroup, times[i], base->cgroup.numbers[times[i]]);
	if (!base->has_live) {
		forget_counts(values);
		return;
	}
	subtract_cpu(base, values);
	subtract_io(base, values);
	subtract(values, JOB_minor_faults, base->live.minor_faults);
	subtract(values, JOB_major_faults, base->live.major_faults);
	if (base->live.has_schedstat)
		subtract(values, JOB_run_queue_wait, base->live.run_queue_wait);
	if (base->live.has_switches) {
		subtract(values, JOB_voluntary_switches, base->live.voluntary_switches);
		subtract(values, JOB_involuntary_switches, base->live.involuntary_switches);
	}
}

double job_base_peak_rss(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss * 1024 : 0;
}

void job_base_check_largest(const struct job_base *base, double sampled, struct job_values *values)
{
	/* The copy has a little more than we had: its own tables and stack. */
	const double slack = 256 * 1024;

	if (!values->seen[JOB_largest_rss] || values->sources[JOB_largest_rss] != JOB_SOURCE_wait ||
	    values->numbers[JOB_largest_rss] > base->rss + slack)
		return;
	if (sampled > 0)
		job_set(values, JOB_largest_rss, JOB_SOURCE_samples, sampled);
	else
		job_forget(values, JOB_largest_rss);
}
