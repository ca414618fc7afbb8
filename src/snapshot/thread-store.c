// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot/thread-store.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	HAS_CGROUP = 1,
	CGROUP_IS_V1 = 2,
	HAS_EXE = 4,
	HAS_UID = 8,
	HAS_TOTALS = 16,
	HAS_MALFORMED = 32,
	HAS_SMAPS = 64,
	HAS_JEMALLOC_TIME = 128,
	HAS_IMPOSSIBLE = 256,
	HAS_CGROUPS_V1 = 512,
	HAS_SKIPPED = 1024,
	HAS_PARENT = 2048,
	HAS_CWD = 4096,
	HAS_TITLE = 8192,
	HAS_EXIT = 16384,
	HAS_WCHAN = 32768,
	HAS_SYSCALL = 65536,
};

void thread_store_done(struct thread_store *store)
{
	free(store->rows);
	free(store->by_tid);
	free(store->by_key);
	strbuf_done(&store->packed);
	strmap_done(&store->names);
	*store = (struct thread_store){0};
}

/* Mixes a number in, by the secret numbers of this process. */
static void digest(struct thread_store *store, uint64_t value)
{
	unsigned __int128 product =
	        (unsigned __int128)(store->digest ^ value ^ store->seed.words[0]) *
	        (store->seed.words[1] | 1);

	store->digest = (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Seven bits a byte, the lowest first; most counters are small. */
static void pack(struct thread_store *store, uint64_t value)
{
	char bytes[10];
	size_t len = 0;

	do {
		bytes[len] = (char)(value & 0x7f);
		value >>= 7;
		if (value > 0)
			bytes[len] = (char)((unsigned char)bytes[len] | 0x80);
		len++;
	} while (value > 0);
	strbuf_add(&store->packed, bytes, len);
}

static void put(struct thread_store *store, uint64_t value)
{
	digest(store, value);
	pack(store, value);
}

/* Returns the number at *@at, and moves behind it. */
static uint64_t get(const struct thread_store *store, size_t *at)
{
	uint64_t value = 0, bits;
	unsigned shift = 0;

	do {
		bits = (unsigned char)store->packed.data[(*at)++];
		value |= (bits & 0x7f) << shift;
		shift += 7;
	} while (bits & 0x80);
	return value;
}

/* Maps numbers of either sign to unsigned ones, the small ones first. */
static uint64_t fold_sign(int32_t value)
{
	return value < 0 ? (uint64_t)(-(int64_t)value) * 2 - 1 : (uint64_t)value * 2;
}

static int32_t unfold_sign(uint64_t folded)
{
	return folded & 1 ? (int32_t)(-(int64_t)((folded + 1) / 2)) : (int32_t)(folded / 2);
}

static void put_name(struct thread_store *store, const void *bytes, size_t len)
{
	const size_t count = store->names.count;
	struct strmap_entry *entry = strmap_add(&store->names, len > 0 ? bytes : "", len);

	if (store->names.count > count)
		store->name_bytes += len;
	digest(store, entry->hash);
	pack(store, (uint64_t)(entry - store->names.entries));
}

static const struct strmap_entry *get_name(const struct thread_store *store, size_t *at)
{
	return &store->names.entries[get(store, at)];
}

static void get_text(const struct thread_store *store, size_t *at, struct strbuf *ret)
{
	const struct strmap_entry *name = get_name(store, at);

	strbuf_add(ret, name->key, name->key_len);
}

static void put_value(struct thread_store *store, enum metric_id metric, const void *value)
{
	const struct cpu_mask *mask = value;
	const struct label_bytes *label = value;

	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		put(store, *(const uint64_t *)value);
		break;
	case REPRESENTATION_U32:
		put(store, *(const uint32_t *)value);
		break;
	case REPRESENTATION_I32:
		put(store, fold_sign(*(const int32_t *)value));
		break;
	case REPRESENTATION_LETTER:
		put(store, *(const unsigned char *)value);
		break;
	case REPRESENTATION_FLAG:
		put(store, *(const bool *)value);
		break;
	case REPRESENTATION_TEXT:
		put_name(store, label->bytes, strlen(label->bytes));
		break;
	case REPRESENTATION_CPUS:
		put_name(store, mask->words, mask->used_words * sizeof(mask->words[0]));
		break;
	}
}

static void get_value(const struct thread_store *store, size_t *at, enum metric_id metric,
                      void *ret)
{
	const struct strmap_entry *name;
	struct cpu_mask *mask = ret;
	struct label_bytes *label = ret;

	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		*(uint64_t *)ret = get(store, at);
		break;
	case REPRESENTATION_U32:
		*(uint32_t *)ret = (uint32_t)get(store, at);
		break;
	case REPRESENTATION_I32:
		*(int32_t *)ret = unfold_sign(get(store, at));
		break;
	case REPRESENTATION_LETTER:
		*(char *)ret = (char)get(store, at);
		break;
	case REPRESENTATION_FLAG:
		*(bool *)ret = get(store, at) != 0;
		break;
	case REPRESENTATION_TEXT:
		name = get_name(store, at);
		memset(label, 0, sizeof(*label));
		memcpy(label->bytes, name->key, name->key_len);
		break;
	case REPRESENTATION_CPUS:
		name = get_name(store, at);
		mask->used_words = (uint32_t)(name->key_len / sizeof(mask->words[0]));
		memcpy(mask->words, name->key, name->key_len);
		break;
	}
}

