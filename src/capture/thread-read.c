// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/thread-read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/boot-clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "cgroup-walk.h"
#include "cgroup/cgroup-share.h"
#include "cgroup/cgroup.h"
#include "metric/outcome.h"

/* The largest file is status of a process in thousands of groups; a longer one is not a thread's. */
enum { THREAD_FILE_BYTES = 4 << 20 };

/* Kernels before 5.14 without CONFIG_SCHEDSTATS print zeros in every schedstat while delay accounting is off. We have
 * run, and so has the first process, so a zero there means that the counters are off. */
static bool schedstat_is_off(struct thread_reader *reader, int proc_fd)
{
	int r = -ENOENT;

	if (reader->live)
		r = fd_read_all_at(proc_fd, "self/schedstat", &reader->text, THREAD_FILE_BYTES);
	if (r < 0)
		r = fd_read_all_at(proc_fd, "1/schedstat", &reader->text, THREAD_FILE_BYTES);
	return r == 0 && schedstat_is_zero(strbuf_str(&reader->text), reader->text.len);
}

void thread_reader_init(struct thread_reader *reader, int proc_fd, bool live,
                        struct cgroup_walk *cgroups)
{
	memset(reader, 0, sizeof(*reader));
	reader->live = live;
	reader->cgroups = cgroups;
	source_keys_init(&reader->stat, SOURCE_stat);
	source_keys_init(&reader->schedstat, SOURCE_schedstat);
	source_keys_init(&reader->sched, SOURCE_sched);
	source_keys_init(&reader->status, SOURCE_status);
	source_keys_init(&reader->io, SOURCE_io);

	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		reader->rules[s] = OUTCOME_skipped;
	reader->rules[SOURCE_stat] = OUTCOME_read;
	reader->rules[SOURCE_schedstat] =
	        schedstat_is_off(reader, proc_fd) ? OUTCOME_off : OUTCOME_read;
	reader->rules[SOURCE_sched] = OUTCOME_read;
	reader->rules[SOURCE_status] = OUTCOME_read;
	reader->rules[SOURCE_io] = OUTCOME_read;
	reader->rules[SOURCE_cgroup] = OUTCOME_read;
	if (live)
		reader->rules[SOURCE_affinity] = OUTCOME_read;
}

void thread_reader_done(struct thread_reader *reader)
{
	source_keys_done(&reader->stat);
	source_keys_done(&reader->schedstat);
	source_keys_done(&reader->sched);
	source_keys_done(&reader->status);
	source_keys_done(&reader->io);
	strbuf_done(&reader->text);
	strbuf_done(&reader->cgroup);
	strbuf_done(&reader->cgroups_v1);
}

static enum source_outcome failure_of(struct thread_reader *reader, int r)
{
	if (error_is_own(r))
		reader->fatal = r;
	return outcome_of_error(ERROR_OF_THREAD, r);
}

/* Reads a file of the thread into reader->text. A missing file means that the thread has exited, or that the kernel has
 * no such file; the thread's stat shows which. */
static enum source_outcome read_file(struct thread_reader *reader, int thread_fd,
                                     enum metric_source source, const char *name)
{
	int r;

	if (reader->rules[source] != OUTCOME_read)
		return reader->rules[source];
	if (source == SOURCE_io && reader->avoids_io)
		return OUTCOME_stalled;
	r = fd_read_record_at(thread_fd, name, &reader->text, THREAD_FILE_BYTES);
	if (r == 0)
		return OUTCOME_read;
	if (r == -ENOENT && faccessat(thread_fd, "stat", F_OK, 0) == 0)
		return OUTCOME_off;
	return failure_of(reader, r);
}

typedef enum source_outcome parse_function(const struct source_keys *keys, const char *text,
                                           size_t len, struct thread_sample *sample);

static enum source_outcome read_and_parse(struct thread_reader *reader, int thread_fd,
                                          enum metric_source source, const char *name,
                                          parse_function *parse, const struct source_keys *keys,
                                          struct thread_sample *sample)
{
	enum source_outcome outcome = read_file(reader, thread_fd, source, name);

	if (outcome == OUTCOME_read)
		outcome = parse(keys, strbuf_str(&reader->text), reader->text.len, sample);
	sample->outcomes[source] = outcome;
	return outcome;
}

