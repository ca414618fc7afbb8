// SPDX-License-Identifier: GPL-2.0-or-later
#include "select-processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/boot-clock.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/scan.h"
#include "cgroup/cgroup.h"
#include "host/host-read.h"
#include "procfs/procfs.h"

enum { STATUS_BYTES = 64 * 1024 };

static void add_id(struct id_list *list, uint32_t id)
{
	*array_add(list->ids, list->count, list->capacity) = id;
}

void selected_processes_done(struct selected_processes *selected)
{
	free(selected->processes);
	*selected = (struct selected_processes){0};
}

static int compare_tgids(const void *a, const void *b)
{
	const struct selected_process *left = a, *right = b;

	return left->tgid < right->tgid ? -1 : left->tgid > right->tgid;
}

static void sort_processes(struct selected_processes *list)
{
	if (list->count > 0)
		qsort(list->processes, list->count, sizeof(list->processes[0]), compare_tgids);
}

/* Returns whether two can be the same process. */
static bool can_be_same(const struct selected_process *a, const struct selected_process *b)
{
	return a->tgid == b->tgid &&
	       (a->latest_start == PROCESS_START_UNKNOWN ||
	        b->latest_start == PROCESS_START_UNKNOWN ||
	        (a->earliest_start <= b->latest_start && b->earliest_start <= a->latest_start));
}

/* The list is sorted up to @count. */
static bool has_process(const struct selected_processes *list, size_t count,
                        const struct selected_process *process)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->processes[middle].tgid < process->tgid)
			low = middle + 1;
		else
			high = middle;
	}
	while (low < count && list->processes[low].tgid == process->tgid)
		if (can_be_same(&list->processes[low++], process))
			return true;
	return false;
}

static void add_process(struct selected_processes *list, const struct selected_process *process)
{
	*array_add(list->processes, list->count, list->capacity) = *process;
}

static void sort(struct id_list *list)
{
	size_t count = 0;

	if (list->count > 0)
		qsort(list->ids, list->count, sizeof(list->ids[0]), id_compare);
	for (size_t i = 0; i < list->count; i++)
		if (count == 0 || list->ids[count - 1] != list->ids[i])
			list->ids[count++] = list->ids[i];
	list->count = count;
}

static int read_file(int proc_fd, uint32_t id, const char *file, struct strbuf *ret)
{
	cleanup_(fd_closep) int process_fd = -1;
	char name[16];

	snprintf(name, sizeof(name), "%u", id);
	process_fd = fd_open_path_at(proc_fd, name);
	return process_fd < 0 ? process_fd : fd_read_all_at(process_fd, file, ret, STATUS_BYTES);
}

/* Returns the process of a thread, from the line "Tgid:" of its status file; 0 if there is no such thread. */
static uint32_t process_of(int proc_fd, uint32_t id, struct strbuf *scratch)
{
	static const char key[] = "\nTgid:\t";
	const char *line;
	uint64_t tgid;

	if (read_file(proc_fd, id, "status", scratch) < 0)
		return 0;
	line = strstr(strbuf_str(scratch), key);
	if (!line)
		return 0;
	line += strlen(key);
	return scan_u64(line, strcspn(line, "\n"), &tgid) && tgid <= INT32_MAX ? (uint32_t)tgid : 0;
}

static bool fits_comm(const struct selection *selection, int proc_fd, uint32_t id,
                      struct strbuf *scratch)
{
	if (selection->comm_count == 0)
		return true;
	if (read_file(proc_fd, id, "comm", scratch) < 0)
		return false;
	if (scratch->len > 0 && scratch->data[scratch->len - 1] == '\n')
		scratch->len--;
	return selection_has_comm(selection, strbuf_str(scratch), scratch->len);
}

static bool fits_cgroup(const struct selection *selection, int proc_fd, uint32_t id,
                        struct strbuf *scratch, struct thread_sample *sample)
{
	if (selection->cgroup_count == 0)
		return true;
	sample_reset(sample);
	return read_file(proc_fd, id, "cgroup", scratch) == 0 &&
	       cgroup_parse(strbuf_str(scratch), scratch->len, sample) == OUTCOME_read &&
	       selection_has_cgroup(selection, strbuf_str(&sample->cgroup), sample->cgroup.len);
}

/* The ids of the selection are few, and are not looked for among all processes of the host. */
static int list_candidates(const struct selection *selection, int proc_fd, struct id_list *ret,
                           struct strbuf *scratch)
{
	cleanup_(fd_closep) int list_fd = -1;

	for (size_t i = 0; i < selection->id_count; i++)
		add_id(ret, selection->ids[i]);
	if (selection->id_count > 0)
		return 0;
	list_fd = fd_open_dir_at(proc_fd, ".");
	return list_fd < 0 ? list_fd : fd_list_ids(list_fd, ret, scratch);
}

/* Appends why the id is no process of the host. */
static void explain_id(uint32_t id, uint32_t process, struct strbuf *reterr)
{
	if (process == 0)
		strbuf_addf(reterr, "there is no process %u", id);
	else
		strbuf_addf(reterr, "%u is a thread of process %u, and no process", id, process);
}

/* Keeps those of @list that are selected. Returns 0, or -ESRCH with a sentence for an id that is no process if @strict. */
static int keep_selected(const struct selection *selection, int proc_fd, bool strict,
                         struct id_list *list, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;
	struct thread_sample sample = {0};
	size_t count = 0;
	int r = 0;

	for (size_t i = 0; i < list->count && r == 0; i++) {
		uint32_t id = list->ids[i];
		uint32_t process = selection->id_count > 0 ? process_of(proc_fd, id, &scratch) : id;

		if (process == id && fits_comm(selection, proc_fd, id, &scratch) &&
		    fits_cgroup(selection, proc_fd, id, &scratch, &sample)) {
			list->ids[count++] = id;
		} else if (process != id && strict) {
			explain_id(id, process, reterr);
			r = -ESRCH;
		}
	}
	list->count = count;
	sample_done(&sample);
	return r;
}

