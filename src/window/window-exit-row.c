// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "window-join.h"
#include "window-subtract.h"

/* A metric that is not in the record cannot be read any more. */
static void set_gone(const struct window_join *join, enum metric_source source,
                     struct thread_sample *sample)
{
	if (join->info->rules[source] == OUTCOME_read &&
	    sample->outcomes[source] == OUTCOME_unneeded)
		sample->outcomes[source] = OUTCOME_gone;
}

void window_set_gone(const struct window_join *join, struct thread_sample *sample)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_table[i].source != SOURCE_synthetic)
			set_gone(join, metric_table[i].source, sample);
	for (size_t i = 0; i < metric_fallback_count; i++)
		set_gone(join, metric_fallback_table[i].source, sample);
	if (!sample->has_cgroup && sample->outcomes[SOURCE_cgroup] == OUTCOME_unneeded)
		sample->outcomes[SOURCE_cgroup] = OUTCOME_gone;
	if (!sample->has_exe && sample->outcomes[SOURCE_exe] == OUTCOME_unneeded)
		sample->outcomes[SOURCE_exe] = OUTCOME_gone;
	if (!sample->has_cwd && sample->outcomes[SOURCE_cwd] == OUTCOME_unneeded)
		sample->outcomes[SOURCE_cwd] = OUTCOME_gone;
	if (!sample->has_title && sample->outcomes[SOURCE_title] == OUTCOME_unneeded)
		sample->outcomes[SOURCE_title] = OUTCOME_gone;
	if (!sample->has_wchan && sample->outcomes[SOURCE_wchan] == OUTCOME_unneeded)
		sample->outcomes[SOURCE_wchan] = OUTCOME_gone;
	if (!sample->has_syscall && sample->outcomes[SOURCE_syscall] == OUTCOME_unneeded)
		sample->outcomes[SOURCE_syscall] = OUTCOME_gone;
}

static void keep_path(struct thread_sample *sample, enum metric_source source, struct strbuf *path,
                      bool *has_path, const struct strbuf *first, bool first_has)
{
	if (*has_path || !first_has)
		return;
	strbuf_copy(path, first);
	*has_path = true;
	if (sample->outcomes[source] == OUTCOME_gone)
		sample->outcomes[source] = OUTCOME_read;
}

/* Returns whether two samples may be of threads in the same cgroups: those of version 2 do not differ. */
static bool may_share_cgroups(const struct thread_sample *sample, const struct thread_sample *other)
{
	return !sample->has_cgroup || !other->has_cgroup ||
	       sample->cgroup_is_v1 != other->cgroup_is_v1 ||
	       strbuf_equal(&sample->cgroup, &other->cgroup);
}

/* A process that has another name may have been moved before it executed its program. */
static void keep_cgroups(struct thread_sample *sample, const struct thread_sample *first)
{
	if (!strbuf_equal(&sample->pcomm, &first->pcomm) || !may_share_cgroups(sample, first))
		return;
	if (!sample->has_cgroup && first->has_cgroup)
		sample->cgroup_is_v1 = first->cgroup_is_v1;
	keep_path(sample, SOURCE_cgroup, &sample->cgroup, &sample->has_cgroup, &first->cgroup,
	          first->has_cgroup);
	if (sample->cgroups_v1.len == 0)
		strbuf_copy(&sample->cgroups_v1, &first->cgroups_v1);
}

void window_keep_paths(struct thread_sample *sample, const struct thread_sample *first)
{
	keep_cgroups(sample, first);
	if (!strbuf_equal(&sample->pcomm, &first->pcomm))
		return;
	keep_path(sample, SOURCE_exe, &sample->exe, &sample->has_exe, &first->exe, first->has_exe);
	keep_path(sample, SOURCE_cwd, &sample->cwd, &sample->has_cwd, &first->cwd, first->has_cwd);
	keep_path(sample, SOURCE_title, &sample->title, &sample->has_title, &first->title,
	          first->has_title);
}

