// SPDX-License-Identifier: GPL-2.0-or-later
#include "process-cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strmap.h"

static const enum metric_source sources[] = {SOURCE_exe, SOURCE_cwd, SOURCE_title,
                                             SOURCE_smaps_rollup};

struct known_process {
	struct process_activity activity;
	uint64_t pass; /* the last one that had the process */
	bool has_exe, has_cwd, has_title;
	struct strbuf exe, cwd, title;
	enum source_outcome outcomes[ARRAY_SIZE(sources)];
};

struct process_cache {
	pthread_mutex_t lock;            /* of all the rest */
	struct strmap places;            /* by tgid and birth, the place plus one */
	struct known_process *processes; /* owned */
	size_t count, capacity;
	uint64_t pass;
	bool in_use;
};

struct key {
	uint64_t tgid, born_boottime_ns;
};

void process_activity_add(struct process_activity *activity, const struct task_record *thread)
{
	activity->threads++;
	activity->run_ns += thread->run_ns;
	activity->switches += thread->voluntary_csw + thread->nonvoluntary_csw;
	if (thread->state == 'R' || thread->state == 'Z' || thread->state == 'X' ||
	    (thread->flags & TASK_RECORD_EXITING))
		activity->is_known = false;
}

struct process_cache *process_cache_new(void)
{
	struct process_cache *cache = mem_calloc(1, sizeof(*cache));

	pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

static void done(struct known_process *process)
{
	strbuf_done(&process->exe);
	strbuf_done(&process->cwd);
	strbuf_done(&process->title);
}

void process_cache_freep(struct process_cache **cache_ref)
{
	struct process_cache *cache = *cache_ref;

	*cache_ref = NULL;
	if (!cache)
		return;
	for (size_t i = 0; i < cache->count; i++)
		done(&cache->processes[i]);
	free(cache->processes);
	strmap_done(&cache->places);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

static struct strmap_entry *add_place(struct process_cache *cache,
                                      const struct process_activity *activity)
{
	const struct key key = {activity->tgid, activity->born_boottime_ns};

	return strmap_add(&cache->places, (const char *)&key, sizeof(key));
}

/* Forgets the processes that the last pass did not have. */
static void forget_ended(struct process_cache *cache)
{
	size_t kept = 0;

	for (size_t i = 0; i < cache->count; i++)
		if (cache->processes[i].pass == cache->pass)
			cache->processes[kept++] = cache->processes[i];
		else
			done(&cache->processes[i]);
	if (kept == cache->count)
		return;
	cache->count = kept;
	strmap_done(&cache->places);
	cache->places = STRMAP_INIT;
	for (size_t i = 0; i < kept; i++)
		add_place(cache, &cache->processes[i].activity)->value = (void *)(uintptr_t)(i + 1);
}

void process_cache_begin(struct process_cache *cache, bool use)
{
	pthread_mutex_lock(&cache->lock);
	forget_ended(cache);
	cache->pass++;
	cache->in_use = use;
	pthread_mutex_unlock(&cache->lock);
}

static struct known_process *find(const struct process_cache *cache,
                                  const struct process_activity *activity)
{
	const struct key key = {activity->tgid, activity->born_boottime_ns};
	uintptr_t place = (uintptr_t)strmap_get(&cache->places, (const char *)&key, sizeof(key));

	return place > 0 ? &cache->processes[place - 1] : NULL;
}

static bool has_rested(const struct process_activity *before, const struct process_activity *now)
{
	return before->is_known && now->is_known && before->threads == now->threads &&
	       before->run_ns == now->run_ns && before->switches == now->switches &&
	       before->start_stack == now->start_stack;
}

static void fill(const struct known_process *process, struct thread_sample *sample)
{
	sample_reset(sample);
	sample->has_exe = process->has_exe;
	strbuf_add(&sample->exe, strbuf_str(&process->exe), process->exe.len);
	sample->has_cwd = process->has_cwd;
	strbuf_add(&sample->cwd, strbuf_str(&process->cwd), process->cwd.len);
	sample->has_title = process->has_title;
	strbuf_add(&sample->title, strbuf_str(&process->title), process->title.len);
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		sample->outcomes[sources[i]] = process->outcomes[i];
	sample->outcomes[SOURCE_process_stat] = OUTCOME_read;
}

bool process_cache_get(struct process_cache *cache, const struct process_activity *activity,
                       struct thread_sample *sample)
{
	struct known_process *process;
	bool is_found = false;

	pthread_mutex_lock(&cache->lock);
	process = cache->in_use ? find(cache, activity) : NULL;
	if (process && has_rested(&process->activity, activity)) {
		process->pass = cache->pass;
		fill(process, sample);
		is_found = true;
	}
	pthread_mutex_unlock(&cache->lock);
	return is_found;
}

void process_cache_keep(struct process_cache *cache, const struct process_activity *activity,
                        const struct thread_sample *sample)
{
	struct known_process *process;

	pthread_mutex_lock(&cache->lock);
	process = find(cache, activity);
	if (!process) {
		process = array_add(cache->processes, cache->count, cache->capacity);
		*process = (struct known_process){0};
		add_place(cache, activity)->value = (void *)(uintptr_t)cache->count;
	}
	process->activity = *activity;
	process->pass = cache->pass;
	process->has_exe = sample->has_exe;
	process->has_cwd = sample->has_cwd;
	process->has_title = sample->has_title;
	strbuf_copy(&process->exe, &sample->exe);
	strbuf_copy(&process->cwd, &sample->cwd);
	strbuf_copy(&process->title, &sample->title);
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		process->outcomes[i] = sample->outcomes[sources[i]];
	pthread_mutex_unlock(&cache->lock);
}