/* Returns the process that has the id now. */
static struct selected_process read_process(int proc_fd, uint32_t id, struct strbuf *scratch)
{
	enum { FIELD_START_TIME = 22 };
	struct selected_process process = {id, PROCESS_START_UNKNOWN, PROCESS_START_UNKNOWN};
	uint64_t start, tick = boot_clock_is_shifted() ? 1 : 0;

	if (read_file(proc_fd, id, "stat", scratch) < 0 ||
	    !stat_field(strbuf_str(scratch), scratch->len, FIELD_START_TIME, &start))
		return process;
	start = boot_clock_start_ticks(start);
	/* It may be another tick by one in a time namespace. */
	process.earliest_start = start > tick ? start - tick : 0;
	process.latest_start = start + tick;
	return process;
}

/* Adds the known processes that still exist. */
static void add_known(const struct selected_processes *known, int proc_fd, struct id_list *list,
                      struct strbuf *scratch)
{
	for (size_t i = 0; i < known->count; i++) {
		const struct selected_process *process = &known->processes[i];
		struct selected_process now;
		char name[16];
		cleanup_(fd_closep) int fd = -1;

		snprintf(name, sizeof(name), "%u", process->tgid);
		fd = fd_open_path_at(proc_fd, name);
		if (fd < 0)
			continue;
		now = read_process(proc_fd, process->tgid, scratch);
		if (can_be_same(process, &now))
			add_id(list, process->tgid);
	}
}

/* Makes the processes of the list known. */
static void keep_known(const struct id_list *list, int proc_fd, struct selected_processes *known,
                       struct strbuf *scratch)
{
	size_t count = known->count;

	for (size_t i = 0; i < list->count; i++) {
		struct selected_process now = read_process(proc_fd, list->ids[i], scratch);

		if (!has_process(known, count, &now))
			add_process(known, &now);
	}
	sort_processes(known);
}

int select_processes(const struct selection *selection, int proc_fd,
                     struct selected_processes *known, struct id_list *ret, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT, text = STRBUF_INIT;
	bool strict = !known || known->count == 0;
	int r;

	ret->count = 0;
	r = list_candidates(selection, proc_fd, ret, &scratch);
	if (r < 0) {
		strbuf_add_str(reterr, strerror(-r));
		return r;
	}
	r = keep_selected(selection, proc_fd, strict, ret, reterr);
	if (r < 0)
		return r;
	if (known)
		add_known(known, proc_fd, ret, &scratch);
	sort(ret);
	if (strict && ret->count == 0) {
		selection_add_text(selection, &text);
		strbuf_addf(reterr, "no process fits: %s", strbuf_str(&text));
		return -ESRCH;
	}
	if (known)
		keep_known(ret, proc_fd, known, &scratch);
	return 0;
}

void select_users(const struct selection *selection, int proc_fd, struct host *host)
{
	struct id_list ids = {0};

	if (selection)
		ids = (struct id_list){.ids = selection->ids, .count = selection->id_count};
	host_read_users(proc_fd, ids.count > 0 ? &ids : NULL, host);
}

/* Returns the process of a record; one without the process id counts as a leader's. The start that is computed from a record is later
 * than the true one by the delay of the record. */
static struct selected_process process_of_record(const struct thread_sample *sample,
                                                 const struct exit_note *note)
{
	uint64_t start = sample_process_start(sample), tick_ns, late_ticks;

	if (start == PROCESS_START_UNKNOWN)
		return (struct selected_process){sample->tgid, start, start};
	tick_ns = NS_PER_SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
	late_ticks = note->late_ns / tick_ns + 1;
	return (struct selected_process){sample->tgid, start > late_ticks ? start - late_ticks : 0,
	                                 start};
}

/* Finds the processes that were born and ended unseen, by the ends of their leaders. */
static void find_ended(const struct selection *selection, const struct exit_log *log,
                       struct selected_processes *ret)
{
	struct thread_sample sample = {0};

	for (uint32_t row = 0; row < log->records.count; row++) {
		thread_store_get(&log->records, row, &sample);
		if (!log->notes[row].has_tgid || sample.tid != sample.tgid)
			continue;
		strbuf_copy(&sample.pcomm, &sample.comm);
		if (selection_has(selection, &sample)) {
			struct selected_process process =
			        process_of_record(&sample, &log->notes[row]);

			add_process(ret, &process);
		}
	}
	sample_done(&sample);
}

void select_exits(const struct selection *selection, const struct selected_processes *known,
                  struct exit_log *log)
{
	cleanup_(selected_processes_done) struct selected_processes processes = {0};
	struct exit_log kept = {
	        .exits = log->exits, .received = log->received, .overruns = log->overruns};
	struct thread_sample sample = {0};

	for (size_t i = 0; i < known->count; i++)
		add_process(&processes, &known->processes[i]);
	find_ended(selection, log, &processes);
	sort_processes(&processes);
	for (uint32_t row = 0; row < log->records.count; row++) {
		struct selected_process process;

		thread_store_get(&log->records, row, &sample);
		process = process_of_record(&sample, &log->notes[row]);
		if (has_process(&processes, processes.count, &process))
			exit_log_add(&kept, &sample, &log->notes[row]);
	}
	sample_done(&sample);
	exit_log_done(log);
	*log = kept;
}
