// SPDX-License-Identifier: GPL-2.0-or-later
#include "walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/boot-clock.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "wait-read.h"

enum { COMM_FILE_BYTES = 4096 };

void walk_init(struct walk *walk, const struct walk_options *options,
               enum source_outcome ret_rules[SOURCE_COUNT])
{
	memset(walk, 0, sizeof(*walk));
	walk->sample = &walk->samples[0];
	walk->proc_fd = options->proc_fd;
	walk->tree_boottime_ns = options->tree_boottime_ns;
	walk->bounds = options->bounds;
	walk->born_before_clock_ticks = options->born_before_clock_ticks;
	thread_reader_init(&walk->reader, options->proc_fd, options->live, options->cgroups);
	walk->reader.share = options->share;
	taskstats_reader_init(&walk->taskstats, options->live, options->taskstats_rules);
	process_reader_init(&walk->process, options->proc_fd, &options->process, &walk->taskstats);
	jemalloc_reader_init(&walk->jemalloc, options->jemalloc, options->live,
	                     options->jemalloc_files);

	memcpy(ret_rules, walk->reader.rules, sizeof(walk->reader.rules));
	ret_rules[SOURCE_taskstats] = walk->taskstats.rule;
	ret_rules[SOURCE_process_taskstats] = walk->taskstats.rule;
	ret_rules[SOURCE_jemalloc] = walk->jemalloc.rule;
	ret_rules[SOURCE_process_stat] = OUTCOME_read;
	ret_rules[SOURCE_process_io] = OUTCOME_read;
	ret_rules[SOURCE_exe] = ret_rules[SOURCE_cwd] =
	        options->process.paths ? OUTCOME_read : OUTCOME_skipped;
	ret_rules[SOURCE_title] = options->process.titles ? OUTCOME_read : OUTCOME_skipped;
	ret_rules[SOURCE_wchan] = ret_rules[SOURCE_syscall] =
	        options->process.waits ? OUTCOME_read : OUTCOME_skipped;
	ret_rules[SOURCE_smaps_rollup] =
	        options->process.smaps == CAPTURE_SMAPS_OFF ? OUTCOME_skipped : OUTCOME_read;
}

void walk_done(struct walk *walk)
{
	thread_reader_done(&walk->reader);
	process_reader_done(&walk->process);
	taskstats_reader_done(&walk->taskstats);
	jemalloc_reader_done(&walk->jemalloc);
	sample_done(&walk->samples[0]);
	sample_done(&walk->samples[1]);
	id_list_done(&walk->processes);
	id_list_done(&walk->threads);
	strbuf_done(&walk->listing);
	strbuf_done(&walk->pcomm);
	strbuf_done(&walk->css.text);
	free(walk->pointers);
	free(walk->exiting);
}

static void count(struct snapshot_tally *tally, const struct thread_sample *sample)
{
	tally->threads++;
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		tally->sources[s][sample->outcomes[s]]++;
	snapshot_tally_add_impossible(tally, sample);
	for (size_t i = 0; i < METRIC_SET_WORDS; i++)
		tally->malformed_values += (unsigned)__builtin_popcountll(
		        sample->malformed.words[i] & ~sample->seen.words[i]);
}

static void set_pcomm(struct walk *walk, int process_fd)
{
	struct thread_sample *sample = walk->sample;

	if (sample->tid == sample->tgid) {
		strbuf_copy(&walk->pcomm, &sample->comm);
		walk->has_pcomm = true;
	}
	if (!walk->has_pcomm) {
		if (fd_read_all_at(process_fd, "comm", &walk->pcomm, COMM_FILE_BYTES) < 0)
			strbuf_clear(&walk->pcomm);
		if (walk->pcomm.len > 0 && walk->pcomm.data[walk->pcomm.len - 1] == '\n')
			walk->pcomm.len--;
		if (walk->pcomm.len > SAMPLE_COMM_BYTES)
			strbuf_clear(&walk->pcomm);
		walk->has_pcomm = true;
	}
	strbuf_copy(&sample->pcomm, &walk->pcomm);
}

/* Every row has its process's start time, executable, working directory, title and user; the outcomes of reading
 * these files are counted once. */
