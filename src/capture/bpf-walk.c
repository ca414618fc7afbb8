// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf-walk.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "process-cache.h"

void bpf_walk_done(struct bpf_walk *bpf)
{
	css_sets_done(&bpf->sets);
	free(bpf->units);
}

int bpf_walk_read(struct bpf_walk *bpf, int proc_fd, const struct taskstats_rules *taskstats,
                  enum source_outcome ret_rules[SOURCE_COUNT])
{
	int r = task_record_read(bpf->reader, &bpf->pass);

	if (r < 0)
		return r;
	task_record_rules_init(&bpf->rules, bpf->reader, proc_fd, taskstats);
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		if (source_table[s].pass != SOURCE_PASS_FILES)
			ret_rules[s] = bpf->rules.outcomes[s];
	ret_rules[SOURCE_status] = OUTCOME_read;
	return 0;
}

void bpf_walk_find_cgroups(struct bpf_walk *bpf, int proc_fd, struct cgroup_walk *cgroups)
{
	css_sets_init(&bpf->sets, proc_fd, bpf->mounts, cgroups, &bpf->pass);
}

uint64_t bpf_walk_begin_clock_ticks(const struct bpf_walk *bpf)
{
	return bpf->pass.begin_boottime_ns / (NS_PER_SECOND / bpf->rules.ticks_per_second);
}

/* The threads of one process, which are neighbours in the order of the pass. */
struct threads_of_process {
	size_t begin, end;
	const struct task_record *first;
	const struct process_record *process; /* or NULL */
	bool is_gone;                         /* the process has ended since the pass */
};

static const struct task_record *thread_at(const struct bpf_walk *bpf, size_t place)
{
	return &bpf->pass.threads[bpf->pass.order[place]];
}

static struct threads_of_process next_process(const struct bpf_walk *bpf, size_t begin)
{
	struct threads_of_process threads = {
	        .begin = begin, .end = begin, .first = thread_at(bpf, begin)};

	while (threads.end < bpf->pass.thread_count &&
	       task_record_same_process(thread_at(bpf, threads.end), threads.first))
		threads.end++;
	threads.process = task_record_process(&bpf->pass, threads.first);
	return threads;
}

static bool is_kernel(const struct threads_of_process *threads)
{
	return (threads->first->flags & TASK_RECORD_KERNEL) != 0;
}

static bool has_ended(const struct task_record *thread)
{
	return thread->state == 'Z' || thread->state == 'X';
}

static struct process_seen seen_of(const struct bpf_walk *bpf,
                                   const struct threads_of_process *threads)
{
	const struct task_record *first = threads->first;
	uint64_t tick_ns = NS_PER_SECOND / bpf->rules.ticks_per_second;

	return (struct process_seen){
	        .tgid = first->tgid,
	        .born_clock_ticks = first->process_born_boottime_ns / tick_ns,
	        .had_ended = has_ended(first) || (first->flags & TASK_RECORD_EXITING),
	        .needs_uid = !threads->process,
	        .start_stack = threads->process ? threads->process->start_stack : 0,
	};
}

/* Returns what the process has done; it is not known if the totals of the process have to be read from its files. */
static struct process_activity activity_of(const struct bpf_walk *bpf,
                                           const struct threads_of_process *threads)
{
	const struct process_record *process = threads->process;
	struct process_activity activity = {
	        .tgid = threads->first->tgid,
	        .born_boottime_ns = threads->first->process_born_boottime_ns,
	        .start_stack = process ? process->start_stack : 0,
	        .is_known = process != NULL,
	};
	struct process_record_sum sum = process_record_begin(process);

	for (size_t place = threads->begin; place < threads->end; place++) {
		process_activity_add(&activity, thread_at(bpf, place));
		process_record_add(&sum, thread_at(bpf, place));
	}
	activity.is_known = activity.is_known && process_record_are_whole(process, &sum);
	return activity;
}

/* Returns whether the process has rested since its files were read. */
static bool is_resting(const struct bpf_walk *bpf, struct walk *walk,
                       const struct threads_of_process *threads)
{
	struct process_activity activity;

	if (!bpf->known || is_kernel(threads) || walk->jemalloc.rule == OUTCOME_read ||
	    walk->process.wishes.smaps != CAPTURE_SMAPS_OFF)
		return false;
	activity = activity_of(bpf, threads);
	walk->process.has_executed = false;
	return process_cache_get(bpf->known, &activity, &walk->process.sample);
}

