// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "group-process.h"
#include "group-rates.h"
#include "group-spread.h"
#include "group/group-elders.h"
#include "group/group-filter.h"
#include "group/group-marks.h"
#include "group/group-pack.h"
#include "group/unread-name.h"
#include "measure/measure.h"

void group_table_init(struct group_table *table, struct group_by by)
{
	*table = (struct group_table){.by = by,
	                              .map = STRMAP_INIT,
	                              .exited = STRMAP_INIT,
	                              .seed = hash_seed(),
	                              .cpu_cgroups = STRMAP_INIT};
}

struct group *group_free(struct group *group, size_t spread_count)
{
	for (size_t i = 0; group->spreads && i < spread_count; i++)
		spread_done(&group->spreads[i]);
	free(group->spreads);
	group_rates_done(group);
	group_marks_done(group);
	group_elders_done(group);
	for (unsigned i = 0; group->cells && i < METRIC_COUNT; i++)
		fold_cell_done((enum metric_id)i, &group->cells[i]);
	free(group->cells);
	free(group->packed);
	free(group->exited);
	free(group->covered);
	free(group);
	return NULL;
}

void group_table_done(struct group_table *table)
{
	for (size_t i = 0; i < table->map.count; i++)
		group_free(table->map.entries[i].value, table->spread_count);
	strmap_done(&table->map);
	for (size_t i = 0; i < table->exited.count; i++)
		free(table->exited.entries[i].value);
	strmap_done(&table->exited);
	strmap_done(&table->cpu_cgroups);
	for (unsigned i = 0; i < GROUP_KEYS_MAX; i++)
		key_names_done(&table->names[i]);
	group_process_done(&table->process);
}

/* Returns a hash of a thread's identity. The sum over a group is its fingerprint, valid in this process only. */
static uint64_t member_hash(const struct hash_seed *seed, uint64_t host_hash, uint32_t tgid,
                            uint32_t tid, uint64_t start_time_clock_ticks)
{
	const uint64_t words[] = {(uint64_t)tgid << 32 | tid, start_time_clock_ticks, host_hash};

	return hash_bytes(seed, words, sizeof(words));
}

/* Returns the group of these names, and makes it if it is new. */
static struct group *group_of(struct group_table *table, const uint32_t numbers[GROUP_KEYS_MAX])
{
	struct strmap_entry *entry = strmap_add(&table->map, (const char *)numbers,
	                                        table->by.count * sizeof(numbers[0]));

	if (!entry->value)
		entry->value = mem_calloc(1, sizeof(struct group));
	return entry->value;
}

static void add_to_cells(struct group *group, const struct thread_sample *sample)
{
	group_open(group);
	for (unsigned word = 0; word < METRIC_SET_WORDS; word++)
		for (uint64_t left = sample->seen.words[word]; left != 0; left &= left - 1) {
			unsigned i = word * 64 + (unsigned)__builtin_ctzll(left);

			fold_sample(sample, (enum metric_id)i, &group->cells[i]);
		}
}

static void add_birth(struct group_table *table, struct group *group, uint64_t birth_clock_ticks)
{
	if (birth_clock_ticks == 0)
		return;
	group->births++;
	saturating_add_to(&group->births_clock_ticks, birth_clock_ticks);
	if (birth_clock_ticks > table->last_birth_clock_ticks)
		table->last_birth_clock_ticks = birth_clock_ticks;
}

