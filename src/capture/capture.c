// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/boot-clock.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/rights.h"
#include "bpf-walk.h"
#include "capture-roots.h"
#include "capture-run.h"
#include "capture/own-proc.h"
#include "cgroup-walk.h"
#include "cgroup/cgroup-share.h"
#include "cost.h"
#include "host-names.h"
#include "host/host-read.h"
#include "select-processes.h"
#include "settings/settings-read.h"
#include "walk-team.h"
#include "walk.h"

#ifndef CTPROF_VERSION
#error "CTPROF_VERSION comes from the build"
#endif

/* Opens a root; one that the user named must exist. */
static int open_root(const char *given, const char *fallback, int *ret_fd, struct strbuf *reterr)
{
	int fd = given || fallback ? fd_open_path_at(AT_FDCWD, given ? given : fallback) : -ENOENT;

	if (fd < 0 && given) {
		strbuf_addf(reterr, "%s: %s", given, strerror(-fd));
		return fd;
	}
	*ret_fd = fd;
	return 0;
}

/* Files of such a tree may be links to any other. */
bool capture_raise_rights(const struct capture_options *options)
{
	if (options->proc_root || options->sys_root || options->cgroup_root ||
	    options->containers_root)
		return false;
	return rights_raise();
}

int capture_roots_open(const struct capture_options *options, struct capture_roots *roots,
                       struct strbuf *reterr)
{
	cleanup_(fd_closep) int given_fd = -1;
	int r = open_root(options->proc_root ? options->proc_root : "/proc", NULL, &roots->proc_fd,
	                  reterr);

	if (r == 0)
		r = open_root(options->sys_root, options->proc_root ? NULL : "/sys", &roots->sys_fd,
		              reterr);
	/* The containers of this system are not those of another one's tree. */
	if (r == 0)
		r = open_root(options->containers_root, options->proc_root ? NULL : "/",
		              &roots->containers_fd, reterr);
	if (r == 0)
		r = open_root(options->cgroup_root, NULL, &given_fd, reterr);
	if (r == 0 && options->cgroup_root)
		cgroup_mounts_from_directory(options->cgroup_root, &roots->mounts);
	else if (r == 0 && !options->proc_root)
		cgroup_mounts_find(roots->proc_fd, true, &roots->mounts);
	return r;
}

void capture_roots_done(struct capture_roots *roots)
{
	cgroup_mounts_done(&roots->mounts);
	fd_closep(&roots->containers_fd);
	fd_closep(&roots->sys_fd);
	fd_closep(&roots->proc_fd);
}

struct cgroup_writer {
	struct cgroup_sink sink; /* must stay the first member */
	struct snapshot_writer *writer;
};

static int write_cgroup(struct cgroup_sink *self, const struct cgroup_stats *stats)
{
	return snapshot_write_cgroup(((struct cgroup_writer *)self)->writer, stats);
}

/* The trees to read, and the findings that hold for the whole host. */
struct capture {
	const struct capture_options *options;
	const struct capture_tools *tools;
	struct capture_roots roots;
	struct cgroup_walk cgroups;
	struct cgroup_share share;
	struct taskstats_rules taskstats_rules;
	struct walk_options walk_options;
	struct walk walk;
	struct snapshot_writer *writer;
	struct bpf_walk bpf;
	struct cgroup_writer cgroup_writer;
	const struct cost_meter *meter;
};

static void capture_done(struct capture *capture)
{
	walk_done(&capture->walk);
	bpf_walk_done(&capture->bpf);
	cgroup_walk_done(&capture->cgroups);
	cgroup_share_done(&capture->share);
	capture_roots_done(&capture->roots);
}

/* A part of the hierarchy offers only some of the controllers. */
static int open_cgroup_root(const struct cgroup_mount *unified)
{
	if (!unified->found || strcmp(strbuf_str(&unified->root), "/") != 0)
		return -ENOENT;
	return fd_open_path_at(AT_FDCWD, strbuf_str(&unified->point));
}

static void read_settings(const struct capture *capture, struct snapshot_info *info)
{
	const struct capture_options *options = capture->options;

	if (capture->tools->without_settings || options->without_settings)
		return;
	if (capture->tools->settings && settings_job_get(capture->tools->settings, &info->settings))
		return;
	settings_read(capture->roots.proc_fd, capture->roots.sys_fd,
	              options->proc_root == NULL && !options->sys_root, options->anonymous,
	              &info->settings);
}

