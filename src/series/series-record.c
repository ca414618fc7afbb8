// SPDX-License-Identifier: GPL-2.0-or-later
#include "series-record.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "series/timestamp.h"

enum { PERCENT = 100 };

/* No job uses more of anything. */
#define NUMBER_MAX 1e18

/* Returns a number of the JSON, or a text that is one, as con-duct's plot has it; NaN for anything else, also below 0
 * and above NUMBER_MAX. */
static double number_of(const json_t *json)
{
	const char *text = json_string_value(json);
	double number = NAN;
	char *end;

	if (json_is_number(json))
		number = json_number_value(json);
	else if (text && text[0] != '\0' && strspn(text, "0123456789+-.eE") == strlen(text)) {
		number = strtod(text, &end);
		if (*end != '\0')
			number = NAN;
	}
	return number >= 0 && number <= NUMBER_MAX ? number : NAN;
}

/* Returns the value at a place such as totals.rss. */
static double number_at(const json_t *record, const char *place)
{
	char object[64];
	const char *dot = strchr(place, '.');

	if (dot) {
		snprintf(object, sizeof(object), "%.*s", (int)(dot - place), place);
		record = json_object_get(record, object);
		place = dot + 1;
	}
	return number_of(json_object_get(record, place));
}

double series_interval_cpu(double pcpu_before, uint64_t age_before, int64_t seen_before_ns,
                           double pcpu, uint64_t age, int64_t seen_ns)
{
	/* Ages are whole seconds. */
	const int64_t tolerance_ns = 2 * (int64_t)NS_PER_SECOND;
	int64_t grown_ns;
	double used;

	if (age_before == 0 || age <= age_before)
		return NAN;
	grown_ns = (int64_t)((age - age_before) * NS_PER_SECOND);
	if (grown_ns < seen_ns - seen_before_ns - tolerance_ns)
		return NAN;
	used = pcpu * (double)age - pcpu_before * (double)age_before;
	return used < 0 ? NAN : used / (double)(age - age_before);
}

/* Stores the age of a process and the time when it was that. Returns false if the record does not have them. */
static bool read_age(const json_t *json, int64_t record_ns, uint64_t *ret_age, int64_t *ret_seen_ns)
{
	const char *age_text = json_string_value(json_object_get(json, "etime"));
	const char *seen_text = json_string_value(json_object_get(json, "timestamp"));
	bool has_offset;

	*ret_seen_ns = record_ns;
	if (seen_text && !timestamp_parse(seen_text, ret_seen_ns, &has_offset))
		*ret_seen_ns = record_ns;
	return age_text && timestamp_parse_age(age_text, ret_age) &&
	       *ret_age < INT64_MAX / NS_PER_SECOND;
}

/* An age is cut off to whole seconds, and may have been read a little before its time. A process that is younger than before, or was born
 * later than that allows, has got the id of another one. */
static bool is_another(const struct series_process *process, uint64_t age, int64_t birth_ns,
                       bool clock_moved)
{
	const int64_t tolerance_ns = 2 * (int64_t)NS_PER_SECOND;

	return process->has_birth &&
	       (age < process->last_age ||
	        (!clock_moved && birth_ns > process->birth_ns + tolerance_ns));
}

/* Returns whether the record is of another process than the last one with this id, where both have the start times. */
static bool started_apart(const struct series_process *process, double start)
{
	return !isnan(start) && !isnan(process->start) && start != process->start;
}

static struct series_process *add_process(struct series *series, struct strmap_entry *entry)
{
	struct series_process *process =
	        array_add(series->processes, series->process_count, series->process_capacity);

	*process = (struct series_process){.pid = entry->key, .start = NAN};
	entry->value = (void *)(uintptr_t)series->process_count;
	return process;
}

/* @clock_moved: the clock on the wall was set since the record before. */
static struct series_process *process_of(struct series *series, const char *pid, const json_t *json,
                                         int64_t record_ns, bool clock_moved)
{
	struct strmap_entry *entry = strmap_add(&series->pids, pid, strlen(pid));
	uintptr_t place = (uintptr_t)entry->value;
	struct series_process *process =
	        place > 0 ? &series->processes[place - 1] : add_process(series, entry);
	double start = number_of(json_object_get(json, "ctprof_start_time_clock_ticks"));
	int64_t seen_ns, birth_ns;
	uint64_t age;

	if (started_apart(process, start))
		process = add_process(series, entry);
	if (!isnan(start))
		process->start = start;
	if (!read_age(json, record_ns, &age, &seen_ns))
		return process;
	birth_ns = seen_ns - (int64_t)(age * NS_PER_SECOND);
	if (isnan(start) && is_another(process, age, birth_ns, clock_moved))
		process = add_process(series, entry);
	if (!process->has_birth || clock_moved || birth_ns < process->birth_ns)
		process->birth_ns = birth_ns;
	process->has_birth = true;
	process->last_age = age;
	return process;
}

