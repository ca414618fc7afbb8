// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/capture-series.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rights.h"
#include "capture-readers.h"
#include "host-names.h"
#include "host/host-read.h"
#include "snapshot/frame-base.h"
#include "window/exit-log.h"

struct capture_series {
	struct capture_series_options options;
	struct capture_roots roots;
	struct task_record_reader *threads; /* owned, NULL: threads are read from /proc */
	struct jemalloc_files files;
	struct stall_list stalls;
	struct process_cache *known; /* owned */
	struct cgroup_walk cgroups;  /* of the reading before */
	struct frame_base base;      /* the windows that were written */
	struct capture_readers readers;
	struct host host;            /* what a whole window has read of the host */
	struct window_reading first; /* of the next window */
	struct exit_log exits;       /* of the next window, so far */
	struct window_rests rests;
	struct cost_meter meter;
	uint64_t user_cpu_ns, system_cpu_ns; /* up to the begin of the next window */
	struct labels labels;                /* of the next window */
};

struct meter {
	struct window_meter base; /* must stay the first member */
	struct capture_series *series;
};

/* Makes a cost since the begin of the process one since the last window. */
static void subtract_cpu(struct snapshot_info *info, enum capture_cost cost, uint64_t *before_ns)
{
	uint64_t now_ns = info->cost[cost];

	if (!info->cost_seen[cost])
		return;
	info->cost[cost] = now_ns - *before_ns;
	*before_ns = now_ns;
}

/* The cost of a window is all that was done since the window before: one reading, the listener, and the writing. */
static void measure(struct window_meter *self, unused_ const struct snapshot_info *first,
                    const struct snapshot_info *last, struct snapshot_info *info)
{
	const struct snapshot_info nothing = {0};
	struct capture_series *series = ((struct meter *)self)->series;

	capture_readers_cost(&series->meter, &nothing, last, info);
	subtract_cpu(info, COST_user_cpu_ns, &series->user_cpu_ns);
	subtract_cpu(info, COST_system_cpu_ns, &series->system_cpu_ns);
	cost_begin(&series->meter);
}

/* The fields that each window needs by itself: for the checks of two readings, and the rules of values. */
static bool is_text_of_each_window(enum host_field field)
{
	switch (field) {
	case HOST_boot_id:
	case HOST_pid_namespace:
	case HOST_source:
	case HOST_task_delayacct:
	case HOST_sched_schedstats:
		return true;
	default:
		return false;
	}
}

/* Removes the texts that a whole window has. */
static void forget_constants(struct host *host)
{
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++) {
		enum host_field field = (enum host_field)i;

		if (host_field_table[i].kind != HOST_KIND_NUMBER && !is_text_of_each_window(field))
			host_forget(host, field);
	}
}

/* Delay accounting is switched on and off at run time, and windows that begin behind it are read by it. */
static void renew_rules(struct capture_series *series, const struct host *host)
{
	const struct taskstats_rules rules = taskstats_rules_of(host);

	if (series->readers.listener)
		exit_listener_set_rules(series->readers.listener, &rules);
}

static int read_next(struct capture_series *series, bool is_whole, struct window_reading *reading,
                     struct strbuf *reterr)
{
	struct capture_readers readers = series->readers;
	int r;

	readers.tools.host = is_whole ? NULL : &series->host;
	readers.tools.without_settings = !is_whole;
	readers.tools.settings_last = true;
	readers.tools.read_all = is_whole;
	readers.length_ns = series->options.length_ns;
	series->stalls.limit_ns = capture_stall_limit_ns(series->options.length_ns);
	window_reading_init(reading);
	r = capture_readers_read(&series->options.capture, &readers, reading, reterr);
	if (r < 0)
		return r;
	renew_rules(series, &reading->info.host);
	host_forget_pairs(&reading->info.host);
	if (is_whole) {
		host_done(&series->host);
		host_copy(&series->host, &reading->info.host);
	} else {
		forget_constants(&reading->info.host);
	}
	return 0;
}

static int open_series(struct capture_series *series, struct strbuf *reterr)
{
	const struct capture_options *capture = &series->options.capture;
	cleanup_(host_done) struct host names = {0};
	int r = capture_roots_open(capture, &series->roots, reterr);

	if (r == 0)
		r = capture_load(capture, &series->threads, reterr);
	if (r < 0)
		return r;
	jemalloc_files_use(&series->files, series->threads);
	series->readers.tools = (struct capture_tools){.threads = series->threads,
	                                               .files = &series->files,
	                                               .stalls = &series->stalls,
	                                               .cgroups = &series->cgroups,
	                                               .known = series->known};
	capture_readers_prepare(capture, &series->roots, &series->readers, &names);
	series->readers.listener =
	        capture_readers_listen(capture, series->options.exits, &series->roots);
	return 0;
}

