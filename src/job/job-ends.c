// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-ends.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/rights.h"
#include "base/strmap.h"
#include "capture/exit-listener.h"
#include "capture/own-proc.h"
#include "host/host-read.h"
#include "job/job-sums.h"

void job_groups_done(struct job_groups *groups)
{
	free(groups->entries);
	*groups = (struct job_groups){0};
}

struct totals {
	struct job_sums sums;
	double threads, processes;
	double largest_rss;
	bool largest_missing;
	struct strmap seen;   /* processes, by their keys; the values are places of groups + 1 */
	struct strmap places; /* of groups, by name */
	struct job_groups groups;
	bool lacks_live; /* the counters of a process that goes on */
	/* The leader of the process that executes the command, 0 behind its end, and its CPU time before, in seconds. */
	uint32_t command_tid;
	double before_command;
};

struct job_ends {
	struct exit_listener *listener; /* NULL when it has been stopped */
	struct totals totals;
	bool failed; /* an end is missing */
};

struct job_ends *job_ends_start(int cgroup_fd)
{
	unused_ cleanup_(rights_lower) bool raised = rights_raise();
	cleanup_(fd_closep) int proc_fd = fd_open_path_at(AT_FDCWD, "/proc");
	cleanup_(fd_closep) int sys_fd = fd_open_path_at(AT_FDCWD, "/sys");
	cleanup_(host_done) struct host host = {0};
	struct exit_listener_options options = {.live = true};
	struct stat status;
	struct job_ends *ends;

	if (proc_fd < 0 || !proc_is_own(proc_fd) || fstat(cgroup_fd, &status) < 0)
		return NULL;
	ends = mem_calloc(1, sizeof(*ends));
	host_read(proc_fd, sys_fd, -1, true, true, &host);
	options.rules = taskstats_rules_of(&host);
	options.only_cgroup = status.st_ino;
	ends->listener = exit_listener_start(&options);
	return ends;
}

static struct job_group *find_group(struct totals *totals, const char *name, size_t len)
{
	uint32_t place;
	struct job_group *group;

	if (len > JOB_COMM_BYTES - 1)
		len = JOB_COMM_BYTES - 1;
	if (strmap_find(&totals->places, name, len, &place))
		return &totals->groups.entries[place];
	(void)strmap_add(&totals->places, name, len);
	group = array_add(totals->groups.entries, totals->groups.count, totals->groups.capacity);
	*group = (struct job_group){0};
	memcpy(group->name, name, len);
	return group;
}

/* A process, as a key of bytes: its id, and its birth as /proc/PID/stat has it and to the nanosecond. */
enum {
	PROCESS_TICKS_BYTES = sizeof(uint32_t) + sizeof(uint64_t),
	PROCESS_KEY_BYTES = PROCESS_TICKS_BYTES + sizeof(uint64_t),
};

static void make_process_key(uint32_t tgid, uint64_t born_ns, uint64_t born_ticks,
                             char ret[PROCESS_KEY_BYTES])
{
	memcpy(ret, &tgid, sizeof(tgid));
	memcpy(ret + sizeof(tgid), &born_ticks, sizeof(born_ticks));
	memcpy(ret + PROCESS_TICKS_BYTES, &born_ns, sizeof(born_ns));
}

/* Counts the process of an end in its group. A process may have several leaders, one after the other: a thread that executes a program
 * takes the place, the id and the birth of the leader, which ends. The process is of the last one's group. */
static void count_process(struct totals *totals, const struct thread_sample *sample,
                          uint64_t born_ns, struct job_group *group)
{
	uint64_t place = (uint64_t)(group - totals->groups.entries);
	char key[PROCESS_KEY_BYTES];
	struct strmap_entry *entry;
	struct job_group *before;

	/* The leader is gone, and has an end of its own. */
	if (born_ns == 0)
		return;
	make_process_key(sample->tgid, born_ns, sample_process_start(sample), key);
	entry = strmap_add(&totals->seen, key, sizeof(key));
	if (!entry->value)
		totals->processes++;
	else if (sample->tid != sample->tgid)
		return;
	else {
		before = &totals->groups.entries[(uintptr_t)entry->value - 1];
		before->processes--;
	}
	group->processes++;
	entry->value = (void *)(uintptr_t)(place + 1);
}

