// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/rights.h"
#include "job-base.h"
#include "job-cgroup-files.h"
#include "job-members.h"
#include "job/job-cgroup-left.h"
#include "job/job-cgroup.h"
#include "job/job-command.h"
#include "job/job-lost.h"
#include "job/job-reader.h"
#include "job/job-samples.h"
#include "job/job-signals.h"
#include "job/job-tally.h"

const char *const job_container_names[] = {
        [JOB_CONTAINER_CGROUP] = "cgroup",
        [JOB_CONTAINER_SUBREAPER] = "subreaper",
        [JOB_CONTAINER_WAIT] = "wait",
};

struct job {
	const struct job_options *options;
	struct job_result *result;
	int proc_fd;
	struct job_reader reader;
	struct job_lost lost;
	struct id_list others; /* children from before */
	struct job_signals signals;
	struct job_cgroup cgroup;
	struct job_command command;
	struct job_tally tally;
	struct job_base base;
	struct job_samples samples;
	struct job_ends *ends; /* NULL: they are not noted */
	bool was_subreaper, is_subreaper;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t next_pss_ns;
	bool ended;    /* the command has */
	bool has_more; /* children of the job have not ended */
	int status;
};

static void add_list(const struct id_list *from, struct id_list *to)
{
	for (size_t i = 0; i < from->count; i++)
		*array_add(to->ids, to->count, to->capacity) = from->ids[i];
}

/* Lists the processes in the leaves and, if one was left, those of the tree. */
static void list_members(struct job *job, struct id_list *list)
{
	cleanup_(id_list_done) struct id_list tree = {0};
	const struct job_leaf *leaf = job_cgroup_leaf(&job->cgroup);

	if (job_descendants(job->proc_fd, getpid(), &job->others, &tree) < 0)
		tree.count = 0;
	job_members_check(&job->reader, &job->cgroup, &tree);
	list->count = 0;
	if (leaf)
		(void)!job_cgroup_list(&job->cgroup, list);
	if (leaf && !leaf->was_left)
		return;
	add_list(&tree, list);
	job_ids_sort(list);
}

/* Reads PSS if that is due. Returns whether it is known; a job without processes has none. */
static bool sample_pss(struct job *job, uint64_t now_ns, const struct id_list *list, double *ret)
{
	bool is_known;

	if (job->options->smaps == JOB_SMAPS_OFF || now_ns < job->next_pss_ns)
		return false;
	while (job->next_pss_ns <= now_ns)
		job->next_pss_ns += job->options->report_ns;
	is_known = job_members_pss(&job->reader, list, job->options->smaps, ret);
	if (!is_known)
		job_samples_lack_pss(&job->samples);
	else if (*ret > 0)
		job_samples_add_pss(&job->samples, *ret);
	return is_known && *ret > 0;
}

/* Counters from before the process was the command are not the job's. */
static void set_waited_storage(const struct job *job, struct job_moment *moment)
{
	const struct job_counters *before = &job->base.live;

	moment->has_storage = job->tally.has_io && before->has_io && !job->lost.found;
	moment->read_bytes = job->tally.io[JOB_IO_READ_BYTES] - before->io[JOB_IO_READ_BYTES];
	moment->written_bytes = job->tally.io[JOB_IO_WRITE_BYTES] - before->io[JOB_IO_WRITE_BYTES];
}

/* Has the watcher read the processes. */
static void watch(struct job *job, struct job_moment *moment, struct job_memory *ret)
{
	struct job_values of_cgroup = {0};

	moment->reader = &job->reader;
	moment->start_ns = job->start_ns;
	moment->waited_time = job->tally.user_time + job->tally.system_time;
	if (!moment->is_last)
		set_waited_storage(job, moment);
	job_cgroup_values(&job->cgroup, &of_cgroup);
	moment->has_peak_memory = of_cgroup.seen[JOB_peak_memory];
	moment->peak_memory = of_cgroup.numbers[JOB_peak_memory];
	job->options->watcher->sample(job->options->watcher, moment, ret);
}