static bool any_metric(const struct metric_set *set)
{
	uint64_t any = 0;

	for (size_t i = 0; i < METRIC_SET_WORDS; i++)
		any |= set->words[i];
	return any != 0;
}

static unsigned flags_of(const struct thread_sample *sample)
{
	return (sample->cgroups_v1.len > 0 ? HAS_CGROUPS_V1 : 0u) |
	       (sample->has_cgroup ? HAS_CGROUP : 0u) | (sample->cgroup_is_v1 ? CGROUP_IS_V1 : 0u) |
	       (sample->has_exe ? HAS_EXE : 0u) | (sample->has_uid ? HAS_UID : 0u) |
	       (sample->has_process_totals ? HAS_TOTALS : 0u) |
	       (any_metric(&sample->malformed) ? HAS_MALFORMED : 0u) |
	       (any_metric(&sample->skipped) ? HAS_SKIPPED : 0u) |
	       (any_metric(&sample->impossible) ? HAS_IMPOSSIBLE : 0u) |
	       (sample->has_cwd ? HAS_CWD : 0u) | (sample->has_title ? HAS_TITLE : 0u) |
	       (sample->has_wchan ? HAS_WCHAN : 0u) | (sample->has_syscall ? HAS_SYSCALL : 0u) |
	       (sample->exit_facts_seen != 0 ? HAS_EXIT : 0u) |
	       (sample->has_parent ? HAS_PARENT : 0u) | (sample->has_smaps ? HAS_SMAPS : 0u) |
	       (sample->jemalloc_boottime_ns > 0 ? HAS_JEMALLOC_TIME : 0u);
}

static void put_identity(struct thread_store *store, const struct thread_sample *sample)
{
	put(store, flags_of(sample));
	pack(store, sample->read_boottime_ns);
	put(store, sample->window_part);
	put(store, sample->interval_ns);
	put(store, sample->life_ns);
	if (sample->window_part != WINDOW_PART_NONE) {
		put(store, sample->run_time_before_ns);
		put(store, sample->process_successors);
	}
	if (sample->jemalloc_boottime_ns > 0) {
		put(store, sample->jemalloc_boottime_ns);
		put(store, sample->jemalloc_interval_ns);
		put(store, sample->jemalloc_program);
	}
	put_name(store, sample->pcomm.data, sample->pcomm.len);
	put_name(store, sample->comm.data, sample->comm.len);
	if (sample->has_cgroup)
		put_name(store, sample->cgroup.data, sample->cgroup.len);
	if (sample->cgroups_v1.len > 0)
		put_name(store, sample->cgroups_v1.data, sample->cgroups_v1.len);
	if (sample->has_exe)
		put_name(store, sample->exe.data, sample->exe.len);
	if (sample->has_cwd)
		put_name(store, sample->cwd.data, sample->cwd.len);
	if (sample->has_title)
		put_name(store, sample->title.data, sample->title.len);
	if (sample->has_wchan)
		put_name(store, sample->wchan.data, sample->wchan.len);
	if (sample->has_syscall)
		put_name(store, sample->syscall.data, sample->syscall.len);
	if (sample->has_uid)
		put(store, sample->uid);
	if (sample->has_parent) {
		put(store, sample->ppid);
		put(store, sample->pgrp);
		put(store, sample->session);
	}
}

