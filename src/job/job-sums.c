// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-sums.h"

#include <string.h>

#include "base/clock.h"

/* A metric whose sum is a value. */
static const struct {
	enum job_value_id id;
	enum metric_id metric;
	double unit;
} sum_table[] = {
        {JOB_cpu_time, METRIC_run_time_ns, NS_PER_SECOND},
        {JOB_run_queue_wait, METRIC_wait_time_ns, NS_PER_SECOND},
        {JOB_minor_faults, METRIC_minflt, 1},
        {JOB_major_faults, METRIC_majflt, 1},
        {JOB_voluntary_switches, METRIC_voluntary_csw, 1},
        {JOB_involuntary_switches, METRIC_nonvoluntary_csw, 1},
        {JOB_rchar, METRIC_rchar, 1},
        {JOB_wchar, METRIC_wchar, 1},
        {JOB_syscr, METRIC_syscr, 1},
        {JOB_syscw, METRIC_syscw, 1},
        {JOB_read_bytes, METRIC_read_bytes, 1},
        {JOB_write_bytes, METRIC_write_bytes, 1},
        {JOB_cancelled_write_bytes, METRIC_cancelled_write_bytes, 1},
        {JOB_blkio_delay, METRIC_blkio_delay_total_ns, NS_PER_SECOND},
        {JOB_swapin_delay, METRIC_swapin_delay_total_ns, NS_PER_SECOND},
        {JOB_freepages_delay, METRIC_freepages_delay_total_ns, NS_PER_SECOND},
        {JOB_thrashing_delay, METRIC_thrashing_delay_total_ns, NS_PER_SECOND},
        {JOB_compact_delay, METRIC_compact_delay_total_ns, NS_PER_SECOND},
        {JOB_wpcopy_delay, METRIC_wpcopy_delay_total_ns, NS_PER_SECOND},
        {JOB_irq_delay, METRIC_irq_delay_total_ns, NS_PER_SECOND},
};
_Static_assert(ARRAY_SIZE(sum_table) == JOB_SUMS_COUNT, "each sum has a place");

static void add(struct job_sums *sums, size_t i, double number)
{
	sums->sums[i] += number;
	sums->seen[i] = true;
}

void job_sums_add(struct job_sums *sums, const struct thread_sample *sample)
{
	for (size_t i = 0; i < ARRAY_SIZE(sum_table); i++) {
		enum metric_id metric = sum_table[i].metric;

		if (metric_set_has(&sample->seen, metric))
			add(sums, i, (double)sample_number(sample, metric) / sum_table[i].unit);
		else if (metric_set_has(&sample->impossible, metric))
			sums->impossible[i]++;
		else
			sums->missing[i] = true;
	}
}

void job_sums_add_live(struct job_sums *sums, const struct job_counters *counters)
{
	const struct {
		enum job_value_id id;
		bool known;
		double number;
	} own[] = {
	        {JOB_cpu_time, counters->has_schedstat, counters->run_time},
	        {JOB_run_queue_wait, counters->has_schedstat, counters->run_queue_wait},
	        {JOB_minor_faults, true, counters->minor_faults},
	        {JOB_major_faults, true, counters->major_faults},
	        {JOB_voluntary_switches, counters->has_switches, counters->voluntary_switches},
	        {JOB_involuntary_switches, counters->has_switches, counters->involuntary_switches},
	        {JOB_rchar, counters->has_io, counters->io[JOB_IO_RCHAR]},
	        {JOB_wchar, counters->has_io, counters->io[JOB_IO_WCHAR]},
	        {JOB_syscr, counters->has_io, counters->io[JOB_IO_SYSCR]},
	        {JOB_syscw, counters->has_io, counters->io[JOB_IO_SYSCW]},
	        {JOB_read_bytes, counters->has_io, counters->io[JOB_IO_READ_BYTES]},
	        {JOB_write_bytes, counters->has_io, counters->io[JOB_IO_WRITE_BYTES]},
	        {JOB_cancelled_write_bytes, counters->has_io, counters->io[JOB_IO_CANCELLED]},
	};

	for (size_t i = 0; i < ARRAY_SIZE(sum_table); i++) {
		size_t k = 0;

		while (k < ARRAY_SIZE(own) && own[k].id != sum_table[i].id)
			k++;
		if (k < ARRAY_SIZE(own) && own[k].known)
			add(sums, i, own[k].number);
		else
			sums->missing[i] = true;
	}
}

void job_sums_forget(struct job_sums *sums)
{
	memset(sums->missing, true, sizeof(sums->missing));
}

void job_sums_set(const struct job_sums *sums, struct job_values *values)
{
	for (size_t i = 0; i < ARRAY_SIZE(sum_table); i++) {
		enum job_value_id id = sum_table[i].id;

		if (sums->seen[i] && !sums->missing[i])
			job_set(values, id, JOB_SOURCE_exits, sums->sums[i]);
		values->impossible[id] = sums->impossible[i];
	}
}