static void read_host(struct capture *capture, struct snapshot_info *info)
{
	static const char version[] = CTPROF_VERSION;
	const struct capture_options *options = capture->options;
	cleanup_(fd_closep) int cgroup_fd = open_cgroup_root(&capture->roots.mounts.unified);
	bool live = options->proc_root == NULL;

	if (options->labels)
		labels_copy(&info->labels, options->labels);
	host_set_text(&info->host, HOST_tool_version, version, strlen(version));
	if (capture->tools->host)
		host_read_again(capture->roots.proc_fd, capture->roots.sys_fd, live,
		                capture->tools->host, &info->host);
	else
		host_read(capture->roots.proc_fd, capture->roots.sys_fd, cgroup_fd, live,
		          options->anonymous, &info->host);
	/* Names are read before the walk: the name service may be slow, and the host is in front of the threads. */
	if (!capture->tools->without_names)
		capture_read_names(options, &capture->roots, &info->host);
	/* Its threads are not those of our namespace, and the namespace of their ids is unknown. */
	if (!proc_is_own(capture->roots.proc_fd))
		host_forget(&info->host, HOST_pid_namespace);
	cgroup_mounts_set_host(&capture->roots.mounts, &info->host);
	if (options->selection)
		selection_note(options->selection, info);
	if (!capture->tools->settings_last)
		read_settings(capture, info);
}

static void begin_walk(struct capture *capture, struct snapshot_writer *writer,
                       struct snapshot_info *info)
{
	const struct capture_options *options = capture->options;

	const bool live = !options->proc_root && proc_is_own(capture->roots.proc_fd);

	/* A hierarchy that the user names may be another system's. */
	if (live && !options->cgroup_root)
		cgroup_share_init(&capture->share, &capture->roots.mounts);
	capture->taskstats_rules = taskstats_rules_of(&info->host);
	capture->walk_options = (struct walk_options){
	        .proc_fd = capture->roots.proc_fd,
	        .live = live,
	        .process = {.smaps = options->smaps,
	                    .smaps_ns = capture->tools->smaps_ns,
	                    .paths = !options->anonymous,
	                    .titles = options->titles,
	                    .waits = options->waits},
	        .jemalloc = options->jemalloc,
	        .jemalloc_files = capture->tools->files,
	        .taskstats_rules = &capture->taskstats_rules,
	        .cgroups = &capture->cgroups,
	        .share = capture->share.mounts ? &capture->share : NULL,
	        .tree_boottime_ns = options->proc_root ? &info->captured_boottime_ns : NULL,
	        .bounds = host_bounds_of(&info->host),
	};

	walk_init(&capture->walk, &capture->walk_options, info->rules);
	capture->writer = writer;
	capture->walk.tally = &info->tally;
}

static const char *why_no_bpf(int error)
{
	if (error_is_denied(error))
		return "BPF is for root in the initial namespaces";
	switch (-error) {
	case EOPNOTSUPP:
		return "this ctprof was built without BPF";
	case ESRCH:
		/* libbpf returns the same error for both. */
		return "the types of the kernel (BTF) cannot be read, or there is no memory for "
		       "them";
	default:
		return strerror(-error);
	}
}

static int fail_without_bpf(int error, struct strbuf *reterr)
{
	strbuf_addf(reterr, "--source bpf: %s", why_no_bpf(error));
	return error;
}

int capture_load(const struct capture_options *options, struct task_record_reader **ret_reader,
                 struct strbuf *reterr)
{
	cleanup_(fd_closep) int proc_fd = -1;
	int r;

	*ret_reader = NULL;
	if (options->source == CAPTURE_SOURCE_PROCFS || options->proc_root || options->selection)
		return 0;
	proc_fd = fd_open_path_at(AT_FDCWD, "/proc");
	r = proc_fd >= 0 && proc_is_own(proc_fd) ? task_record_open(ret_reader) : -EPERM;
	return r < 0 && options->source == CAPTURE_SOURCE_BPF ? fail_without_bpf(r, reterr) : 0;
}

static int read_cgroups(struct capture *capture, struct snapshot_info *info, const char *root,
                        struct strbuf *reterr)
{
	int r = cgroup_walk_read(&capture->cgroups, &capture->roots.mounts,
	                         &capture->cgroup_writer.sink, &info->tally);

	if (error_is_own(r))
		strbuf_addf(reterr, "%s: %s", root, strerror(-r));
	return r;
}