static void get_identity(const struct thread_store *store, size_t *at, unsigned flags,
                         struct thread_sample *ret)
{
	ret->has_cgroup = flags & HAS_CGROUP;
	ret->cgroup_is_v1 = flags & CGROUP_IS_V1;
	ret->has_exe = flags & HAS_EXE;
	ret->has_cwd = flags & HAS_CWD;
	ret->has_title = flags & HAS_TITLE;
	ret->has_wchan = flags & HAS_WCHAN;
	ret->has_syscall = flags & HAS_SYSCALL;
	ret->has_uid = flags & HAS_UID;
	ret->read_boottime_ns = get(store, at);
	ret->window_part = (enum window_part)get(store, at);
	ret->interval_ns = get(store, at);
	ret->life_ns = get(store, at);
	if (ret->window_part != WINDOW_PART_NONE) {
		ret->run_time_before_ns = get(store, at);
		ret->process_successors = (uint32_t)get(store, at);
	}
	if (flags & HAS_JEMALLOC_TIME) {
		ret->jemalloc_boottime_ns = get(store, at);
		ret->jemalloc_interval_ns = get(store, at);
		ret->jemalloc_program = (uint32_t)get(store, at);
	}
	get_text(store, at, &ret->pcomm);
	get_text(store, at, &ret->comm);
	if (ret->has_cgroup)
		get_text(store, at, &ret->cgroup);
	if (flags & HAS_CGROUPS_V1)
		get_text(store, at, &ret->cgroups_v1);
	if (ret->has_exe)
		get_text(store, at, &ret->exe);
	if (ret->has_cwd)
		get_text(store, at, &ret->cwd);
	if (ret->has_title)
		get_text(store, at, &ret->title);
	if (ret->has_wchan)
		get_text(store, at, &ret->wchan);
	if (ret->has_syscall)
		get_text(store, at, &ret->syscall);
	if (ret->has_uid)
		ret->uid = (uint32_t)get(store, at);
	ret->has_parent = flags & HAS_PARENT;
	if (ret->has_parent) {
		ret->ppid = (uint32_t)get(store, at);
		ret->pgrp = (uint32_t)get(store, at);
		ret->session = (uint32_t)get(store, at);
	}
}

static void put_exit_facts(struct thread_store *store, const struct thread_sample *sample)
{
	put(store, sample->exit_facts_seen);
	for (unsigned i = 0; i < EXIT_FACT_COUNT; i++)
		if (sample_has_exit_fact(sample, (enum exit_fact)i))
			put(store, sample->exit_facts[i]);
}

static void get_exit_facts(const struct thread_store *store, size_t *at, struct thread_sample *ret)
{
	ret->exit_facts_seen = (uint32_t)get(store, at);
	for (unsigned i = 0; i < EXIT_FACT_COUNT; i++)
		if (sample_has_exit_fact(ret, (enum exit_fact)i))
			ret->exit_facts[i] = get(store, at);
}

static void put_totals(struct thread_store *store, const struct thread_sample *sample)
{
	put(store, sample->process_totals_seen);
	put(store, sample->process_totals_impossible);
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (sample_has_said_total(sample, (enum process_total)i))
			put(store, sample->process_totals[i]);
}