static void sample(struct job *job, uint64_t now_ns)
{
	cleanup_(id_list_done) struct id_list list = {0};
	struct job_moment moment = {.now_ns = now_ns, .pids = &list};
	unused_ cleanup_(rights_lower) bool raised = rights_raise();
	struct job_memory memory;
	uint64_t begin_ns;

	list_members(job, &list);
	job_lost_check(&job->lost, &job->reader, &list, &job->tally);
	begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	moment.has_cpu_time = job_cgroup_cpu_time(&job->cgroup, &moment.cpu_time);
	if (moment.has_cpu_time)
		job_samples_add_cpu(&job->samples, begin_ns, clock_now_ns(CLOCK_MONOTONIC),
		                    moment.cpu_time);
	moment.cpu_time -= job->base.cgroup.numbers[JOB_cpu_time];
	moment.has_pss = sample_pss(job, now_ns, &list, &moment.pss);
	if (job->options->watcher)
		watch(job, &moment, &memory);
	else
		job_memory_read(job->proc_fd, &list, &memory);
	job_samples_add(&job->samples, now_ns, &memory);
}

static void reap(struct job *job)
{
	unused_ cleanup_(rights_lower) bool raised = rights_raise();
	bool had_ended = job->ended;

	job->has_more = job_tally_reap(&job->tally, job->command.pid, &job->ended, &job->status);
	if (job->ended && !had_ended)
		job->end_ns = clock_now_ns(CLOCK_MONOTONIC);
}

/* Signals of the terminal reach all processes in its foreground: the command as well, unless it has a session of its own. But if the
 * terminal is lost, the kernel sends SIGHUP to the leader of its session alone, which may be us. */
static void pass_signal(struct job *job, const struct signalfd_siginfo *signal)
{
	struct job_watcher *watcher = job->options->watcher;
	int number = (int)signal->ssi_signo;
	bool leads = job->options->launch.new_session;
	bool is_ours = number == SIGHUP && !leads && getsid(0) == getpid();
	bool is_sent = job_signal_is_sent(signal) || is_ours;

	job->result->was_signalled = true;
	if (is_sent)
		(void)kill(job->command.pid, number);
	else if (leads)
		(void)kill(-job->command.pid, number);
	if (watcher && watcher->signalled)
		watcher->signalled(watcher, number, is_sent || leads);
}

/* The terminal's new size reaches the command if it is the command's terminal as well. */
static void note_resize(struct job *job)
{
	struct job_watcher *watcher = job->options->watcher;

	if (!job->ended && watcher && watcher->signalled)
		watcher->signalled(watcher, SIGWINCH, false);
}

/* Behind the end of the command, one that would end us ends the wait. */
static void handle_signals(struct job *job)
{
	struct signalfd_siginfo signal;

	while (job_signals_next(&job->signals, &signal)) {
		int number = (int)signal.ssi_signo;

		if (number == SIGCHLD)
			continue;
		if (number == SIGWINCH && (job->ended || !job_signal_is_sent(&signal))) {
			note_resize(job);
			continue;
		}
		if (job->ended)
			job->result->was_stopped = true;
		else
			pass_signal(job, &signal);
	}
}

static bool goes_on(const struct job *job)
{
	return !job->ended ||
	       (job->options->wait_all && job->has_more && !job->result->was_stopped);
}

static int wait_for_end(struct job *job)
{
	struct pollfd waits = {.fd = job->signals.fd, .events = POLLIN};

	reap(job);
	while (goes_on(job)) {
		uint64_t now = clock_now_ns(CLOCK_MONOTONIC),
		         next = job_samples_next(&job->samples);
		struct timespec timeout;

		if (now >= next) {
			sample(job, now);
			if (job->ends)
				job_ends_catch_up(job->ends);
			continue;
		}
		timeout = (struct timespec){.tv_sec = (time_t)((next - now) / NS_PER_SECOND),
		                            .tv_nsec = (long)((next - now) % NS_PER_SECOND)};
		if (ppoll(&waits, 1, &timeout, NULL) < 0 && errno != EINTR)
			return -errno;
		handle_signals(job);
		reap(job);
	}
	if (job->options->wait_all)
		job->end_ns = clock_now_ns(CLOCK_MONOTONIC);
	return 0;
}

/* Returns whether a signal that ends a process came before the command was started. */
static bool was_interrupted(struct job *job)
{
	struct signalfd_siginfo signal;

	while (job_signals_next(&job->signals, &signal))
		if (signal.ssi_signo != SIGCHLD && signal.ssi_signo != SIGWINCH) {
			job->result->error = -EINTR;
			job->result->code = 128 + (int)signal.ssi_signo;
			return true;
		}
	return false;
}