static void add_process(struct walk *walk)
{
	struct thread_sample *sample = walk->sample;
	struct thread_sample *process = &walk->process.sample;

	if (sample->tid == sample->tgid)
		sample_set_process_start(process, sample->start_time_clock_ticks);
	else if (!sample->has_process_start && process->has_process_start)
		sample_set_process_start(sample, process->process_start_clock_ticks);
	sample->has_exe = process->has_exe;
	if (process->has_exe)
		strbuf_add(&sample->exe, strbuf_str(&process->exe), process->exe.len);
	sample->has_title = process->has_title;
	if (process->has_title)
		strbuf_add(&sample->title, strbuf_str(&process->title), process->title.len);
	sample->has_cwd = process->has_cwd;
	if (process->has_cwd)
		strbuf_add(&sample->cwd, strbuf_str(&process->cwd), process->cwd.len);
	sample->has_uid = process->has_uid;
	sample->uid = process->uid;
	if (!walk->has_row) {
		sample->outcomes[SOURCE_exe] = process->outcomes[SOURCE_exe];
		sample->outcomes[SOURCE_cwd] = process->outcomes[SOURCE_cwd];
		sample->outcomes[SOURCE_title] = process->outcomes[SOURCE_title];
	}
}

/* The leader's row has the process's smaps. The keyed values are swapped, since a process has one set of them. */
static void add_smaps(struct walk *walk)
{
	struct thread_sample *sample = walk->sample, *process = &walk->process.sample;
	struct keyed_values values = sample->smaps_rollup_kib;

	if (sample->tid != sample->tgid)
		return;
	sample->has_smaps = process->has_smaps;
	sample->smaps_rollup_kib = process->smaps_rollup_kib;
	process->smaps_rollup_kib = values;
	sample->outcomes[SOURCE_smaps_rollup] = process->outcomes[SOURCE_smaps_rollup];
}

void walk_begin_process(struct walk *walk, uint32_t tgid, enum stall_avoids avoids)
{
	walk->tgid = tgid;
	walk->counted_before = walk_counted(walk);
	walk->threads.count = 0;
	walk->pending = NULL;
	walk->has_row = false;
	walk->process.avoids = avoids;
	walk->process.at = SOURCE_process_stat;
	walk->reader.avoids_io = avoids == AVOIDS_LOCKED;
}

uint64_t walk_counted(const struct walk *walk)
{
	return walk->tally->threads + walk->tally->threads_gone + walk->tally->threads_unreadable;
}

/* A process that stalls here for the first time is counted here. */
void walk_read_jemalloc(struct walk *walk, int process_fd, const struct known_pointers *known)
{
	if (walk->jemalloc.rule != OUTCOME_read)
		return;
	if (walk->process.avoids != AVOIDS_NOTHING) {
		walk->jemalloc.tag = PROBE_TAG_stalled;
		probe_summary_add_process(&walk->jemalloc.summary, PROBE_TAG_stalled, false);
		return;
	}
	walk->sink->read_jemalloc(walk->sink, walk, process_fd, known);
	if (walk->jemalloc.tag != PROBE_TAG_stalled)
		return;
	walk->process.avoids = AVOIDS_MEMORY;
	walk->tally->processes_stalled++;
}

/* The last row of a process has its totals: only then it is known whether they are valid. */
void walk_add_totals(struct walk *walk, struct thread_sample *sample)
{
	static const enum metric_source sources[] = {SOURCE_process_stat, SOURCE_process_io,
	                                             SOURCE_process_taskstats};
	const struct thread_sample *process = &walk->process.sample;

	sample->process_totals_seen = process->process_totals_seen;
	sample->has_process_totals = process->process_totals_seen != 0;
	memcpy(sample->process_totals, process->process_totals, sizeof(sample->process_totals));
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		sample->outcomes[sources[i]] = process->outcomes[sources[i]];
}

/* Every total is of a counter, which is 64 bits wide. */
static void add_exiting(struct walk *walk)
{
	struct exiting_thread *thread;

	thread = array_add(walk->exiting, walk->exiting_count, walk->exiting_capacity);
	*thread = (struct exiting_thread){.tid = walk->sample->tid};
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		enum metric_id metric = process_total_table[i].metric;

		if (metric_set_has(&walk->sample->seen, metric))
			memcpy(&thread->used[i], sample_value(walk->sample, metric),
			       sizeof(thread->used[i]));
	}
}

/* Returns how many of the exiting threads are still exiting, and stores their work. */
static size_t sum_exiting(struct walk *walk, int task_fd, uint64_t ret_used[PROCESS_TOTAL_COUNT])
{
	size_t count = 0;

	memset(ret_used, 0, PROCESS_TOTAL_COUNT * sizeof(ret_used[0]));
	for (size_t t = 0; t < walk->exiting_count; t++) {
		const struct exiting_thread *thread = &walk->exiting[t];
		char name[12];

		snprintf(name, sizeof(name), "%u", thread->tid);
		if (!thread_is_exiting(&walk->reader, task_fd, name))
			continue;
		count++;
		for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
			saturating_add_to(&ret_used[i], thread->used[i]);
	}
	return count;
}