/* Sets the time of the snapshot, from which a window counts: the begin of its readings, after all slow work such as the
 * name service. Another system's tree has only the uptime. */
static void set_time(const struct capture *capture, struct snapshot_info *info)
{
	struct capture_wait *wait = capture->tools->wait;

	if (wait && wait->reading)
		wait->reading(wait);
	info->captured_at_unix_ns = clock_now_ns(CLOCK_REALTIME);
	info->captured_boottime_ns = capture->options->proc_root
	                                     ? info->host.numbers[HOST_uptime_ns]
	                                     : boot_clock_now_ns();
}

/* Reads the counters of the host as a whole, and all threads by BPF with their cgroups, one right after the other. If
 * BPF does not work, the walk reads the threads. */
static int read_values(struct capture *capture, struct snapshot_info *info, const char *root,
                       struct strbuf *reterr)
{
	int r = 0;

	set_time(capture, info);
	host_read_counters(capture->roots.proc_fd, !capture->options->proc_root, &info->host,
	                   &info->psi);
	if (capture->bpf.reader)
		r = bpf_walk_read(&capture->bpf, capture->roots.proc_fd, &capture->taskstats_rules,
		                  info->rules);
	if (r < 0)
		capture->bpf.reader = NULL;
	if (r < 0 && capture->options->source == CAPTURE_SOURCE_BPF)
		return fail_without_bpf(r, reterr);
	if (!capture->bpf.reader) {
		host_set_text(&info->host, HOST_source, HOST_SOURCE_PROCFS,
		              strlen(HOST_SOURCE_PROCFS));
		return 0;
	}
	host_set_text(&info->host, HOST_source, HOST_SOURCE_BPF, strlen(HOST_SOURCE_BPF));
	bpf_walk_find_cgroups(&capture->bpf, capture->roots.proc_fd, &capture->cgroups);
	return read_cgroups(capture, info, root, reterr);
}

static int find_processes(struct capture *capture, const char *root, struct strbuf *reterr)
{
	const struct selection *selection = capture->options->selection;

	if (!selection)
		return walk_find(&capture->walk, root, reterr);
	return select_processes(selection, capture->roots.proc_fd, capture->tools->selected,
	                        &capture->walk.processes, reterr);
}

/* Adds the times of the pass to those of the processes that it does not show, whose threads are read from files behind it. */
static void add_pass_times(struct walk *walk, const struct bpf_walk *bpf)
{
	uint64_t slept_ns = clock_now_ns(CLOCK_BOOTTIME) - clock_now_ns(CLOCK_MONOTONIC);
	uint64_t files_end_ns = walk->first_read_ns > 0 ? walk->last_read_ns + slept_ns : 0;

	walk->first_read_ns = bpf->pass.begin_boottime_ns;
	walk->last_read_ns =
	        bpf->pass.end_boottime_ns > files_end_ns ? bpf->pass.end_boottime_ns : files_end_ns;
}

static uint64_t pass_ns(const struct bpf_walk *bpf)
{
	return bpf->pass.end_boottime_ns - bpf->pass.begin_boottime_ns;
}

static int walk_threads(struct capture *capture, const char *root, struct strbuf *reterr)
{
	struct bpf_walk *bpf = &capture->bpf;
	struct walk *walk = &capture->walk;
	struct walk_files files;
	struct walk_job job = {.options = &capture->walk_options,
	                       .work = &files.work,
	                       .writer = capture->writer,
	                       .stalls = capture->tools->stalls};
	int r = find_processes(capture, root, reterr);

	if (r < 0)
		return r;
	walk_files_init(&files, &walk->processes);
	if (bpf->reader) {
		bpf_walk_list(bpf, &walk->processes);
		job.work = &bpf->work;
		capture->walk_options.born_before_clock_ticks = bpf_walk_begin_clock_ticks(bpf);
	}
	/* There is little to read if most processes are known. */
	job.walkers = bpf->known && !capture->tools->read_all ? 1 : walk_team_size(walk, job.work);
	r = walk_team_all(walk, &job, root, reterr);
	if (bpf->reader)
		add_pass_times(walk, bpf);
	return r;
}

/* Ends the helpers here, so that their cost can be counted. */
static void end_probing(struct jemalloc_reader *reader, struct snapshot_info *info)
{
	struct memory_probe_cost cost = *memory_prober_cost(reader->prober);

	info->probe = reader->summary;
	jemalloc_reader_done(reader);
	if (reader->rule != OUTCOME_read)
		return;
	cost_set(info, COST_thread_stops, cost.stops);
	cost_set(info, COST_longest_stop_ns, cost.longest_stop_ns);
	cost_set(info, COST_total_stop_ns, cost.total_stop_ns);
}

