// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "capture-roots.h"
#include "capture-run.h"
#include "capture/capture.h"
#include "capture/own-proc.h"
#include "exit-listener.h"
#include "host/host-read.h"
#include "jemalloc/jemalloc-read.h"
#include "window/exit-log.h"
#include "window/window.h"

/* For files that nobody had mapped before the window. */
#define FILES_IN_READING_NS (100 * NS_PER_MS)

/* A snapshot in memory. */
struct memory_file {
	struct byte_sink sink;     /* must stay the first member */
	struct byte_source source; /* reads what was written */
	struct strbuf bytes;
	size_t position;
	struct snapshot_info info;
};

static int memory_write(struct byte_sink *self, const void *bytes, size_t len)
{
	strbuf_add(&((struct memory_file *)self)->bytes, bytes, len);
	return 0;
}

static int memory_read(struct byte_source *self, void *buffer, size_t size, size_t *ret_len)
{
	struct memory_file *file =
	        (struct memory_file *)((char *)self - offsetof(struct memory_file, source));
	size_t left = file->bytes.len - file->position;

	*ret_len = left < size ? left : size;
	if (*ret_len > 0)
		memcpy(buffer, file->bytes.data + file->position, *ret_len);
	file->position += *ret_len;
	return 0;
}

static void memory_file_done(struct memory_file *file)
{
	strbuf_done(&file->bytes);
	snapshot_info_done(&file->info);
}

static int read_into(const struct capture_options *options, const struct capture_tools *tools,
                     struct memory_file *file, struct strbuf *reterr)
{
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer = NULL;
	struct cost_meter meter;

	cost_begin(&meter);
	file->sink = (struct byte_sink){memory_write};
	file->source = (struct byte_source){memory_read};
	writer = snapshot_writer_new(&file->sink, SNAPSHOT_ZSTD_LEVEL);
	return capture_run_loaded(options, tools, &meter, writer, &file->info, reterr);
}

/* What the listener has to know of the host before anything is read. */
struct surroundings {
	int proc_fd;
	int sys_fd;
	struct cgroup_mounts mounts;
	struct host host;
};

static void surroundings_done(struct surroundings *surroundings)
{
	cgroup_mounts_done(&surroundings->mounts);
	host_done(&surroundings->host);
	fd_closep(&surroundings->proc_fd);
	fd_closep(&surroundings->sys_fd);
}

static int find_surroundings(const struct capture_options *options,
                             struct surroundings *surroundings, struct strbuf *reterr)
{
	const char *proc_root = options->proc_root ? options->proc_root : "/proc";
	int r = capture_open_root(proc_root, NULL, &surroundings->proc_fd, reterr);

	if (r == 0)
		r = capture_open_root(options->sys_root, options->proc_root ? NULL : "/sys",
		                      &surroundings->sys_fd, reterr);
	if (r == 0)
		r = capture_find_cgroups(options, surroundings->proc_fd, &surroundings->mounts,
		                         reterr);
	if (r == 0)
		host_read(surroundings->proc_fd, surroundings->sys_fd, -1,
		          options->proc_root == NULL, true, &surroundings->host);
	return r;
}

static struct exit_listener *listen_to_exits(const struct capture_window_options *options,
                                             const struct surroundings *surroundings)
{
	struct exit_listener_options listener = {
	        .live = !options->capture.proc_root && proc_is_own(surroundings->proc_fd),
	        .rules = taskstats_rules_of(&surroundings->host),
	        .mounts = &surroundings->mounts,
	        .without_ends = options->exits == CAPTURE_EXITS_RECORDS,
	};

	return options->exits == CAPTURE_EXITS_OFF ? NULL : exit_listener_start(&listener);
}

struct meter {
	struct window_meter base; /* must stay the first member */
	struct cost_meter cost;
};

static bool has_cost(const struct snapshot_info *first, const struct snapshot_info *last,
                     enum capture_cost cost)
{
	return first->cost_seen[cost] || last->cost_seen[cost];
}

static void set_sum(const struct snapshot_info *first, const struct snapshot_info *last,
                    enum capture_cost cost, struct snapshot_info *info)
{
	if (has_cost(first, last, cost))
		cost_set(info, cost, first->cost[cost] + last->cost[cost]);
}

static void set_longest(const struct snapshot_info *first, const struct snapshot_info *last,
                        enum capture_cost cost, struct snapshot_info *info)
{
	uint64_t a = first->cost[cost], b = last->cost[cost];

	if (has_cost(first, last, cost))
		cost_set(info, cost, a > b ? a : b);
}

/* What a window cost is that of both readings and of the listener, from end to end but for the wait: the time on the
 * clock is that of the readings alone. */
