// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "capture-roots.h"
#include "capture-run.h"
#include "capture/capture.h"
#include "capture/exit-listener.h"
#include "capture/own-proc.h"
#include "host/host-read.h"
#include "jemalloc-service.h"
#include "jemalloc/jemalloc-read.h"
#include "window/exit-log.h"
#include "window/window-reading.h"

/* For files that no process had mapped before the window. */
#define FILES_IN_READING_NS (100 * NS_PER_MS)

static int read_into(const struct capture_options *options, const struct capture_tools *tools,
                     struct window_reading *reading, struct strbuf *reterr)
{
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer =
	        snapshot_writer_new_visiting(&reading->visitor);
	struct cost_meter meter;

	cost_begin(&meter);
	return capture_run_loaded(options, tools, &meter, writer, &reading->info, reterr);
}

static struct exit_listener *listen_to_exits(const struct capture_window_options *options,
                                             const struct capture_roots *roots)
{
	const bool live = !options->capture.proc_root;
	cleanup_(host_done) struct host host = {0};
	struct exit_listener_options listener = {
	        .live = live && proc_is_own(roots->proc_fd),
	        .mounts = &roots->mounts,
	        .without_ends = options->exits == CAPTURE_EXITS_RECORDS,
	};

	if (options->exits == CAPTURE_EXITS_OFF)
		return NULL;
	host_read(roots->proc_fd, roots->sys_fd, -1, live, true, &host);
	listener.rules = taskstats_rules_of(&host);
	return exit_listener_start(&listener);
}

struct meter {
	struct window_meter base; /* must stay the first member */
	struct cost_meter cost;
};

static void set_cost(const struct snapshot_info *first, const struct snapshot_info *last,
                     enum capture_cost cost, bool is_sum, struct snapshot_info *info)
{
	uint64_t a = first->cost[cost], b = last->cost[cost];

	if (first->cost_seen[cost] || last->cost_seen[cost])
		cost_set(info, cost, is_sum ? a + b : a > b ? a : b);
}

/* The cost of a window covers both readings and the listener, from end to end without the wait: the time on the clock
 * is that of the readings alone. */
static void measure(struct window_meter *self, const struct snapshot_info *first,
                    const struct snapshot_info *last, struct snapshot_info *info)
{
	cost_end(&((struct meter *)self)->cost, info);
	set_cost(first, last, COST_wall_ns, true, info);
	set_cost(first, last, COST_walk_spread_ns, false, info);
	set_cost(first, last, COST_thread_stops, true, info);
	set_cost(first, last, COST_longest_stop_ns, false, info);
	set_cost(first, last, COST_total_stop_ns, true, info);
}

/* The tools of both readings. */
struct readers {
	struct exit_listener *listener; /* NULL if there is no listener */
	struct capture_tools tools;
};

static void done_reader(struct jemalloc_reader *reader)
{
	jemalloc_reader_done(reader);
}

/* Looks into the files of all processes. */
static void prepare_jemalloc(struct jemalloc_reader *reader, int proc_fd,
                             const struct readers *readers)
{
	cleanup_(fd_closep) int list_fd = fd_open_dir_at(proc_fd, ".");
	cleanup_(id_list_done) struct id_list processes = {0};
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;
	struct jemalloc_service *service;
	bool any = false;

	if (list_fd < 0 || fd_list_ids(list_fd, &processes, &scratch) < 0)
		return;
	service = jemalloc_service_new(reader, proc_fd, readers->tools.stalls);
	for (size_t i = 0; i < processes.count; i++) {
		struct jemalloc_request request = {.tgid = processes.ids[i]};

		jemalloc_service_ask(service, &request, true);
		any = any || request.has_jemalloc;
	}
	jemalloc_service_free(service);
	if (any && !readers->tools.threads)
		jemalloc_reader_prepare_pointers(reader);
}

/* Does the slow work that is no reading: names of users, and finding the files that have jemalloc. The time for new
 * ones during the readings is limited. */
