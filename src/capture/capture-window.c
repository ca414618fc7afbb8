// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/rights.h"
#include "capture-readers.h"
#include "capture/capture.h"
#include "host-names.h"
#include "select-processes.h"
#include "window/exit-log.h"

struct meter {
	struct window_meter base; /* must stay the first member */
	struct cost_meter cost;
};

/* The cost of a window covers both readings and the listener, from end to end without the wait: the time on the clock
 * is that of the readings alone. */
static void measure(struct window_meter *self, const struct snapshot_info *first,
                    const struct snapshot_info *last, struct snapshot_info *info)
{
	capture_readers_cost(&((struct meter *)self)->cost, first, last, info);
}

/* The wait may be a command of the user's. */
static int await_end(const struct capture_window_options *options, uint64_t begin_ns)
{
	unused_ cleanup_(rights_resume) bool paused = rights_pause();

	return options->wait->until(options->wait, begin_ns, begin_ns + options->length_ns);
}

/* A window has the smaps of its end, so the first reading leaves them out. */
static int read_both(const struct capture_window_options *options,
                     const struct capture_readers *readers, struct window_reading *first,
                     struct window_reading *last, struct strbuf *reterr)
{
	struct capture_options without_smaps = options->capture;
	struct capture_readers last_readers = *readers;
	int r;

	without_smaps.smaps = CAPTURE_SMAPS_OFF;
	r = capture_readers_read(&without_smaps, readers, first, reterr);
	if (r < 0)
		return r;
	r = await_end(options, first->info.captured_boottime_ns);
	last_readers.tools.settings_last = true;
	return r < 0 ? r : capture_readers_read(&options->capture, &last_readers, last, reterr);
}

int capture_window(const struct capture_window_options *options, struct snapshot_writer *writer,
                   struct snapshot_info *ret_info, struct strbuf *reterr)
{
	unused_ cleanup_(rights_lower) bool raised = capture_raise_rights(&options->capture);
	cleanup_(capture_roots_done) struct capture_roots roots = CAPTURE_ROOTS_INIT;
	cleanup_(window_reading_done) struct window_reading first = {0}, last = {0};
	cleanup_(exit_log_done) struct exit_log exits = {.exits = WINDOW_EXITS_skipped};
	struct meter meter = {.base = {measure}};
	cleanup_(host_done) struct host names = {0};
	cleanup_(selected_processes_done) struct selected_processes selected = {0};
	struct window_options window = {
	        .first = {NULL, "the first reading"},
	        .last = {NULL, "the last reading"},
	        .exits = &exits,
	        .meter = &meter.base,
	        .asked_length_ns = options->length_ns,
	        .names = &names,
	};
	cleanup_(task_record_freep) struct task_record_reader *threads = NULL;
	cleanup_(jemalloc_files_done) struct jemalloc_files known_files;
	cleanup_(stall_list_done) struct stall_list stalls = {
	        .limit_ns = capture_stall_limit_ns(options->length_ns)};
	cleanup_(cgroup_walk_done) struct cgroup_walk cgroups;
	struct capture_readers readers;
	int r;

	cgroup_walk_init(&cgroups);
	memset(ret_info, 0, sizeof(*ret_info));
	jemalloc_files_init(&known_files,
	                    options->capture.remote_files ? FILE_SYSTEMS_ALL : FILE_SYSTEMS_LOCAL);
	window_reading_init(&first);
	window_reading_init(&last);
	cost_begin(&meter.cost);
	r = capture_roots_open(&options->capture, &roots, reterr);
	if (r == 0)
		r = capture_load(&options->capture, &threads, reterr);
	if (r < 0)
		return r;
	jemalloc_files_use(&known_files, threads);
	readers = (struct capture_readers){.tools = {.threads = threads,
	                                             .files = &known_files,
	                                             .stalls = &stalls,
	                                             .cgroups = &cgroups,
	                                             .wait = options->wait,
	                                             .selected = &selected},
	                                   .length_ns = options->length_ns};
	capture_readers_prepare(&options->capture, &roots, &readers, &names);
	readers.listener = capture_readers_listen(&options->capture, options->exits, &roots);
	r = read_both(options, &readers, &first, &last, reterr);
	if (readers.listener)
		exit_listener_stop(readers.listener, &exits);
	/* Those that began in the window; the files of those that ended may be gone. */
	capture_read_containers(&options->capture, &roots, &names);
	if (options->capture.selection)
		select_exits(options->capture.selection, &selected, &exits);
	return r < 0 ? r : window_of_readings(&first, &last, &window, writer, ret_info, reterr);
}