static void make_exited(struct window_join *join, const struct window_exit *ended,
                        const struct exit_note *note)
{
	struct thread_sample *sample = &join->sample, *first = &join->other;
	uint64_t read_ns, went_back = 0;

	thread_store_get(&join->first.threads, ended->first, first);
	window_note_unobserved(join, first);
	read_ns = window_read_time(&join->first, first->read_boottime_ns);
	metric_set_remove(&sample->seen, METRIC_utime_clock_ticks);
	metric_set_remove(&sample->seen, METRIC_stime_clock_ticks);
	window_subtract(sample, first, &went_back);
	window_count(join, WINDOW_values_went_back, went_back);
	window_subtract_ticks(join, note, ended->first, first);

	sample->window_part = WINDOW_PART_exited;
	/* The record of one that took over the ids of its leader has those. */
	sample->tid = first->tid;
	sample->tgid = first->tgid;
	sample->start_time_clock_ticks = first->start_time_clock_ticks;
	sample->life_ns =
	        note->exited_boottime_ns > read_ns ? note->exited_boottime_ns - read_ns : 1;
	window_set_partial_interval(join, sample);
	/* The values at its end, if they are known. */
	if (sample->comm.len == 0)
		strbuf_copy(&sample->comm, &first->comm);
	keep_cgroups(sample, first);
	/* A record alone has the real user. */
	if (first->has_uid && !(sample->has_uid && note->is_complete)) {
		sample->uid = first->uid;
		sample->has_uid = true;
	}
}

/* Copies the leader of a thread's process in a store into join->other. Leaders are found by the start time of the
 * process in clock ticks, so the leader of a process with successors is never certain. */
static bool find_leader(struct window_join *join, const struct thread_store *store,
                        const struct window_exit *ended)
{
	const struct thread_key leader = {ended->tgid, ended->tgid, ended->process_start,
	                                  ended->process_start};
	uint32_t row = thread_store_find_key(store, &leader);

	if (ended->successors > 0 || row == THREAD_STORE_NONE)
		return false;
	thread_store_get(store, row, &join->other);
	return true;
}

static int compare_process(const void *process_ptr, const void *ended_ptr)
{
	const struct window_exit *process = process_ptr, *ended = ended_ptr;

	if (process->tgid != ended->tgid)
		return process->tgid < ended->tgid ? -1 : 1;
	if (process->process_start != ended->process_start)
		return process->process_start < ended->process_start ? -1 : 1;
	return 0;
}

/* Copies the record of the leader, which the first reading has, into join->other. Its birth by the record may be late: the birth of the
 * process is known where the ended threads are sorted by it. */
static bool find_read_leader(struct window_join *join, const struct window_exit *ended)
{
	const struct window_exit *found;

	if (ended->successors > 0 || join->ended_count == 0)
		return false;
	found = bsearch(ended, join->ended, join->ended_count, sizeof(join->ended[0]),
	                compare_process);
	while (found && found > join->ended && compare_process(ended, found - 1) == 0)
		found--;
	if (!found || !found->is_leader || found->first == THREAD_STORE_NONE)
		return false;
	thread_store_get(&join->exits->records, found->record, &join->other);
	return join->other.comm.len > 0;
}

/* Sets the last name of the process if it is known: that in the last reading, or at the end of the leader, whose record has no other
 * name than its own. If several leaders ended, all but the first took over its ids. */
static bool set_last_pcomm(struct window_join *join, const struct window_exit *ended)
{
	struct strbuf *pcomm = &join->sample.pcomm;

	if (ended->leader_record > 0) {
		thread_store_get(&join->exits->records, ended->leader_record - 1, &join->other);
		strbuf_copy(pcomm, &join->other.comm);
	} else if (find_leader(join, &join->last.threads, ended)) {
		strbuf_copy(pcomm, &join->other.pcomm);
	} else if (find_leader(join, &join->exits->records, ended) ||
	           find_read_leader(join, ended)) {
		strbuf_copy(pcomm, &join->other.comm);
	} else {
		return false;
	}
	return true;
}

/* Sets the last name of the process: else that at the end of the thread, or that of the first reading. The name of an ambiguous one is
 * not known. */
static void set_pcomm(struct window_join *join, const struct window_exit *ended)
{
	struct strbuf *pcomm = &join->sample.pcomm;

	if (set_last_pcomm(join, ended) || pcomm->len > 0)
		return;
	if (find_leader(join, &join->first.threads, ended)) {
		strbuf_copy(pcomm, &join->other.pcomm);
	} else if (ended->is_leader) {
		strbuf_copy(pcomm, &join->sample.comm);
	} else {
		window_count(join, WINDOW_threads_unnamed, 1);
	}
}