static void prepare(const struct capture_window_options *options, const struct capture_roots *roots,
                    struct readers *readers, struct host *users)
{
	const struct capture_options *capture = &options->capture;
	const bool live = !capture->proc_root && proc_is_own(roots->proc_fd);
	cleanup_(done_reader) struct jemalloc_reader reader;

	if (!capture->proc_root && !capture->anonymous)
		host_read_users(roots->proc_fd, users);
	readers->tools.without_users = true;
	jemalloc_reader_init(&reader, capture->jemalloc, live, readers->tools.files);
	if (reader.rule == OUTCOME_read)
		prepare_jemalloc(&reader, roots->proc_fd, readers);
}

static int read_next(const struct capture_options *options, const struct readers *readers,
                     struct window_reading *reading, struct strbuf *reterr)
{
	jemalloc_files_limit(readers->tools.files, FILES_IN_READING_NS);
	if (readers->listener)
		exit_listener_catch_up(readers->listener);
	return read_into(options, &readers->tools, reading, reterr);
}

/* A window has the smaps of its end, so the first reading leaves them out. */
static int read_both(const struct capture_window_options *options, const struct readers *readers,
                     struct window_reading *first, struct window_reading *last,
                     struct strbuf *reterr)
{
	struct capture_options without_smaps = options->capture;
	struct readers last_readers = *readers;
	uint64_t begin_ns;
	int r;

	without_smaps.smaps = CAPTURE_SMAPS_OFF;
	r = read_next(&without_smaps, readers, first, reterr);
	if (r < 0)
		return r;
	begin_ns = first->info.captured_boottime_ns;
	r = options->wait->until(options->wait, begin_ns, begin_ns + options->length_ns);
	last_readers.tools.settings_last = true;
	return r < 0 ? r : read_next(&options->capture, &last_readers, last, reterr);
}

/* Readings that wait for a process must not make the window much longer than it is to be. */
static uint64_t stall_limit_of(uint64_t length_ns)
{
	enum { PART = 4 };

	if (length_ns / PART > STALL_LIMIT_NS)
		return STALL_LIMIT_NS;
	return length_ns / PART > STALL_SHORT_LIMIT_NS ? length_ns / PART : STALL_SHORT_LIMIT_NS;
}

int capture_window(const struct capture_window_options *options, struct snapshot_writer *writer,
                   struct snapshot_info *ret_info, struct strbuf *reterr)
{
	cleanup_(capture_roots_done) struct capture_roots roots = CAPTURE_ROOTS_INIT;
	cleanup_(window_reading_done) struct window_reading first = {0}, last = {0};
	cleanup_(exit_log_done) struct exit_log exits = {.exits = WINDOW_EXITS_skipped};
	struct meter meter = {.base = {measure}};
	cleanup_(host_done) struct host users = {0};
	struct window_options window = {
	        .first = {NULL, "the first reading"},
	        .last = {NULL, "the last reading"},
	        .exits = &exits,
	        .meter = &meter.base,
	        .asked_length_ns = options->length_ns,
	        .users = &users,
	};
	cleanup_(task_record_freep) struct task_record_reader *threads = NULL;
	cleanup_(jemalloc_files_done) struct jemalloc_files known_files;
	cleanup_(stall_list_done) struct stall_list stalls = {
	        .limit_ns = stall_limit_of(options->length_ns)};
	struct readers readers;
	int r;

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
	readers = (struct readers){
	        .tools = {.threads = threads, .files = &known_files, .stalls = &stalls}};
	prepare(options, &roots, &readers, &users);
	readers.listener = listen_to_exits(options, &roots);
	r = read_both(options, &readers, &first, &last, reterr);
	if (readers.listener)
		exit_listener_stop(readers.listener, &exits);
	return r < 0 ? r : window_of_readings(&first, &last, &window, writer, ret_info, reterr);
}
