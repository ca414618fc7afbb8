// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-recorder.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "duct-system.h"

/* A reading of the processes of a sample. */
struct sample_reading {
	struct job_reading base; /* must stay the first member */
	int proc_fd;
	struct duct_recorder *recorder;
	struct job_memory *memory;
	double cpu_time;
	/* Those whose commands are read, in the order of their numbers. */
	const struct duct_process *const *processes;
	size_t count;
	size_t most_bytes; /* of a command */
	struct strbuf *commands;
	struct duct_storage *storage;
	bool is_known; /* the storage */
};

/* Returns the place of a process among those whose commands are read; it is there. */
static size_t place_of(const struct sample_reading *reading, uint32_t pid)
{
	size_t low = 0, high = reading->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reading->processes[middle]->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void read_command(struct job_reading *self, uint32_t pid)
{
	const struct sample_reading *reading = (struct sample_reading *)self;
	size_t place = place_of(reading, pid);

	duct_process_command(reading->proc_fd, reading->processes[place], reading->most_bytes,
	                     &reading->commands[place]);
}

static void name_command(struct job_reading *self, uint32_t pid)
{
	const struct sample_reading *reading = (struct sample_reading *)self;
	size_t place = place_of(reading, pid);

	duct_process_name(reading->processes[place], &reading->commands[place]);
}

static void commands_of(void *context, const struct duct_process *const *processes, size_t count,
                        size_t most_bytes, struct strbuf *outs)
{
	struct job_reader *reader = ((const struct duct_recorder *)context)->reader;
	cleanup_(id_list_done) struct id_list pids = {0};
	struct sample_reading reading = {
	        .base = {AVOIDS_MEMORY, read_command, name_command},
	        .proc_fd = reader->proc_fd,
	        .processes = processes,
	        .count = count,
	        .most_bytes = most_bytes,
	        .commands = outs,
	};

	for (size_t i = 0; i < count; i++)
		*array_add(pids.ids, pids.count, pids.capacity) = processes[i]->pid;
	job_reader_read(reader, &reading.base, &pids);
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

static void add_memory(struct job_memory *memory, double rss, double vsz)
{
	memory->processes++;
	memory->rss += rss;
	memory->vsz += vsz;
	if (rss > memory->largest_rss)
		memory->largest_rss = rss;
}

static void read_process(struct job_reading *self, uint32_t pid)
{
	struct sample_reading *reading = (struct sample_reading *)self;
	struct duct_recorder *recorder = reading->recorder;
	const struct id_list one = {.ids = &pid, .count = 1};
	struct duct_process process;
	struct job_memory memory;

	if (!duct_process_read(reading->proc_fd, pid, &process))
		return;
	reading->cpu_time += process.cpu_time + process.waited_time;
	if (process.vsz <= 0) {
		job_memory_read(reading->proc_fd, &one, &memory);
		process.vsz = memory.vsz;
		process.rss = memory.rss;
	}
	/* A zombie has no memory any more, unless its leader alone has ended. */
	if (process.vsz <= 0)
		return;
	recorder->processes[recorder->count++] = process;
	add_memory(reading->memory, process.rss, process.vsz);
}

/* No process holds up the file of its memory. */
static void read_memory(struct job_reading *self, uint32_t pid)
{
	const struct sample_reading *reading = (struct sample_reading *)self;
	const struct id_list one = {.ids = &pid, .count = 1};
	struct job_memory memory;

	job_memory_read(reading->proc_fd, &one, &memory);
	if (memory.processes > 0)
		add_memory(reading->memory, memory.rss, memory.vsz);
}

/* Reads the processes. Returns the CPU time of all of them, with the children that they waited for. */
static double read_processes(struct duct_recorder *recorder, const struct job_moment *moment,
                             struct job_memory *ret)
{
	struct sample_reading reading = {
	        .base = {AVOIDS_ALL, read_process, read_memory},
	        .proc_fd = moment->reader->proc_fd,
	        .recorder = recorder,
	        .memory = ret,
	};

	recorder->count = 0;
	array_reserve(recorder->processes, recorder->capacity, moment->pids->count);
	job_reader_read(moment->reader, &reading.base, moment->pids);
	return reading.cpu_time;
}

/* Adds the storage of a process and of its children that it waited for. One that is gone has passed its counters on, to its parent
 * or to us; one that is there and cannot be read makes the sum unknown. */
static void add_storage(struct job_reading *self, uint32_t pid)
{
	struct sample_reading *reading = (struct sample_reading *)self;
	struct duct_process process;
	double io[JOB_IO_COUNT];

	if (!job_io_read(reading->proc_fd, (pid_t)pid, io)) {
		if (duct_process_read(reading->proc_fd, pid, &process))
			reading->is_known = false;
		return;
	}
	reading->storage->read += io[JOB_IO_READ_BYTES];
	reading->storage->written += io[JOB_IO_WRITE_BYTES];
}

static void lose_storage(struct job_reading *self, uint32_t pid)
{
	(void)pid;
	((struct sample_reading *)self)->is_known = false;
}

/* Reads the storage of the job so far. Returns false if it is not known. */
static bool read_storage(const struct job_moment *moment, struct duct_storage *ret)
{
	struct sample_reading reading = {
	        .base = {AVOIDS_ALL, add_storage, lose_storage},
	        .proc_fd = moment->reader->proc_fd,
	        .storage = ret,
	        .is_known = moment->has_storage,
	};

	*ret = (struct duct_storage){moment->read_bytes, moment->written_bytes};
	if (reading.is_known)
		job_reader_read(moment->reader, &reading.base, moment->pids);
	return reading.is_known;
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

/* Adds a sample, and writes a record if it is due. */
static void add_sample(struct duct_recorder *recorder, const struct job_moment *moment,
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

void duct_recorder_sample(struct duct_recorder *recorder, const struct job_moment *moment,
                          struct job_memory *ret)
{
	recorder->reader = moment->reader;
	*ret = (struct job_memory){0};
	if (moment->is_last)
		end(recorder, moment);
	else
		add_sample(recorder, moment, ret);
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
	        .series = {.host_memory = job_host_memory(),
	                   .most_pcpu = 100 * (double)sysconf(_SC_NPROCESSORS_CONF),
	                   .commands = commands_of,
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
