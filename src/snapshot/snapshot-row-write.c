// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot-row-write.h"

#include <string.h>

#include "snapshot-row-judge.h"
#include "snapshot-value.h"

void thread_row_writer_init(struct thread_row_writer *rows)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		json_member_key_init(&rows->keys[i], metric_table[i].name);
	json_member_key_init(&rows->tgid, "tgid");
	json_member_key_init(&rows->host, "host");
	json_member_key_init(&rows->boot_id, "boot_id");
	json_member_key_init(&rows->pcomm, "pcomm");
	json_member_key_init(&rows->comm, "comm");
	json_member_key_init(&rows->cgroup, "cgroup");
	json_member_key_init(&rows->cgroup_v1, "cgroup_v1");
	json_member_key_init(&rows->cgroups_v1, "cgroups_v1");
	json_member_key_init(&rows->exe, "exe");
	json_member_key_init(&rows->cwd, "cwd");
	json_member_key_init(&rows->title, "title");
	json_member_key_init(&rows->wchan, "wchan");
	json_member_key_init(&rows->syscall, "syscall");
	json_member_key_init(&rows->uid, "uid");
	json_member_key_init(&rows->ppid, "ppid");
	json_member_key_init(&rows->pgrp, "pgrp");
	json_member_key_init(&rows->session, "session");
	json_member_key_init(&rows->start_time, "start_time_clock_ticks");
	json_member_key_init(&rows->process_start, "process_start_time_clock_ticks");
	json_member_key_init(&rows->read_boottime, "read_boottime_ns");
	json_member_key_init(&rows->jemalloc_boottime, "jemalloc_boottime_ns");
	cpu_mask_clear(&rows->cpus);
}

void thread_row_writer_done(struct thread_row_writer *rows)
{
	strbuf_done(&rows->cpus_json);
	strbuf_done(&rows->scratch);
}

/* Writes a name that may hold any bytes: readable under its key, and in hexadecimal under a second one if that is not
 * exact. */
static void write_name(struct thread_row_writer *rows, struct json_writer *out,
                       const struct json_member_key *key, const char *hex_key,
                       const struct strbuf *name)
{
	const char *bytes = strbuf_str(name);
	struct strbuf *scratch = &rows->scratch;

	if (json_plain_run(bytes, name->len) == name->len || name_is_readable(bytes, name->len)) {
		json_write_member_text(out, key, bytes, name->len);
		return;
	}
	strbuf_clear(scratch);
	name_add_readable(scratch, bytes, name->len);
	json_write_member_text(out, key, strbuf_str(scratch), scratch->len);

	strbuf_clear(scratch);
	name_add_hex(scratch, bytes, name->len);
	json_write_key(out, hex_key);
	json_write_text(out, strbuf_str(scratch), scratch->len);
}

static void note_cpus(struct thread_row_writer *rows, const struct cpu_mask *mask)
{
	struct json_writer out = JSON_WRITER_INIT(&rows->cpus_json);

	rows->cpus = *mask;
	strbuf_clear(&rows->cpus_json);
	json_write_open(&out, '[');
	for (unsigned cpu = cpu_mask_next(mask, 0); cpu < CPU_MASK_CPUS;
	     cpu = cpu_mask_next(mask, cpu + 1))
		json_write_u64(&out, cpu);
	json_write_close(&out, ']');
}

static void write_cpus(struct thread_row_writer *rows, struct json_writer *out,
                       const struct cpu_mask *mask)
{
	if (rows->cpus_json.len == 0 || !cpu_mask_equal(&rows->cpus, mask))
		note_cpus(rows, mask);
	json_write_raw(out, strbuf_str(&rows->cpus_json), rows->cpus_json.len);
}

/* A value's wrapper has the value as its only member, so its address serves as the value's. */
static void write_value(struct thread_row_writer *rows, struct json_writer *out,
                        enum metric_id metric, const void *value)
{
	const struct label_bytes *label = value;

	json_write_key(out, metric_table[metric].name);
	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_I32:
		json_write_i64(out, *(const int32_t *)value);
		break;
	case REPRESENTATION_TEXT:
		json_write_str(out, label->bytes);
		break;
	case REPRESENTATION_LETTER:
		json_write_text(out, value, 1);
		break;
	case REPRESENTATION_FLAG:
		json_write_bool(out, *(const bool *)value);
		break;
	case REPRESENTATION_CPUS:
		write_cpus(rows, out, value);
		break;
	case REPRESENTATION_U64:
	case REPRESENTATION_U32: /* write_numbers() */
		break;
	}
}

/* Stores the value of a metric. Returns false if it is not a whole number from 0 on. */
static bool is_number(const struct thread_sample *sample, enum metric_id metric, uint64_t *ret)
{
	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		*ret = *(const uint64_t *)sample_value(sample, metric);
		return true;
	case REPRESENTATION_U32:
		*ret = *(const uint32_t *)sample_value(sample, metric);
		return true;
	default:
		return false;
	}
}