static void get_totals(const struct thread_store *store, size_t *at, struct thread_sample *ret)
{
	ret->has_process_totals = true;
	ret->process_totals_seen = (uint32_t)get(store, at);
	ret->process_totals_impossible = (uint32_t)get(store, at);
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (sample_has_said_total(ret, (enum process_total)i))
			ret->process_totals[i] = get(store, at);
}

static void put_smaps(struct thread_store *store, const struct keyed_values *smaps)
{
	put(store, smaps->count);
	for (size_t i = 0; i < smaps->count; i++) {
		put_name(store, smaps->entries[i].key, strlen(smaps->entries[i].key));
		put(store, smaps->entries[i].value);
	}
}

static void get_smaps(const struct thread_store *store, size_t *at, struct thread_sample *ret)
{
	uint64_t count = get(store, at);

	ret->has_smaps = true;
	for (uint64_t i = 0; i < count; i++) {
		const struct strmap_entry *name = get_name(store, at);

		keyed_values_set(&ret->smaps_rollup_kib, name->key, name->key_len, get(store, at));
	}
}

/* Sets and outcomes are those of most other threads, so that they are kept as names are. */
static void put_set(struct thread_store *store, const struct metric_set *set)
{
	put_name(store, set, sizeof(*set));
}

static void get_set(const struct thread_store *store, size_t *at, struct metric_set *ret)
{
	memcpy(ret, get_name(store, at)->key, sizeof(*ret));
}

static bool same_key(const struct thread_key *a, const struct thread_key *b)
{
	return a->tid == b->tid && a->tgid == b->tgid &&
	       a->start_time_clock_ticks == b->start_time_clock_ticks;
}

/* Returns the slot of the tid, or the free one where it belongs. */
static uint32_t *tid_slot(const struct thread_store *store, uint32_t tid)
{
	uint32_t mask = store->slot_count - 1;
	uint32_t slot = (uint32_t)hash_bytes(&store->seed, &tid, sizeof(tid)) & mask;

	while (store->by_tid[slot] != THREAD_STORE_NONE &&
	       store->rows[store->by_tid[slot]].key.tid != tid)
		slot = (slot + 1) & mask;
	return &store->by_tid[slot];
}

/* Returns the slot of tid, tgid and start time, or the free one. */
static uint32_t *key_slot(const struct thread_store *store, const struct thread_key *key)
{
	const uint64_t words[] = {(uint64_t)key->tgid << 32 | key->tid,
	                          key->start_time_clock_ticks};
	uint32_t mask = store->slot_count - 1;
	uint32_t slot = (uint32_t)hash_bytes(&store->seed, words, sizeof(words)) & mask;

	while (store->by_key[slot] != THREAD_STORE_NONE &&
	       !same_key(&store->rows[store->by_key[slot]].key, key))
		slot = (slot + 1) & mask;
	return &store->by_key[slot];
}

static void index_row(struct thread_store *store, uint32_t row)
{
	uint32_t *slot = tid_slot(store, store->rows[row].key.tid);

	store->rows[row].before = *slot;
	*slot = row;
	*key_slot(store, &store->rows[row].key) = row;
}

static uint32_t *free_slots(uint32_t *old, uint32_t count)
{
	uint32_t *slots;

	free(old);
	slots = mem_calloc(count, sizeof(slots[0]));
	memset(slots, 0xff, count * sizeof(slots[0]));
	return slots;
}

/* Doubles the room. Rows are numbered with 32 bits. */
static void grow(struct thread_store *store)
{
	enum { FIRST_ROWS = 256, ROWS_MAX = 1u << 30 };

	if (store->capacity == ROWS_MAX)
		mem_exhausted();
	if (store->capacity == 0)
		store->seed = hash_seed();
	array_reserve(store->rows, store->capacity,
	              store->capacity ? store->capacity + 1 : FIRST_ROWS);
	store->slot_count = 2 * store->capacity;
	store->by_tid = free_slots(store->by_tid, store->slot_count);
	store->by_key = free_slots(store->by_key, store->slot_count);
	for (uint32_t row = 0; row < store->count; row++)
		index_row(store, row);
}

