// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-recorder.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "duct-system.h"

static void command_of(void *context, const struct duct_process *process, struct strbuf *out)
{
	const struct duct_recorder *recorder = context;

	duct_process_command(recorder->proc_fd, process, out);
}

static void write_record(struct duct_recorder *recorder)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;
	struct duct_recorded *recorded = &recorder->recorded;
	int r;

	if (!duct_series_write(&recorder->series, &line))
		return;
	r = duct_file_append(recorder->file, &line);
	if (r == 0)
		recorded->reports++;
	else if (recorded->error == 0)
		recorded->error = r;
}

/* Reads the processes. Returns the CPU time of all of them, with the children that they waited for. */
static double read_processes(struct duct_recorder *recorder, const struct job_moment *moment,
                             struct job_memory *ret)
{
	double cpu_time = 0;

	*ret = (struct job_memory){0};
	recorder->count = 0;
	array_reserve(recorder->processes, recorder->capacity, moment->pids->count);
	for (size_t i = 0; i < moment->pids->count; i++) {
		struct duct_process *process = &recorder->processes[recorder->count];

		if (!duct_process_read(moment->proc_fd, moment->pids->ids[i], process))
			continue;
		cpu_time += process->cpu_time + process->waited_time;
		/* A zombie has no memory any more. */
		if (process->vsz <= 0)
			continue;
		recorder->count++;
		ret->processes++;
		ret->rss += process->rss;
		ret->vsz += process->vsz;
		if (process->rss > ret->largest_rss)
			ret->largest_rss = process->rss;
	}
	return cpu_time;
}

/* Adds the storage of a process and of its children that it waited for. One that is gone has passed its counters on, to its parent
 * or to us. Returns false if it is there and cannot be read. */
static bool add_storage(const struct job_moment *moment, uint32_t pid, struct duct_storage *ret)
{
	struct duct_process process;
	double io[JOB_IO_COUNT];

	if (!job_io_read(moment->proc_fd, (pid_t)pid, io))
		return !duct_process_read(moment->proc_fd, pid, &process);
	ret->read += io[JOB_IO_READ_BYTES];
	ret->written += io[JOB_IO_WRITE_BYTES];
	return true;
}

/* Reads the storage of the job so far. Returns false if it is not known. */
static bool read_storage(const struct job_moment *moment, struct duct_storage *ret)
{
	bool known = moment->has_storage;

	*ret = (struct duct_storage){moment->read_bytes, moment->written_bytes};
	for (size_t i = 0; i < moment->pids->count && known; i++)
		known = add_storage(moment, moment->pids->ids[i], ret);
	return known;
}

static double seconds_since(uint64_t start_ns, uint64_t now_ns)
{
	return now_ns > start_ns ? (double)(now_ns - start_ns) / NS_PER_SECOND : 0;
}

/* The time of a moment of CLOCK_MONOTONIC by the clock on the wall. */
static uint64_t wall_of(uint64_t moment_ns)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	return clock_now_ns(CLOCK_REALTIME) - (now_ns > moment_ns ? now_ns - moment_ns : 0);
}

static void end(struct duct_recorder *recorder, const struct job_moment *moment)
{
	const struct duct_storage storage = {moment->read_bytes, moment->written_bytes};
	struct duct_series *series = &recorder->series;
	struct duct_recorded *recorded = &recorder->recorded;

	duct_series_end(series, seconds_since(moment->start_ns, moment->now_ns),
	                wall_of(moment->now_ns),
	                moment->has_cpu_time ? moment->cpu_time : series->cpu_time,
	                moment->has_storage ? &storage : NULL);
	if (recorder->file)
		write_record(recorder);
	recorded->samples = series->run.samples;
	recorded->has_peak = duct_series_peak(series, &recorded->peak_pcpu);
}

void duct_recorder_sample(struct duct_recorder *recorder, const struct job_moment *moment,
                          struct job_memory *ret)
{
	double known = read_processes(recorder, moment, ret);
	struct duct_sample reading = {
	        .time = seconds_since(moment->start_ns, clock_now_ns(CLOCK_MONOTONIC)),
	        .wall_ns = clock_now_ns(CLOCK_REALTIME),
	        .cpu_time = moment->has_cpu_time ? moment->cpu_time : known + moment->waited_time,
	        .is_exact = moment->has_cpu_time,
	        .has_pss = moment->has_pss,
	        .pss = moment->pss,
	        .has_peak_memory = moment->has_peak_memory,
	        .peak_memory = moment->peak_memory,
	        .processes = recorder->processes,
	        .count = recorder->count,
	};
	bool is_due = recorder->file && reading.time >= recorder->next_report;

	recorder->proc_fd = moment->proc_fd;
	if (moment->is_last) {
		end(recorder, moment);
		return;
	}
	/* Readings between two records would change neither. */
	if (is_due)
		reading.has_storage = read_storage(moment, &reading.storage);
	duct_series_add(&recorder->series, &reading);
	if (!is_due)
		return;
	write_record(recorder);
	while (recorder->next_report <= reading.time)
		recorder->next_report += recorder->interval;
}

static void sample(struct job_watcher *self, const struct job_moment *moment,
                   struct job_memory *ret)
{
	duct_recorder_sample((struct duct_recorder *)self, moment, ret);
}

void duct_recorder_init(struct duct_recorder *recorder, const struct duct_file *file,
                        uint64_t report_ns)
{
	*recorder = (struct duct_recorder){
	        .watcher = {.sample = sample},
	        .file = file,
	        .interval = (double)report_ns / NS_PER_SECOND,
	        .series = {.host_memory = duct_host_memory(),
	                   .most_pcpu = 100 * (double)sysconf(_SC_NPROCESSORS_CONF),
	                   .command = command_of,
	                   .context = recorder},
	};
}

void duct_recorder_done(struct duct_recorder *recorder)
{
	duct_series_done(&recorder->series);
	free(recorder->processes);
	recorder->processes = NULL;
	recorder->count = recorder->capacity = 0;
}
