// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-lost.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "procfs/procfs.h"

enum { TEXT_BYTES = 1 << 20 };

enum fate {
	FATE_UNKNOWN, /* it is there, and cannot be read */
	FATE_THERE,
	FATE_GONE,
};

/* Counters of a process. */
struct amount {
	uint64_t total;  /* of it, with these: */
	uint64_t waited; /* of its children that it waited for */
	/* When the next check is made: */
	uint64_t of_children;    /* that are gone */
	uint64_t of_descendants; /* the same, with those whose parents are gone as well */
};

struct job_lost_process {
	uint32_t pid, parent;
	uint64_t start_ticks;
	size_t order; /* of the readings */
	bool has_ended;
	struct amount amounts[JOB_LOST_AMOUNTS];
	/* When the next check is made: */
	enum fate fate;
	bool is_asked;
};

/* The most that sums of them may lack: times are cut to ticks, in each mode and at each reading. */
static const uint64_t slack[JOB_LOST_AMOUNTS] = {[JOB_LOST_TICKS] = 16};

static void list_done(struct job_lost_list *list)
{
	free(list->entries);
	*list = (struct job_lost_list){0};
}

static int compare_pids(const void *a, const void *b)
{
	const struct job_lost_process *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

static void sort(struct job_lost_list *list)
{
	if (list->count > 1)
		qsort(list->entries, list->count, sizeof(list->entries[0]), compare_pids);
}

static struct job_lost_process *find(const struct job_lost_list *list, uint32_t pid)
{
	const struct job_lost_process key = {.pid = pid};

	return list->count == 0
	               ? NULL
	               : bsearch(&key, list->entries, list->count, sizeof(key), compare_pids);
}

static struct job_lost_process *find_same(const struct job_lost_list *list,
                                          const struct job_lost_process *process)
{
	struct job_lost_process *found = find(list, process->pid);

	return found && found->start_ticks == process->start_ticks ? found : NULL;
}

static void add_field(const struct strbuf *text, unsigned field, uint64_t *sum)
{
	uint64_t number;

	if (stat_field(strbuf_str(text), text->len, field, &number))
		*sum += number;
}

/* Parses /proc/PID/stat. Returns false for a process that is being removed, whose counters may be gone already. */
static bool parse(const struct strbuf *text, struct job_lost_process *ret)
{
	enum { PARENT = 4, MINFLT = 10, CMINFLT, UTIME = 14, STIME, CUTIME, CSTIME, START = 22 };
	const char *stat = strbuf_str(text), *end = memrchr(stat, ')', text->len);
	struct amount *faults = &ret->amounts[JOB_LOST_FAULTS],
	              *ticks = &ret->amounts[JOB_LOST_TICKS];
	uint64_t parent;

	if (!end || end[1] != ' ' || end[2] == 'X' ||
	    !stat_field(stat, text->len, PARENT, &parent) ||
	    !stat_field(stat, text->len, START, &ret->start_ticks))
		return false;
	ret->parent = (uint32_t)parent;
	/* This is also the state of one whose leader alone has ended. */
	ret->has_ended = end[2] == 'Z';
	add_field(text, MINFLT, &faults->total);
	add_field(text, CMINFLT, &faults->waited);
	add_field(text, UTIME, &ticks->total);
	add_field(text, STIME, &ticks->total);
	add_field(text, CUTIME, &ticks->waited);
	add_field(text, CSTIME, &ticks->waited);
	if (faults->total == 0)
		return false;
	faults->total += faults->waited;
	ticks->total += ticks->waited;
	return true;
}

struct lost_reading {
	struct job_reading base; /* must stay the first member */
	int proc_fd;
	struct job_lost_list *list;
};

static void add_process(struct job_reading *self, uint32_t pid)
{
	const struct lost_reading *reading = (struct lost_reading *)self;
	struct job_lost_list *list = reading->list;
	struct job_lost_process process = {.pid = pid, .order = list->count};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char name[32];

	snprintf(name, sizeof(name), "%u/stat", pid);
	if (fd_read_all_at(reading->proc_fd, name, &text, TEXT_BYTES) == 0 &&
	    parse(&text, &process))
		*array_add(list->entries, list->count, list->capacity) = process;
}

/* Adds the processes that can be read to the list. */
static void read_all(struct job_reader *reader, const struct id_list *pids,
                     struct job_lost_list *list)
{
	struct lost_reading reading = {.base = {.kind = AVOIDS_ALL, .read = add_process},
	                               .proc_fd = reader->proc_fd,
	                               .list = list};

	if (pids->count > 0)
		job_reader_read(reader, &reading.base, pids);
}

/* A list of children, or of a cgroup, may lack a process: it is read as well. */
static void read_now(struct job_lost *lost, struct job_reader *reader, const struct id_list *pids,
                     struct job_lost_list *now)
{
	cleanup_(id_list_done) struct id_list missing = {0};

	read_all(reader, pids, now);
	sort(now);
	for (size_t i = 0; i < lost->known.count; i++)
		if (!find(now, lost->known.entries[i].pid))
			*array_add(missing.ids, missing.count, missing.capacity) =
			        lost->known.entries[i].pid;
	read_all(reader, &missing, now);
	sort(now);
}

static enum fate fate_of(const struct job_lost_process *process, const struct job_lost_list *now)
{
	if (find_same(now, process))
		return FATE_THERE;
	/* Another one has its number, or nobody. */
	if (find(now, process->pid) || (kill((pid_t)process->pid, 0) < 0 && errno == ESRCH))
		return FATE_GONE;
	return FATE_UNKNOWN;
}

static bool is_ours(const struct job_lost_process *process)
{
	return process->parent == (uint32_t)getpid();
}

/* Returns the parent if it was read before, so that it had not waited for the process then; or NULL. */
static struct job_lost_process *parent_of(const struct job_lost_list *known,
                                          const struct job_lost_process *process)
{
	struct job_lost_process *parent = find(known, process->parent);

	return parent && parent->order < process->order ? parent : NULL;
}

/* Adds the amounts of a process that is gone to its nearest ancestor that is there, or to @ours. */
static void charge(const struct job_lost_list *known, const struct job_lost_process *gone,
                   uint64_t ours[JOB_LOST_AMOUNTS])
{
	const struct job_lost_process *child = gone;
	struct job_lost_process *parent = parent_of(known, child);

	while (parent && parent->fate == FATE_GONE) {
		child = parent;
		parent = parent_of(known, child);
	}
	for (unsigned k = 0; k < JOB_LOST_AMOUNTS; k++) {
		uint64_t amount = gone->amounts[k].total;

		if (is_ours(child))
			ours[k] += amount;
		if (!parent || parent->fate != FATE_THERE)
			continue;
		parent->amounts[k].of_descendants += amount;
		if (child == gone)
			parent->amounts[k].of_children += amount;
	}
}

/* Reads the ancestors of those that are gone once more: the first reading may have been before the end. */
static void read_ancestors(const struct job_lost_list *known, struct job_reader *reader,
                           struct job_lost_list *ret)
{
	cleanup_(id_list_done) struct id_list asked = {0};

	for (size_t i = 0; i < known->count; i++) {
		struct job_lost_process *process = &known->entries[i];

		if (process->amounts[JOB_LOST_FAULTS].of_descendants == 0)
			continue;
		for (; process && !process->is_asked; process = parent_of(known, process)) {
			process->is_asked = true;
			*array_add(asked.ids, asked.count, asked.capacity) = process->pid;
		}
	}
	read_all(reader, &asked, ret);
	sort(ret);
}

/* Returns the amount that has come to those above a process which get its orphans, since the last check. @reaped has come to us.
 * Returns UINT64_MAX if one cannot be read, or is not of the job. */
static uint64_t come_above(const struct job_lost_list *known, const struct job_lost_list *later,
                           const struct job_lost_process *process, unsigned kind, uint64_t reaped)
{
	uint64_t come = reaped;

	while (!is_ours(process)) {
		const struct job_lost_process *after;

		process = parent_of(known, process);
		after = process ? find_same(later, process) : NULL;
		if (!after && (!process || process->fate != FATE_GONE))
			return UINT64_MAX;
		if (after)
			come += after->amounts[kind].waited - process->amounts[kind].waited;
	}
	return come;
}

/* Returns whether the amount of those that are gone below a process has not come to it, nor to those above. */
static bool lacks(const struct job_lost_list *known, const struct job_lost_list *later,
                  const struct job_lost_process *process, unsigned kind, uint64_t reaped)
{
	const struct job_lost_process *after = find_same(later, process);
	const struct amount *before = &process->amounts[kind];
	uint64_t come, above;

	if (before->of_descendants == 0 || !after)
		return false;
	come = after->amounts[kind].waited - before->waited + slack[kind];
	/* The children of one that goes on have not become orphans. */
	if (!after->has_ended && come < before->of_children)
		return true;
	above = come_above(known, later, process, kind, reaped);
	return above < UINT64_MAX && come + above < before->of_descendants;
}

static bool is_found(const struct job_lost_list *known, const struct job_lost_list *now,
                     struct job_reader *reader, const uint64_t reaped[JOB_LOST_AMOUNTS])
{
	cleanup_(list_done) struct job_lost_list later = {0};
	uint64_t ours[JOB_LOST_AMOUNTS] = {0};

	for (size_t i = 0; i < known->count; i++)
		known->entries[i].fate = fate_of(&known->entries[i], now);
	for (size_t i = 0; i < known->count; i++)
		if (known->entries[i].fate == FATE_GONE)
			charge(known, &known->entries[i], ours);
	read_ancestors(known, reader, &later);
	for (unsigned k = 0; k < JOB_LOST_AMOUNTS; k++) {
		if (ours[k] > reaped[k] + slack[k])
			return true;
		for (size_t i = 0; i < known->count; i++)
			if (lacks(known, &later, &known->entries[i], k, reaped[k]))
				return true;
	}
	return false;
}

void job_lost_check(struct job_lost *lost, struct job_reader *reader, const struct id_list *pids,
                    const struct job_tally *tally)
{
	const double ticks = (double)sysconf(_SC_CLK_TCK),
	             reaped[] = {[JOB_LOST_FAULTS] = tally->minor_faults,
	                         [JOB_LOST_TICKS] =
	                                 ticks * (tally->user_time + tally->system_time)};
	struct job_lost_list now = {0};
	uint64_t come[JOB_LOST_AMOUNTS];

	if (lost->found)
		return;
	for (unsigned k = 0; k < JOB_LOST_AMOUNTS; k++)
		come[k] = (uint64_t)(reaped[k] - lost->reaped[k]);
	memcpy(lost->reaped, reaped, sizeof(reaped));
	read_now(lost, reader, pids, &now);
	lost->found = is_found(&lost->known, &now, reader, come);
	list_done(&lost->known);
	lost->known = now;
}

void job_lost_forget(const struct job_lost *lost, struct job_values *values)
{
	for (unsigned id = 0; lost->found && id < JOB_VALUE_COUNT; id++)
		if (values->seen[id] && values->sources[id] == JOB_SOURCE_wait &&
		    id != JOB_processes_left)
			job_forget(values, (enum job_value_id)id);
}

void job_lost_say(const struct job_lost *lost, const struct job_values *values, struct strbuf *out)
{
	if (!lost->found || (values->seen[JOB_cpu_time] && values->seen[JOB_minor_faults] &&
	                     values->seen[JOB_rchar]))
		return;
	strbuf_addf(
	        out,
	        "%sa process ended that nobody waited for, so the sums of wait4(2) are not known",
	        out->len > 0 ? "; " : "");
}

void job_lost_done(struct job_lost *lost)
{
	list_done(&lost->known);
}
