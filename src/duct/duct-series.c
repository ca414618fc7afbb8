// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "duct-record.h"

/* The least time between two readings of CPU time that make a rate, in seconds; that of readings cut to ticks. */
static const double rate_interval = 0.1, coarse_interval = 0.5;

/* The arguments of a process may have megabytes, which its children share. A command is kept whole up to COMMAND_BYTES while all of
 * them have no more than COMMANDS_BYTES, and up to COMMAND_BYTES_LEAST in any case. A line with as many bytes that need an escape can
 * still be read. */
enum { COMMAND_BYTES = 64 << 10, COMMANDS_BYTES = 4 << 20, COMMAND_BYTES_LEAST = 128 };

/* A state and the number of samples in it. */
static void count_state(struct duct_entry *entry, const char *state)
{
	struct duct_states *states;

	for (size_t i = 0; i < entry->state_count; i++)
		if (strcmp(entry->states[i].state, state) == 0) {
			entry->states[i].samples++;
			return;
		}
	states = array_add(entry->states, entry->state_count, entry->state_capacity);
	*states = (struct duct_states){.samples = 1};
	memcpy(states->state, state, sizeof(states->state));
}

/* Adds one sample of a process to its entry. */
static void fold(struct duct_series *series, struct duct_entry *entry,
                 const struct duct_process *process, uint64_t wall_ns)
{
	const double percent = 100 * process->cpu_time / process->age;

	entry->last = *process;
	entry->last_sample = series->samples;
	entry->wall_ns = wall_ns;
	entry->pcpu = fmax(entry->pcpu, percent);
	entry->rss = fmax(entry->rss, process->rss);
	entry->vsz = fmax(entry->vsz, process->vsz);
	if (process->threads > entry->threads)
		entry->threads = process->threads;
	count_state(entry, process->state);
}

static void forget_command(struct duct_series *series, struct duct_entry *entry)
{
	if (entry->command)
		series->command_bytes -= strlen(entry->command);
	free(entry->command);
	entry->command = NULL;
}

static void clear(struct duct_series *series, struct duct_entry *entry)
{
	free(entry->states);
	forget_command(series, entry);
	*entry = (struct duct_entry){0};
}

/* Puts an entry for each process into the list, which keeps its order. */
static void merge(struct duct_series *series, const struct duct_process *processes, size_t count)
{
	size_t missing = 0, at = 0, old;

	for (size_t i = 0; i < count; i++) {
		while (at < series->count && series->entries[at].last.pid < processes[i].pid)
			at++;
		missing += at == series->count || series->entries[at].last.pid != processes[i].pid;
	}
	if (missing == 0)
		return;
	old = series->count;
	array_reserve(series->entries, series->capacity, old + missing);
	series->count = old + missing;
	/* From the end on, so that each one moves once. */
	at = series->count;
	for (size_t i = count; i-- > 0;) {
		while (old > 0 && series->entries[old - 1].last.pid > processes[i].pid)
			series->entries[--at] = series->entries[--old];
		if (old > 0 && series->entries[old - 1].last.pid == processes[i].pid)
			series->entries[--at] = series->entries[--old];
		else
			series->entries[--at] = (struct duct_entry){.last = processes[i]};
	}
}

/* The first words win, unless they are the name of a process without any. */
static bool lacks_command(const struct duct_series *series, const struct duct_entry *entry)
{
	return entry->last_sample == series->samples &&
	       (!entry->has_command || entry->command[0] == '[');
}

/* Shares what is left of the room among new commands. */
static size_t most_bytes(const struct duct_series *series, size_t count)
{
	size_t left = series->command_bytes < COMMANDS_BYTES
	                      ? (COMMANDS_BYTES - series->command_bytes) / count
	                      : 0;

	if (left < COMMAND_BYTES_LEAST)
		return COMMAND_BYTES_LEAST;
	return left < COMMAND_BYTES ? left : COMMAND_BYTES;
}

/* Reads the commands of all processes of this sample that lack one, together. */
static void read_commands(struct duct_series *series)
{
	cleanup_(mem_freep) struct duct_entry **entries =
	        mem_calloc(series->count + 1, sizeof(entries[0]));
	cleanup_(mem_freep) const struct duct_process **processes =
	        mem_calloc(series->count + 1, sizeof(processes[0]));
	cleanup_(mem_freep) struct strbuf *texts = mem_calloc(series->count + 1, sizeof(texts[0]));
	size_t count = 0;

	for (size_t i = 0; i < series->count; i++) {
		if (!lacks_command(series, &series->entries[i]))
			continue;
		entries[count] = &series->entries[i];
		processes[count++] = &series->entries[i].last;
	}
	if (count > 0)
		series->commands(series->context, processes, count, most_bytes(series, count),
		                 texts);
	for (size_t i = 0; i < count; i++) {
		forget_command(series, entries[i]);
		entries[i]->command = mem_copy(strbuf_str(&texts[i]), texts[i].len);
		series->command_bytes += texts[i].len;
		entries[i]->has_command = true;
		strbuf_done(&texts[i]);
	}
}

static void fold_all(struct duct_series *series, const struct duct_sample *sample)
{
	size_t at = 0;

	merge(series, sample->processes, sample->count);
	for (size_t i = 0; i < sample->count; i++) {
		const struct duct_process *process = &sample->processes[i];
		struct duct_entry *entry;

		while (series->entries[at].last.pid < process->pid)
			at++;
		entry = &series->entries[at];
		/* The pid is another process's now. */
		if (entry->last.start_ticks != process->start_ticks)
			clear(series, entry);
		fold(series, entry, process, sample->wall_ns);
	}
	read_commands(series);
}