/* All zero from a thread that has used CPU time is not a measurement, see schedstat_is_off(). */
static enum source_outcome read_schedstat(struct thread_reader *reader, int thread_fd,
                                          struct thread_sample *sample)
{
	enum source_outcome outcome = read_file(reader, thread_fd, SOURCE_schedstat, "schedstat");
	const char *text = strbuf_str(&reader->text);
	struct counter_ticks utime = {0}, stime = {0};

	if (outcome == OUTCOME_read && schedstat_is_zero(text, reader->text.len) &&
	    sample_get(sample, utime_clock_ticks, &utime) &&
	    sample_get(sample, stime_clock_ticks, &stime) && metric_sum(utime, stime).v > 0)
		outcome = OUTCOME_off;
	if (outcome == OUTCOME_read)
		outcome = schedstat_parse(&reader->schedstat, text, reader->text.len, sample);
	sample->outcomes[SOURCE_schedstat] = outcome;
	return outcome;
}

/* A move of a process leaves exiting threads behind. */
static bool is_staying(const struct thread_reader *reader, const struct thread_sample *sample)
{
	return !reader->exiting && !sample_has_ended(sample);
}

static enum source_outcome read_cgroup(struct thread_reader *reader, int thread_fd,
                                       struct thread_sample *sample)
{
	enum source_outcome outcome = read_file(reader, thread_fd, SOURCE_cgroup, "cgroup");

	if (outcome == OUTCOME_read) {
		outcome = cgroup_parse(strbuf_str(&reader->text), reader->text.len, sample);
		/* The kernel prints "/" in every hierarchy of version 1 for a thread with PF_EXITING. */
		if (!is_staying(reader, sample))
			strbuf_clear(&sample->cgroups_v1);
		if (reader->cgroups)
			cgroup_walk_note(reader->cgroups, strbuf_str(&reader->text),
			                 reader->text.len);
	}
	sample->outcomes[SOURCE_cgroup] = outcome;
	return outcome;
}

/* Keeps the cgroup of a thread if it holds for the others of its process. */
static void keep_cgroup(struct thread_reader *reader, const struct thread_sample *sample)
{
	reader->has_cgroup =
	        sample->has_cgroup && is_staying(reader, sample) &&
	        cgroup_share_holds(reader->share, strbuf_str(&reader->text), reader->text.len);
	if (!reader->has_cgroup)
		return;
	strbuf_copy(&reader->cgroup, &sample->cgroup);
	reader->cgroup_is_v1 = sample->cgroup_is_v1;
	strbuf_copy(&reader->cgroups_v1, &sample->cgroups_v1);
}

/* A large process may be moved meanwhile, so the file is read again every now and then. */
static enum source_outcome read_listed_cgroup(struct thread_reader *reader, int thread_fd,
                                              const struct thread_place *place,
                                              struct thread_sample *sample)
{
	enum { EVERY = 64, WORTH = 4 };
	const bool is_asked = place->index % EVERY == 0 && place->count >= WORTH;
	enum source_outcome outcome;

	if (is_asked || place->index == 0)
		reader->has_cgroup = false;
	if (!reader->has_cgroup || !is_staying(reader, sample)) {
		outcome = read_cgroup(reader, thread_fd, sample);
		if (is_asked && reader->share && outcome == OUTCOME_read)
			keep_cgroup(reader, sample);
		return outcome;
	}
	strbuf_copy(&sample->cgroup, &reader->cgroup);
	sample->has_cgroup = true;
	sample->cgroup_is_v1 = reader->cgroup_is_v1;
	strbuf_copy(&sample->cgroups_v1, &reader->cgroups_v1);
	return sample->outcomes[SOURCE_cgroup] = OUTCOME_read;
}

static enum source_outcome read_affinity(struct thread_reader *reader, struct thread_sample *sample)
{
	enum source_outcome outcome = reader->rules[SOURCE_affinity];

	if (outcome == OUTCOME_read)
		outcome = affinity_read(sample);
	sample->outcomes[SOURCE_affinity] = outcome;
	return outcome;
}

/* Returns whether the thread lacks a metric that the file has. Taskstats may have those of schedstat, and other sources
 * mostly have those of status, which is the most expensive file. */
static bool needs_file(const struct source_keys *keys, const struct thread_sample *sample)
{
	for (size_t i = 0; i < keys->count; i++)
		if (!metric_set_has(&sample->seen, keys->wants[i].metric))
			return true;
	return false;
}

