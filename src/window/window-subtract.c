// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-subtract.h"
#include "window-unjoined.h"

#include <string.h>

#include "base/mem.h"

bool window_get_counter(const struct thread_sample *sample, enum metric_id metric,
                        uint64_t *ret_value)
{
	if (!sample_has_said(sample, metric))
		return false;
	*ret_value = sample_number(sample, metric);
	return true;
}

/* Subtracts a value, in place, that both readings have. Returns whether the result is known. */
static bool subtract(struct thread_sample *sample, const struct thread_sample *first,
                     enum metric_id metric, uint64_t *went_back)
{
	uint64_t now = sample_number(sample, metric), then = sample_number(first, metric);

	switch (window_treatment_of(metric)) {
	case TREAT_DIFFERENCE:
		if (now < then) {
			(*went_back)++;
			return false;
		}
		sample_replace_number(sample, metric, now - then);
		return true;
	case TREAT_RISEN:
		return now > then;
	case TREAT_FALLEN:
		/* 0 means that there was no event yet. */
		return now != 0 && (then == 0 || now < then);
	case TREAT_END:
		break;
	}
	return true;
}

static bool has_fallen(const struct thread_sample *sample, const struct thread_sample *first,
                       enum metric_id metric)
{
	return metric_set_has(&sample->seen, metric) && metric_set_has(&first->seen, metric) &&
	       sample_number(sample, metric) < sample_number(first, metric);
}

/* Returns the length of the path of an executable without the words that the kernel adds when the file is removed or
 * replaced. */
static size_t path_len(const struct strbuf *exe)
{
	static const char deleted[] = " (deleted)";
	size_t len = sizeof(deleted) - 1;

	return exe->len > len && memcmp(strbuf_str(exe) + exe->len - len, deleted, len) == 0
	               ? exe->len - len
	               : exe->len;
}

/* Compares the executables. If one is not known, as in snapshots without names, or of a zombie, it compares the names
 * of the process, which it may have changed by itself: a missing value is better than a wrong one. */
bool window_is_other_program(const struct thread_sample *sample, const struct thread_sample *first)
{
	/* Both are empty for a kernel thread, whose name shows its current work. */
	if (sample->has_exe && first->has_exe && (sample->exe.len > 0) == (first->exe.len > 0))
		return path_len(&sample->exe) != path_len(&first->exe) ||
		       memcmp(strbuf_str(&sample->exe), strbuf_str(&first->exe),
		              path_len(&first->exe)) != 0;
	return sample->pcomm.len > 0 && first->pcomm.len > 0 &&
	       !strbuf_equal(&sample->pcomm, &first->pcomm);
}

/* Returns whether the process has executed a program, the same one or not. Without these numbers that is not known. */
static bool has_executed(const struct thread_sample *sample, const struct thread_sample *first)
{
	return sample->jemalloc_program > 0 && first->jemalloc_program > 0 &&
	       sample->jemalloc_program != first->jemalloc_program;
}

/* jemalloc counts from the start of a program, and not from the birth of a thread. If the thread has executed another
 * one in between, neither of its counters is of use, though perhaps only one of them has gone back. */
static void forget_other_program(struct thread_sample *sample, const struct thread_sample *first,
                                 uint64_t *went_back)
{
	/* Only a program that was executed in between ends that. */
	bool was_forked = metric_set_has(&first->impossible, METRIC_allocated_bytes) ||
	                  metric_set_has(&first->impossible, METRIC_deallocated_bytes);

	if (!metric_set_has(&sample->seen, METRIC_allocated_bytes) &&
	    !metric_set_has(&sample->seen, METRIC_deallocated_bytes))
		return;
	if (!was_forked && !has_executed(sample, first) &&
	    !window_is_other_program(sample, first) &&
	    !has_fallen(sample, first, METRIC_allocated_bytes) &&
	    !has_fallen(sample, first, METRIC_deallocated_bytes))
		return;
	metric_set_remove(&sample->seen, METRIC_allocated_bytes);
	metric_set_remove(&sample->seen, METRIC_deallocated_bytes);
	sample->outcomes[SOURCE_jemalloc] = OUTCOME_malformed;
	(*went_back)++;
}

