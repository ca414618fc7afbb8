// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot-reference.h"

#include <string.h>

/* The flags of a newer row that show which values it measured. */
enum {
	FLAG_NONE = 0,
	FLAG_CPU_DELAY = 1 << REFERENCE_KEY_cpu_delay_active,
	FLAG_BLOCK_DELAY = 1 << REFERENCE_KEY_block_delay_active,
	FLAG_XACCT = 1 << REFERENCE_KEY_xacct_active,
	FLAG_JEMALLOC = 1 << REFERENCE_KEY_jemalloc_measured,
	FLAG_TASKSTATS = 1 << REFERENCE_KEY_taskstats_measured,
	FLAGS_OF_TASKSTATS = FLAG_CPU_DELAY | FLAG_BLOCK_DELAY | FLAG_XACCT,
};

const char *const reference_key_names[REFERENCE_KEY_COUNT] = {
        [REFERENCE_KEY_smaps_rollup_kb] = "smaps_rollup_kb",
        [REFERENCE_KEY_taskstats_measured] = "taskstats_measured",
        [REFERENCE_KEY_cpu_delay_active] = "cpu_delay_active",
        [REFERENCE_KEY_block_delay_active] = "delay_block_active",
        [REFERENCE_KEY_xacct_active] = "xacct_active",
        [REFERENCE_KEY_jemalloc_measured] = "jemalloc_measured",
};

struct reference_metric {
	enum metric_id metric;
	enum reference_family family;
	unsigned flag;
};