/* lived_ns is set by group-rates.c. */
/* clang-format off */
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, ...)                                 \
	_Static_assert((int)SOURCE_##source_ != (int)SOURCE_synthetic ||                           \
			       (int)METRIC_##id_ == (int)METRIC_thread_count ||                    \
			       (int)METRIC_##id_ == (int)METRIC_lived_ns,                          \
		       "metric " #id_ ": nothing makes it");
#include CTPROF_METRICS_DEF
#undef METRIC
/* clang-format on */

/* A thread has the ids of its process from the leader. */
static struct process_ids ids_of_process(struct group_table *table,
                                         const struct thread_sample *sample, struct process_ids ids)
{
	if (sample->tid == sample->tgid) {
		table->last_leader = ids;
		table->leader_group = table->last;
		table->leader_successors = sample->process_successors;
	}
	return process_ids_are_same(&ids, &table->last_leader) ? table->last_leader : ids;
}

static void add_process_ids(struct group *group, const struct process_ids *ids)
{
	if (!group->process.is_known)
		group->process = *ids;
	else if (!process_ids_are_same(&group->process, ids))
		group->several_processes = true;
	else if (!group->process.has_parent)
		group->process = *ids;
}

/* Returns whether the row is of a leader whose process the group has counted: a thread that executed a program took the place of the leader
 * before, whose row is the last one of a leader. */
static bool is_next_leader(const struct group_table *table, const struct thread_sample *sample,
                           const struct process_ids *ids)
{
	return table->leader_group == table->last &&
	       table->leader_successors == sample->process_successors &&
	       process_ids_are_same(ids, &table->last_leader);
}

static void add_part(struct group *group, const struct thread_sample *sample, uint32_t threads,
                     bool is_next)
{
	bool is_passed = sample->window_part == WINDOW_PART_passed,
	     has_ended = sample_ended_inside(sample);
	uint32_t leaders = sample->tid == sample->tgid ? threads : 0;

	group->leaders += is_next ? 0 : leaders;
	group->leaders_read += has_ended ? 0 : leaders;
	group->passed += is_passed ? threads : 0;
	group->ended += has_ended ? threads : 0;
	group->born += is_passed || sample->window_part == WINDOW_PART_born ? threads : 0;
}

static void add_to_group(struct group_table *table, struct thread_sample *sample,
                         const uint32_t numbers[GROUP_KEYS_MAX])
{
	size_t names_len = table->by.count * sizeof(numbers[0]);
	struct group *group = table->last;
	struct fold_cell *cells = NULL;
	struct process_ids ids;
	bool is_next;
	uint32_t threads = sample_threads(sample);
	uint64_t hash = row_host_hash(&table->seed, &sample->host, &sample->boot_id);
	uint64_t member = member_hash(&table->seed, hash, sample->tgid, sample->tid,
	                              sample->start_time_clock_ticks);

	if (!group || memcmp(numbers, table->last_numbers, names_len) != 0) {
		/* Many groups never have a second thread. */
		if (group && group->threads == 1)
			cells = group_pack_leaving_cells(group);
		group = table->last = group_of(table, numbers);
		memcpy(table->last_numbers, numbers, names_len);
		if (!group->cells && !group->packed)
			group->cells = take_ptr(cells);
	}
	free(cells);
	sample_set(sample, thread_count, (struct counter_count){threads});
	group->threads += threads;
	ids = process_ids_of(sample, hash);
	is_next = is_next_leader(table, sample, &ids);
	ids = ids_of_process(table, sample, ids);
	add_process_ids(group, &ids);
	add_part(group, sample, threads, is_next);
	group->several_processes = group->several_processes || threads > 1;
	group->members += member;
	if (sample_is_lost(sample)) {
		group->lost++;
		saturating_add_to(&group->lost_run_ns, sample->run_time_before_ns);
		group->lost_lived_ns += group_rates_age_ns(table, sample);
	}
	if (group_is_continued(sample)) {
		group->continued++;
		group->continued_members += member;
	}
	add_birth(table, group, sample->start_time_clock_ticks);
	add_to_cells(group, sample);
	group_marks_add(group, sample, member);
	if (table->with_elders) {
		group_elders_add(group, sample, member);
		group_add_cpu_cgroup(table, group, sample);
	}
	group_rates_add(table, group, sample);
	group_spread_add(table, group, sample);
}

/* Returns whether a key that is not one of threads has another name for the thread than for the first one of its process. */
static bool is_elsewhere(const struct group_table *table, const uint32_t *numbers)
{
	for (unsigned i = 0; i < table->by.count; i++)
		if (!group_key_is_of_thread(table->by.keys[i]) &&
		    numbers[i] != table->process.names[i])
			return true;
	return false;
}

/* Notes whether the thread, of these names, leaves the group of the process's exited threads unknown. Threads that a filter by threads
 * excludes do not: the exited ones have a name of their own there. */
static void note_place(struct group_table *table, bool wanted, const uint32_t *numbers)
{
	struct group_process *process = &table->process;

	if (!wanted || memcmp(process->names, numbers, table->by.count * sizeof(numbers[0])) != 0)
		process->is_apart = true;
	if (wanted ? is_elsewhere(table, numbers) : !group_by_has_thread_key(&table->filter->by))
		process->is_divided = true;
}

void group_table_add(struct group_table *table, struct thread_sample *sample)
{
	bool first,
	        wanted = !table->filter || group_filter_wants(table->filter, sample, table->host);
	uint32_t numbers[GROUP_KEYS_MAX] = {0};

	if (group_process_is_next(&table->process, sample))
		group_table_finish(table);
	first = !table->process.open;
	group_process_add(&table->process, sample, table->host);
	group_rates_see(table, sample);
	if (first && table->filter)
		table->process.exited_unwanted =
		        !group_filter_wants_exited(table->filter, sample, table->host);
	for (unsigned i = 0; (wanted || first) && i < table->by.count; i++) {
		if (!first && group_key_is_of_process(table->by.keys[i])) {
			numbers[i] = table->process.names[i];
			continue;
		}
		numbers[i] =
		        key_names_of_thread(&table->names[i], &table->by, i, sample, table->host);
		table->name_counts.count++;
		table->name_counts.unread += unread_name_has(table->by.keys[i], sample);
	}
	if (first) {
		table->process.by_thread_names = group_by_has_thread_key(&table->by);
		table->process.by_threads_alone = group_by_has_thread_keys_alone(&table->by);
		memcpy(table->process.names, numbers, sizeof(numbers));
	}
	note_place(table, wanted, numbers);
	if (!wanted)
		return;
	add_to_group(table, sample, numbers);
	group_process_add_group(&table->process, table->last, numbers);
}

/* Sets the names of keys of threads to those of the process's exited threads. */
static void name_exited(struct group_table *table, uint32_t names[GROUP_KEYS_MAX])
{
	const struct group_process *process = &table->process;
	const struct exited_process exited = {
	        process->tgid,         process->start_time_clock_ticks,
	        process->successors,   strbuf_str(&process->pcomm),
	        process->pcomm.len,    &process->host.name,
	        &process->host.boot_id};

	for (unsigned i = 0; i < table->by.count; i++)
		if (group_key_is_of_thread(table->by.keys[i]))
			names[i] = key_names_of_exited(&table->names[i], &table->by, i, &exited,
			                               table->host);
}

/* Returns the hash of the exited threads of the last process. */
static uint64_t exited_hash(const struct group_table *table)
{
	const struct group_process *process = &table->process;

	return member_hash(&table->seed,
	                   row_host_hash(&table->seed, &process->host.name, &process->host.boot_id),
	                   process->tgid, 0, process->start_time_clock_ticks);
}

/* @left_out has a bit for each total whose remainder is in no group. */
static void note_sources(const struct group_table *table, uint32_t left_out, uint32_t *known,
                         uint64_t unknown[PROCESS_SOURCE_COUNT])
{
	const struct group_process *process = &table->process;
	bool knows[PROCESS_SOURCE_COUNT];

	for (unsigned source = 0; source < PROCESS_SOURCE_COUNT; source++)
		knows[source] = group_process_knows(process, (enum process_source)source);
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (left_out >> i & 1)
			knows[process_total_source(i)] = false;
	for (unsigned source = 0; source < PROCESS_SOURCE_COUNT; source++) {
		if (!knows[source])
			unknown[source] += exited_hash(table);
	}
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (knows[process_total_source(i)])
			*known |= process->totals_seen & UINT32_C(1) << i;
}

/* Notes once for a process whether the totals of a name's exited threads are known, with or without work, and whether some have run. */
static void note_exited(struct group_table *table, const uint32_t names[GROUP_KEYS_MAX],
                        uint32_t left_out, uint32_t incomplete, bool ran)
{
	size_t key_len = table->by.count * sizeof(names[0]);
	struct strmap_entry *entry = strmap_add(&table->exited, (const char *)names, key_len);
	struct group *group = strmap_get(&table->map, entry->key, key_len);
	struct exited_note *note = entry->value;

	if (!note)
		note = entry->value = mem_calloc(1, sizeof(*note));
	if (note->of_process == table->process.number)
		return;
	note->of_process = table->process.number;
	note_sources(table, left_out, &note->known, note->unknown);
	note->exited_left_out |= incomplete;
	note->exited_unseen |= ran ? GROUP_EXITED_RAN : 0;
	if (!group)
		return;
	group->known = note->known;
	group->exited_left_out |= note->exited_left_out;
	group->exited_unseen |= note->exited_unseen;
	memcpy(group->unknown, note->unknown, sizeof(group->unknown));
}

static void add_remainders(struct group *group, const uint64_t remainders[PROCESS_TOTAL_COUNT])
{
	if (!group->exited)
		group->exited = mem_calloc(PROCESS_TOTAL_COUNT, sizeof(group->exited[0]));
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		group->exited[i] += remainders[i];
}

/* Adds CPU time that only clock ticks have. */
static void add_unseen_run(const struct group_table *table, struct group *group,
                           const uint64_t remainders[PROCESS_TOTAL_COUNT])
{
	uint64_t ns = group_process_unseen_run_ns(&table->process);

	/* A total that is not known has its mark. */
	if (ns > 0 && group_process_knows(&table->process, PROCESS_SOURCE_schedstat))
		group->exited_left_out |= UINT32_C(1) << PROCESS_TOTAL_run_time_ns;
	saturating_add_to(&group->exited_run_ns, ns);
	saturating_add_to(&group->exited_short_ns,
	                  group_process_short_run_ns(&table->process, remainders));
	if (table->process.exited_interval_ns > 0)
		rate_add(&group->exited_run_rate, ns, table->process.exited_interval_ns);
}

static void add_covered(struct group *group, const struct group_process *process)
{
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		if (!group_process_covers(process, (enum process_total)i))
			continue;
		if (!group->covered)
			group->covered = mem_calloc(PROCESS_TOTAL_COUNT, sizeof(group->covered[0]));
		group->covered[i] += process->covered[i] + process->ended[i];
	}
}

