// SPDX-License-Identifier: GPL-2.0-or-later
#include "walk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { COMM_FILE_BYTES = 4096 };

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void walk_init(struct walk *walk, const struct walk_options *options,
               enum source_outcome ret_rules[SOURCE_COUNT])
{
	memset(walk, 0, sizeof(*walk));
	walk->sample = &walk->samples[0];
	walk->proc_fd = options->proc_fd;
	walk->tree_boottime_ns = options->tree_boottime_ns;
	thread_reader_init(&walk->reader, options->proc_fd, options->live, options->cgroups);
	taskstats_reader_init(&walk->taskstats, options->live, options->taskstats_rules);
	process_reader_init(&walk->process, options->smaps, &walk->taskstats);

	memcpy(ret_rules, walk->reader.rules, sizeof(walk->reader.rules));
	ret_rules[SOURCE_taskstats] = walk->taskstats.rule;
	ret_rules[SOURCE_process_taskstats] = walk->taskstats.rule;
	ret_rules[SOURCE_process_stat] = OUTCOME_read;
	ret_rules[SOURCE_process_io] = OUTCOME_read;
	ret_rules[SOURCE_smaps_rollup] =
	        options->smaps == CAPTURE_SMAPS_OFF ? OUTCOME_skipped : OUTCOME_read;
}

void walk_done(struct walk *walk)
{
	thread_reader_done(&walk->reader);
	process_reader_done(&walk->process);
	taskstats_reader_done(&walk->taskstats);
	sample_done(&walk->samples[0]);
	sample_done(&walk->samples[1]);
	id_list_done(&walk->processes);
	id_list_done(&walk->threads);
	strbuf_done(&walk->listing);
	strbuf_done(&walk->pcomm);
}

static void count(struct snapshot_tally *tally, const struct thread_sample *sample)
{
	tally->threads++;
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		tally->sources[s][sample->outcomes[s]]++;
	for (size_t i = 0; i < METRIC_SET_WORDS; i++)
		tally->malformed_values += (unsigned)__builtin_popcountll(
		        sample->malformed.words[i] & ~sample->seen.words[i]);
}

/* The leader is read first and names the process; where it is gone already, the process's own comm does. */
static void set_pcomm(struct walk *walk, int task_fd)
{
	struct thread_sample *sample = walk->sample;

	if (sample->tid == sample->tgid) {
		strbuf_clear(&walk->pcomm);
		strbuf_add(&walk->pcomm, strbuf_str(&sample->comm), sample->comm.len);
		walk->has_pcomm = true;
	}
	if (!walk->has_pcomm) {
		if (fd_read_all_at(task_fd, "../comm", &walk->pcomm, COMM_FILE_BYTES) < 0)
			strbuf_clear(&walk->pcomm);
		if (walk->pcomm.len > 0 && walk->pcomm.data[walk->pcomm.len - 1] == '\n')
			walk->pcomm.len--;
		walk->has_pcomm = true;
	}
	strbuf_clear(&sample->pcomm);
	strbuf_add(&sample->pcomm, strbuf_str(&walk->pcomm), walk->pcomm.len);
}

/* The leader's row has the process's smaps. The keyed values change hands, for there is one set of them in a process. */
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

/* The last row of a process has its totals: only then it is known what they are worth. */
static void add_totals(struct walk *walk, struct thread_sample *sample)
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

/* Everything that has a total is a counter, and so 64 bits wide. */
static void add_exiting(struct walk *walk)
{
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		enum metric_id metric = process_total_table[i].metric;
		uint64_t value;

		if (!metric_set_has(&walk->sample->seen, metric))
			continue;
		memcpy(&value, sample_value(walk->sample, metric), sizeof(value));
		if (__builtin_add_overflow(walk->exiting[i], value, &walk->exiting[i]))
			walk->exiting[i] = UINT64_MAX;
	}
}

static int write_pending(struct walk *walk)
{
	struct thread_sample *sample = walk->pending;
	int r;

	if (!sample)
		return 0;
	walk->pending = NULL;
	r = snapshot_write_thread(walk->writer, sample);
	if (r == 0)
		count(walk->tally, sample);
	return r;
}

/* Reads the thread at @index of the list. Returns OUTCOME_read where the sample is whole. */
static enum source_outcome read_thread(struct walk *walk, int task_fd, size_t index)
{
	char name[12];
	enum source_outcome outcome;