/* Reads the parts that come after the threads. */
static int read_rest(struct capture *capture, struct snapshot_writer *writer,
                     struct snapshot_info *info, const char *root, struct strbuf *reterr)
{
	int r = read_cgroups(capture, info, root, reterr);

	if (r < 0)
		return r;
	sched_ext_read(capture->roots.sys_fd, &info->sched_ext);
	if (capture->tools->settings_last)
		read_settings(capture, info);
	end_probing(&capture->walk.jemalloc, info);
	cost_end(capture->meter, info);
	cost_set(info, COST_walk_spread_ns,
	         capture->walk.last_read_ns - capture->walk.first_read_ns);
	if (capture->bpf.reader)
		cost_set(info, COST_pass_ns, pass_ns(&capture->bpf));
	cost_set(info, COST_json_bytes, snapshot_writer_json_bytes(writer));
	return 0;
}

/* For the next reading. */
static void keep_cgroups(struct capture *capture)
{
	struct cgroup_walk before = *capture->tools->cgroups;

	*capture->tools->cgroups = capture->cgroups;
	capture->cgroups = before;
}

int capture_run_loaded(const struct capture_options *options, const struct capture_tools *tools,
                       const struct cost_meter *meter, struct snapshot_writer *writer,
                       struct snapshot_info *ret_info, struct strbuf *reterr)
{
	const char *root = options->proc_root ? options->proc_root : "/proc";
	cleanup_(capture_done) struct capture capture = {
	        .options = options, .tools = tools, .roots = CAPTURE_ROOTS_INIT, .meter = meter};
	int r;

	memset(ret_info, 0, sizeof(*ret_info));
	capture.bpf.reader = tools->threads;
	capture.bpf.known = tools->known;
	if (tools->known)
		process_cache_begin(tools->known, !tools->read_all);
	capture.bpf.mounts = &capture.roots.mounts;
	cgroup_walk_init(&capture.cgroups);
	if (tools->cgroups)
		cgroup_walk_follow(&capture.cgroups, tools->cgroups);
	capture.cgroups.tree_boottime_ns =
	        options->proc_root ? &ret_info->captured_boottime_ns : NULL;
	capture.cgroup_writer = (struct cgroup_writer){{write_cgroup}, writer};
	r = capture_roots_open(options, &capture.roots, reterr);
	if (r < 0)
		return r;
	read_host(&capture, ret_info);
	begin_walk(&capture, writer, ret_info);
	r = read_values(&capture, ret_info, root, reterr);
	if (r == 0)
		r = snapshot_write_begin(writer, ret_info);
	if (r == 0)
		r = walk_threads(&capture, root, reterr);
	if (r == 0)
		r = read_rest(&capture, writer, ret_info, root, reterr);
	if (r == 0)
		r = snapshot_write_end(writer, ret_info);
	if (r == 0 && tools->cgroups)
		keep_cgroups(&capture);
	return r;
}

int capture_run(const struct capture_options *options, struct snapshot_writer *writer,
                struct snapshot_info *ret_info, struct strbuf *reterr)
{
	unused_ cleanup_(rights_lower) bool raised = capture_raise_rights(options);
	cleanup_(task_record_freep) struct task_record_reader *reader = NULL;
	cleanup_(jemalloc_files_done) struct jemalloc_files files;
	cleanup_(stall_list_done) struct stall_list stalls = {.limit_ns = STALL_LIMIT_NS};
	cleanup_(settings_job_done) struct settings_job settings = SETTINGS_JOB_INIT;
	struct capture_tools tools = {.files = &files, .stalls = &stalls, .settings = &settings};
	struct cost_meter meter;
	int r;

	memset(ret_info, 0, sizeof(*ret_info));
	jemalloc_files_init(&files, options->remote_files ? FILE_SYSTEMS_ALL : FILE_SYSTEMS_LOCAL);
	cost_begin(&meter);
	if (!options->proc_root && !options->sys_root && !options->without_settings)
		settings_job_start(&settings, options->anonymous);
	r = capture_load(options, &reader, reterr);
	tools.threads = reader;
	jemalloc_files_use(&files, reader);
	return r < 0 ? r : capture_run_loaded(options, &tools, &meter, writer, ret_info, reterr);
}