/* Marks the groups of a process whose exited threads may have been in any of them, and notes that in the names that they have beside
 * these groups. */
static void leave_out_exited(struct group_table *table, uint64_t remainders[PROCESS_TOTAL_COUNT])
{
	struct group_process *process = &table->process;
	uint32_t unseen = group_process_unseen(process, remainders), left_out;

	left_out = group_process_left_out(process, remainders);
	for (size_t i = 0; i < process->group_count; i++) {
		struct group_place *place = &process->groups[i];
		struct group *group = place->group;

		if (process->by_thread_names) {
			name_exited(table, place->names);
			note_exited(table, place->names, left_out, left_out, false);
		}
		if (process->by_threads_alone)
			continue;
		note_sources(table, left_out, &group->known, group->unknown);
		group->exited_left_out |= left_out | process->totals_impossible;
		group->exited_unseen |= unseen;
	}
}

void group_table_finish(struct group_table *table)
{
	struct group_process *process = &table->process;
	bool by_thread_names = process->by_thread_names;
	uint64_t remainders[PROCESS_TOTAL_COUNT];
	struct group *group;
	uint32_t incomplete;
	bool any, ran;

	if (!process->open)
		return;
	process->is_apart = process->is_apart || by_thread_names;
	any = group_process_close(process, remainders);
	if (process->is_divided) {
		leave_out_exited(table, remainders);
		return;
	}
	if (process->exited_unwanted)
		return;
	name_exited(table, process->names);
	if (by_thread_names) {
		incomplete = group_process_incomplete(process, remainders);
		ran = incomplete != 0 && group_process_unseen(process, remainders) != 0;
		any = any && group_process_remove_rounding(process, remainders);
		if (any)
			group_of(table, process->names);
		note_exited(table, process->names, 0, incomplete, ran);
	} else {
		group = group_of(table, process->names);
		note_sources(table, 0, &group->known, group->unknown);
		add_covered(group, process);
		group->exited_left_out |= process->totals_impossible;
		group->exited_unseen |= group_process_unseen(process, remainders);
	}
	if (!any)
		return;
	if (table->filter)
		table->filter->found = true;
	group = group_of(table, process->names);
	if (group->threads == 0)
		group->members += exited_hash(table);
	add_remainders(group, remainders);
	group_rates_add_exited(table, group, remainders);
	add_unseen_run(table, group, remainders);
}

