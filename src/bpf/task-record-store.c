// SPDX-License-Identifier: GPL-2.0-or-later
#include "task-record-store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = offsetof(struct task_record_cpus, words) };

void task_record_store_clear(struct task_record_store *store, const struct cpu_mask *online)
{
	store->thread_count = 0;
	store->process_count = 0;
	store->name_count = 0;
	store->cpus_count = 0;
	strmap_done(&store->cpus_by_words);
	store->cpus_by_words = STRMAP_INIT;
	store->online = *online;
	store->current_cpus = 0;
	store->has_name = false;
}

void task_record_store_done(struct task_record_store *store)
{
	free(store->threads);
	free(store->processes);
	free(store->names);
	free(store->cpus);
	free(store->order);
	free(store->places);
	strmap_done(&store->cpus_by_words);
}

/* The kernel's buffer for all parts has the same size. */
static void compose_name(struct task_record_store *store, const char *comm)
{
	const struct task_record_name *parts = &store->name_parts;
	struct task_record_text *text;
	size_t room = sizeof(text->bytes) - 1, len, work;
	bool is_comm = parts->full[0] == '\0';

	text = array_add(store->names, store->name_count, store->name_capacity);
	memset(text, 0, sizeof(*text));
	len = is_comm ? strnlen(comm, TASK_RECORD_COMM_BYTES)
	              : strnlen(parts->full, sizeof(parts->full));
	len = len < room ? len : room;
	memcpy(text->bytes, is_comm ? comm : parts->full, len);
	if (parts->mark == 0 || len == room)
		return;
	text->bytes[len++] = parts->mark == '+' ? '+' : '-';
	work = strnlen(parts->work, sizeof(parts->work));
	memcpy(text->bytes + len, parts->work, work < room - len ? work : room - len);
}

static void add_thread(struct task_record_store *store, const struct task_record *record)
{
	struct task_record *thread;

	thread = array_add(store->threads, store->thread_count, store->thread_capacity);
	memcpy(thread, record, sizeof(*thread));
	if (store->cpus_count == 0)
		thread->flags &= ~(uint32_t)TASK_RECORD_HAS_CPUS;
	thread->cpus = store->current_cpus;
	if (thread->flags & TASK_RECORD_KERNEL) {
		if (store->has_name)
			compose_name(store, thread->comm);
		thread->name = store->has_name ? store->name_count : 0;
	}
	store->has_name = false;
}

static void add_process(struct task_record_store *store, const struct process_record *record)
{
	memcpy(array_add(store->processes, store->process_count, store->process_capacity), record,
	       sizeof(*record));
}

static void add_name(struct task_record_store *store, const struct task_record_name *record)
{
	memcpy(&store->name_parts, record, sizeof(*record));
	store->has_name = true;
}

/* Keeps the CPUs that are online, as sched_getaffinity() does. */
static void keep_online(struct cpu_mask *cpus, const struct cpu_mask *online)
{
	if (online->used_words == 0)
		return;
	for (uint32_t i = 0; i < cpus->used_words; i++)
		cpus->words[i] &= i < online->used_words ? online->words[i] : 0;
}

static void add_cpus(struct task_record_store *store, const struct task_record_cpus *record)
{
	struct strmap_entry *entry =
	        strmap_add(&store->cpus_by_words, (const char *)record->words, record->bytes);
	struct cpu_mask *cpus;

	if (!entry->value) {
		cpus = array_add(store->cpus, store->cpus_count, store->cpus_capacity);
		cpus->used_words = record->bytes / (uint32_t)sizeof(cpus->words[0]);
		memcpy(cpus->words, record->words, record->bytes);
		keep_online(cpus, &store->online);
		entry->value = (void *)(uintptr_t)store->cpus_count;
	}
	store->current_cpus = (uint32_t)((uintptr_t)entry->value - 1);
}

/* Returns the length of a record, by its header; 0 if it is none. */
static size_t length_of(const struct task_record_cpus *record)
{
	if (record->flags & TASK_RECORD_IS_PROCESS)
		return sizeof(struct process_record);
	if (record->flags & TASK_RECORD_IS_NAME)
		return sizeof(struct task_record_name);
	if (!(record->flags & TASK_RECORD_IS_CPUS))
		return sizeof(struct task_record);
	if (record->bytes == 0 || record->bytes > sizeof(record->words) ||
	    record->bytes % sizeof(record->words[0]) != 0)
		return 0;
	return HEADER_BYTES + record->bytes;
}