/* The time since the record before. */
struct interval {
	double seconds;   /* NaN: not known */
	bool clock_moved; /* the clock on the wall shows another time than the record */
	bool is_rest;     /* too short for a rate */
};

/* Returns the time since the record before, which is longer than the record's own @seconds where records between them were left out, as
 * on a full disk. Without the time since the start of the job only the clock on the wall shows that, and it may have been set. */
static double seconds_since(const struct series *series, double seconds, double total,
                            double passed)
{
	double since = total - series->last_total;

	if (!series->has_last_time || isnan(seconds))
		return seconds;
	if (!isnan(since))
		return fmax(since, seconds);
	return passed > seconds + fmax(seconds, series->last_seconds) / 2 ? NAN : seconds;
}

static struct interval interval_of(const struct series *series, int64_t time_ns, double seconds,
                                   double total)
{
	/* CPU time is not read at the very moment of a record, which matters for the last one. */
	static const double least = 0.1;
	double passed = (double)(time_ns - series->last_time_ns) / (double)NS_PER_SECOND;
	double since = seconds_since(series, seconds, total, passed);

	return (struct interval){
	        .seconds = since,
	        .clock_moved = series->has_last_time && !isnan(seconds) &&
	                       fabs(passed - (isnan(since) ? seconds : since)) > 1,
	        .is_rest = series->has_last_time && seconds < least &&
	                   seconds < series->last_seconds / 2,
	};
}

static void end_interval(struct series *series, const struct interval *interval, int64_t time_ns,
                         double seconds, double total)
{
	series->has_last_time = true;
	series->last_time_ns = time_ns;
	series->last_seconds = seconds;
	series->last_total = total;
	if (isnan(interval->seconds))
		series->gaps++;
	else
		series->seconds += interval->seconds;
}

/* A process gets another command by execve(2). */
static const char *command_of(struct series *series, struct series_process *process,
                              const json_t *json)
{
	const char *command = json_string_value(json_object_get(json, "cmd"));

	/* Without points only the first commands are kept: there may be any number of them. */
	if (command && command[0] != '\0' && (!series->too_many_points || !process->command))
		process->command = strmap_add(&series->commands, command, strlen(command))->key;
	return process->command;
}

/* Returns the CPU use of a process in this record, and keeps what the next one needs. @json is as in the file. */
static double interval_cpu(struct series_process *process, const json_t *json, int64_t record_ns)
{
	double pcpu = number_of(json_object_get(json, "pcpu")), value = NAN;
	int64_t seen_ns;
	uint64_t age;

	if (!read_age(json, record_ns, &age, &seen_ns) || isnan(pcpu)) {
		process->has_before = false;
		return NAN;
	}
	if (process->has_before)
		value = series_interval_cpu(process->pcpu, process->age_seconds, process->seen_ns,
		                            pcpu, age, seen_ns);
	process->has_before = age > 0;
	process->age_seconds = age;
	process->pcpu = pcpu;
	process->seen_ns = seen_ns;
	return value;
}

/* Returns the CPU use of a process since the last record that has it, or else since the record before; NaN if that is not known. A
 * smaller CPU time than before is that of another process with this id. series->seconds is up to this record. */
static double used_cpu(const struct series *series, struct series_process *process,
                       const json_t *json, const struct interval *interval)
{
	double now = number_of(json_object_get(json, "ctprof_cpu_seconds"));
	double used = now, seconds = interval->seconds;

	if (isnan(now))
		return NAN;
	if (process->has_cpu && now >= process->cpu_seconds) {
		used = now - process->cpu_seconds;
		seconds = process->gaps == series->gaps ? series->seconds - process->seconds : NAN;
	}
	process->has_cpu = true;
	process->cpu_seconds = now;
	process->seconds = series->seconds;
	process->gaps = series->gaps;
	used = seconds > 0 && !interval->is_rest ? PERCENT * used / seconds : NAN;
	/* The seconds may be next to nothing. */
	return isfinite(used) ? used : NAN;
}

