// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/chrome-trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "json/json-write.h"

enum { WINDOWS_PROCESS = 0 };

/* A group's counters. */
struct chrome_track {
	uint64_t process;
	double values[METRIC_COUNT]; /* of the last event; NaN: there was none */
	double now[METRIC_COUNT];    /* of the window; NaN: not seen */
};

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

static void print_counter(struct chrome_trace *trace, const struct chrome_track *track,
                          enum metric_id metric, uint64_t at_ns)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	struct json_writer json;

	strbuf_addf(&name, "%s/s", metric_table[metric].name);
	json = open_event(trace, "C", strbuf_str(&name), track->process);
	write_time(&json, "ts", at_ns);
	json_write_key(&json, "args");
	json_write_open(&json, '{');
	json_write_key(&json, "value");
	json_write_double(&json, track->now[metric]);
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

static struct chrome_track *track_of(struct chrome_trace *trace, const struct strmap_entry *group)
{
	struct strmap_entry *entry = strmap_add(&trace->tracks, group->key, group->key_len);
	struct chrome_track *track = entry->value;

	if (track)
		return track;
	track = entry->value = mem_calloc(1, sizeof(*track));
	track->process = trace->tracks.count;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		track->values[i] = NAN;
	print_name(trace, track->process, group->key, group->key_len);
	return track;
}

/* Returns the work of a second, with that of threads that have exited; NaN if no thread has the value. */
static double find_rate(const struct summary *summary, double seconds)
{
	bool has_exited = summary->exited_state == SUMMARY_EXITED_KNOWN;

	if (summary->seen == 0 && (summary->threads > 0 || !has_exited))
		return NAN;
	return (double)(summary->sum + (has_exited ? (__int128)summary->exited : 0)) / seconds;
}

static void set_values(struct chrome_trace *trace, const struct fleet_groups *groups,
                       double seconds)
{
	for (size_t i = 0; i < trace->tracks.count; i++) {
		struct chrome_track *track = trace->tracks.entries[i].value;

		memset(track->now, 0, sizeof(track->now));
	}
	for (size_t i = 0; i < groups->names.count; i++) {
		const struct strmap_entry *group = &groups->names.entries[i];
		struct chrome_track *track = track_of(trace, group);

		for (unsigned m = 0; m < METRIC_COUNT; m++)
			track->now[m] =
			        find_rate(fleet_groups_summary(group, (enum metric_id)m), seconds);
	}
}

static void print_counters(struct chrome_trace *trace, struct chrome_track *track, uint64_t at_ns)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		if (!metric_set_has(trace->wanted, metric))
			continue;
		trace->unseen += isnan(track->now[i]) ? 1 : 0;
		if (isnan(track->now[i]) || track->now[i] == track->values[i])
			continue;
		print_counter(trace, track, metric, at_ns);
		track->values[i] = track->now[i];
	}
}

void chrome_trace_begin(struct chrome_trace *trace, FILE *file, const struct metric_set *wanted)
{
	static const char windows[] = "windows of ctprof";

	*trace = (struct chrome_trace){.file = file, .wanted = wanted};
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", file);
	print_name(trace, WINDOWS_PROCESS, windows, strlen(windows));
}

/* Returns why the window cannot follow the others, or NULL. */
static const char *check(struct chrome_trace *trace, const struct snapshot_info *info)
{
	const struct snapshot_window *window = &info->window;
	const char *host = host_text(&info->host, HOST_hostname);

	if (info->kind != KIND_window || !window->seen[WINDOW_begin_unix_ns] ||
	    !window->seen[WINDOW_length_ns] || window->numbers[WINDOW_length_ns] == 0)
		return "it is no window, and has no time that its work belongs to";
	if (!trace->has_window)
		strbuf_add_str(&trace->host, host ? host : "");
	if (strcmp(strbuf_str(&trace->host), host ? host : "") != 0)
		return "it is of another host than the first window";
	if (trace->has_window && window->numbers[WINDOW_begin_unix_ns] < trace->end_ns)
		return "it begins before the window in front of it has ended";
	return NULL;
}

const char *chrome_trace_add(struct chrome_trace *trace, const struct snapshot_info *info,
                             const struct fleet_groups *groups)
{
	uint64_t begin_ns = info->window.numbers[WINDOW_begin_unix_ns];
	uint64_t length_ns = info->window.numbers[WINDOW_length_ns];
	const char *why = check(trace, info);

	if (why)
		return why;
	if (trace->has_window && begin_ns > trace->end_ns)
		print_slice(trace, "not recorded", trace->end_ns, begin_ns);
	print_slice(trace, "window", begin_ns, begin_ns + length_ns);
	set_values(trace, groups, (double)length_ns / (double)NS_PER_SECOND);
	for (size_t i = 0; i < trace->tracks.count; i++)
		print_counters(trace, trace->tracks.entries[i].value, begin_ns);
	trace->end_ns = begin_ns + length_ns;
	trace->has_window = true;
	return NULL;
}

void chrome_trace_end(struct chrome_trace *trace)
{
	fputs("\n]}\n", trace->file);
}

void chrome_trace_done(struct chrome_trace *trace)
{
	for (size_t i = 0; i < trace->tracks.count; i++)
		free(trace->tracks.entries[i].value);
	strmap_done(&trace->tracks);
	strbuf_done(&trace->event);
	strbuf_done(&trace->host);
}