static void keep(const struct bpf_walk *bpf, const struct walk *walk,
                 const struct threads_of_process *threads)
{
	struct process_activity activity;

	if (!bpf->known || walk->process.avoids != AVOIDS_NOTHING || walk->process.has_executed)
		return;
	activity = activity_of(bpf, threads);
	process_cache_keep(bpf->known, &activity, &walk->process.sample);
}

/* Reads the parts of the process that are not in the pass. Returns 1; 0 if the process is gone meanwhile, and then the
 * directory may be that of another one; or -errno. */
static int read_process(const struct bpf_walk *bpf, struct walk *walk,
                        const struct threads_of_process *threads, int *ret_fd)
{
	const struct process_seen seen = seen_of(bpf, threads);
	bool is_same;
	char name[12];
	int r;

	*ret_fd = -1;
	if (is_kernel(threads)) {
		process_read_kernel(&walk->process);
		return 1;
	}
	snprintf(name, sizeof(name), "%" PRIu32, seen.tgid);
	*ret_fd = fd_open_path_at(walk->proc_fd, name);
	if (*ret_fd < 0)
		return *ret_fd;
	if (walk->process.avoids == AVOIDS_LOCKED) {
		process_read_stalled(&walk->process);
		return 1;
	}
	r = process_read_rest(&walk->process, *ret_fd, &seen, &is_same);
	if (r == 0 && is_same)
		keep(bpf, walk, threads);
	return r < 0 ? r : is_same;
}

/* Lists the threads in the order of the rows, for jemalloc's reader. */
static void list_threads(const struct bpf_walk *bpf, struct walk *walk,
                         const struct threads_of_process *threads)
{
	struct id_list *list = &walk->threads;
	size_t count = threads->end - threads->begin;

	array_reserve(walk->pointers, walk->pointer_capacity, count);
	array_reserve(list->ids, list->capacity, count);
	list->count = count;
	for (size_t i = 0; i < count; i++) {
		const struct task_record *thread = thread_at(bpf, threads->begin + i);

		list->ids[i] = thread->tid;
		walk->pointers[i] = thread_pointer_of(thread);
	}
	thread_pointers_sort(walk->pointers, count);
}

static void read_jemalloc(const struct bpf_walk *bpf, struct walk *walk,
                          const struct threads_of_process *threads, int process_fd)
{
	const bool has_pointers = (bpf->rules.kept & TASK_RECORD_POINTER) != 0;
	struct known_pointers known = {.count = threads->end - threads->begin};

	if (is_kernel(threads)) {
		jemalloc_pass_process(&walk->jemalloc);
		return;
	}
	if (threads->is_gone || walk->process.has_executed) {
		jemalloc_leave_process(&walk->jemalloc);
		return;
	}
	list_threads(bpf, walk, threads);
	known.threads = walk->pointers;
	walk_read_jemalloc(walk, process_fd, has_pointers ? &known : NULL);
}

/* Reading jemalloc's counters is slow. If the process has executed another program meanwhile, they are that
 * program's. */
static int check_again(const struct bpf_walk *bpf, struct walk *walk,
                       const struct threads_of_process *threads, int process_fd)
{
	const struct process_seen seen = seen_of(bpf, threads);
	bool is_same;
	int r;

	if (!jemalloc_has_counters(&walk->jemalloc))
		return 0;
	r = process_check_again(&walk->process, process_fd, &seen, &is_same);
	if (walk->process.has_executed)
		jemalloc_forget_process(&walk->jemalloc);
	return error_is_own(r) ? r : 0;
}

/* A thread that has exited since the pass is as it was then. Values of files may be missing, with the reason. */
static int walk_thread(const struct bpf_walk *bpf, struct walk *walk,
                       const struct threads_of_process *threads, size_t place, int process_fd)
{
	const struct task_record *thread = thread_at(bpf, place);
	struct thread_sample *sample = walk->sample;

	sample_reset(sample);
	task_record_sample(&bpf->rules, &bpf->pass, thread, threads->process, sample);
	css_sets_fill(&bpf->sets, &walk->css, thread, sample);
	jemalloc_take_thread(&walk->jemalloc, place - threads->begin, sample);
	if (threads->process) {
		walk->process.sample.has_uid = true;
		walk->process.sample.uid = threads->process->uid;
	}
	return walk_add_row(walk, process_fd);
}

/* Adds the totals. If a thread has exited between the turns of the leader and its own, its work would be in them twice
 * or not at all: then the files are read, if they are there. */