static void set_cpus(struct job_values *values)
{
	/* The kernel's own size of a mask is not known. */
	enum { CPUS_MAX = 1 << 16 };
	cpu_set_t *cpus = CPU_ALLOC(CPUS_MAX);
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);

	if (cpus && sched_getaffinity(0, size, cpus) == 0)
		job_set(values, JOB_cpus, JOB_SOURCE_host, CPU_COUNT_S(size, cpus));
	CPU_FREE(cpus);
}

/* Makes the process, while we are small: the kernel counts the memory of its first moments, which is a copy of ours, as its
 * own. */
static int make_process(struct job *job, struct strbuf *reterr)
{
	const struct job_leaf *unified = &job->cgroup.leaves[JOB_LEAF_UNIFIED];
	struct id_list self = {.ids = &(uint32_t){(uint32_t)getpid()}, .count = 1};
	struct job_memory memory;
	bool in_unified = false;
	int r;

	job_memory_read(job->proc_fd, &self, &memory);
	job->base.rss = job->proc_fd < 0 ? job_base_peak_rss() : memory.rss;
	r = job_command_start(&job->command, &job->options->launch,
	                      unified->used ? unified->fd : -1, &in_unified);
	if (r < 0) {
		strbuf_addf(reterr, "no process can be made: %s", strerror(-r));
		return r;
	}
	job_cgroup_enter(&job->cgroup, job->command.pid, in_unified);
	return 0;
}

/* Reads the counters that the process has before it is the command. */
static void read_base(struct job *job)
{
	unused_ cleanup_(rights_lower) bool raised = rights_raise();
	cleanup_(job_live_done) struct job_live live = {0};
	struct job_base *base = &job->base;

	job_command_await_gate(&job->command, job->proc_fd);
	job_tally_watch(&job->tally, job->command.pid);
	base->has_live = job_live_read(job->proc_fd, job->command.pid, &live);
	job_live_add_up(&live, &base->live);
	job_cgroup_values(&job->cgroup, &base->cgroup);
	if (job->ends && base->has_live && base->live.has_schedstat)
		job_ends_set_command(job->ends, (uint32_t)job->command.pid, base->live.run_time);
}

/* Lets the process execute the command. */
static void start(struct job *job)
{
	struct job_result *result = job->result;
	int r;

	if (was_interrupted(job)) {
		job_command_done(&job->command);
		(void)waitpid(job->command.pid, NULL, 0);
		return;
	}
	set_cpus(&result->values);
	read_base(job);
	job_set(&result->values, JOB_start_time, JOB_SOURCE_clock,
	        (double)clock_now_ns(CLOCK_REALTIME) / NS_PER_SECOND);
	job->start_ns = clock_now_ns(CLOCK_MONOTONIC);
	job_samples_init(&job->samples, job->start_ns, job->options->sample_ns);
	job->next_pss_ns = job->start_ns + job->options->report_ns;
	r = job_command_release(&job->command);
	if (r < 0) {
		(void)waitpid(job->command.pid, NULL, 0);
		result->error = r;
		result->code = job_command_error_code(-r);
		return;
	}
	result->started = true;
	if (job->options->watcher && job->options->watcher->started)
		job->options->watcher->started(job->options->watcher, job->command.pid,
		                               job->start_ns);
}

/* The watcher has a last look: at what is left, and at the CPU time of all. */
static void watch_end(struct job *job)
{
	unused_ cleanup_(rights_lower) bool raised = rights_raise();
	cleanup_(id_list_done) struct id_list list = {0};
	const struct job_values *values = &job->result->values;
	struct job_moment moment = {
	        .now_ns = job->end_ns,
	        .pids = &list,
	        .is_last = true,
	        .has_cpu_time = values->seen[JOB_cpu_time],
	        .cpu_time = values->numbers[JOB_cpu_time],
	        .has_storage = values->seen[JOB_read_bytes] && values->seen[JOB_write_bytes],
	        .read_bytes = values->numbers[JOB_read_bytes],
	        .written_bytes = values->numbers[JOB_write_bytes],
	};
	struct job_memory memory;

	list_members(job, &list);
	watch(job, &moment, &memory);
}

static void list_left(struct job *job)
{
	unused_ cleanup_(rights_lower) bool raised = rights_raise();
	cleanup_(id_list_done) struct id_list list = {0};

	list_members(job, &list);
	job_lost_check(&job->lost, &job->reader, &list, &job->tally);
	job_members_left(&job->reader, &list, job->result);
}