/* clang-format off */
const struct reference_family_desc reference_family_table[REFERENCE_FAMILY_COUNT] = {
#define REFERENCE_FAMILY(id_, name_, group_, zeros_)                                               \
	[REFERENCE_FAMILY_##id_] = {name_, group_, REFERENCE_ZEROS_##zeros_},
#include "reference.def"
};

static const struct reference_metric reference_metrics[] = {
#define REFERENCE_METRIC(metric_, family_, flag_)                                                  \
	{METRIC_##metric_, REFERENCE_FAMILY_##family_, FLAG_##flag_},
#include "reference.def"
};
/* clang-format on */

_Static_assert(REFERENCE_FAMILY_COUNT <= 32, "a set of families has 32 bits");
_Static_assert(CGROUP_VALUE_COUNT <= 64, "the nulls of a cgroup have 64 bits");

static bool sets_meet(const struct metric_set *a, const struct metric_set *b)
{
	for (unsigned i = 0; i < METRIC_SET_WORDS; i++)
		if (a->words[i] & b->words[i])
			return true;
	return false;
}

static void set_remove(struct metric_set *set, const struct metric_set *metrics)
{
	for (unsigned i = 0; i < METRIC_SET_WORDS; i++)
		set->words[i] &= ~metrics->words[i];
}

static void set_keep(struct metric_set *set, const struct metric_set *metrics)
{
	for (unsigned i = 0; i < METRIC_SET_WORDS; i++)
		set->words[i] &= metrics->words[i];
}

void reference_add_metrics(uint32_t families, struct metric_set *metrics)
{
	for (size_t i = 0; i < ARRAY_SIZE(reference_metrics); i++)
		if (reference_has(families, reference_metrics[i].family))
			metric_set_add(metrics, reference_metrics[i].metric);
}

void reference_rows_init(struct reference_rows *rows)
{
	*rows = (struct reference_rows){0};
	for (unsigned i = 0; i < REFERENCE_FAMILY_COUNT; i++)
		reference_add_metrics(UINT32_C(1) << i, &rows->families[i]);
}

void reference_row_begin(struct reference_rows *rows)
{
	rows->row = (struct reference_row){0};
}

bool reference_row_is_unread(struct reference_rows *rows, enum metric_id metric, const char *text,
                             size_t len)
{
	if (metric == METRIC_policy && len == 0)
		return rows->row.no_policy = true;
	if (metric == METRIC_state && len == 1 && text[0] == '~')
		rows->row.no_state = true;
	return false;
}

/* Returns the first key that the tool always writes and the row lacks, or NULL. The state was added later. */
static const char *missing_key(const struct reference_row *row, const struct thread_sample *sample)
{
	if (!sample->has_cgroup)
		return "cgroup";
	for (size_t i = 0; i < ARRAY_SIZE(reference_metrics); i++) {
		enum metric_id metric = reference_metrics[i].metric;

		if (metric != METRIC_state && !metric_set_has(&row->keys, metric))
			return metric_table[metric].name;
	}
	return row->has_smaps ? NULL : "smaps_rollup_kib";
}

/* A value other than zero was read in any case. */
static void forget_zeros(struct reference_rows *rows, enum reference_family family,
                         struct thread_sample *sample)
{
	struct metric_set zeros = rows->families[family];

	set_remove(&zeros, &rows->row.nonzero);
	set_remove(&sample->seen, &zeros);
}

/* Removes the values that the flags of a newer row call not measured. */
static void forget_unmeasured(struct reference_rows *rows, struct thread_sample *sample)
{
	unsigned off = rows->row.flags_there & ~rows->row.flags;

	if (off & FLAG_TASKSTATS) {
		off |= FLAGS_OF_TASKSTATS;
		sample->outcomes[SOURCE_taskstats] = OUTCOME_denied;
	}
	for (size_t i = 0; off && i < ARRAY_SIZE(reference_metrics); i++)
		if (reference_metrics[i].flag & off) {
			struct metric_set one = {{0}};

			metric_set_add(&one, reference_metrics[i].metric);
			set_remove(&sample->seen, &one);
			rows->unmeasured |= UINT32_C(1) << reference_metrics[i].family;
		}
}

static void note_families(struct reference_rows *rows, const struct thread_sample *sample)
{
	struct metric_set nonzero = rows->row.nonzero;

	set_keep(&nonzero, &sample->seen);
	for (unsigned i = 0; i < REFERENCE_FAMILY_COUNT; i++) {
		rows->seen |= (uint32_t)sets_meet(&rows->families[i], &sample->seen) << i;
		rows->nonzero |= (uint32_t)sets_meet(&rows->families[i], &nonzero) << i;
	}
}

/* Removes families without one event, which stand for missing files: a thread has a policy and a state, and no jemalloc
 * that never allocated. */
static void forget_unread(struct reference_rows *rows, struct thread_sample *sample)
{
	const struct reference_row *row = &rows->row;

	if (row->no_policy)
		forget_zeros(rows, REFERENCE_FAMILY_stat, sample);
	if (row->no_state || !metric_set_has(&row->keys, METRIC_state))
		forget_zeros(rows, REFERENCE_FAMILY_status, sample);
	if (!metric_set_has(&row->nonzero, METRIC_nr_threads)) {
		const struct metric_set nr_threads = {
		        {[METRIC_nr_threads / 64] = UINT64_C(1) << (METRIC_nr_threads % 64)}};

		set_remove(&sample->seen, &nr_threads);
	}
	if (!(row->flags_there & FLAG_JEMALLOC) &&
	    !sets_meet(&row->nonzero, &rows->families[REFERENCE_FAMILY_jemalloc]))
		forget_zeros(rows, REFERENCE_FAMILY_jemalloc, sample);
	sample->has_cgroup = sample->cgroup.len > 0;
	sample->has_smaps = sample->smaps_rollup_kib.count > 0;
}

void reference_row_finish(struct reference_rows *rows, struct thread_sample *sample,
                          bool has_foreign)
{
	const char *missing = missing_key(&rows->row, sample);
	uint64_t index = rows->count++;

	if (index == 0 || sample->tgid != rows->tgid)
		rows->processes++;
	rows->tgid = sample->tgid;
	if (missing || has_foreign) {
		if (!rows->has_other) {
			rows->has_other = true;
			rows->other = index;
			rows->other_lacks = missing;
		}
		return;
	}
	rows->unflagged = rows->unflagged || rows->row.flags_there == 0;
	forget_unmeasured(rows, sample);
	note_families(rows, sample);
	forget_unread(rows, sample);
}

static bool line_is_zero(const struct psi_line *line)
{
	return line->averages[PSI_AVERAGE_avg10] == 0 && line->averages[PSI_AVERAGE_avg60] == 0 &&
	       line->averages[PSI_AVERAGE_avg300] == 0 && line->total_usec == 0;
}

/* Zeros stand for missing files: all of them, or those about interrupts, which not every kernel has. */
static void finish_psi(struct psi *psi)
{
	bool any = false;

	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++)
			any = any || !line_is_zero(&psi->lines[resource][row]);
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++) {
			struct psi_line *line = &psi->lines[resource][row];

			if (!any || (resource == PSI_irq && line_is_zero(line)))
				line->seen = false;
		}
}