/* Totals that were read while a thread was exiting have it twice. A second reading has those threads twice that were
 * exiting before and after it; if one finished in between, it needs another reading. */
static void settle_totals(struct walk *walk, int task_fd, uint32_t tgid, bool threads_gone)
{
	enum { ATTEMPTS = 4 };
	const struct thread_sample *process = &walk->process.sample;
	uint64_t used[PROCESS_TOTAL_COUNT];

	if (process->outcomes[SOURCE_process_taskstats] != OUTCOME_read ||
	    (!threads_gone && walk->exiting_count == 0))
		return;
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		size_t before = sum_exiting(walk, task_fd, used);
		enum source_outcome again = process_read_again(&walk->process, tgid);

		if (again != OUTCOME_read) {
			process_drop_taskstats(&walk->process, again);
			return;
		}
		if (sum_exiting(walk, task_fd, used) == before) {
			process_keep_smaller(&walk->process, used);
			return;
		}
	}
	process_drop_taskstats(&walk->process, OUTCOME_gone);
}

/* This system's threads have been read by now; another tree has the time of its copy. */
static void judge(const struct walk *walk, struct thread_sample *sample)
{
	uint64_t read_ns = walk->tree_boottime_ns ? *walk->tree_boottime_ns : boot_clock_now_ns();

	sample_judge_at(sample, read_ns, walk->bounds);
}

/* The kernel leaves a thread that has ended out of these totals, and has no sum of exited threads of a process that has never had
 * another thread: they are zero then. The whole process is this thread. */
static void mend_totals_of_ended(struct thread_sample *sample)
{
	const uint32_t run_time = UINT32_C(1) << PROCESS_TOTAL_run_time_ns;

	if (!(sample->process_totals_seen & run_time) || !sample_has_ended(sample) ||
	    sample->process_totals[PROCESS_TOTAL_run_time_ns] != 0)
		return;
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		enum metric_id metric = process_total_table[i].metric;

		if (process_total_table[i].source != SOURCE_process_taskstats ||
		    !(sample->process_totals_seen >> i & 1))
			continue;
		if (metric_set_has(&sample->seen, metric))
			/* Every total is of a counter, which is 64 bits wide. */
			memcpy(&sample->process_totals[i], sample_value(sample, metric),
			       sizeof(sample->process_totals[i]));
		else
			sample->process_totals_seen &= ~(UINT32_C(1) << i);
	}
}

int walk_write_pending(struct walk *walk)
{
	struct thread_sample *sample = walk->pending;
	int r;

	if (!sample)
		return 0;
	walk->pending = NULL;
	mend_totals_of_ended(sample);
	judge(walk, sample);
	r = walk->sink->add_row(walk->sink, sample);
	if (r == 0)
		count(walk->tally, sample);
	return r;
}

/* Reads the thread at @index of the list. Returns OUTCOME_read if the sample is whole. */
static enum source_outcome read_thread(struct walk *walk, int task_fd, size_t index)
{
	const struct thread_place place = {walk->threads.ids, walk->threads.count, index};

	walk->last_read_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (walk->first_read_ns == 0)
		walk->first_read_ns = walk->last_read_ns;
	return thread_read_listed(&walk->reader, &walk->taskstats, task_fd, &place, walk->sample);
}

int walk_add_row(struct walk *walk, int process_fd)
{
	struct thread_sample *sample = walk->sample;
	int r;

	set_pcomm(walk, process_fd);
	add_process(walk);
	add_smaps(walk);
	if (walk->process.wishes.waits)
		wait_read(walk->proc_fd, walk->process.avoids == AVOIDS_LOCKED, sample);
	r = walk_write_pending(walk);
	walk->pending = sample;
	walk->sample = &walk->samples[sample == &walk->samples[0]];
	walk->has_row = true;
	return r;
}

/* The directories of the process being walked. */
struct process_fds {
	int process;
	int task;
};

static void process_fds_done(struct process_fds *fds)
{
	fd_closep(&fds->process);
	fd_closep(&fds->task);
}

