// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/process-read.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "metric/outcome.h"
#include "procfs/procfs.h"
#include "procfs/title.h"

enum {
	PROCESS_FILE_BYTES = 1 << 20,
	PROCESS_LINK_BYTES = 1 << 16,
	/* If the leader of a process has exited; threads that are exiting have nothing to read either. */
	THREADS_TRIED = 64,
};

static bool is_procfs(int proc_fd)
{
	struct statfs status;

	return fstatfs(proc_fd, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

void process_reader_init(struct process_reader *reader, int proc_fd,
                         const struct process_wishes *wishes, struct taskstats_reader *taskstats)
{
	memset(reader, 0, sizeof(*reader));
	reader->wishes = *wishes;
	reader->owner_is_user = is_procfs(proc_fd);
	reader->taskstats = taskstats;
}

void process_reader_done(struct process_reader *reader)
{
	strbuf_done(&reader->text);
	strbuf_done(&reader->listing);
	id_list_done(&reader->threads);
	sample_done(&reader->sample);
	sample_done(&reader->again);
}

static int read_totals(struct process_reader *reader, int process_fd, enum metric_source source,
                       const char *name)
{
	struct thread_sample *sample = &reader->sample;
	int r;

	reader->at = source;
	if (source == SOURCE_process_io && reader->avoids == AVOIDS_LOCKED) {
		sample->outcomes[source] = OUTCOME_stalled;
		return 0;
	}
	r = fd_read_record_at(process_fd, name, &reader->text, PROCESS_FILE_BYTES);
	sample->outcomes[source] = outcome_of_error(ERROR_OF_FEATURE, r);
	if (r == 0)
		sample->outcomes[source] = process_totals_parse(source, strbuf_str(&reader->text),
		                                                reader->text.len, sample);
	return error_is_own(r) ? r : 0;
}

/* Numbers of proc(5)'s fields of stat. */
enum {
	FIELD_CHILDREN_MINFLT = 11,
	FIELD_CHILDREN_MAJFLT = 13,
	FIELD_CHILDREN_UTIME = 16,
	FIELD_CHILDREN_STIME = 17,
	FIELD_THREADS = 20,
	FIELD_START_TIME = 22,
	FIELD_MAPPED_BYTES = 23,
	FIELD_RESIDENT_PAGES = 24,
	FIELD_START_STACK = 28,
};

/* Reads a field of the process's stat, which is in reader->text. */
static bool own_stat_field(const struct process_reader *reader, unsigned field, uint64_t *ret_value)
{
	return stat_field(strbuf_str(&reader->text), reader->text.len, field, ret_value);
}

static void drop_totals(struct thread_sample *sample, enum metric_source source,
                        enum source_outcome reason)
{
	sample->outcomes[source] = reason;
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (process_total_table[i].source == source)
			sample->process_totals_seen &= ~(1u << i);
}

/* The kernel adds the I/O of a child that was waited for to that of its parent, in one step with its page faults and
 * CPU time, so that it cannot be separated from that of exited threads. A process whose stat has a trace of children
 * has no totals of I/O. */
static void drop_io_of_children(struct process_reader *reader)
{
	static const unsigned fields[] = {FIELD_CHILDREN_MINFLT, FIELD_CHILDREN_MAJFLT,
	                                  FIELD_CHILDREN_UTIME, FIELD_CHILDREN_STIME};
	struct thread_sample *sample = &reader->sample;
	bool childless = sample->outcomes[SOURCE_process_stat] == OUTCOME_read;
	uint64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		childless = childless && own_stat_field(reader, fields[i], &value) && value == 0;
	if (childless || sample->outcomes[SOURCE_process_io] != OUTCOME_read)
		return;
	drop_totals(sample, SOURCE_process_io, OUTCOME_off);
}

/* The start time in stat is that of the leader, even if the leader has exited. */
static void find_start(struct process_reader *reader)
{
	uint64_t start = PROCESS_START_UNKNOWN;

	if (reader->sample.outcomes[SOURCE_process_stat] == OUTCOME_read)
		(void)own_stat_field(reader, FIELD_START_TIME, &start);
	sample_set_process_start(&reader->sample, start);
}

/* Reads the size of the memory in the stat of a process or a thread, which is in reader->text. Returns whether it is known. */
static bool memory_of_stat(const struct process_reader *reader, struct process_memory *ret)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	ret->is_known = own_stat_field(reader, FIELD_MAPPED_BYTES, &ret->mapped_bytes) &&
	                own_stat_field(reader, FIELD_RESIDENT_PAGES, &ret->resident_bytes) &&
	                own_stat_field(reader, FIELD_THREADS, &ret->threads) &&
	                !__builtin_mul_overflow(ret->resident_bytes, page, &ret->resident_bytes);
	return ret->is_known;
}

static void find_memory(struct process_reader *reader)
{
	if (reader->sample.outcomes[SOURCE_process_stat] != OUTCOME_read ||
	    !memory_of_stat(reader, &reader->memory))
		reader->memory.is_known = false;
}

/* Returns whether the process has no memory, and so nothing that depends on it; @ret_outcome is then the reason of the
 * missing values. Kernel threads never had any and zombies need none, but a leader that has exited before its threads
 * has released memory that they still have. */
static bool lacks_memory(const struct process_reader *reader, enum source_outcome *ret_outcome)
{
	const struct process_memory *memory = &reader->memory;

	if (!memory->is_known || memory->mapped_bytes > 0)
		return false;
	*ret_outcome = memory->threads > 1 ? OUTCOME_off : OUTCOME_unneeded;
	return true;
}

/* Reads a link of a process whose leader has exited from that of a living thread, /proc/<tgid>/task/<tid>/<name>. The
 * directory is the one of this process, so that it cannot be another process's. */
static int read_link_of_thread(struct process_reader *reader, int process_fd, const char *link,
                               struct strbuf *path)
{
	cleanup_(fd_closep) int task_fd = fd_open_dir_at(process_fd, "task");
	int r = task_fd < 0 ? task_fd : fd_list_ids(task_fd, &reader->threads, &reader->listing);

	if (r < 0)
		return r;
	r = -ENOENT;
	for (size_t i = 0; i < reader->threads.count && i < THREADS_TRIED; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%" PRIu32 "/%s", reader->threads.ids[i], link);
		r = fd_read_link_at(task_fd, name, path, PROCESS_LINK_BYTES);
		if (r != -ENOENT && r != -ESRCH)
			break;
	}
	return r;
}

/* Reads /proc/<tgid>/exe or cwd. If a link is denied, that of a kernel thread, which has none of use, is as well; everybody can
 * see in its stat that it is one. Its working directory is the root of the first mount namespace, which says nothing. */
static int read_link(struct process_reader *reader, int process_fd, enum metric_source source,
                     struct strbuf *path, bool *ret_has)
{
	const char *name = source == SOURCE_exe ? "exe" : "cwd";
	enum source_outcome outcome = OUTCOME_skipped;
	int r = 0;

	reader->at = source;
	if (reader->wishes.paths && (!lacks_memory(reader, &outcome) || outcome == OUTCOME_off)) {
		if (reader->avoids == AVOIDS_LOCKED) {
			reader->sample.outcomes[source] = OUTCOME_stalled;
			return 0;
		}
		r = outcome == OUTCOME_off
		            ? read_link_of_thread(reader, process_fd, name, path)
		            : fd_read_link_at(process_fd, name, path, PROCESS_LINK_BYTES);
		*ret_has = r == 0 && path->len > 0;
		outcome = r == 0 && !*ret_has ? OUTCOME_malformed
		                              : outcome_of_error(ERROR_OF_FEATURE, r);
	}
	/* The absence of a path is known as well. */
	if (outcome == OUTCOME_unneeded)
		*ret_has = true;
	reader->sample.outcomes[source] = outcome;
	return error_is_own(r) ? r : 0;
}

/* Reads the begin of /proc/<tgid>/cmdline, which needs the lock of the address space. */
static int read_title(struct process_reader *reader, int process_fd)
{
	struct thread_sample *sample = &reader->sample;
	enum source_outcome outcome = OUTCOME_skipped;
	char text[SAMPLE_TITLE_BYTES + 1];
	size_t len = 0;
	int r = 0;

	reader->at = SOURCE_title;
	if (reader->wishes.titles && !lacks_memory(reader, &outcome)) {
		if (reader->avoids != AVOIDS_NOTHING) {
			sample->outcomes[SOURCE_title] = OUTCOME_stalled;
			return 0;
		}
		r = fd_read_begin_at(process_fd, "cmdline", text, sizeof(text), &len);
		sample->has_title = r == 0;
		if (r == 0)
			title_find(text, len, &sample->title);
		outcome = outcome_of_error(ERROR_OF_FEATURE, r);
	}
	if (outcome == OUTCOME_unneeded)
		sample->has_title = true;
	sample->outcomes[SOURCE_title] = outcome;
	return error_is_own(r) ? r : 0;
}

static int read_paths(struct process_reader *reader, int process_fd)
{
	struct thread_sample *sample = &reader->sample;
	int r = read_link(reader, process_fd, SOURCE_exe, &sample->exe, &sample->has_exe);

	if (r == 0)
		r = read_link(reader, process_fd, SOURCE_cwd, &sample->cwd, &sample->has_cwd);
	return r == 0 ? read_title(reader, process_fd) : r;
}

/* The directory of a process always belongs to its effective user, even if the kernel gives its files to root. In a
 * copy it may be anybody's; the leader's status has the user there. */
static int read_uid(struct process_reader *reader, int process_fd, uint32_t tgid)
{
	struct thread_sample *sample = &reader->sample;
	struct stat status;
	char name[32];
	int r = 0;

	if (reader->owner_is_user) {
		sample->has_uid = fstat(process_fd, &status) == 0;
		if (sample->has_uid)
			sample->uid = status.st_uid;
		return 0;
	}
	snprintf(name, sizeof(name), "task/%" PRIu32 "/status", tgid);
	r = fd_read_all_at(process_fd, name, &reader->text, PROCESS_FILE_BYTES);
	sample->has_uid =
	        r == 0 && status_uid(strbuf_str(&reader->text), reader->text.len, &sample->uid);
	return error_is_own(r) ? r : 0;
}

/* Finds a living thread of a process whose leader has exited, and the size of its memory. Returns 0 or -errno, -ESRCH if there is
 * none, or -ENOENT if there is none among those that were tried. */
static int find_thread_with_memory(struct process_reader *reader, int process_fd, uint32_t *ret_tid,
                                   struct process_memory *ret_memory)
{
	cleanup_(fd_closep) int task_fd = fd_open_dir_at(process_fd, "task");
	int r = task_fd < 0 ? task_fd : fd_list_ids(task_fd, &reader->threads, &reader->listing);

	for (size_t i = 0; r == 0 && i < reader->threads.count && i < THREADS_TRIED; i++) {
		char name[32];

		*ret_tid = reader->threads.ids[i];
		snprintf(name, sizeof(name), "%" PRIu32 "/stat", *ret_tid);
		r = fd_read_record_at(task_fd, name, &reader->text, PROCESS_FILE_BYTES);
		if (r == 0 && memory_of_stat(reader, ret_memory) && ret_memory->mapped_bytes > 0)
			return 0;
		if (r == -ENOENT || r == -ESRCH)
			r = 0;
	}
	if (r < 0)
		return r;
	return reader->threads.count > THREADS_TRIED ? -ENOENT : -ESRCH;
}

static bool is_small(const struct process_memory *memory)
{
	return memory->is_known && memory->mapped_bytes <= CAPTURE_SMAPS_AUTO_MAPPED_BYTES &&
	       memory->resident_bytes <= CAPTURE_SMAPS_AUTO_RESIDENT_BYTES;
}

/* Returns whether to read smaps_rollup of this memory; if not, @ret_outcome is the reason. */
static bool wants_smaps(const struct process_reader *reader, const struct process_memory *memory,
                        enum source_outcome *ret_outcome)
{
	*ret_outcome = OUTCOME_skipped;
	if (reader->wishes.smaps != CAPTURE_SMAPS_ALL && !is_small(memory))
		return false;
	*ret_outcome = OUTCOME_stalled;
	return reader->avoids == AVOIDS_NOTHING;
}

/* The file of a process is that of its leader. If that one has exited, the file is that of another thread. */
static int read_smaps(struct process_reader *reader, int process_fd)
{
	struct thread_sample *sample = &reader->sample;
	struct process_memory memory = reader->memory;
	enum source_outcome outcome = OUTCOME_skipped;
	char name[48] = "smaps_rollup";
	uint32_t tid = 0;
	int r = 0;

	reader->at = SOURCE_smaps_rollup;
	if (reader->wishes.smaps == CAPTURE_SMAPS_OFF ||
	    (lacks_memory(reader, &outcome) && outcome != OUTCOME_off)) {
		sample->outcomes[SOURCE_smaps_rollup] = outcome;
		return 0;
	}
	if (outcome == OUTCOME_off) {
		r = find_thread_with_memory(reader, process_fd, &tid, &memory);
		snprintf(name, sizeof(name), "task/%" PRIu32 "/smaps_rollup", tid);
	}
	if (r == 0 && !wants_smaps(reader, &memory, &outcome)) {
		sample->outcomes[SOURCE_smaps_rollup] = outcome;
		return 0;
	}
	if (r == 0)
		r = fd_read_record_at(process_fd, name, &reader->text, PROCESS_FILE_BYTES);
	/* A process that is exiting has released its memory, and looks like one that never had any. */
	outcome = r == -ESRCH ? OUTCOME_unneeded : outcome_of_error(ERROR_OF_FEATURE, r);
	if (r == 0)
		outcome = smaps_parse(strbuf_str(&reader->text), reader->text.len, sample);
	sample->outcomes[SOURCE_smaps_rollup] = outcome;
	return error_is_own(r) ? r : 0;
}

/* Does so as long as the reader has time for it: the threads of this process and of all others are read afterwards. */
static int read_smaps_in_time(struct process_reader *reader, int process_fd)
{
	const struct process_wishes *wishes = &reader->wishes;
	uint64_t begin_ns;
	int r;

	if (wishes->smaps == CAPTURE_SMAPS_AUTO && wishes->smaps_ns > 0 &&
	    reader->smaps_used_ns >= wishes->smaps_ns) {
		reader->sample.outcomes[SOURCE_smaps_rollup] = OUTCOME_skipped;
		return 0;
	}
	begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	r = read_smaps(reader, process_fd);
	reader->smaps_used_ns += clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
	return r;
}

/* The I/O comes first, so that children in its totals show in the stat that is read afterwards. */
int process_read(struct process_reader *reader, int process_fd, uint32_t tgid)
{
	struct thread_sample *sample = &reader->sample;
	int r;

	sample_reset(sample);
	r = read_totals(reader, process_fd, SOURCE_process_io, "io");
	if (r == 0)
		r = read_totals(reader, process_fd, SOURCE_process_stat, "stat");
	if (r == 0) {
		drop_io_of_children(reader);
		find_start(reader);
		find_memory(reader);
		r = read_paths(reader, process_fd);
	}
	if (r == 0)
		r = read_smaps_in_time(reader, process_fd);
	if (r == 0)
		r = read_uid(reader, process_fd, tgid);
	sample->outcomes[SOURCE_process_taskstats] =
	        taskstats_read_process(reader->taskstats, tgid, sample);
	return r;
}

/* Returns whether the process whose stat was read is the same as before. Without memory and threads it has ended
 * since. */
static bool is_still(const struct process_reader *reader, const struct process_seen *seen)
{
	const struct process_memory *memory = &reader->memory;
	uint64_t born = 0;

	if (!own_stat_field(reader, FIELD_START_TIME, &born) || born != seen->born_clock_ticks)
		return false;
	return seen->had_ended || !memory->is_known || memory->mapped_bytes > 0 ||
	       memory->threads > 1;
}

/* Each executed program has its stack at another address. The kernel shows 0 to those without the permission. */
static bool has_other_stack(const struct process_reader *reader, const struct process_seen *seen)
{
	uint64_t start;

	return seen->start_stack > 0 && own_stat_field(reader, FIELD_START_STACK, &start) &&
	       start > 0 && start != seen->start_stack;
}

/* Reads the leader's own stat, since that of the process adds up all its threads. */
int process_check_again(struct process_reader *reader, int process_fd,
                        const struct process_seen *seen, bool *ret_is_same)
{
	char name[32];
	int r;

	snprintf(name, sizeof(name), "task/%" PRIu32 "/stat", seen->tgid);
	r = fd_read_record_at(process_fd, name, &reader->text, PROCESS_FILE_BYTES);
	*ret_is_same = false;
	if (r < 0)
		return error_is_own(r) || error_is_denied(r) ? r : 0;
	reader->sample.outcomes[SOURCE_process_stat] = OUTCOME_read;
	find_start(reader);
	find_memory(reader);
	*ret_is_same = is_still(reader, seen);
	reader->has_executed = *ret_is_same && has_other_stack(reader, seen);
	return 0;
}

/* A process that had memory a moment ago, and now has none, may be ending. */
static bool is_doubtful(const struct process_reader *reader)
{
	const enum source_outcome *outcomes = reader->sample.outcomes;

	return reader->memory.is_known && reader->memory.mapped_bytes > 0 &&
	       (outcomes[SOURCE_exe] == OUTCOME_off ||
	        outcomes[SOURCE_smaps_rollup] == OUTCOME_unneeded);
}

/* Reads the files that depend on the program. */
static int read_program(struct process_reader *reader, int process_fd)
{
	enum source_outcome *outcomes = reader->sample.outcomes;
	int r;

	if (reader->has_executed) {
		outcomes[SOURCE_exe] = outcomes[SOURCE_cwd] = outcomes[SOURCE_title] =
		        outcomes[SOURCE_smaps_rollup] = OUTCOME_gone;
		return 0;
	}
	r = read_paths(reader, process_fd);
	return r == 0 ? read_smaps(reader, process_fd) : r;
}

int process_read_rest(struct process_reader *reader, int process_fd,
                      const struct process_seen *seen, bool *ret_is_same)
{
	int r;

	sample_reset(&reader->sample);
	reader->has_executed = false;
	r = process_check_again(reader, process_fd, seen, ret_is_same);
	if (r < 0 || !*ret_is_same)
		return r;
	r = read_program(reader, process_fd);
	if (r == 0 && is_doubtful(reader))
		r = process_check_again(reader, process_fd, seen, ret_is_same);
	if (r == 0 && seen->needs_uid)
		r = read_uid(reader, process_fd, seen->tgid);
	return r;
}

/* Nothing of the process is read, for this reason. */
static void read_nothing(struct process_reader *reader, enum source_outcome reason)
{
	static const enum metric_source totals[] = {SOURCE_process_stat, SOURCE_process_io,
	                                            SOURCE_process_taskstats};
	enum source_outcome *outcomes = reader->sample.outcomes;

	sample_reset(&reader->sample);
	reader->has_executed = false;
	outcomes[SOURCE_exe] = outcomes[SOURCE_cwd] =
	        reader->wishes.paths ? reason : OUTCOME_skipped;
	outcomes[SOURCE_title] = reader->wishes.titles ? reason : OUTCOME_skipped;
	outcomes[SOURCE_smaps_rollup] =
	        reader->wishes.smaps == CAPTURE_SMAPS_OFF ? OUTCOME_skipped : reason;
	for (size_t i = 0; i < ARRAY_SIZE(totals); i++)
		outcomes[totals[i]] = reason;
}

void process_read_stalled(struct process_reader *reader)
{
	read_nothing(reader, OUTCOME_stalled);
}

void process_read_gone(struct process_reader *reader)
{
	read_nothing(reader, OUTCOME_gone);
}

void process_read_kernel(struct process_reader *reader)
{
	sample_reset(&reader->sample);
	reader->memory = (struct process_memory){.is_known = true, .threads = 1};
	/* Without memory nothing is read. */
	(void)read_paths(reader, -1);
	(void)read_smaps(reader, -1);
}

int process_read_totals(struct process_reader *reader, int process_fd)
{
	struct thread_sample *sample = &reader->sample;
	int r;

	sample->process_totals_seen = 0;
	r = read_totals(reader, process_fd, SOURCE_process_io, "io");
	if (r == 0)
		r = read_totals(reader, process_fd, SOURCE_process_stat, "stat");
	if (r == 0)
		drop_io_of_children(reader);
	sample->outcomes[SOURCE_process_taskstats] = OUTCOME_gone;
	return r;
}

enum source_outcome process_read_again(struct process_reader *reader, uint32_t tgid)
{
	sample_reset(&reader->again);
	return taskstats_read_process(reader->taskstats, tgid, &reader->again);
}

void process_keep_smaller(struct process_reader *reader,
                          const uint64_t exiting[PROCESS_TOTAL_COUNT])
{
	struct thread_sample *sample = &reader->sample;

	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		uint64_t *total = &sample->process_totals[i];
		uint64_t again = reader->again.process_totals[i];

		if (process_total_table[i].source != SOURCE_process_taskstats)
			continue;
		/* A total that only one of the readings has is unknown. */
		sample->process_totals_seen &= ~(1u << i) | reader->again.process_totals_seen;
		again = again > exiting[i] ? again - exiting[i] : 0;
		if (again < *total)
			*total = again;
	}
}

void process_drop_taskstats(struct process_reader *reader, enum source_outcome reason)
{
	drop_totals(&reader->sample, SOURCE_process_taskstats, reason);
}