	snprintf(name, sizeof(name), "%u", walk->threads.ids[index]);
	walk->last_read_ns = now_ns(CLOCK_MONOTONIC);
	if (walk->first_read_ns == 0)
		walk->first_read_ns = walk->last_read_ns;
	outcome = thread_read(&walk->reader, task_fd, name, walk->sample);
	if (outcome == OUTCOME_read &&
	    taskstats_read_thread(&walk->taskstats, walk->threads.ids, index, walk->threads.count,
	                          walk->sample) == OUTCOME_gone)
		outcome = OUTCOME_gone;
	return outcome;
}

/* Returns 0, or the writer's -errno. */
static int walk_thread(struct walk *walk, int task_fd, uint32_t tgid, size_t index,
                       uint64_t boottime_ns)
{
	struct thread_sample *sample = walk->sample;
	enum source_outcome outcome;
	int r;

	sample_reset(sample);
	sample->tgid = tgid;
	sample->tid = walk->threads.ids[index];
	sample->read_boottime_ns = boottime_ns;
	outcome = read_thread(walk, task_fd, index);
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
	set_pcomm(walk, task_fd);
	add_smaps(walk);
	r = write_pending(walk);
	walk->pending = sample;
	walk->sample = &walk->samples[sample == &walk->samples[0]];
	walk->has_row = true;
	return r;
}

/* The leader is read first, for its name is the process's. */
static void move_leader_first(struct id_list *threads, uint32_t tgid)
{
	for (size_t i = 0; i < threads->count; i++)
		if (threads->ids[i] == tgid) {
			memmove(threads->ids + 1, threads->ids, i * sizeof(threads->ids[0]));
			threads->ids[0] = tgid;
			return;
		}
}

static int walk_threads(struct walk *walk, int task_fd, uint32_t tgid, uint64_t boottime_ns)
{
	uint64_t gone = walk->tally->threads_gone;

	walk->has_pcomm = false;
	memset(walk->exiting, 0, sizeof(walk->exiting));
	move_leader_first(&walk->threads, tgid);
	for (size_t i = 0; i < walk->threads.count; i++) {
		int r = walk_thread(walk, task_fd, tgid, i, boottime_ns);

		if (r < 0)
			return r;
	}
	if (!walk->pending)
		return 0;
	process_read_end(&walk->process, tgid, walk->tally->threads_gone > gone, walk->exiting);
	add_totals(walk, walk->pending);
	return write_pending(walk);
}

static bool is_our_own_trouble(int r)
{
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM;
}

/* What is read of the process as a whole comes first, so that its totals are never later than its threads. */
static int open_process(struct walk *walk, uint32_t tgid, int *ret_task_fd)
{
	cleanup_(fd_closep) int process_fd = -1;
	char name[12];
	int r;

	snprintf(name, sizeof(name), "%u", tgid);
	process_fd = fd_open_path_at(walk->proc_fd, name);
	if (process_fd < 0)
		return process_fd;
	*ret_task_fd = fd_open_dir_at(process_fd, "task");
	if (*ret_task_fd < 0)
		return *ret_task_fd;
	/* Listed first: a thread that is exiting while the totals are read must be seen to do so. */
	r = fd_list_ids(*ret_task_fd, &walk->threads, &walk->listing);
	if (r < 0)
		return r;
	return process_read(&walk->process, process_fd, tgid);
}

static int walk_process(struct walk *walk, uint32_t tgid)
{
	uint64_t unreadable = walk->tally->threads_unreadable;
	uint64_t boottime_ns =
	        walk->tree_boottime_ns ? *walk->tree_boottime_ns : now_ns(CLOCK_BOOTTIME);
	cleanup_(fd_closep) int task_fd = -1;
	int r = open_process(walk, tgid, &task_fd);

	if (r == -EACCES || r == -EPERM) {
		walk->tally->processes_denied++;
		return 0;
	}
	if (is_our_own_trouble(r))
		return r;
	walk->has_row = false;
	if (r == 0)
		r = walk_threads(walk, task_fd, tgid, boottime_ns);
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

int walk_all(struct walk *walk, const char *root, struct strbuf *reterr)
{
	cleanup_(fd_closep) int list_fd = fd_open_dir_at(walk->proc_fd, ".");
	int r = list_fd < 0 ? list_fd : fd_list_ids(list_fd, &walk->processes, &walk->listing);

	if (r == 0 && walk->processes.count == 0)
		r = -ENOENT;
	if (r < 0) {
		strbuf_addf(reterr, "%s: %s", root,
		            r == -ENOENT ? "no process found there" : strerror(-r));
		return r;
	}
	for (size_t i = 0; i < walk->processes.count; i++) {
		r = walk_process(walk, walk->processes.ids[i]);
		/* The writer's own errors are told by whoever opened its file. */
		if (is_our_own_trouble(r))
			strbuf_addf(reterr, "%s: %s", root, strerror(-r));
		if (r < 0)
			return r;
	}
	return 0;
}