/* Returns 0, or the writer's -errno. */
static int walk_thread(struct walk *walk, const struct process_fds *fds, uint32_t tgid,
                       size_t index, uint64_t boottime_ns)
{
	struct thread_sample *sample = walk->sample;
	enum source_outcome outcome;

	sample_reset(sample);
	sample->tgid = tgid;
	sample->tid = walk->threads.ids[index];
	sample->read_boottime_ns = boottime_ns;
	outcome = read_thread(walk, fds->task, index);
	if (walk->reader.fatal < 0)
		return walk->reader.fatal;
	if (outcome == OUTCOME_gone) {
		walk->tally->threads_gone++;
		return 0;
	}
	if (outcome != OUTCOME_read) {
		walk->tally->threads_unreadable++;
		walk->tally->sources[SOURCE_stat][outcome]++;
		return 0;
	}
	if (walk->reader.exiting)
		add_exiting(walk);
	jemalloc_take_thread(&walk->jemalloc, index, sample);
	return walk_add_row(walk, fds->process);
}

/* The leader is read first, since its name is the process's. */
static void move_leader_first(struct id_list *threads, uint32_t tgid)
{
	for (size_t i = 0; i < threads->count; i++)
		if (threads->ids[i] == tgid) {
			memmove(threads->ids + 1, threads->ids, i * sizeof(threads->ids[0]));
			threads->ids[0] = tgid;
			return;
		}
}

/* jemalloc's counters come before everything else of the threads: a thread that is there afterwards was there then. */
static int walk_threads(struct walk *walk, const struct process_fds *fds, uint32_t tgid,
                        uint64_t boottime_ns)
{
	uint64_t gone = walk->tally->threads_gone;

	walk->has_pcomm = false;
	walk->exiting_count = 0;
	move_leader_first(&walk->threads, tgid);
	walk_read_jemalloc(walk, fds->process, NULL);
	for (size_t i = 0; i < walk->threads.count; i++) {
		int r = walk_thread(walk, fds, tgid, i, boottime_ns);

		if (r < 0)
			return r;
	}
	if (!walk->pending)
		return 0;
	settle_totals(walk, fds->task, tgid, walk->tally->threads_gone > gone);
	walk_add_totals(walk, walk->pending);
	return walk_write_pending(walk);
}

/* The data of the process as a whole comes first, so that its totals are never later than its threads. */
static int open_process(struct walk *walk, uint32_t tgid, struct process_fds *fds)
{
	char name[12];
	int r;

	snprintf(name, sizeof(name), "%u", tgid);
	fds->process = fd_open_path_at(walk->proc_fd, name);
	if (fds->process < 0)
		return fds->process;
	fds->task = fd_open_dir_at(fds->process, "task");
	if (fds->task < 0)
		return fds->task;
	/* Lists first: a thread that is exiting while the totals are read must be seen to do so. */
	r = fd_list_ids(fds->task, &walk->threads, &walk->listing);
	if (r < 0)
		return r;
	return process_read(&walk->process, fds->process, tgid);
}

/* Returns whether the process that was opened is younger than the snapshot. */
static bool is_too_young(const struct walk *walk)
{
	const struct thread_sample *process = &walk->process.sample;

	return walk->born_before_clock_ticks > 0 && process->has_process_start &&
	       process->process_start_clock_ticks >= walk->born_before_clock_ticks;
}

int walk_read_process(struct walk *walk)
{
	const uint32_t tgid = walk->tgid;
	uint64_t unreadable = walk->tally->threads_unreadable;
	uint64_t boottime_ns =
	        walk->tree_boottime_ns ? *walk->tree_boottime_ns : boot_clock_now_ns();
	cleanup_(process_fds_done) struct process_fds fds = {-1, -1};
	int r = open_process(walk, tgid, &fds);

	if (error_is_denied(r)) {
		walk->tally->processes_denied++;
		return 0;
	}
	if (error_is_own(r))
		return r;
	walk->has_row = false;
	if (r == 0 && is_too_young(walk))
		return 0;
	if (r == 0)
		r = walk_threads(walk, &fds, tgid, boottime_ns);
	else
		r = 0;
	if (r < 0)
		return r;
	if (walk->has_row)
		walk->tally->processes++;
	else if (walk->tally->threads_unreadable > unreadable)
		walk->tally->processes_denied++;
	else
		walk->tally->processes_gone++;
	return 0;
}

int walk_find(struct walk *walk, const char *root, struct strbuf *reterr)
{
	cleanup_(fd_closep) int list_fd = fd_open_dir_at(walk->proc_fd, ".");
	int r = list_fd < 0 ? list_fd : fd_list_ids(list_fd, &walk->processes, &walk->listing);

	if (r == 0 && walk->processes.count == 0)
		r = -ENOENT;
	if (r < 0)
		strbuf_addf(reterr, "%s: %s", root,
		            r == -ENOENT ? "no process found there" : strerror(-r));
	return r;
}