void job_ends_set_command(struct job_ends *ends, uint32_t tid, double cpu_time)
{
	ends->totals.command_tid = tid;
	ends->totals.before_command = cpu_time;
}

/* Returns the CPU time of an end without that of the copy of us which became the command. */
static double without_copy(struct totals *totals, const struct thread_sample *sample,
                           double cpu_time)
{
	/* Another thread may have its id later on. */
	if (totals->command_tid == 0 || sample->tid != totals->command_tid)
		return cpu_time;
	totals->command_tid = 0;
	return cpu_time > totals->before_command ? cpu_time - totals->before_command : 0;
}

/* @born_ns: of its process; 0: not known. */
static void add_end(struct totals *totals, const struct thread_sample *sample, uint64_t born_ns)
{
	const struct strbuf *name = sample->pcomm.len > 0 ? &sample->pcomm : &sample->comm;
	struct job_group *group = find_group(totals, name->data, name->len);
	double cpu_time =
	        metric_set_has(&sample->seen, METRIC_run_time_ns)
	                ? (double)sample_number(sample, METRIC_run_time_ns) / NS_PER_SECOND
	                : 0;

	job_sums_add(&totals->sums, sample);
	if (!metric_set_has(&sample->seen, METRIC_hiwater_rss_bytes))
		totals->largest_missing = true;
	else if ((double)sample_number(sample, METRIC_hiwater_rss_bytes) > totals->largest_rss)
		totals->largest_rss = (double)sample_number(sample, METRIC_hiwater_rss_bytes);
	totals->threads++;
	group->threads++;
	group->cpu_time += without_copy(totals, sample, cpu_time);
	count_process(totals, sample, born_ns, group);
}

/* A thread by its id and birth. */
static void make_key(uint32_t tid, uint64_t start_ticks, uint64_t ret_key[2])
{
	ret_key[0] = tid;
	ret_key[1] = start_ticks;
}

/* Returns whether the end of the thread is known: it came after the reading of those that go on. */
static bool has_end(const struct strmap *ended, const struct job_thread *thread)
{
	uint64_t key[2];
	uint32_t place;

	make_key(thread->tid, thread->start_ticks, key);
	return strmap_find(ended, (const char *)key, sizeof(key), &place);
}

/* Counts a process that goes on in its group. @counted: what has counted it by the end of a thread, or NULL. */
static void count_live(struct totals *totals, struct strmap_entry *counted, struct job_group *group)
{
	if (counted)
		totals->groups.entries[(uintptr_t)counted->value - 1].processes--;
	else
		totals->processes++;
	group->processes++;
}

/* Adds the threads that go on, without those in @ended. Nothing is known of a process that stalls. */
static void add_live(struct totals *totals, const struct job_live *live, const struct strmap *ended,
                     struct strmap_entry *counted)
{
	struct job_group *group = find_group(totals, live->comm, strlen(live->comm));
	double before = totals->threads;

	if (live->is_stalled) {
		job_sums_forget(&totals->sums);
		totals->lacks_live = true;
		return;
	}
	for (size_t i = 0; i < live->thread_count; i++) {
		const struct job_thread *thread = &live->threads[i];

		if (has_end(ended, thread))
			continue;
		job_sums_add_live(&totals->sums, &thread->counters);
		totals->threads++;
		group->threads++;
		group->cpu_time += thread->counters.run_time;
	}
	if (totals->threads > before)
		count_live(totals, counted, group);
}

static int compare_groups(const void *a, const void *b)
{
	const struct job_group *left = a, *right = b;

	if (left->cpu_time != right->cpu_time)
		return left->cpu_time < right->cpu_time ? 1 : -1;
	return strcmp(left->name, right->name);
}