/* Writes the metrics from @from on as long as they are whole numbers. Returns the first that is not, or
 * METRIC_COUNT. */
static unsigned write_numbers(struct thread_row_writer *rows, struct json_writer *out,
                              const struct thread_sample *sample, unsigned from)
{
	char *start = strbuf_reserve(out->out, METRIC_COUNT * JSON_MEMBER_BYTES), *at = start;
	unsigned i = from;

	for (; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;
		uint64_t value;

		if (!metric_set_has(&sample->seen, metric) ||
		    metric_table[i].source == SOURCE_synthetic)
			continue;
		if (!is_number(sample, metric, &value))
			break;
		at = json_put_member_u64(at, &rows->keys[i], value);
	}
	*at = '\0';
	out->out->len += (size_t)(at - start);
	return i;
}

static void write_metrics(struct thread_row_writer *rows, struct json_writer *out,
                          const struct thread_sample *sample)
{
	unsigned metric = write_numbers(rows, out, sample, 0);

	while (metric < METRIC_COUNT) {
		write_value(rows, out, (enum metric_id)metric,
		            sample_value(sample, (enum metric_id)metric));
		metric = write_numbers(rows, out, sample, metric + 1);
	}
}

/* Returns whether single metrics have a reason of their own. */
static bool any_reason(const struct thread_sample *sample)
{
	uint64_t any = 0;

	for (size_t i = 0; i < METRIC_SET_WORDS; i++)
		any |= (sample->malformed.words[i] | sample->skipped.words[i]) &
		       ~sample->seen.words[i];
	return any != 0;
}

static void write_reasons(struct json_writer *out, const struct thread_sample *sample,
                          const struct metric_set *metrics, enum source_outcome reason)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_set_has(metrics, (enum metric_id)i) &&
		    !metric_set_has(&sample->seen, (enum metric_id)i)) {
			json_write_key(out, metric_table[i].name);
			json_write_str(out, outcome_table[reason].name);
		}
}

static void write_missing(struct thread_row_writer *rows, struct json_writer *out,
                          const struct thread_sample *sample)
{
	bool any = any_reason(sample);

	for (unsigned s = 0; !any && s < SOURCE_COUNT; s++)
		any = thread_row_writes_outcome(rows->rules, sample, s);
	if (!any)
		return;

	json_write_key(out, "missing");
	json_write_open(out, '{');
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		if (thread_row_writes_outcome(rows->rules, sample, s)) {
			json_write_key(out, source_table[s].name);
			json_write_str(out, outcome_table[sample->outcomes[s]].name);
		}
	write_reasons(out, sample, &sample->malformed, OUTCOME_malformed);
	write_reasons(out, sample, &sample->skipped, OUTCOME_skipped);
	json_write_close(out, '}');
}

static void write_impossible(struct json_writer *out, const struct thread_sample *sample)
{
	if (metric_set_is_empty(&sample->impossible))
		return;
	json_write_key(out, "impossible");
	json_write_open(out, '{');
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		uint64_t value;

		if (!metric_set_has(&sample->impossible, (enum metric_id)i) ||
		    !is_number(sample, (enum metric_id)i, &value))
			continue;
		json_write_key(out, metric_table[i].name);
		json_write_u64(out, value);
	}
	json_write_close(out, '}');
}

static void write_process_totals(struct thread_row_writer *rows, struct json_writer *out,
                                 const struct thread_sample *sample)
{
	bool first = true;

	json_write_key(out, "process_totals");
	json_write_open(out, '{');
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		enum metric_id metric = process_total_table[i].metric;

		if (!(sample->process_totals_seen & UINT32_C(1) << i))
			continue;
		if (first) {
			json_write_key(out, metric_table[metric].name);
			json_write_u64(out, sample->process_totals[i]);
		} else {
			json_write_member_u64(out, &rows->keys[metric], sample->process_totals[i]);
		}
		first = false;
	}
	json_write_close(out, '}');
}

static void write_exit(struct json_writer *out, const struct thread_sample *sample)
{
	json_write_key(out, "exit");
	json_write_open(out, '{');
	for (unsigned i = 0; i < EXIT_FACT_COUNT; i++)
		if (sample_has_exit_fact(sample, (enum exit_fact)i)) {
			json_write_key(out, exit_fact_table[i].name);
			json_write_u64(out, sample->exit_facts[i]);
		}
	json_write_close(out, '}');
}

static void write_impossible_totals(struct json_writer *out, const struct thread_sample *sample)
{
	if (sample->process_totals_impossible == 0)
		return;
	json_write_key(out, "impossible_totals");
	json_write_open(out, '{');
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (sample->process_totals_impossible & UINT32_C(1) << i) {
			json_write_key(out, metric_table[process_total_table[i].metric].name);
			json_write_u64(out, sample->process_totals[i]);
		}
	json_write_close(out, '}');
}