/* The executable and the working directory of the process, if a reading has it. A process that has changed its name may have changed its
 * executable. */
static void set_exe(struct window_join *join, const struct window_exit *ended)
{
	if (!find_leader(join, &join->last.threads, ended) &&
	    (!find_leader(join, &join->first.threads, ended) ||
	     !strbuf_equal(&join->other.pcomm, &join->sample.pcomm)))
		return;
	strbuf_copy(&join->sample.exe, &join->other.exe);
	join->sample.has_exe = join->other.has_exe;
	strbuf_copy(&join->sample.cwd, &join->other.cwd);
	join->sample.has_cwd = join->other.has_cwd;
	strbuf_copy(&join->sample.title, &join->other.title);
	join->sample.has_title = join->other.has_title;
}

void window_set_lost_process(struct window_join *join, const struct window_lost *lost)
{
	const struct window_exit process = {.tgid = lost->tgid,
	                                    .process_start = lost->process_start};

	if (!set_last_pcomm(join, &process))
		return;
	join->sample.has_exe = join->sample.has_cwd = join->sample.has_title = false;
	set_exe(join, &process);
}

/* A record does not have the cgroups of version 1. If a reading has the process, and all of its threads in the same ones, they are those
 * of its leader, unless the thread and the leader are in different ones of version 2, or the leader has moved. */
static void set_cgroups_v1(struct window_join *join, const struct window_exit *ended)
{
	const struct window_reading *readings[] = {&join->last, &join->first};
	struct thread_sample *sample = &join->sample;

	if (sample->cgroups_v1.len > 0 ||
	    window_reading_is_divided(&join->first, ended->tgid, ended->process_start) ||
	    window_reading_is_divided(&join->last, ended->tgid, ended->process_start))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(readings) && sample->cgroups_v1.len == 0; i++)
		if (find_leader(join, &readings[i]->threads, ended) &&
		    may_share_cgroups(sample, &join->other) &&
		    (i == 0 || strbuf_equal(&sample->pcomm, &join->other.pcomm)))
			strbuf_copy(&sample->cgroups_v1, &join->other.cgroups_v1);
	if (find_leader(join, &join->first.threads, ended) &&
	    !strbuf_equal(&sample->cgroups_v1, &join->other.cgroups_v1))
		strbuf_clear(&sample->cgroups_v1);
}

/* A thread that took over the ids of its leader has the birth of that: its record tells of a life that is longer than its own. It
 * counts as long as these ids were there in the window. */
static void limit_life(struct thread_sample *sample, const struct window_join *join,
                       const struct window_exit *ended, const struct exit_note *note)
{
	uint64_t read_ns = window_read_time(
	        &join->first, thread_store_time(&join->first.threads, ended->former_leader));

	sample->life_ns =
	        note->exited_boottime_ns > read_ns ? note->exited_boottime_ns - read_ns : 1;
}

static void make_passed(struct window_join *join, const struct window_exit *ended,
                        const struct exit_note *note)
{
	struct thread_sample *sample = &join->sample;

	sample->window_part = WINDOW_PART_passed;
	if (ended->former_leader != THREAD_STORE_NONE)
		limit_life(sample, join, ended, note);
	if (sample->life_ns == 0)
		sample->life_ns = 1;
	window_set_partial_interval(join, sample);
	window_set_ticks(join, note);
}

void window_make_exit(struct window_join *join, const struct window_exit *ended)
{
	const struct exit_note *note = &join->exits->notes[ended->record];
	struct thread_sample *sample = &join->sample;

	thread_store_get(&join->exits->records, ended->record, sample);
	set_pcomm(join, ended);
	if (ended->first != THREAD_STORE_NONE)
		make_exited(join, ended, note);
	else
		make_passed(join, ended, note);
	set_exe(join, ended);
	set_cgroups_v1(join, ended);
	sample_set_process_start(sample, ended->process_start);
	if (ended->is_leader && ended->process_start != PROCESS_START_UNKNOWN)
		sample->start_time_clock_ticks = ended->process_start;
	sample->process_successors = ended->successors;
	sample->read_boottime_ns = note->exited_boottime_ns;
	sample_forget_totals(sample);
	window_set_gone(join, sample);
}