/* PF_EXITING of the kernel's sched.h is set from the first step of an exit on. */
static bool is_exiting(const struct strbuf *stat, const struct thread_sample *sample)
{
	enum { FLAGS_FIELD = 9, FLAG_EXITING = 0x4 };
	uint64_t flags;

	return stat_field(strbuf_str(stat), stat->len, FLAGS_FIELD, &flags) &&
	       (flags & FLAG_EXITING) != 0 && metric_set_has(&sample->seen, METRIC_state) &&
	       !sample_has_ended(sample);
}

bool thread_is_exiting(struct thread_reader *reader, int task_fd, const char *name)
{
	cleanup_(fd_closep) int thread_fd = fd_open_path_at(task_fd, name);
	struct thread_sample sample = {0};
	bool exiting;

	if (thread_fd < 0)
		return false;
	exiting = read_and_parse(reader, thread_fd, SOURCE_stat, "stat", stat_parse, &reader->stat,
	                         &sample) == OUTCOME_read &&
	          is_exiting(&reader->text, &sample);
	sample_done(&sample);
	return exiting;
}

/* A thread that exits now is dropped whole, since half of its values would look like all of them. */
static enum source_outcome read_files(struct thread_reader *reader, int thread_fd,
                                      const struct thread_place *place,
                                      struct thread_sample *sample)
{
	enum source_outcome outcome = read_and_parse(reader, thread_fd, SOURCE_stat, "stat",
	                                             stat_parse, &reader->stat, sample);

	if (outcome != OUTCOME_read)
		return outcome == OUTCOME_off ? OUTCOME_gone : outcome;
	if (reader->live)
		sample->start_time_clock_ticks =
		        boot_clock_start_ticks(sample->start_time_clock_ticks);
	reader->exiting = is_exiting(&reader->text, sample);
	if (read_and_parse(reader, thread_fd, SOURCE_sched, "sched", sched_parse, &reader->sched,
	                   sample) == OUTCOME_gone ||
	    read_and_parse(reader, thread_fd, SOURCE_io, "io", io_parse, &reader->io, sample) ==
	            OUTCOME_gone ||
	    read_listed_cgroup(reader, thread_fd, place, sample) == OUTCOME_gone ||
	    read_affinity(reader, sample) == OUTCOME_gone)
		return OUTCOME_gone;
	return OUTCOME_read;
}

static enum source_outcome read_rest(struct thread_reader *reader, int thread_fd,
                                     struct thread_sample *sample)
{
	if (needs_file(&reader->schedstat, sample) &&
	    read_schedstat(reader, thread_fd, sample) == OUTCOME_gone)
		return OUTCOME_gone;
	if (needs_file(&reader->status, sample) &&
	    read_and_parse(reader, thread_fd, SOURCE_status, "status", status_parse,
	                   &reader->status, sample) == OUTCOME_gone)
		return OUTCOME_gone;
	return OUTCOME_read;
}

enum source_outcome thread_read_listed(struct thread_reader *reader,
                                       struct taskstats_reader *taskstats, int task_fd,
                                       const struct thread_place *place,
                                       struct thread_sample *sample)
{
	cleanup_(fd_closep) int thread_fd = -1;
	enum source_outcome outcome;
	char name[12];

	snprintf(name, sizeof(name), "%" PRIu32, place->ids[place->index]);
	thread_fd = fd_open_path_at(task_fd, name);
	if (thread_fd < 0)
		return failure_of(reader, thread_fd);
	outcome = read_files(reader, thread_fd, place, sample);
	if (outcome == OUTCOME_read && taskstats_read_thread(taskstats, place->ids, place->index,
	                                                     place->count, sample) == OUTCOME_gone)
		outcome = OUTCOME_gone;
	return outcome == OUTCOME_read ? read_rest(reader, thread_fd, sample) : outcome;
}

enum source_outcome thread_read(struct thread_reader *reader, int task_fd, const char *name,
                                struct thread_sample *sample)
{
	cleanup_(fd_closep) int thread_fd = fd_open_path_at(task_fd, name);
	const struct thread_place alone = {.ids = &sample->tid, .count = 1};
	enum source_outcome outcome;

	if (thread_fd < 0)
		return failure_of(reader, thread_fd);
	outcome = read_files(reader, thread_fd, &alone, sample);
	return outcome == OUTCOME_read ? read_rest(reader, thread_fd, sample) : outcome;
}