/* Writes the identity of the thread and of its process; of a row of changes the names that are new. */
static void write_identity(struct thread_row_writer *rows, struct json_writer *out,
                           const struct thread_sample *sample, bool is_changes)
{
	json_write_key(out, "tid");
	json_write_u64(out, sample->tid);
	json_write_member_u64(out, &rows->tgid, sample->tgid);
	if (sample->host.len > 0)
		write_name(rows, out, &rows->host, "host_hex", &sample->host);
	if (sample->boot_id.len > 0)
		json_write_member_text(out, &rows->boot_id, strbuf_str(&sample->boot_id),
		                       sample->boot_id.len);
	if (!is_changes || sample->pcomm.len > 0)
		write_name(rows, out, &rows->pcomm, "pcomm_hex", &sample->pcomm);
	if (!is_changes || sample->comm.len > 0)
		write_name(rows, out, &rows->comm, "comm_hex", &sample->comm);
	if (sample->has_cgroup && sample->cgroup_is_v1)
		write_name(rows, out, &rows->cgroup_v1, "cgroup_v1_hex", &sample->cgroup);
	else if (sample->has_cgroup)
		write_name(rows, out, &rows->cgroup, "cgroup_hex", &sample->cgroup);
	if (sample->cgroups_v1.len > 0)
		write_name(rows, out, &rows->cgroups_v1, "cgroups_v1_hex", &sample->cgroups_v1);
	if (sample->has_exe)
		write_name(rows, out, &rows->exe, "exe_hex", &sample->exe);
	if (sample->has_cwd)
		write_name(rows, out, &rows->cwd, "cwd_hex", &sample->cwd);
	if (sample->has_title)
		write_name(rows, out, &rows->title, "title_hex", &sample->title);
	if (sample->has_wchan)
		json_write_member_text(out, &rows->wchan, strbuf_str(&sample->wchan),
		                       sample->wchan.len);
	if (sample->has_syscall)
		json_write_member_text(out, &rows->syscall, strbuf_str(&sample->syscall),
		                       sample->syscall.len);
	if (sample->has_uid)
		json_write_member_u64(out, &rows->uid, sample->uid);
	if (sample->has_parent) {
		json_write_member_u64(out, &rows->ppid, sample->ppid);
		json_write_member_u64(out, &rows->pgrp, sample->pgrp);
		json_write_member_u64(out, &rows->session, sample->session);
	}
}

static void write_optional(struct json_writer *out, const char *key, uint64_t value)
{
	if (value == 0)
		return;
	json_write_key(out, key);
	json_write_u64(out, value);
}

/* Writes the time of its reading, and its part of a window. */
static void write_times(struct thread_row_writer *rows, struct json_writer *out,
                        const struct thread_sample *sample)
{
	json_write_member_u64(out, &rows->start_time, sample->start_time_clock_ticks);
	if (sample->tid != sample->tgid && sample->has_process_start)
		json_write_member_u64(out, &rows->process_start, sample->process_start_clock_ticks);
	if (sample->read_boottime_ns > 0)
		json_write_member_u64(out, &rows->read_boottime, sample->read_boottime_ns);
	if (sample->jemalloc_boottime_ns > 0)
		json_write_member_u64(out, &rows->jemalloc_boottime, sample->jemalloc_boottime_ns);
	if (sample->window_part == WINDOW_PART_NONE)
		write_optional(out, "jemalloc_program", sample->jemalloc_program);
	if (sample->window_part != WINDOW_PART_NONE) {
		json_write_key(out, "window_part");
		json_write_str(out, window_part_names[sample->window_part]);
	}
	write_optional(out, "process_successors", sample->process_successors);
	write_optional(out, "interval_ns", sample->interval_ns);
	if (sample->life_ns != sample->interval_ns)
		write_optional(out, "life_ns", sample->life_ns);
	write_optional(out, "run_time_before_ns", sample->run_time_before_ns);
	write_optional(out, "merged_threads", sample->merged_threads);
	if (sample->jemalloc_interval_ns != sample->interval_ns)
		write_optional(out, "jemalloc_interval_ns", sample->jemalloc_interval_ns);
}

static void write_row(struct thread_row_writer *rows, struct json_writer *out,
                      const struct thread_sample *sample, bool is_changes)
{
	json_write_open(out, '{');
	write_identity(rows, out, sample, is_changes);
	write_times(rows, out, sample);
	write_metrics(rows, out, sample);
	if (sample->has_smaps) {
		json_write_key(out, "smaps_rollup_kib");
		values_write(out, &sample->smaps_rollup_kib, &rows->scratch);
	}
	if (sample->has_process_totals)
		write_process_totals(rows, out, sample);
	if (sample->exit_facts_seen != 0)
		write_exit(out, sample);
	write_impossible(out, sample);
	write_impossible_totals(out, sample);
	write_missing(rows, out, sample);
	json_write_close(out, '}');
}

void thread_row_write(struct thread_row_writer *rows, struct json_writer *out,
                      const struct thread_sample *sample)
{
	write_row(rows, out, sample, false);
}

void thread_row_write_changes(struct thread_row_writer *rows, struct json_writer *out,
                              const struct thread_sample *changes)
{
	write_row(rows, out, changes, true);
}
