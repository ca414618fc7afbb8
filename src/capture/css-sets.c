// SPDX-License-Identifier: GPL-2.0-or-later
#include "css-sets.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "cgroup-walk.h"
#include "cgroup/cgroup-open.h"
#include "cgroup/cgroup.h"
#include "metric/outcome.h"

enum { CGROUP_FILE_BYTES = 1 << 20, NOWHERE = UINT32_MAX };

/* Threads in the same cgroups, by their places in the pass. The files of two of them are read. A thread that has just
 * been born is likely to be moved, so these are the oldest one, and the oldest one of another process if there is
 * one. */
struct css_set {
	uint32_t oldest, other;
	uint32_t last; /* the others follow in before[], down to NOWHERE */
	bool is_one;   /* the result holds for all of them; else each one's file is read */
	enum source_outcome outcome;
	struct strbuf path, v1_paths;
	bool has_path;
	bool is_v1;
};

static struct css_key key_of(const struct task_record *values)
{
	/* The kernel shows an exiting thread in no cgroup of version 1. */
	return (struct css_key){.css_set = values->css_set,
	                        .cgroup_id = values->cgroup_id,
	                        .is_exiting = (values->flags & TASK_RECORD_EXITING) != 0};
}

static enum source_outcome read_text(const struct css_sets *sets, const struct task_record *values,
                                     struct strbuf *text)
{
	char name[64];
	int r;

	snprintf(name, sizeof(name), "%" PRIu32 "/task/%" PRIu32 "/cgroup", values->tgid,
	         values->tid);
	r = fd_read_record_at(sets->proc_fd, name, text, CGROUP_FILE_BYTES);
	return outcome_of_error(ERROR_OF_THREAD, r);
}

/* The kernel prints "/" in every hierarchy of version 1 for a thread with PF_EXITING. */
static enum source_outcome parse(const struct css_reader *reader, bool is_exiting,
                                 struct thread_sample *sample)
{
	const char *text = strbuf_str(&reader->text);
	enum source_outcome outcome = cgroup_parse(text, reader->text.len, sample);

	if (reader->cgroups)
		cgroup_walk_note(reader->cgroups, text, reader->text.len);
	if (is_exiting)
		strbuf_clear(&sample->cgroups_v1);
	return outcome;
}

static const struct task_record *thread_at(const struct css_sets *sets, uint32_t place)
{
	return &sets->pass->threads[sets->pass->order[place]];
}

/* Reads the file of the first thread that is still there: of the two that are chosen, and then of the others. Skips
 * those of @tgid, and the one at @except. Returns its place or NOWHERE. */
static uint32_t read_one(const struct css_sets *sets, const struct css_set *set, uint32_t tgid,
                         uint32_t except, struct strbuf *text)
{
	enum { CHOSEN = 2, ATTEMPTS = 32 };
	uint32_t place = set->oldest;

	for (int i = 0; i < CHOSEN + ATTEMPTS; i++) {
		if (place != NOWHERE && place != except && thread_at(sets, place)->tgid != tgid &&
		    read_text(sets, thread_at(sets, place), text) == OUTCOME_read)
			return place;
		if (i == 0)
			place = set->other;
		else if (i == 1)
			place = set->last;
		else if (place == NOWHERE)
			break;
		else
			place = sets->before[place];
	}
	return NOWHERE;
}

/* Returns whether the path is certainly not that of the cgroup that the threads were in: the inode of a cgroup is its
 * number. */
static bool is_other_cgroup(const struct css_sets *sets, const struct strbuf *path, uint64_t id)
{
	const struct cgroup_mount *unified = &sets->mounts->unified;
	cleanup_(fd_closep) int mount_fd = -1, fd = -1;
	struct stat status;

	if (!unified->found)
		return false;
	mount_fd = fd_open_path_at(AT_FDCWD, strbuf_str(&unified->point));
	if (mount_fd < 0)
		return false;
	fd = cgroup_walk_open(mount_fd, unified, path);
	if (fd < 0)
		return fd == -ENOENT;
	return fstat(fd, &status) == 0 && status.st_ino != id;
}

/* Finds the cgroups of a set. A thread may have left its cgroups since the pass, and a whole process as well. Two
 * processes hardly do so at the same time, and if they do, the number of their cgroup shows it. */
static void find_cgroups(const struct css_sets *sets, struct css_reader *reader,
                         struct css_set *set, struct strbuf *other_text,
                         struct thread_sample *scratch)
{
	uint32_t place = read_one(sets, set, 0, NOWHERE, &reader->text), other;
	const struct task_record *thread;