int capture_series_new(const struct capture_series_options *options, struct capture_series **ret,
                       struct strbuf *reterr)
{
	unused_ cleanup_(rights_lower) bool raised = capture_raise_rights(&options->capture);
	struct capture_series *series = mem_calloc(1, sizeof(*series));
	int r;

	series->options = *options;
	series->roots = CAPTURE_ROOTS_INIT;
	series->known = process_cache_new();
	cgroup_walk_init(&series->cgroups);
	jemalloc_files_init(&series->files,
	                    options->capture.remote_files ? FILE_SYSTEMS_ALL : FILE_SYSTEMS_LOCAL);
	cost_begin(&series->meter);
	capture_series_set_next(series, options->length_ns, NULL);
	r = open_series(series, reterr);
	if (r == 0)
		r = read_next(series, true, &series->first, reterr);
	if (r < 0)
		capture_series_freep(&series);
	else
		*ret = series;
	return r;
}

uint64_t capture_series_begin_unix_ns(const struct capture_series *series)
{
	return series->first.info.captured_at_unix_ns;
}

void capture_series_set_next(struct capture_series *series, uint64_t length_ns,
                             const struct labels *labels)
{
	const struct labels none = {0};

	if (!labels)
		labels = series->options.capture.labels;
	series->options.length_ns = length_ns;
	labels_copy(&series->labels, labels ? labels : &none);
}

/* The exits up to now behind those that the window before has passed on. */
static void split_exits(struct capture_series *series)
{
	cleanup_(exit_log_done) struct exit_log more = {.exits = WINDOW_EXITS_skipped};

	if (series->readers.listener)
		exit_listener_split(series->readers.listener, &more);
	exit_log_append(&series->exits, &more);
}

int capture_series_next(struct capture_series *series, bool is_whole,
                        struct snapshot_writer *writer, struct snapshot_info *ret_info,
                        struct strbuf *reterr)
{
	const struct capture_options *capture = &series->options.capture;
	unused_ cleanup_(rights_lower) bool raised = capture_raise_rights(capture);
	cleanup_(window_reading_done) struct window_reading last = {0};
	cleanup_(exit_log_done) struct exit_log exits = {0};
	cleanup_(host_done) struct host names = {0};
	struct meter meter = {{measure}, series};
	struct window_next next = {&series->first, &series->exits, &series->rests};
	struct window_options window = {
	        .first = {NULL, "the first reading"},
	        .last = {NULL, "the last reading"},
	        .exits = &exits,
	        .meter = &meter.base,
	        .asked_length_ns = series->options.length_ns,
	        .next = &next,
	        .names = &names,
	};
	int r;

	memset(ret_info, 0, sizeof(*ret_info));
	if (is_whole)
		capture_read_names(capture, &series->roots, &names);
	r = read_next(series, is_whole, &last, reterr);
	if (r < 0)
		return r;
	/* A window has the labels that both of its readings have. */
	labels_copy(&series->first.info.labels, &series->labels);
	labels_copy(&last.info.labels, &series->labels);
	split_exits(series);
	snapshot_writer_follow(writer, &series->base, is_whole);
	exits = series->exits;
	series->exits = (struct exit_log){0};
	return window_of_readings(&series->first, &last, &window, writer, ret_info, reterr);
}

void capture_series_freep(struct capture_series **series_ref)
{
	struct capture_series *series = *series_ref;
	cleanup_(exit_log_done) struct exit_log rest = {0};

	*series_ref = NULL;
	if (!series)
		return;
	if (series->readers.listener)
		exit_listener_stop(series->readers.listener, &rest);
	window_reading_done(&series->first);
	exit_log_done(&series->exits);
	window_rests_done(&series->rests);
	host_done(&series->host);
	labels_done(&series->labels);
	stall_list_done(&series->stalls);
	process_cache_freep(&series->known);
	cgroup_walk_done(&series->cgroups);
	frame_base_done(&series->base);
	jemalloc_files_done(&series->files);
	task_record_freep(&series->threads);
	capture_roots_done(&series->roots);
	free(series);
}