/* Every reading by BPF splits the CPU time of a thread into modes anew. If one mode would go back by that, the other
 * one has the difference, as in the kernel's own files. Rounding removes up to a tick from the sum. */
static void keep_rising(uint64_t *user, uint64_t *system, uint64_t user_then, uint64_t system_then)
{
	uint64_t now, then;

	if (__builtin_add_overflow(*user, *system, &now) ||
	    __builtin_add_overflow(user_then, system_then, &then) || now + 1 < then)
		return;
	if (now < then)
		now = then;
	if (*user < user_then)
		*user = user_then;
	else if (now - *user < system_then)
		*user = now - system_then;
	*system = now - *user;
}

static void settle_cpu_time(struct thread_sample *sample, const struct thread_sample *first)
{
	uint64_t user, system, user_then, system_then;

	if (!window_get_counter(sample, METRIC_utime_clock_ticks, &user) ||
	    !window_get_counter(sample, METRIC_stime_clock_ticks, &system) ||
	    !window_get_counter(first, METRIC_utime_clock_ticks, &user_then) ||
	    !window_get_counter(first, METRIC_stime_clock_ticks, &system_then))
		return;
	keep_rising(&user, &system, user_then, system_then);
	sample_replace_number(sample, METRIC_utime_clock_ticks, user);
	sample_replace_number(sample, METRIC_stime_clock_ticks, system);
}

static void settle_total_cpu_time(struct thread_sample *sample, const struct thread_sample *first)
{
	const enum process_total user = PROCESS_TOTAL_utime_clock_ticks;
	const enum process_total system = PROCESS_TOTAL_stime_clock_ticks;

	if (sample_has_said_total(sample, user) && sample_has_said_total(sample, system) &&
	    sample_has_said_total(first, user) && sample_has_said_total(first, system))
		keep_rising(&sample->process_totals[user], &sample->process_totals[system],
		            first->process_totals[user], first->process_totals[system]);
}

static void forget(struct thread_sample *sample, enum metric_id metric)
{
	metric_set_remove(&sample->seen, metric);
	metric_set_remove(&sample->impossible, metric);
}

/* Two readings that are too long by the same wait have a true difference. */
static void believe(struct thread_sample *sample, enum metric_id metric)
{
	metric_set_remove(&sample->impossible, metric);
	metric_set_add(&sample->seen, metric);
}

bool window_is_behind(const struct thread_sample *sample, const struct thread_sample *first)
{
	static const enum metric_id rising[] = {
	        METRIC_run_time_ns,   METRIC_timeslices,
	        METRIC_voluntary_csw, METRIC_nonvoluntary_csw,
	        METRIC_minflt,        METRIC_majflt,
	        METRIC_rchar,         METRIC_wchar,
	        METRIC_syscr,         METRIC_syscw,
	        METRIC_read_bytes,    METRIC_write_bytes,
	};

	for (size_t i = 0; i < ARRAY_SIZE(rising); i++)
		if (has_fallen(sample, first, rising[i]))
			return true;
	return false;
}

void window_subtract(struct thread_sample *sample, const struct thread_sample *first,
                     uint64_t *went_back)
{
	forget_other_program(sample, first, went_back);
	settle_cpu_time(sample, first);
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		if (!sample_has_said(sample, metric) || window_treatment_of(metric) == TREAT_END)
			continue;
		if (metric_set_has(&first->skipped, metric))
			metric_set_add(&sample->skipped, metric);
		if (!sample_has_said(first, metric) || !subtract(sample, first, metric, went_back))
			forget(sample, metric);
		else if (window_treatment_of(metric) == TREAT_DIFFERENCE)
			believe(sample, metric);
	}
}

void window_forget(struct thread_sample *sample, const enum source_outcome rules[SOURCE_COUNT])
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_source source = metric_table[i].source;
		enum source_outcome *outcome = &sample->outcomes[source];

		if (window_treatment_of((enum metric_id)i) == TREAT_END)
			continue;
		forget(sample, (enum metric_id)i);
		if (source != SOURCE_synthetic && rules[source] == OUTCOME_read &&
		    (*outcome == OUTCOME_unneeded || *outcome == OUTCOME_read))
			*outcome = OUTCOME_unjoined;
	}
}