/* Moves what goes on out of the cgroup, and removes it. */
static void leave_cgroup(struct job *job)
{
	struct job_result *result = job->result;

	struct timespec linger = {
	        .tv_sec = (time_t)(job->options->linger_ns / NS_PER_SECOND),
	        .tv_nsec = (long)(job->options->linger_ns % NS_PER_SECOND),
	};

	(void)nanosleep(&linger, NULL);
	if (result->left_count > 0)
		(void)!job_cgroup_move_back(&job->cgroup);
	if (!job_cgroup_remove(&job->cgroup))
		strbuf_add_str(&result->leftover, strbuf_str(&job->cgroup.reason));
}

/* Returns whether what we waited for and what goes on have the CPU time of the leaf. The times of each of these are in ticks. */
static bool has_all_time(const struct job *job, double counted)
{
	const double ticks = 0.02;
	const struct job_result *result = job->result;
	const struct job_values *values = &result->values;
	double rounding = ticks * (double)(result->left_count + result->zombie_count);

	return !values->seen[JOB_cpu_time] ||
	       !job_cgroup_is_more(counted, values->numbers[JOB_cpu_time] + rounding);
}

/* Forgets the counters of leaves that do not have all of the job, and those of wait4(2) if they lack a process that is in such a
 * leaf. */
static void check_cgroup(struct job *job, struct job_values *of_cgroup,
                         const struct job_values *of_ends)
{
	struct job_result *result = job->result;
	double counted = of_cgroup->numbers[JOB_cpu_time];
	bool is_waited = has_all_time(job, counted);

	job_cgroup_check_time(&job->cgroup, counted, job->tally.user_time + job->tally.system_time);
	job_cgroup_check_ends(&job->cgroup, of_ends, counted, &job->tally);
	if (!job_cgroup_say_left(&job->cgroup, is_waited, &result->reason))
		return;
	*of_cgroup = (struct job_values){0};
	job_cgroup_values(&job->cgroup, of_cgroup);
	if (!is_waited && !of_cgroup->seen[JOB_cpu_time])
		job_tally_forget(&result->values);
}

static void set_known(const struct job_values *from, struct job_values *values)
{
	for (unsigned i = 0; i < JOB_VALUE_COUNT; i++) {
		if (from->seen[i])
			job_set(values, (enum job_value_id)i, from->sources[i], from->numbers[i]);
		if (from->seen[i] || !values->seen[i])
			values->impossible[i] = from->impossible[i];
	}
}

/* The ends are those in the leaf of version 2; if that was left, they are not those of the job. */
static void use_ends(struct job *job, struct job_values *of_ends)
{
	/* They have no modes. */
	job_forget(of_ends, JOB_cpu_time);
	if (!job->cgroup.leaves[JOB_LEAF_UNIFIED].was_left)
		set_known(of_ends, &job->result->values);
	else
		job_groups_done(&job->result->groups);
}

static void finish(struct job *job)
{
	const struct job_leaf *leaf = job_cgroup_leaf(&job->cgroup);
	struct job_result *result = job->result;
	struct job_values *values = &result->values;
	struct job_values of_cgroup = {0}, of_ends = {0};

	job_cgroup_values(&job->cgroup, &of_cgroup);
	job_set(values, JOB_wall_clock_time, JOB_SOURCE_clock,
	        (double)(job->end_ns - job->start_ns) / NS_PER_SECOND);
	job_set(values, JOB_end_time, JOB_SOURCE_clock,
	        values->numbers[JOB_start_time] + values->numbers[JOB_wall_clock_time]);
	list_left(job);
	job_set(values, JOB_processes_left,
	        job_cgroup_leaf(&job->cgroup) ? JOB_SOURCE_cgroup : JOB_SOURCE_wait,
	        (double)result->left_count);
	job_tally_values(&job->tally, result->left, result->left_count, values);
	for (size_t i = 0; i < result->zombie_count; i++)
		job_tally_add(&result->zombies[i], values);
	if (job->ends)
		job_ends_stop(job->ends, result->left, result->left_count, &of_ends,
		              &result->groups);
	check_cgroup(job, &of_cgroup, &of_ends);
	job_lost_forget(&job->lost, values);
	use_ends(job, &of_ends);
	job_base_subtract(&job->base, &of_cgroup, values);
	set_known(&of_cgroup, values);
	job_lost_say(&job->lost, values, &result->reason);
	if (job->options->watcher)
		watch_end(job);
	job_samples_values(&job->samples, values);
	job_set(values, JOB_processes_stalled, JOB_SOURCE_samples,
	        (double)job->reader.stalled.count);
	if (leaf && leaf->was_left)
		job_forget(values, JOB_peak_pcpu);
	job_base_check_largest(&job->base, job->samples.largest_rss, values);
	job_samples_raise_peak(values);
	result->code = job_command_exit_code(job->status);
	job_set(values, JOB_exit_code, JOB_SOURCE_status, result->code);
	job_values_derive(values, job_host_memory());
	leave_cgroup(job);
}