void group_table_complete(struct group_table *table, const struct group_table *other)
{
	static const uint64_t nothing[PROCESS_TOTAL_COUNT];

	for (size_t i = 0; i < other->exited.count; i++) {
		const struct strmap_entry *theirs = &other->exited.entries[i];
		uint32_t numbers[GROUP_KEYS_MAX];
		const struct exited_note *note;
		struct group *group;
		bool named = strmap_get(&other->map, theirs->key, theirs->key_len) != NULL;

		for (unsigned key = 0; named && key < table->by.count; key++) {
			struct span pattern = group_table_pattern(other, theirs, key);

			named = strmap_find(&table->names[key].map, pattern.text, pattern.len,
			                    &numbers[key]);
		}
		note = named ? strmap_get(&table->exited, (const char *)numbers, theirs->key_len)
		             : NULL;
		if (!note || strmap_get(&table->map, (const char *)numbers, theirs->key_len))
			continue;
		group = group_of(table, numbers);
		group->known = note->known;
		group->exited_left_out = note->exited_left_out;
		group->exited_unseen = note->exited_unseen;
		memcpy(group->unknown, note->unknown, sizeof(group->unknown));
		add_remainders(group, nothing);
	}
}

void group_table_forget(struct group_table *table, const struct metric_set *metrics)
{
	static const struct metric_set none;
	bool any = !metric_set_equal(metrics, &none);

	for (size_t g = 0; g < table->map.count; g++) {
		struct group *group = table->map.entries[g].value;

		if (any)
			group_open(group);
		for (unsigned i = 0; any && i < METRIC_COUNT; i++)
			if (metric_set_has(metrics, (enum metric_id)i))
				fold_cell_done((enum metric_id)i, &group->cells[i]);
		if (any && group->threads <= 1)
			group_pack(group);
		for (size_t i = 0; group->spreads && i < table->spread_count; i++)
			if (measure_has_any(table->spread_measures[i], metrics))
				spread_done(&group->spreads[i]);
	}
}