/* Returns whether the tool writes this value of a cgroup. */
static bool tool_has_value(unsigned value)
{
	switch ((enum cgroup_value_id)value) {
	case CGROUP_VALUE_cpu_usage_usec:
	case CGROUP_VALUE_nr_throttled:
	case CGROUP_VALUE_throttled_usec:
	case CGROUP_VALUE_cpu_max_quota_us:
	case CGROUP_VALUE_cpu_max_period_us:
	case CGROUP_VALUE_cpu_weight:
	case CGROUP_VALUE_cpu_weight_nice:
	case CGROUP_VALUE_memory_current:
	case CGROUP_VALUE_memory_max:
	case CGROUP_VALUE_memory_high:
	case CGROUP_VALUE_memory_low:
	case CGROUP_VALUE_memory_min:
	case CGROUP_VALUE_pids_current:
	case CGROUP_VALUE_pids_max:
		return true;
	default:
		return false;
	}
}

static bool is_of_tool(const struct cgroup_stats *stats)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if (stats->values[i].state != FACT_UNSEEN && !tool_has_value(i))
			return false;
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		if (stats->has_list[i] && i != CGROUP_LIST_memory_stat &&
		    i != CGROUP_LIST_memory_events)
			return false;
	return !stats->is_v1;
}

static bool is_seen(const struct cgroup_stats *stats, enum cgroup_value_id value)
{
	return stats->values[value].state != FACT_UNSEEN;
}

/* Reads a null limit: "max" if the controller is there. */
static void finish_limit(struct cgroup_stats *stats, enum cgroup_value_id value, bool controller)
{
	if (!is_seen(stats, value) && controller)
		fact_set_unlimited(&stats->values[value]);
}

/* Removes a zero that stands for a missing file, without the controller. */
static void finish_zero(struct cgroup_stats *stats, enum cgroup_value_id value, bool controller)
{
	struct fact_value *here = &stats->values[value];

	if (!controller && here->state == FACT_NUMBER && here->number == 0)
		fact_clear(here);
}

void reference_cgroup_finish(struct cgroup_stats *stats, uint64_t nulls)
{
	bool cpu, memory, pids;

	if (!is_of_tool(stats))
		return;
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if ((nulls >> i) & 1)
			fact_clear(&stats->values[i]);
	/* The files of one controller come together; null in these means a missing file. */
	cpu = is_seen(stats, CGROUP_VALUE_cpu_weight);
	memory = is_seen(stats, CGROUP_VALUE_memory_low) || is_seen(stats, CGROUP_VALUE_memory_min);
	pids = is_seen(stats, CGROUP_VALUE_pids_current);
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		if (!((nulls >> i) & 1))
			continue;
		if (i == CGROUP_VALUE_cpu_max_quota_us)
			finish_limit(stats, CGROUP_VALUE_cpu_max_quota_us, cpu);
		else if (i == CGROUP_VALUE_memory_max || i == CGROUP_VALUE_memory_high)
			finish_limit(stats, (enum cgroup_value_id)i, memory);
		else if (i == CGROUP_VALUE_pids_max)
			finish_limit(stats, CGROUP_VALUE_pids_max, pids);
	}
	finish_zero(stats, CGROUP_VALUE_cpu_usage_usec, cpu);
	finish_zero(stats, CGROUP_VALUE_nr_throttled, cpu);
	finish_zero(stats, CGROUP_VALUE_throttled_usec, cpu);
	finish_zero(stats, CGROUP_VALUE_memory_current, memory);
	/* Without a quota, the period is a default. */
	if (!is_seen(stats, CGROUP_VALUE_cpu_max_quota_us))
		fact_clear(&stats->values[CGROUP_VALUE_cpu_max_period_us]);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		stats->has_list[i] = stats->has_list[i] && stats->lists[i].count > 0;
	finish_psi(&stats->psi);
}

static bool is_taskstats(unsigned family)
{
	return strcmp(reference_family_table[family].group, source_table[SOURCE_taskstats].name) ==
	       0;
}

