// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-samples.h"

#include <math.h>

#include "base/clock.h"

#define FIRST_NS (10 * NS_PER_MS)
#define CPU_INTERVAL_NS (100 * NS_PER_MS)
enum { PART = 8 /* of the time so far, between two samples */ };

void job_samples_init(struct job_samples *samples, uint64_t start_ns, uint64_t longest_ns)
{
	*samples = (struct job_samples){
	        .start_ns = start_ns,
	        .last_ns = start_ns,
	        .cpu_ns = start_ns,
	        .has_cpu_time = true,
	        .longest_ns = longest_ns,
	};
}

uint64_t job_samples_next(const struct job_samples *samples)
{
	uint64_t step = (samples->last_ns - samples->start_ns) / PART;

	/* A deadline does not move with the time that samples take. */
	uint64_t since = samples->last_ns - samples->start_ns,
	         deadline = since - since % samples->longest_ns + samples->longest_ns;

	if (step < FIRST_NS)
		step = FIRST_NS;
	return samples->start_ns + (since + step < deadline ? since + step : deadline);
}

void job_samples_add(struct job_samples *samples, uint64_t now_ns, const struct job_memory *memory)
{
	double seconds;

	if (now_ns < samples->last_ns)
		now_ns = samples->last_ns;
	seconds = (double)(now_ns - samples->last_ns) / NS_PER_SECOND;
	samples->last_ns = now_ns;
	if (memory->processes == 0)
		return;
	samples->count++;
	samples->seconds += seconds;
	samples->rss_time += memory->rss * seconds;
	samples->vsz_time += memory->vsz * seconds;
	if (memory->rss > samples->peak_rss)
		samples->peak_rss = memory->rss;
	if (memory->largest_rss > samples->largest_rss)
		samples->largest_rss = memory->largest_rss;
	if (memory->vsz > samples->peak_vsz)
		samples->peak_vsz = memory->vsz;
}

void job_samples_add_cpu(struct job_samples *samples, uint64_t begin_ns, uint64_t end_ns,
                         double cpu_time)
{
	double percent;

	if (begin_ns < samples->cpu_ns + CPU_INTERVAL_NS)
		return;
	if (samples->has_cpu_time && cpu_time >= samples->cpu_time) {
		percent = 100 * (cpu_time - samples->cpu_time) * NS_PER_SECOND /
		          (double)(end_ns - samples->cpu_ns);
		if (!samples->has_peak_pcpu || percent > samples->peak_pcpu)
			samples->peak_pcpu = percent;
		samples->has_peak_pcpu = true;
	}
	samples->has_cpu_time = true;
	samples->cpu_time = cpu_time;
	samples->cpu_ns = begin_ns;
}

void job_samples_add_pss(struct job_samples *samples, double bytes)
{
	samples->pss_count++;
	samples->pss_sum += bytes;
	if (bytes > samples->peak_pss)
		samples->peak_pss = bytes;
}

void job_samples_lack_pss(struct job_samples *samples)
{
	samples->lacks_pss = true;
}

void job_samples_values(const struct job_samples *samples, struct job_values *values)
{
	job_set(values, JOB_num_samples, JOB_SOURCE_samples, (double)samples->count);
	job_set(values, JOB_num_pss_samples, JOB_SOURCE_samples, (double)samples->pss_count);
	if (samples->count > 0) {
		job_set(values, JOB_peak_rss, JOB_SOURCE_samples, samples->peak_rss);
		job_set(values, JOB_peak_vsz, JOB_SOURCE_samples, samples->peak_vsz);
	}
	if (samples->seconds > 0) {
		/* Rounding must not lift a mean above the peak. */
		job_set(values, JOB_average_rss, JOB_SOURCE_samples,
		        fmin(samples->rss_time / samples->seconds, samples->peak_rss));
		job_set(values, JOB_average_vsz, JOB_SOURCE_samples,
		        fmin(samples->vsz_time / samples->seconds, samples->peak_vsz));
	}
	if (samples->pss_count > 0 && !samples->lacks_pss) {
		job_set(values, JOB_peak_pss, JOB_SOURCE_samples, samples->peak_pss);
		job_set(values, JOB_average_pss, JOB_SOURCE_samples,
		        samples->pss_sum / (double)samples->pss_count);
	}
	if (samples->has_peak_pcpu)
		job_set(values, JOB_peak_pcpu, JOB_SOURCE_cgroup, samples->peak_pcpu);
}

void job_samples_raise_peak(struct job_values *values)
{
	if (values->seen[JOB_peak_rss] && values->seen[JOB_largest_rss])
		values->numbers[JOB_peak_rss] =
		        fmax(values->numbers[JOB_peak_rss], values->numbers[JOB_largest_rss]);
}