uint32_t thread_store_add(struct thread_store *store, const struct thread_sample *sample)
{
	if (store->count == store->capacity)
		grow(store);
	store->rows[store->count] = (struct thread_store_row){
	        .key = {sample->tid, sample->tgid, sample->start_time_clock_ticks,
	                sample_process_start(sample)},
	        .offset = store->packed.len,
	};
	index_row(store, store->count);

	store->digest = sample->process_successors;
	put_identity(store, sample);
	if (sample->exit_facts_seen != 0)
		put_exit_facts(store, sample);
	if (sample->has_process_totals)
		put_totals(store, sample);
	if (sample->has_smaps)
		put_smaps(store, &sample->smaps_rollup_kib);
	put_set(store, &sample->seen);
	if (any_metric(&sample->malformed))
		put_set(store, &sample->malformed);
	if (any_metric(&sample->skipped))
		put_set(store, &sample->skipped);
	if (any_metric(&sample->impossible))
		put_set(store, &sample->impossible);
	put_name(store, sample->outcomes, sizeof(sample->outcomes));
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (sample_has_said(sample, (enum metric_id)i))
			put_value(store, (enum metric_id)i,
			          sample_value(sample, (enum metric_id)i));
	store->rows[store->count].digest = store->digest;
	return store->count++;
}

size_t thread_store_bytes(const struct thread_store *store)
{
	return store->count * sizeof(store->rows[0]) +
	       2 * store->slot_count * sizeof(store->by_tid[0]) + store->packed.len +
	       store->name_bytes + store->names.count * sizeof(store->names.entries[0]) +
	       store->names.slot_count * sizeof(store->names.slots[0]);
}

void thread_store_get(const struct thread_store *store, uint32_t row, struct thread_sample *ret)
{
	size_t at = (size_t)store->rows[row].offset;
	unsigned flags;

	sample_reset(ret);
	ret->tid = store->rows[row].key.tid;
	ret->tgid = store->rows[row].key.tgid;
	ret->start_time_clock_ticks = store->rows[row].key.start_time_clock_ticks;
	sample_set_process_start(ret, store->rows[row].key.process_start_clock_ticks);
	flags = (unsigned)get(store, &at);
	get_identity(store, &at, flags, ret);
	if (flags & HAS_EXIT)
		get_exit_facts(store, &at, ret);
	if (flags & HAS_TOTALS)
		get_totals(store, &at, ret);
	if (flags & HAS_SMAPS)
		get_smaps(store, &at, ret);
	get_set(store, &at, &ret->seen);
	if (flags & HAS_MALFORMED)
		get_set(store, &at, &ret->malformed);
	if (flags & HAS_SKIPPED)
		get_set(store, &at, &ret->skipped);
	if (flags & HAS_IMPOSSIBLE)
		get_set(store, &at, &ret->impossible);
	memcpy(ret->outcomes, get_name(store, &at)->key, sizeof(ret->outcomes));
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (sample_has_said(ret, (enum metric_id)i))
			get_value(store, &at, (enum metric_id)i,
			          (char *)ret + metric_table[i].offset);
}

uint64_t thread_store_time(const struct thread_store *store, uint32_t row)
{
	size_t at = (size_t)store->rows[row].offset;

	(void)get(store, &at); /* the flags */
	return get(store, &at);
}

uint32_t thread_store_find_key(const struct thread_store *store, const struct thread_key *key)
{
	return store->count > 0 ? *key_slot(store, key) : THREAD_STORE_NONE;
}

uint32_t thread_store_find(const struct thread_store *store, uint32_t tid)
{
	return store->count > 0 ? *tid_slot(store, tid) : THREAD_STORE_NONE;
}

uint32_t thread_store_before(const struct thread_store *store, uint32_t row)
{
	return store->rows[row].before;
}
