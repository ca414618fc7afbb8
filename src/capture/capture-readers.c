// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture-readers.h"
#include "select-processes.h"

#include "base/fd.h"
#include "capture/own-proc.h"
#include "host-names.h"
#include "host/host-read.h"
#include "jemalloc-service.h"
#include "jemalloc/jemalloc-read.h"

/* For files that no process had mapped before the window, and at least for maps. */
#define FILES_IN_READING_NS (100 * NS_PER_MS)
#define MAPS_IN_READING_NS (10 * NS_PER_SECOND)

/* The part of a window by which smaps may delay the last reading of its threads. */
enum { SMAPS_PART = 40 };

static int read_into(const struct capture_options *options, const struct capture_tools *tools,
                     struct window_reading *reading, struct strbuf *reterr)
{
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer =
	        snapshot_writer_new_visiting(&reading->visitor);
	struct cost_meter meter;

	cost_begin(&meter);
	return capture_run_loaded(options, tools, &meter, writer, &reading->info, reterr);
}

struct exit_listener *capture_readers_listen(const struct capture_options *options,
                                             enum capture_exits exits,
                                             const struct capture_roots *roots)
{
	const bool live = !options->proc_root;
	cleanup_(host_done) struct host host = {0};
	struct exit_listener_options listener = {
	        .live = live && proc_is_own(roots->proc_fd),
	        .mounts = &roots->mounts,
	        .without_ends = exits == CAPTURE_EXITS_RECORDS,
	        .cpus = options->has_exit_cpus ? &options->exit_cpus : NULL,
	        .buffer_bytes = options->exit_buffer_bytes,
	        .log_bytes = options->exit_memory_bytes,
	};

	if (exits == CAPTURE_EXITS_OFF)
		return NULL;
	host_read(roots->proc_fd, roots->sys_fd, -1, live, true, &host);
	listener.rules = taskstats_rules_of(&host);
	return exit_listener_start(&listener);
}

static void done_reader(struct jemalloc_reader *reader)
{
	jemalloc_reader_done(reader);
}

static int list_processes(int proc_fd, const struct selection *selection, struct id_list *ret)
{
	cleanup_(fd_closep) int list_fd = -1;
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;

	if (selection)
		return select_processes(selection, proc_fd, NULL, ret, &scratch);
	list_fd = fd_open_dir_at(proc_fd, ".");
	return list_fd < 0 ? list_fd : fd_list_ids(list_fd, ret, &scratch);
}

/* Looks into the files of all processes, or of those that are selected. */
static void prepare_jemalloc(struct jemalloc_reader *reader, int proc_fd,
                             const struct selection *selection,
                             const struct capture_readers *readers)
{
	cleanup_(id_list_done) struct id_list processes = {0};
	struct jemalloc_service *service;
	bool any = false;

	if (list_processes(proc_fd, selection, &processes) < 0)
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

void capture_readers_prepare(const struct capture_options *capture,
                             const struct capture_roots *roots, struct capture_readers *readers,
                             struct host *names)
{
	const bool live = !capture->proc_root && proc_is_own(roots->proc_fd);
	cleanup_(done_reader) struct jemalloc_reader reader;

	capture_read_names(capture, roots, names);
	readers->tools.without_names = true;
	jemalloc_reader_init(&reader, capture->jemalloc, live, readers->tools.files);
	if (reader.rule == OUTCOME_read)
		prepare_jemalloc(&reader, roots->proc_fd, capture->selection, readers);
}

/* Reading maps must not make the window longer than it is to be. */
static uint64_t maps_limit_ns(uint64_t length_ns)
{
	enum { PART = 2 };

	if (length_ns / PART > MAPS_IN_READING_NS)
		return MAPS_IN_READING_NS;
	return length_ns / PART > FILES_IN_READING_NS ? length_ns / PART : FILES_IN_READING_NS;
}

int capture_readers_read(const struct capture_options *options,
                         const struct capture_readers *readers, struct window_reading *reading,
                         struct strbuf *reterr)
{
	struct capture_tools tools = readers->tools;

	tools.smaps_ns = readers->length_ns / SMAPS_PART;
	jemalloc_files_limit(readers->tools.files, maps_limit_ns(readers->length_ns),
	                     FILES_IN_READING_NS);
	if (readers->listener)
		exit_listener_catch_up(readers->listener);
	return read_into(options, &tools, reading, reterr);
}

uint64_t capture_stall_limit_ns(uint64_t length_ns)
{
	enum { PART = 4 };

	if (length_ns / PART > STALL_LIMIT_NS)
		return STALL_LIMIT_NS;
	return length_ns / PART > STALL_SHORT_LIMIT_NS ? length_ns / PART : STALL_SHORT_LIMIT_NS;
}

static void set_cost(const struct snapshot_info *first, const struct snapshot_info *last,
                     enum capture_cost cost, bool is_sum, struct snapshot_info *info)
{
	uint64_t a = first->cost[cost], b = last->cost[cost];

	if (first->cost_seen[cost] || last->cost_seen[cost])
		cost_set(info, cost, is_sum ? a + b : a > b ? a : b);
}

void capture_readers_cost(const struct cost_meter *cost, const struct snapshot_info *first,
                          const struct snapshot_info *last, struct snapshot_info *info)
{
	cost_end(cost, info);
	set_cost(first, last, COST_wall_ns, true, info);
	set_cost(first, last, COST_walk_spread_ns, false, info);
	set_cost(first, last, COST_pass_ns, false, info);
	set_cost(first, last, COST_thread_stops, true, info);
	set_cost(first, last, COST_longest_stop_ns, false, info);
	set_cost(first, last, COST_total_stop_ns, true, info);
}
