// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/chrome-trace.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "json/json-write.h"

enum { WINDOWS_PROCESS = 0 };

static void print_event(struct chrome_trace *trace)
{
	fputs(trace->has_event ? ",\n" : "\n", trace->file);
	fwrite(trace->event.data, 1, trace->event.len, trace->file);
	trace->has_event = true;
}

static struct json_writer open_event(struct chrome_trace *trace, const char *phase,
                                     const char *name, uint64_t process)
{
	struct json_writer json = JSON_WRITER_INIT(&trace->event);

	strbuf_clear(&trace->event);
	json_write_open(&json, '{');
	json_write_key(&json, "ph");
	json_write_str(&json, phase);
	json_write_key(&json, "name");
	json_write_str(&json, name);
	json_write_key(&json, "pid");
	json_write_u64(&json, process);
	return json;
}

/* A time of the format is in microseconds, here with three digits behind the point: a double would round those of today. */
static void write_time(struct json_writer *json, const char *key, uint64_t ns)
{
	cleanup_(strbuf_done) struct strbuf number = STRBUF_INIT;

	strbuf_addf(&number, "%" PRIu64 ".%03u", ns / NS_PER_US, (unsigned)(ns % NS_PER_US));
	json_write_key(json, key);
	json_write_raw(json, strbuf_str(&number), number.len);
}

static void close_event(struct chrome_trace *trace, struct json_writer *json)
{
	json_write_close(json, '}');
	json_write_close(json, '}');
	print_event(trace);
}

static void print_name(struct chrome_trace *trace, uint64_t process, const char *name, size_t len)
{
	struct json_writer json = open_event(trace, "M", "process_name", process);

	json_write_key(&json, "args");
	json_write_open(&json, '{');
	json_write_key(&json, "name");
	json_write_text(&json, name, len);
	close_event(trace, &json);
}

static void print_counter(struct chrome_trace *trace, const struct rate_group *group,
                          enum metric_id metric)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	struct json_writer json;

	strbuf_addf(&name, "%s/s", metric_table[metric].name);
	json = open_event(trace, "C", strbuf_str(&name), group->number);
	write_time(&json, "ts", trace->writer.rates.begin_ns);
	json_write_key(&json, "args");
	json_write_open(&json, '{');
	json_write_key(&json, "value");
	json_write_double(&json, group->now[metric]);
	close_event(trace, &json);
}

static void print_slice(struct chrome_trace *trace, const char *name, uint64_t begin_ns,
                        uint64_t end_ns)
{
	struct json_writer json = open_event(trace, "X", name, WINDOWS_PROCESS);

	json_write_key(&json, "tid");
	json_write_u64(&json, WINDOWS_PROCESS);
	write_time(&json, "ts", begin_ns);
	write_time(&json, "dur", end_ns - begin_ns);
	json_write_close(&json, '}');
	print_event(trace);
}

static void print_counters(struct chrome_trace *trace, struct rate_group *group)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		if (!metric_set_has(trace->wanted, metric))
			continue;
		if (!window_rates_count(&trace->writer.rates, group, metric) ||
		    group->now[i] == group->last[i])
			continue;
		print_counter(trace, group, metric);
		group->last[i] = group->now[i];
	}
}

static int print_window(struct window_writer *self, unused_ struct strbuf *reterr)
{
	struct chrome_trace *trace = (struct chrome_trace *)self;
	const struct window_rates *rates = &self->rates;

	if (rates->gap_ns > 0)
		print_slice(trace, "not recorded", rates->begin_ns - rates->gap_ns,
		            rates->begin_ns);
	print_slice(trace, "window", rates->begin_ns, rates->end_ns);
	for (size_t i = 0; i < rates->changing_count; i++) {
		const struct strmap_entry *entry = &rates->groups.entries[rates->changing[i]];
		struct rate_group *group = entry->value;

		if (!group->is_known)
			print_name(trace, group->number, entry->key, entry->key_len);
		group->is_known = true;
	}
	for (size_t i = 0; i < rates->changing_count; i++)
		print_counters(trace, rates->groups.entries[rates->changing[i]].value);
	return !ferror(trace->file) ? 0 : errno > 0 ? -errno : -EIO;
}

void chrome_trace_begin(struct chrome_trace *trace, FILE *file, const struct metric_set *wanted)
{
	static const char windows[] = "windows of ctprof";

	*trace = (struct chrome_trace){
	        .writer = {.write = print_window}, .file = file, .wanted = wanted};
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", file);
	print_name(trace, WINDOWS_PROCESS, windows, strlen(windows));
}

void chrome_trace_end(struct chrome_trace *trace)
{
	fputs("\n]}\n", trace->file);
}

void chrome_trace_done(struct chrome_trace *trace)
{
	window_rates_done(&trace->writer.rates);
	strbuf_done(&trace->event);
}