void group_merge(struct group *into, const struct group *maybe_packed, size_t spread_count)
{
	cleanup_(group_reader_done) struct group_reader reader = {0};
	const struct group *from = group_read(&reader, maybe_packed);

	group_open(into);
	into->threads += from->threads;
	if (from->process.is_known)
		add_process_ids(into, &from->process);
	into->several_processes = into->several_processes || from->several_processes;
	into->leaders += from->leaders;
	into->leaders_read += from->leaders_read;
	into->ended += from->ended;
	into->passed += from->passed;
	into->born += from->born;
	into->lost += from->lost;
	saturating_add_to(&into->lost_run_ns, from->lost_run_ns);
	into->lost_lived_ns += from->lost_lived_ns;
	into->continued += from->continued;
	into->continued_members += from->continued_members;
	group_note_cpu_cgroup(into, from->cpu_cgroup);
	into->several_cpu_cgroups = into->several_cpu_cgroups || from->several_cpu_cgroups;
	into->exited_left_out |= from->exited_left_out;
	into->exited_unseen |= from->exited_unseen;
	into->known |= from->known;
	into->members += from->members;
	into->births += from->births;
	saturating_add_to(&into->births_clock_ticks, from->births_clock_ticks);
	for (unsigned i = 0; i < PROCESS_SOURCE_COUNT; i++)
		into->unknown[i] += from->unknown[i];
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		fold_merge((enum metric_id)i, &into->cells[i], &from->cells[i]);
	if (from->exited && !into->exited)
		into->exited = mem_calloc(PROCESS_TOTAL_COUNT, sizeof(into->exited[0]));
	for (unsigned i = 0; from->exited && i < PROCESS_TOTAL_COUNT; i++)
		into->exited[i] += from->exited[i];
	saturating_add_to(&into->exited_run_ns, from->exited_run_ns);
	saturating_add_to(&into->exited_short_ns, from->exited_short_ns);
	rate_merge(&into->exited_run_rate, from->exited_run_rate);
	if (from->covered && !into->covered)
		into->covered = mem_calloc(PROCESS_TOTAL_COUNT, sizeof(into->covered[0]));
	for (unsigned i = 0; from->covered && i < PROCESS_TOTAL_COUNT; i++)
		into->covered[i] += from->covered[i];
	group_rates_merge(into, from);
	group_marks_merge(into, from);
	group_elders_merge(into, from);
	if (!from->spreads)
		return;
	if (!into->spreads)
		into->spreads = mem_calloc(spread_count, sizeof(into->spreads[0]));
	for (size_t i = 0; i < spread_count; i++)
		spread_merge(&into->spreads[i], &from->spreads[i]);
}

struct group *group_table_total(const struct group_table *table)
{
	cleanup_(group_reader_done) struct group_reader reader = {0};
	struct group *total = mem_calloc(1, sizeof(*total));

	group_open(total);
	/* The total has no distributions. */
	for (size_t g = 0; g < table->map.count; g++) {
		struct group group = *group_read(&reader, table->map.entries[g].value);

		group.spreads = NULL;
		group_merge(total, &group, 0);
	}
	return total;
}

struct derive_inputs group_inputs(const struct group *group, const struct rate_list *list,
                                  const struct derive_frame *frame)
{
	return (struct derive_inputs){
	        .cells = group->cells,
	        .exited = group->exited,
	        .covered = group->covered,
	        .rate_list = list,
	        .rates = group->rates_unknown ? NULL : group->rates,
	        .before = group->before,
	        .delays_beyond = group->delays_beyond,
	        .frame = frame,
	};
}