static void measure(struct window_meter *self, const struct snapshot_info *first,
                    const struct snapshot_info *last, struct snapshot_info *info)
{
	cost_end(&((struct meter *)self)->cost, info);
	set_sum(first, last, COST_wall_ns, info);
	set_longest(first, last, COST_walk_spread_ns, info);
	set_sum(first, last, COST_thread_stops, info);
	set_longest(first, last, COST_longest_stop_ns, info);
	set_sum(first, last, COST_total_stop_ns, info);
}

/* What both readings use. */
struct readers {
	struct exit_listener *listener; /* NULL where nobody listens */
	struct capture_tools tools;
};

static void done_reader(struct jemalloc_reader *reader)
{
	jemalloc_reader_done(reader);
}

/* Does what may be slow and is no reading: names of users, and which files have jemalloc. What is new in the readings may take
 * little time there. */
static void prepare(const struct capture_window_options *options,
                    const struct surroundings *surroundings, struct readers *readers,
                    struct host *users)
{
	const struct capture_options *capture = &options->capture;
	const bool live = !capture->proc_root && proc_is_own(surroundings->proc_fd);
	cleanup_(done_reader) struct jemalloc_reader reader;

	if (!capture->proc_root && !capture->anonymous)
		host_read_users(surroundings->proc_fd, users);
	readers->tools.without_users = true;
	jemalloc_reader_init(&reader, capture->jemalloc, live, readers->tools.files);
	jemalloc_reader_prepare(&reader, surroundings->proc_fd, readers->tools.threads != NULL);
}

static int read_next(const struct capture_options *options, const struct readers *readers,
                     struct memory_file *file, struct strbuf *reterr)
{
	jemalloc_files_limit(readers->tools.files, FILES_IN_READING_NS);
	if (readers->listener)
		exit_listener_catch_up(readers->listener);
	return read_into(options, &readers->tools, file, reterr);
}

/* A window has the smaps of its end, so that the first reading leaves them out. */
static int read_both(const struct capture_window_options *options, const struct readers *readers,
                     struct memory_file *files[2], struct strbuf *reterr)
{
	struct capture_options first = options->capture;
	uint64_t begin_ns;
	int r;

	first.smaps = CAPTURE_SMAPS_OFF;
	r = read_next(&first, readers, files[0], reterr);
	if (r < 0)
		return r;
	begin_ns = files[0]->info.captured_boottime_ns;
	r = options->wait->until(options->wait, begin_ns, begin_ns + options->length_ns);
	return r < 0 ? r : read_next(&options->capture, readers, files[1], reterr);
}

int capture_window(const struct capture_window_options *options, struct snapshot_writer *writer,
                   struct snapshot_info *ret_info, struct strbuf *reterr)
{
	cleanup_(surroundings_done) struct surroundings surroundings = {.proc_fd = -1,
	                                                                .sys_fd = -1};
	cleanup_(memory_file_done) struct memory_file first = {.position = 0}, last = first;
	cleanup_(exit_log_done) struct exit_log exits = {.exits = WINDOW_EXITS_skipped};
	struct memory_file *files[2] = {&first, &last};
	struct meter meter = {.base = {measure}};
	cleanup_(host_done) struct host users = {0};
	struct window_options window = {
	        .first = {&first.source, "the first reading"},
	        .last = {&last.source, "the last reading"},
	        .limits = &snapshot_default_limits,
	        .exits = &exits,
	        .meter = &meter.base,
	        .asked_length_ns = options->length_ns,
	        .users = &users,
	};
	cleanup_(task_record_freep) struct task_record_reader *threads = NULL;
	cleanup_(jemalloc_files_done) struct jemalloc_files known_files;
	struct readers readers;
	int r;

	memset(ret_info, 0, sizeof(*ret_info));
	jemalloc_files_init(&known_files,
	                    options->capture.remote_files ? FILE_SYSTEMS_ALL : FILE_SYSTEMS_LOCAL);
	cost_begin(&meter.cost);
	r = find_surroundings(&options->capture, &surroundings, reterr);
	if (r == 0)
		r = capture_load(&options->capture, &threads, reterr);
	if (r < 0)
		return r;
	readers = (struct readers){.tools = {.threads = threads, .files = &known_files}};
	prepare(options, &surroundings, &readers, &users);
	readers.listener = listen_to_exits(options, &surroundings);
	r = read_both(options, &readers, files, reterr);
	if (readers.listener)
		exit_listener_stop(readers.listener, &exits);
	return r < 0 ? r : window_make(&window, writer, ret_info, reterr);
}