/* Returns whether a family that is zero in every thread was not read. */
static bool is_missing(const struct reference_rows *rows, unsigned family,
                       const struct snapshot_info *info)
{
	switch (reference_family_table[family].zeros) {
	case REFERENCE_ZEROS_ROWS:
		return family == REFERENCE_FAMILY_jemalloc && rows->unflagged;
	case REFERENCE_ZEROS_WHOLE:
		/* If the kernel has sched_ext, zeros mean that no thread is under it. */
		return family != REFERENCE_FAMILY_ext || !info->sched_ext.present;
	case REFERENCE_ZEROS_AMBIGUOUS:
		return !is_taskstats(family) || rows->unflagged;
	case REFERENCE_ZEROS_VERSION:
	case REFERENCE_ZEROS_VERSIONS:
		return true;
	}
	return false;
}

static void judge_families(const struct reference_rows *rows,
                           const struct reference_summary *summary, struct snapshot_info *info)
{
	bool no_taskstats = summary->has_taskstats && summary->ok_count == 0;

	for (unsigned i = 0; i < REFERENCE_FAMILY_COUNT; i++) {
		enum reference_zeros zeros = reference_family_table[i].zeros;
		uint32_t bit = UINT32_C(1) << i;

		if (!(rows->seen & bit))
			/* Measured in no row, or there are no rows. */
			info->forgotten |= rows->unmeasured & bit;
		else if (no_taskstats && is_taskstats(i))
			info->forgotten |= bit;
		else if (!(rows->nonzero & bit))
			info->forgotten |= is_missing(rows, i, info) ? bit : 0;
		else if (zeros == REFERENCE_ZEROS_AMBIGUOUS || zeros == REFERENCE_ZEROS_VERSION)
			info->ambiguous |= !is_taskstats(i) || rows->unflagged ? bit : 0;
	}
}

/* The tool describes none of its sources but taskstats. */
static void judge_sources(const struct reference_rows *rows,
                          const struct reference_summary *summary, struct snapshot_info *info)
{
	uint64_t *taskstats = info->tally.sources[SOURCE_taskstats];

	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		info->rules[s] = OUTCOME_unneeded;
	info->rules[SOURCE_stat] = OUTCOME_read;
	if (rows->nonzero & UINT32_C(1) << REFERENCE_FAMILY_schedstat)
		info->rules[SOURCE_schedstat] = OUTCOME_read;
	if (rows->nonzero & UINT32_C(1) << REFERENCE_FAMILY_schedstats)
		info->rules[SOURCE_sched] = OUTCOME_read;
	if (rows->nonzero & UINT32_C(1) << REFERENCE_FAMILY_io)
		info->rules[SOURCE_io] = OUTCOME_read;
	if (!summary->has_taskstats)
		return;
	taskstats[OUTCOME_read] = summary->ok_count;
	taskstats[OUTCOME_denied] = summary->eperm_count;
	taskstats[OUTCOME_gone] = summary->esrch_count;
	taskstats[OUTCOME_malformed] = summary->other_err_count;
	info->rules[SOURCE_taskstats] = summary->ok_count > 0      ? OUTCOME_read
	                                : summary->eperm_count > 0 ? OUTCOME_denied
	                                                           : OUTCOME_off;
}

/* The tool writes missing files of the directory as "" and 0. */
static void finish_sched_ext(struct sched_ext *sched_ext)
{
	struct fact_value *state = &sched_ext->values[SCHED_EXT_state];

	if (state->state != FACT_TEXT || state->text[0] != '\0')
		return;
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++)
		if (sched_ext->values[i].state != FACT_NUMBER || sched_ext->values[i].number == 0)
			fact_clear(&sched_ext->values[i]);
}

void reference_finish(const struct reference_rows *rows, const struct reference_summary *summary,
                      struct snapshot_info *info)
{
	struct snapshot_tally *tally = &info->tally;

	info->origin = ORIGIN_ktstr;
	tally->processes = rows->processes;
	if (summary->tids_walked > tally->threads)
		tally->threads_gone = summary->tids_walked - tally->threads;
	tally->malformed_values = summary->negative_dotted_values;
	finish_sched_ext(&info->sched_ext);
	finish_psi(&info->psi);
	judge_families(rows, summary, info);
	judge_sources(rows, summary, info);
}