static int add_totals(const struct bpf_walk *bpf, struct walk *walk,
                      const struct threads_of_process *threads,
                      const struct process_record_sum *sum, int process_fd)
{
	const struct process_record *process = threads->process;
	int r = 0;

	if (process_record_are_whole(process, sum) || (process_fd < 0 && !threads->is_gone)) {
		process_record_totals(&bpf->rules, process, sum, walk->pending);
		return 0;
	}
	if (walk->process.avoids != AVOIDS_LOCKED && !threads->is_gone)
		r = process_read_totals(&walk->process, process_fd);
	if (r == 0)
		walk_add_totals(walk, walk->pending);
	return r;
}

static int walk_threads(const struct bpf_walk *bpf, struct walk *walk,
                        struct threads_of_process *threads, int process_fd)
{
	struct process_record_sum sum = process_record_begin(threads->process);
	int r;

	walk->has_pcomm = false;
	walk->has_row = false;
	read_jemalloc(bpf, walk, threads, process_fd);
	r = check_again(bpf, walk, threads, process_fd);
	for (size_t place = threads->begin; r == 0 && place < threads->end; place++) {
		process_record_add(&sum, thread_at(bpf, place));
		r = walk_thread(bpf, walk, threads, place, process_fd);
	}
	if (r == 0 && walk->pending && threads->process)
		r = add_totals(bpf, walk, threads, &sum, process_fd);
	return r < 0 ? r : walk_write_pending(walk);
}

/* Returns whether an option of the mount hides a process that is there from this user: it would not appear in /proc at
 * all. */
static bool is_hidden(const struct walk *walk, uint32_t tgid)
{
	struct stat status;
	char name[12];

	if (kill((pid_t)tgid, 0) == 0 || errno != EPERM)
		return false;
	snprintf(name, sizeof(name), "%" PRIu32, tgid);
	return fstatat(walk->proc_fd, name, &status, 0) < 0 && errno == ENOENT;
}

static int walk_process(const struct bpf_walk *bpf, struct walk *walk,
                        struct threads_of_process *threads)
{
	cleanup_(fd_closep) int process_fd = -1;
	int r;

	if (is_resting(bpf, walk, threads))
		r = 1;
	else if (is_hidden(walk, threads->first->tgid))
		return 0;
	else
		r = read_process(bpf, walk, threads, &process_fd);
	if (error_is_own(r))
		return r;
	if (error_is_denied(r)) {
		walk->tally->processes_denied++;
		return 0;
	}
	if (r <= 0) {
		/* Its counters are those of the pass all the same, as are those of each other process. */
		threads->is_gone = true;
		fd_closep(&process_fd);
		process_read_gone(&walk->process);
	}
	r = walk_threads(bpf, walk, threads, process_fd);
	walk->tally->processes += walk->has_row;
	walk->tally->processes_gone += !walk->has_row;
	return r;
}

/* A process: its first thread in the order of the pass, or its place in the list of /proc. */
struct bpf_unit {
	bool is_listed;
	size_t place;
};

static uint32_t tgid_of(const struct walk_work *work, size_t index)
{
	const struct bpf_walk *bpf = (const struct bpf_walk *)work;
	const struct bpf_unit *unit = &bpf->units[index];

	return unit->is_listed ? bpf->listed[unit->place] : thread_at(bpf, unit->place)->tgid;
}

static int read_unit(const struct walk_work *work, struct walk *walk, size_t index)
{
	const struct bpf_walk *bpf = (const struct bpf_walk *)work;
	const struct bpf_unit *unit = &bpf->units[index];
	struct threads_of_process threads;

	if (unit->is_listed)
		return walk_read_process(walk);
	threads = next_process(bpf, unit->place);
	return walk_process(bpf, walk, &threads);
}

/* Some hosts hide processes from BPF: processes of /proc that are not in the pass are read from their files, unless they
 * were born after it began (walk->born_before_clock_ticks). The snapshot is of the time of the pass. */
void bpf_walk_list(struct bpf_walk *bpf, const struct id_list *processes)
{
	size_t listed = 0, passed = 0;

	bpf->work = (struct walk_work){.tgid = tgid_of, .read = read_unit};
	bpf->listed = processes->ids;
	while (listed < processes->count || passed < bpf->pass.thread_count) {
		bool has_files = listed < processes->count;
		bool has_values = passed < bpf->pass.thread_count;
		uint32_t id = has_files ? processes->ids[listed] : UINT32_MAX;
		uint32_t tgid = has_values ? thread_at(bpf, passed)->tgid : UINT32_MAX;
		struct bpf_unit *unit = array_add(bpf->units, bpf->work.count, bpf->unit_capacity);

		*unit = (struct bpf_unit){.is_listed = !has_values || id < tgid};
		unit->place = unit->is_listed ? listed : passed;
		listed += has_files && id <= tgid;
		if (!unit->is_listed)
			passed = next_process(bpf, passed).end;
	}
}