	if (place == NOWHERE)
		return;
	thread = thread_at(sets, place);
	other = read_one(sets, set, thread->tgid, place, other_text);
	if (other == NOWHERE)
		other = read_one(sets, set, 0, place, other_text);
	if (other != NOWHERE && !strbuf_equal(&reader->text, other_text))
		return;
	sample_reset(scratch);
	set->outcome = parse(reader, key_of(thread).is_exiting, scratch);
	if (scratch->has_cgroup && !scratch->cgroup_is_v1 &&
	    is_other_cgroup(sets, &scratch->cgroup, thread->cgroup_id))
		return;
	set->has_path = scratch->has_cgroup;
	set->is_v1 = scratch->cgroup_is_v1;
	if (set->has_path)
		strbuf_add(&set->path, strbuf_str(&scratch->cgroup), scratch->cgroup.len);
	strbuf_add(&set->v1_paths, strbuf_str(&scratch->cgroups_v1), scratch->cgroups_v1.len);
	set->is_one = true;
}

static bool is_older(const struct css_sets *sets, uint32_t place, uint32_t than)
{
	return than == NOWHERE ||
	       thread_at(sets, place)->born_boottime_ns < thread_at(sets, than)->born_boottime_ns;
}

static void choose(const struct css_sets *sets, struct css_set *set, uint32_t place)
{
	bool is_same_process = thread_at(sets, place)->tgid == thread_at(sets, set->oldest)->tgid;

	if (is_older(sets, place, set->oldest)) {
		if (!is_same_process)
			set->other = set->oldest;
		set->oldest = place;
	} else if (!is_same_process && is_older(sets, place, set->other)) {
		set->other = place;
	}
}

static struct css_set *add(struct css_sets *sets)
{
	return array_add(sets->sets, sets->count, sets->capacity);
}

/* Threads that follow one another are mostly in the same set. */
static bool find_set(const struct css_sets *sets, struct css_reader *reader,
                     const struct css_key *key, uint32_t *ret_set)
{
	if (reader->has_found && memcmp(key, &reader->key, sizeof(*key)) == 0) {
		*ret_set = reader->found;
		return true;
	}
	if (!strmap_find(&sets->places, (const char *)key, sizeof(*key), ret_set))
		return false;
	reader->has_found = true;
	reader->key = *key;
	reader->found = *ret_set;
	return true;
}

static void collect(struct css_sets *sets, struct css_reader *reader)
{
	const struct task_record_pass *pass = sets->pass;

	sets->before = mem_calloc(pass->thread_count + 1, sizeof(sets->before[0]));
	for (uint32_t i = 0; i < pass->thread_count; i++) {
		const struct css_key key = key_of(thread_at(sets, i));
		uint32_t set;

		if (find_set(sets, reader, &key, &set)) {
			sets->before[i] = sets->sets[set].last;
			sets->sets[set].last = i;
			choose(sets, &sets->sets[set], i);
			continue;
		}
		strmap_add(&sets->places, (const char *)&key, sizeof(key));
		sets->before[i] = NOWHERE;
		*add(sets) = (struct css_set){.oldest = i, .other = NOWHERE, .last = i};
	}
}

void css_sets_init(struct css_sets *sets, int proc_fd, const struct cgroup_mounts *mounts,
                   struct cgroup_walk *cgroups, const struct task_record_pass *pass)
{
	cleanup_(strbuf_done) struct strbuf other_text = STRBUF_INIT;
	struct css_reader reader = {.cgroups = cgroups};
	struct thread_sample scratch = {0};

	*sets = (struct css_sets){.proc_fd = proc_fd, .mounts = mounts, .pass = pass};
	collect(sets, &reader);
	for (size_t i = 0; i < sets->count; i++)
		find_cgroups(sets, &reader, &sets->sets[i], &other_text, &scratch);
	sample_done(&scratch);
	strbuf_done(&reader.text);
}

void css_sets_done(struct css_sets *sets)
{
	for (size_t i = 0; i < sets->count; i++) {
		strbuf_done(&sets->sets[i].path);
		strbuf_done(&sets->sets[i].v1_paths);
	}
	free(sets->sets);
	free(sets->before);
	strmap_done(&sets->places);
	*sets = (struct css_sets){0};
}

void css_sets_fill(const struct css_sets *sets, struct css_reader *reader,
                   const struct task_record *values, struct thread_sample *sample)
{
	enum source_outcome *outcome = &sample->outcomes[SOURCE_cgroup];
	const struct css_key key = key_of(values);
	const struct css_set *set = NULL;
	uint32_t place;

	if (find_set(sets, reader, &key, &place))
		set = &sets->sets[place];
	if (!set || !set->is_one) {
		*outcome = read_text(sets, values, &reader->text);
		if (*outcome == OUTCOME_read)
			*outcome = parse(reader, key.is_exiting, sample);
		return;
	}
	*outcome = set->outcome;
	sample->has_cgroup = set->has_path;
	sample->cgroup_is_v1 = set->is_v1;
	strbuf_copy(&sample->cgroup, &set->path);
	strbuf_copy(&sample->cgroups_v1, &set->v1_paths);
}