/* @ended gets the threads, unless it is NULL. */
static void add_log(struct job_ends *ends, const struct exit_log *log, struct strmap *ended)
{
	struct thread_sample sample = {0};
	uint64_t key[2];

	if (log->exits != WINDOW_EXITS_completed || log->overruns > 0)
		ends->failed = true;
	for (uint32_t row = 0; row < log->records.count; row++) {
		const struct exit_note *note = &log->notes[row];
		uint64_t born_ns;

		if (!note->is_complete)
			continue;
		thread_store_get(&log->records, row, &sample);
		born_ns = sample.tid == sample.tgid ? note->born_boottime_ns
		                                    : note->process_born_boottime_ns;
		add_end(&ends->totals, &sample, born_ns);
		make_key(sample.tid, sample.start_time_clock_ticks, key);
		if (ended)
			(void)strmap_add(ended, (const char *)key, sizeof(key));
	}
	sample_done(&sample);
}

void job_ends_catch_up(struct job_ends *ends)
{
	unused_ cleanup_(rights_lower) bool raised = rights_raise();
	cleanup_(exit_log_done) struct exit_log log = {0};

	exit_listener_split(ends->listener, &log);
	add_log(ends, &log, NULL);
}

static void set_values(const struct totals *totals, struct job_values *values)
{
	job_sums_set(&totals->sums, values);
	if (!totals->largest_missing)
		job_set(values, JOB_largest_rss, JOB_SOURCE_exits, totals->largest_rss);
	if (totals->lacks_live)
		return;
	job_set(values, JOB_threads, JOB_SOURCE_exits, totals->threads);
	job_set(values, JOB_processes, JOB_SOURCE_exits, totals->processes);
}

static void stop(struct job_ends *ends, struct strmap *ended)
{
	unused_ cleanup_(rights_lower) bool raised = rights_raise();
	cleanup_(exit_log_done) struct exit_log log = {0};

	exit_listener_stop(ends->listener, &log);
	ends->listener = NULL;
	add_log(ends, &log, ended);
}

/* Returns for each process that goes on what has counted it by the end of a thread, or NULL; the caller frees the array. The birth of a
 * process that goes on is known in clock ticks alone. */
static struct strmap_entry **find_counted(struct totals *totals, const struct job_live *live,
                                          size_t count)
{
	cleanup_(strmap_done) struct strmap places = STRMAP_INIT;
	struct strmap_entry **counted = mem_calloc(count + 1, sizeof(struct strmap_entry *));
	char key[PROCESS_KEY_BYTES];

	for (size_t i = 0; i < count; i++) {
		make_process_key(live[i].pid, 0, live[i].start_ticks, key);
		strmap_add(&places, key, PROCESS_TICKS_BYTES)->value = &counted[i];
	}
	for (size_t i = 0; i < totals->seen.count; i++) {
		struct strmap_entry *entry = &totals->seen.entries[i];
		struct strmap_entry **place = strmap_get(&places, entry->key, PROCESS_TICKS_BYTES);

		if (place)
			*place = entry;
	}
	return counted;
}

void job_ends_stop(struct job_ends *ends, const struct job_live *live, size_t count,
                   struct job_values *values, struct job_groups *groups)
{
	cleanup_(strmap_done) struct strmap ended = {0};
	cleanup_(mem_freep) struct strmap_entry **counted = NULL;
	struct totals *totals = &ends->totals;

	stop(ends, &ended);
	counted = find_counted(totals, live, count);
	for (size_t i = 0; i < count; i++)
		add_live(totals, &live[i], &ended, counted[i]);
	if (ends->failed || totals->threads == 0)
		return;
	set_values(totals, values);
	*groups = totals->groups;
	totals->groups = (struct job_groups){0};
	if (groups->count > 0)
		qsort(groups->entries, groups->count, sizeof(groups->entries[0]), compare_groups);
}

void job_ends_freep(struct job_ends **ends)
{
	if (!*ends)
		return;
	if ((*ends)->listener)
		stop(*ends, NULL);
	strmap_done(&(*ends)->totals.seen);
	strmap_done(&(*ends)->totals.places);
	job_groups_done(&(*ends)->totals.groups);
	free(*ends);
	*ends = NULL;
}