static void note_container(struct job *job)
{
	struct job_result *result = job->result;
	const struct job_leaf *leaf = job_cgroup_leaf(&job->cgroup);

	if (leaf) {
		result->container = JOB_CONTAINER_CGROUP;
		strbuf_add(&result->cgroup, leaf->path.data, leaf->path.len);
		return;
	}
	result->container = job->is_subreaper ? JOB_CONTAINER_SUBREAPER : JOB_CONTAINER_WAIT;
	if (result->reason.len > 0 && job->cgroup.reason.len > 0)
		strbuf_add_str(&result->reason, "; ");
	strbuf_add(&result->reason, strbuf_str(&job->cgroup.reason), job->cgroup.reason.len);
}

static void become_subreaper(struct job *job)
{
	int was = 0;

	(void)prctl(PR_GET_CHILD_SUBREAPER, &was, 0, 0, 0);
	job->was_subreaper = was != 0;
	job->is_subreaper = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
}

static int prepare(struct job *job, struct strbuf *reterr)
{
	int r = job_proc_open(&job->proc_fd, &job->result->reason);

	if (r < 0) {
		strbuf_addf(reterr, "/proc: %s", strerror(-r));
		return r;
	}
	job->reader.proc_fd = job->proc_fd;
	if (job_children(job->proc_fd, getpid(), &job->others) < 0)
		job->others.count = 0;
	/* No signal leaves a cgroup behind. */
	r = job_signals_init(&job->signals);
	if (r < 0) {
		strbuf_addf(reterr, "signals: %s", strerror(-r));
		return r;
	}
	job_cgroup_init(&job->cgroup);
	become_subreaper(job);
	job_tally_init(&job->tally, job->proc_fd, &job->others);
	return 0;
}

static void job_done(struct job *job)
{
	job_ends_freep(&job->ends);
	if (job->is_subreaper && !job->was_subreaper)
		(void)prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	job_command_done(&job->command);
	job_tally_done(&job->tally);
	job_lost_done(&job->lost);
	job_reader_done(&job->reader);
	job_cgroup_done(&job->cgroup);
	job_signals_done(&job->signals);
	id_list_done(&job->others);
	fd_closep(&job->proc_fd);
}

int job_run(const struct job_options *options, struct job_result *ret, struct strbuf *reterr)
{
	cleanup_(job_done) struct job job = {
	        .options = options,
	        .result = ret,
	        .proc_fd = -1,
	        .signals = JOB_SIGNALS_INIT,
	        .command = JOB_COMMAND_INIT,
	        .tally = JOB_TALLY_INIT,
	};
	int r;

	*ret = (struct job_result){0};
	r = prepare(&job, reterr);
	if (r == 0)
		r = make_process(&job, reterr);
	if (r < 0)
		return r;
	if (!options->without_exits && job.cgroup.leaves[JOB_LEAF_UNIFIED].used)
		job.ends = job_ends_start(job.cgroup.leaves[JOB_LEAF_UNIFIED].fd);
	start(&job);
	if (!ret->started)
		return 0;
	note_container(&job);
	r = wait_for_end(&job);
	if (r < 0) {
		strbuf_addf(reterr, "poll: %s", strerror(-r));
		return r;
	}
	finish(&job);
	return 0;
}

void job_result_done(struct job_result *result)
{
	strbuf_done(&result->cgroup);
	strbuf_done(&result->reason);
	strbuf_done(&result->leftover);
	job_groups_done(&result->groups);
	for (size_t i = 0; i < result->left_count; i++)
		job_live_done(&result->left[i]);
	free(result->left);
	for (size_t i = 0; i < result->zombie_count; i++)
		job_live_done(&result->zombies[i]);
	free(result->zombies);
	*result = (struct job_result){0};
}