ssize_t task_record_store_add(struct task_record_store *store, const char *bytes, size_t len)
{
	size_t used = 0;

	for (;;) {
		const void *record = bytes + used;
		size_t size = 0;
		uint32_t flags;

		if (len - used < HEADER_BYTES)
			return (ssize_t)used;
		size = length_of(record);
		if (size == 0)
			return -EBADMSG;
		if (size > len - used)
			return (ssize_t)used;
		memcpy(&flags, record, sizeof(flags));
		if (flags & TASK_RECORD_IS_CPUS)
			add_cpus(store, record);
		else if (flags & TASK_RECORD_IS_PROCESS)
			add_process(store, record);
		else if (flags & TASK_RECORD_IS_NAME)
			add_name(store, record);
		else
			add_thread(store, record);
		used += size;
	}
}

static int compare_places(const void *a, const void *b)
{
	const struct task_record_place *left = a, *right = b;

	if (left->tgid != right->tgid)
		return left->tgid < right->tgid ? -1 : 1;
	if (left->process_born_boottime_ns != right->process_born_boottime_ns)
		return left->process_born_boottime_ns < right->process_born_boottime_ns ? -1 : 1;
	return (left->tid > right->tid) - (left->tid < right->tid);
}

static int compare_processes(const void *a, const void *b)
{
	const struct process_record *left = a, *right = b;

	return (left->tgid > right->tgid) - (left->tgid < right->tgid);
}

static const struct process_record *find_process(const struct process_record *processes,
                                                 size_t count, uint32_t tgid)
{
	const struct process_record key = {.tgid = tgid};

	if (count == 0)
		return NULL;
	return bsearch(&key, processes, count, sizeof(processes[0]), compare_processes);
}

/* Finds the process of a thread whose leader was gone: the process of this tgid in the pass, if the thread is not older
 * than that, and else one that begins with the thread. */
static void find_birth(const struct task_record_store *store, struct task_record *thread)
{
	const struct process_record *process;

	if (thread->process_born_boottime_ns > 0)
		return;
	process = find_process(store->processes, store->process_count, thread->tgid);
	thread->process_born_boottime_ns =
	        process && process->born_boottime_ns <= thread->born_boottime_ns
	                ? process->born_boottime_ns
	                : thread->born_boottime_ns;
}

static void order_threads(struct task_record_store *store)
{
	bool in_order = true;

	array_reserve(store->places, store->place_capacity, store->thread_count);
	array_reserve(store->order, store->order_capacity, store->thread_count);
	for (size_t i = 0; i < store->thread_count; i++) {
		struct task_record *thread = &store->threads[i];

		find_birth(store, thread);
		store->places[i] = (struct task_record_place){
		        .process_born_boottime_ns = thread->process_born_boottime_ns,
		        .tgid = thread->tgid,
		        .tid = thread->tid == thread->tgid ? 0 : thread->tid,
		        .index = (uint32_t)i};
		in_order = in_order && (i == 0 || compare_places(&store->places[i - 1],
		                                                 &store->places[i]) <= 0);
	}
	if (!in_order)
		qsort(store->places, store->thread_count, sizeof(store->places[0]), compare_places);
	for (size_t i = 0; i < store->thread_count; i++)
		store->order[i] = store->places[i].index;
}

void task_record_store_finish(struct task_record_store *store, struct task_record_pass *pass)
{
	if (store->process_count > 0)
		qsort(store->processes, store->process_count, sizeof(store->processes[0]),
		      compare_processes);
	order_threads(store);
	pass->threads = store->threads;
	pass->thread_count = store->thread_count;
	pass->processes = store->processes;
	pass->process_count = store->process_count;
	pass->order = store->order;
	pass->cpus = store->cpus;
	pass->names = store->names;
}

const struct process_record *task_record_process(const struct task_record_pass *pass,
                                                 const struct task_record *thread)
{
	const struct process_record *process =
	        find_process(pass->processes, pass->process_count, thread->tgid);

	return process && process->born_boottime_ns == thread->process_born_boottime_ns ? process
	                                                                                : NULL;
}