static void drop_points(struct series *series)
{
	for (size_t i = 0; i < series->process_count; i++) {
		free(series->processes[i].points);
		series->processes[i].points = NULL;
		series->processes[i].count = series->processes[i].capacity = 0;
	}
	series->too_many_points = true;
}

static void keep_point(struct series *series, struct series_process *process,
                       struct series_point point)
{
	if (series->too_many_points)
		return;
	*array_add(process->points, process->count, process->capacity) = point;
	if (++series->points > SERIES_POINTS_MAX)
		drop_points(series);
}

static double larger(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

/* A missing value adds nothing; the sum of none is missing. */
static double sum_of(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

/* Adds what is computed from the processes of a record. */
static void add_processes(struct series *series, const json_t *processes, enum series_cpu cpu,
                          const struct interval *interval, struct series_record *record)
{
	const char *pid;
	json_t *json;
	double sum = NAN, *values = record->values;

	/* The iteration changes nothing of it. */
	json_object_foreach((json_t *)(uintptr_t)processes, pid, json)
	{
		struct series_process *process;
		struct series_point point = {.time_ns = record->time_ns};

		if (!json_is_object(json))
			continue;
		process = process_of(series, pid, json, record->time_ns, interval->clock_moved);
		point.command = command_of(series, process, json);
		point.rss = number_of(json_object_get(json, "rss"));
		point.cpu = cpu == SERIES_CPU_INTERVAL
		                    ? interval_cpu(process, json, record->time_ns)
		                    : number_of(json_object_get(json, "pcpu"));
		point.used = used_cpu(series, process, json, interval);
		keep_point(series, process, point);
		values[SERIES_cpu_max] = larger(values[SERIES_cpu_max], point.cpu);
		values[SERIES_rss_max] = larger(values[SERIES_rss_max], point.rss);
		sum = sum_of(sum, point.cpu);
	}
	if (cpu == SERIES_CPU_INTERVAL)
		values[SERIES_cpu] = sum;
	if (isnan(values[SERIES_processes]))
		values[SERIES_processes] = (double)json_object_size(processes);
}

static const char *read_time(const json_t *json, enum series_offsets *offsets, int64_t *ret_ns)
{
	const char *text = json_string_value(json_object_get(json, "timestamp"));
	bool has_offset;
	enum series_offsets found;

	if (!text)
		return "a timestamp is missing";
	if (!timestamp_parse(text, ret_ns, &has_offset))
		return "the timestamp is no time";
	found = has_offset ? OFFSETS_GIVEN : OFFSETS_NONE;
	if (*offsets != OFFSETS_UNKNOWN && found != *offsets)
		return "timestamps with an offset from UTC and without one cannot be compared";
	*offsets = found;
	return NULL;
}

const char *series_add_record(struct series *series, const json_t *json, enum series_cpu cpu,
                              enum series_offsets *offsets)
{
	struct series_record record = {0};
	const json_t *processes;
	const char *reason;
	double seconds, total;
	struct interval interval;

	if (!json_is_object(json))
		return "an object was expected";
	reason = read_time(json, offsets, &record.time_ns);
	if (reason)
		return reason;
	for (unsigned i = 0; i < SERIES_COUNT; i++)
		record.values[i] = number_at(json, series_rows[i].place);
	seconds = number_at(json, "ctprof_seconds");
	total = number_at(json, "ctprof_seconds_total");
	interval = interval_of(series, record.time_ns, seconds, total);
	end_interval(series, &interval, record.time_ns, seconds, total);
	record.values[SERIES_cpu_mean] = PERCENT * number_at(json, "ctprof_cpu_seconds") / seconds;
	if (!isfinite(record.values[SERIES_cpu_mean]) || interval.is_rest)
		record.values[SERIES_cpu_mean] = NAN;
	processes = json_object_get(json, "processes");
	if (json_is_object(processes))
		add_processes(series, processes, cpu, &interval, &record);
	else if (cpu == SERIES_CPU_INTERVAL)
		record.values[SERIES_cpu] = NAN;
	*array_add(series->records, series->count, series->capacity) = record;
	return NULL;
}