/* Only the sum of user and system time is exact, so both are raised or none. */
static void raise_cpu_time(const struct thread_sample *sample, struct thread_sample *first,
                           const uint64_t sums[PROCESS_TOTAL_COUNT])
{
	enum { USER = PROCESS_TOTAL_utime_clock_ticks, SYSTEM = PROCESS_TOTAL_stime_clock_ticks };
	const uint64_t *last = sample->process_totals;
	uint64_t now = saturating_add(last[USER], last[SYSTEM]);
	uint64_t then = saturating_add(first->process_totals[USER], first->process_totals[SYSTEM]);
	uint64_t sum = saturating_add(sums[USER], sums[SYSTEM]);
	const uint64_t *from = sum <= now ? sums : last;

	if (sum <= then || now < then)
		return;
	first->process_totals[USER] = from[USER];
	first->process_totals[SYSTEM] = from[SYSTEM];
}

/* Raises the totals of the first reading to the sums over its rows, but not above those of the last reading. */
static void raise_totals(const struct thread_sample *sample, struct thread_sample *first,
                         const uint64_t sums[PROCESS_TOTAL_COUNT])
{
	raise_cpu_time(sample, first, sums);
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		uint64_t last = sample->process_totals[i];
		uint64_t sum = sums[i] < last ? sums[i] : last;

		if (metric_unit(process_total_table[i].metric) != UNIT_ticks &&
		    first->process_totals[i] < sum)
			first->process_totals[i] = sum;
	}
}

void window_subtract_totals(struct thread_sample *sample, struct thread_sample *first,
                            const uint64_t sums[PROCESS_TOTAL_COUNT])
{
	uint32_t known = 0;

	raise_totals(sample, first, sums);
	settle_total_cpu_time(sample, first);
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		uint64_t *total = &sample->process_totals[i];

		if (!sample_has_said_total(sample, (enum process_total)i) ||
		    !sample_has_said_total(first, (enum process_total)i) ||
		    *total < first->process_totals[i])
			continue;
		*total -= first->process_totals[i];
		known |= UINT32_C(1) << i;
	}
	sample_forget_totals(sample);
	sample->process_totals_seen = known;
	sample->has_process_totals = known != 0;
}

static void subtract_fact(enum fact_window window, struct fact_value *value,
                          const struct fact_value *first)
{
	if (window == FACT_WINDOW_END || value->state == FACT_UNSEEN)
		return;
	if (value->state != FACT_NUMBER || !first || first->state != FACT_NUMBER ||
	    value->number < first->number ||
	    (window == FACT_WINDOW_RISEN && value->number == first->number))
		fact_clear(value);
	else if (window == FACT_WINDOW_DIFFERENCE &&
	         __builtin_sub_overflow(value->number, first->number, &value->number))
		fact_clear(value);
}

/* Keys that are not in the registry are counters, like all sums. Without the file of the same cgroup at the begin none has a
 * difference: a list without keys would say that all are 0. */
static void subtract_list(enum cgroup_list_id list, struct cgroup_stats *stats,
                          const struct cgroup_stats *before)
{
	struct keyed_values *values = &stats->lists[list];
	const struct keyed_values *first =
	        before && before->has_list[list] ? &before->lists[list] : NULL;
	struct keyed_values kept = {0};

	for (size_t i = 0; i < values->count; i++) {
		const char *key = values->entries[i].key;
		uint64_t value = values->entries[i].value;
		const struct keyed_value *then;

		if (cgroup_key_find(list, key)->rule == FACT_RULE_SUM) {
			then = first ? keyed_values_find(first, key, strlen(key), i) : NULL;
			if (!then && !(first && cgroup_list_omits_zeros(list)))
				continue;
			if (then && value < then->value)
				continue;
			value -= then ? then->value : 0;
		}
		keyed_values_set(&kept, key, strlen(key), value);
	}
	keyed_values_done(values);
	*values = kept;
	stats->has_list[list] = stats->has_list[list] && (first || kept.count > 0);
}