static void add_sums(struct duct_sums *sums, const struct duct_series *series, double seconds)
{
	sums->samples++;
	sums->rss = fmax(sums->rss, series->rss);
	sums->vsz = fmax(sums->vsz, series->vsz);
	sums->pcpu = fmax(sums->pcpu, series->pcpu);
	sums->rss_time += series->rss * seconds;
	sums->vsz_time += series->vsz * seconds;
	sums->time += seconds;
}

static void set_totals(struct duct_series *series, const struct duct_sample *sample)
{
	uint64_t threads = 0;

	series->rss = series->vsz = series->pcpu = 0;
	for (size_t i = 0; i < sample->count; i++) {
		const struct duct_process *process = &sample->processes[i];

		series->rss += process->rss;
		series->vsz += process->vsz;
		series->pcpu += 100 * process->cpu_time / process->age;
		threads += process->threads;
	}
	series->wall_ns = sample->wall_ns;
	if (sample->count > series->processes)
		series->processes = sample->count;
	if (threads > series->threads)
		series->threads = threads;
}

static void add_rate(struct duct_series *series, double begin, double cpu_time)
{
	double seconds = series->time - begin;

	if (seconds <= 0)
		return;
	series->record.rate =
	        fmax(series->record.rate,
	             duct_record_possible(series, 100 * (series->cpu_time - cpu_time) / seconds));
	series->run.rate = fmax(series->run.rate, series->record.rate);
	series->run.has_rate = true;
}

/* Takes the CPU time of a moment. A rate needs some time. */
static void add_cpu(struct duct_series *series, double time, double cpu_time, double interval)
{
	series->time = time;
	series->cpu_time = fmax(series->cpu_time, cpu_time);
	if (time - series->rate_begin < interval)
		return;
	add_rate(series, series->rate_begin, series->rate_cpu);
	series->last_begin = series->rate_begin;
	series->last_cpu = series->rate_cpu;
	series->rate_begin = time;
	series->rate_cpu = series->cpu_time;
}

/* A reading misses what a process did that ends meanwhile, until the next one: it is never less than before. */
static void add_storage(struct duct_series *series, const struct duct_storage *storage)
{
	series->has_storage = true;
	series->storage.read = fmax(series->storage.read, storage->read);
	series->storage.written = fmax(series->storage.written, storage->written);
}

void duct_series_add(struct duct_series *series, const struct duct_sample *sample)
{
	double seconds = fmax(sample->time - series->time, 0);

	series->samples++;
	add_cpu(series, sample->time, sample->cpu_time,
	        sample->is_exact ? rate_interval : coarse_interval);
	if (sample->has_pss) {
		series->has_pss = true;
		series->pss = sample->pss;
	}
	if (sample->has_peak_memory) {
		series->has_peak_memory = true;
		series->peak_memory = sample->peak_memory;
	}
	if (sample->has_storage)
		add_storage(series, &sample->storage);
	if (sample->count == 0)
		return;
	series->last_seen = series->samples;
	set_totals(series, sample);
	fold_all(series, sample);
	add_sums(&series->record, series, seconds);
	add_sums(&series->run, series, seconds);
}

/* A record without a sample begins with what the last sample of processes saw. */
static void carry(struct duct_series *series, double seconds)
{
	for (size_t i = 0; i < series->count; i++) {
		struct duct_entry *entry = &series->entries[i];

		if (entry->last_sample != series->last_seen)
			continue;
		entry->has_command = entry->command != NULL;
		fold(series, entry, &entry->last, entry->wall_ns);
		series->processes++;
		series->threads += entry->last.threads;
	}
	if (series->processes > 0)
		add_sums(&series->record, series, seconds);
}

void duct_series_end(struct duct_series *series, double time, uint64_t wall_ns, double cpu_time,
                     const struct duct_storage *storage)
{
	double seconds = fmax(time - series->time, 0);
	bool is_empty = series->record.samples == 0 && series->run.samples > 0;

	if (is_empty)
		carry(series, seconds);
	/* The last sample is older, and often that of the record before. The clock may have been set back. */
	if (wall_ns > series->wall_ns)
		series->wall_ns = wall_ns;
	if (storage)
		add_storage(series, storage);
	add_cpu(series, time, cpu_time, rate_interval);
	/* The rest is too short for a rate of its own. */
	if (series->rate_begin < time)
		add_rate(series, series->last_begin, series->last_cpu);
}

/* Forgets the processes that were not in the last sample of processes, and what this record had of the others. */
static void restart(struct duct_series *series)
{
	size_t kept = 0;

	for (size_t i = 0; i < series->count; i++) {
		struct duct_entry *entry = &series->entries[i];

		if (entry->last_sample != series->last_seen) {
			clear(series, entry);
			continue;
		}
		entry->pcpu = entry->rss = entry->vsz = 0;
		entry->threads = 0;
		entry->state_count = 0;
		entry->has_command = false;
		series->entries[kept++] = *entry;
	}
	series->count = kept;
	series->record = (struct duct_sums){0};
	series->processes = series->threads = 0;
	series->lacks_begin = !series->has_storage;
	series->begin_storage = series->storage;
	series->has_pss = series->has_peak_memory = series->has_storage = false;
	series->begin = series->time;
	series->begin_cpu = series->cpu_time;
}

bool duct_series_write(struct duct_series *series, struct strbuf *out)
{
	if (series->record.samples == 0)
		return false;
	duct_record_add(series, out);
	restart(series);
	return true;
}

bool duct_series_peak(const struct duct_series *series, double *ret)
{
	*ret = series->run.rate;
	return series->run.has_rate;
}

void duct_series_done(struct duct_series *series)
{
	for (size_t i = 0; i < series->count; i++)
		clear(series, &series->entries[i]);
	free(series->entries);
	series->entries = NULL;
	series->count = series->capacity = 0;
}
