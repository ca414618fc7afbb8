// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct-record.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "duct/duct-json.h"

/* Appends a moment as "2026-11-22T10:09:40.703592+00:00", in local time. */
static void add_timestamp(uint64_t wall_ns, struct strbuf *out)
{
	enum { HOUR = 3600, MINUTE = 60 };
	const time_t seconds = (time_t)(wall_ns / NS_PER_SECOND);
	const unsigned micros = (unsigned)(wall_ns % NS_PER_SECOND / NS_PER_US);
	struct tm local;
	char text[64];
	long offset;

	if (!localtime_r(&seconds, &local) ||
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &local) == 0)
		return;
	offset = local.tm_gmtoff < 0 ? -local.tm_gmtoff : local.tm_gmtoff;
	strbuf_addf(out, "%s.%06u%c%02ld:%02ld", text, micros, local.tm_gmtoff < 0 ? '-' : '+',
	            offset / HOUR, offset % HOUR / MINUTE);
}

static void add_time(struct duct_json *json, uint64_t wall_ns)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	add_timestamp(wall_ns, &text);
	duct_json_text(json, strbuf_str(&text));
}

static void add_real(struct duct_json *json, const char *key, double value)
{
	duct_json_key(json, key);
	duct_json_real(json, value);
}

static void add_int(struct duct_json *json, const char *key, double value)
{
	duct_json_key(json, key);
	duct_json_int(json, (int64_t)value);
}

/* A reader of three decimals sees no difference. */
static double rounded(double value, double parts)
{
	return round(value * parts) / parts;
}

static double share(const struct duct_series *series, double bytes)
{
	return series->host_memory > 0 ? 100 * bytes / series->host_memory : 0;
}

static void add_states(struct duct_json *json, const struct duct_entry *entry)
{
	duct_json_key(json, "stat");
	duct_json_open(json, '{');
	for (size_t i = 0; i < entry->state_count; i++)
		add_int(json, entry->states[i].state, (double)entry->states[i].samples);
	duct_json_close(json, '}');
}

static void add_process(const struct duct_series *series, struct duct_json *json,
                        const struct duct_entry *entry)
{
	enum { TENTHS = 10, THOUSANDTHS = 1000 };
	cleanup_(strbuf_done) struct strbuf etime = STRBUF_INIT;
	char pid[16];

	snprintf(pid, sizeof(pid), "%u", entry->last.pid);
	duct_json_key(json, pid);
	duct_json_open(json, '{');
	add_real(json, "pcpu", rounded(entry->pcpu, TENTHS));
	add_real(json, "pmem", rounded(share(series, entry->rss), THOUSANDTHS));
	add_int(json, "rss", entry->rss);
	add_int(json, "vsz", entry->vsz);
	duct_json_key(json, "timestamp");
	add_time(json, entry->wall_ns);
	duct_json_key(json, "etime");
	duct_etime_add(entry->last.age, &etime);
	duct_json_text(json, strbuf_str(&etime));
	add_states(json, entry);
	duct_json_key(json, "cmd");
	duct_json_text(json, entry->command ? entry->command : "");
	add_real(json, "ctprof_cpu_seconds", entry->last.cpu_time);
	add_int(json, "ctprof_threads", entry->threads);
	add_int(json, "ctprof_start_time_clock_ticks", (double)entry->last.start_ticks);
	duct_json_close(json, '}');
}

double duct_record_possible(const struct duct_series *series, double pcpu)
{
	return series->most_pcpu > 0 ? fmin(pcpu, series->most_pcpu) : pcpu;
}

/* A record without a length has what its processes used of their lives, as con-duct has it. */
static double mean_pcpu(const struct duct_series *series)
{
	double seconds = series->time - series->begin;

	if (seconds <= 0)
		return duct_record_possible(series, series->record.pcpu);
	return duct_record_possible(series, 100 * (series->cpu_time - series->begin_cpu) / seconds);
}

static void add_totals(const struct duct_series *series, struct duct_json *json)
{
	const struct duct_sums *record = &series->record;

	duct_json_key(json, "totals");
	duct_json_open(json, '{');
	add_real(json, "pmem", share(series, record->rss));
	add_real(json, "pcpu", fmax(record->rate, mean_pcpu(series)));
	add_int(json, "rss", record->rss);
	add_int(json, "vsz", record->vsz);
	duct_json_close(json, '}');
}

static void add_averages(const struct duct_series *series, struct duct_json *json)
{
	const struct duct_sums *record = &series->record;
	double rss = record->rss, vsz = record->vsz;

	if (record->time > 0) {
		/* Rounding must not lift a mean above the peak. */
		rss = fmin(record->rss_time / record->time, rss);
		vsz = fmin(record->vsz_time / record->time, vsz);
	}
	duct_json_key(json, "averages");
	duct_json_open(json, '{');
	add_real(json, "rss", round(rss));
	add_real(json, "vsz", round(vsz));
	add_real(json, "pmem", share(series, rss));
	add_real(json, "pcpu", mean_pcpu(series));
	add_int(json, "num_samples", (double)record->samples);
	duct_json_close(json, '}');
}

static void add_storage(const struct duct_series *series, struct duct_json *json)
{
	const struct duct_storage *begin = &series->begin_storage;

	if (!series->lacks_begin) {
		add_int(json, "ctprof_read_bytes", series->storage.read - begin->read);
		add_int(json, "ctprof_write_bytes", series->storage.written - begin->written);
	}
	add_int(json, "ctprof_read_bytes_total", series->storage.read);
	add_int(json, "ctprof_write_bytes_total", series->storage.written);
}

/* Adds keys that con-duct's records do not have. */
static void add_own(const struct duct_series *series, struct duct_json *json)
{
	add_real(json, "ctprof_seconds", series->time - series->begin);
	add_real(json, "ctprof_seconds_total", series->time);
	add_real(json, "ctprof_cpu_seconds", series->cpu_time - series->begin_cpu);
	add_real(json, "ctprof_cpu_seconds_total", series->cpu_time);
	add_int(json, "ctprof_processes", (double)series->processes);
	add_int(json, "ctprof_threads", (double)series->threads);
	if (series->has_pss)
		add_int(json, "ctprof_pss", series->pss);
	if (series->has_peak_memory)
		add_int(json, "ctprof_memory_peak", series->peak_memory);
	if (series->has_storage)
		add_storage(series, json);
}

void duct_record_add(const struct duct_series *series, struct strbuf *out)
{
	struct duct_json json = {.out = out};

	duct_json_open(&json, '{');
	duct_json_key(&json, "timestamp");
	add_time(&json, series->wall_ns);
	add_int(&json, "num_samples", (double)series->record.samples);
	duct_json_key(&json, "processes");
	duct_json_open(&json, '{');
	for (size_t i = 0; i < series->count; i++)
		if (series->entries[i].state_count > 0)
			add_process(series, &json, &series->entries[i]);
	duct_json_close(&json, '}');
	add_totals(series, &json);
	add_averages(series, &json);
	add_own(series, &json);
	duct_json_close(&json, '}');
	strbuf_add_char(out, '\n');
}