/* Two readings in the wrong order have no interval between them. */
static void set_interval(struct cgroup_stats *stats, const struct cgroup_stats *first)
{
	stats->interval_ns = 0;
	if (first && first->read_boottime_ns > 0 &&
	    stats->read_boottime_ns > first->read_boottime_ns)
		stats->interval_ns = stats->read_boottime_ns - first->read_boottime_ns;
}

/* Returns whether a counter went back that never does in the life of a cgroup. */
static bool has_gone_back(const struct cgroup_stats *stats, const struct cgroup_stats *first)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct fact_value *now = &stats->values[i], *then = &first->values[i];

		if (cgroup_value_table[i].window == FACT_WINDOW_DIFFERENCE &&
		    now->state == FACT_NUMBER && then->state == FACT_NUMBER &&
		    now->number < then->number)
			return true;
	}
	return false;
}

static bool have_ids(const struct cgroup_stats *stats, const struct cgroup_stats *first)
{
	return stats->ids.count > 0 && first->ids.count > 0;
}

/* Returns whether the two are of different cgroups in the hierarchy that has the object. One of version 1 may have been made anew in
 * some hierarchies only. */
static bool is_other(const struct cgroup_stats *stats, const struct cgroup_stats *first,
                     const char *object)
{
	return have_ids(stats, first) ? cgroup_stats_are_others(stats, first, object)
	                              : has_gone_back(stats, first);
}

bool window_is_remade_cgroup(const struct cgroup_stats *stats, const struct cgroup_stats *first)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if ((cgroup_value_table[i].version == 1) == stats->is_v1 &&
		    is_other(stats, first, cgroup_value_table[i].object))
			return true;
	return false;
}

void window_subtract_cgroup(struct cgroup_stats *stats, const struct cgroup_stats *first)
{
	bool is_whole =
	        first && (stats->is_v1 ? have_ids(stats, first) || !has_gone_back(stats, first)
	                               : !window_is_remade_cgroup(stats, first));
	bool others[CGROUP_VALUE_COUNT];

	if (is_whole)
		window_note_unjoined(stats, first);
	/* The values change below, and with them the answer. */
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		others[i] = !first || is_other(stats, first, cgroup_value_table[i].object);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		subtract_list((enum cgroup_list_id)i, stats,
		              is_whole && !cgroup_stats_are_others(stats, first,
		                                                   cgroup_list_table[i].object)
		                      ? first
		                      : NULL);
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		subtract_fact(cgroup_value_table[i].window, &stats->values[i],
		              others[i] ? NULL : &first->values[i]);
	window_subtract_psi(&stats->psi, is_whole ? &first->psi : NULL);
	set_interval(stats, is_whole ? first : NULL);
}

void window_subtract_psi(struct psi *psi, const struct psi *first)
{
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++) {
			struct psi_line *line = &psi->lines[resource][row];
			const struct psi_line *then = first ? &first->lines[resource][row] : NULL;

			if (!line->seen)
				continue;
			if (!then || !then->seen || line->total_usec < then->total_usec)
				line->seen = false;
			else
				line->total_usec -= then->total_usec;
		}
}

static void copy_map(struct host *to, enum host_field field, const struct host_map *from)
{
	host_map_clear(to, field);
	for (size_t i = 0; i < from->count; i++)
		host_map_set(to, field, from->entries[i].name, from->entries[i].text,
		             strlen(from->entries[i].text));
}

void window_subtract_host(struct host *host, const struct host *first)
{
	for (size_t i = 0; i < HOST_PAIRS; i++)
		if (host->seen[host_pairs[i].now] && first->seen[host_pairs[i].now])
			copy_map(host, host_pairs[i].before, &first->maps[host_pairs[i].now]);
		else
			host_map_clear(host, host_pairs[i].before);
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++) {
		if (!host_field_table[i].counts || !host->seen[i])
			continue;
		/* No snapshot has a larger number. */
		if (!first->seen[i] || host->numbers[i] > INT64_MAX ||
		    host->numbers[i] < first->numbers[i])
			host_forget(host, (enum host_field)i);
		else
			host->numbers[i] -= first->numbers[i];
	}
}
