// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot-row.h"

#include <errno.h>
#include <string.h>

static void add_key(struct thread_row_reader *rows, const char *name, uintptr_t meaning)
{
	strmap_add(&rows->keys, name, strlen(name))->value = (void *)(meaning + 1);
}

void thread_row_reader_init(struct thread_row_reader *rows)
{
	*rows = (struct thread_row_reader){.keys = STRMAP_INIT};
	for (size_t i = 0; i < identity_count; i++)
		add_key(rows, identity_table[i].name, i);
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_table[i].source != SOURCE_synthetic)
			add_key(rows, metric_table[i].name, ROW_METRICS + i);
	for (unsigned i = 0; i < REFERENCE_KEY_COUNT; i++)
		add_key(rows, reference_key_names[i], ROW_REFERENCE + i);
	reference_rows_init(&rows->reference);
	thread_row_expect(rows);
}

void thread_row_reader_done(struct thread_row_reader *rows)
{
	strmap_done(&rows->keys);
	thread_row_expect_done(rows);
	value_reader_done(&rows->values);
}

static int refuse(struct thread_row_reader *rows, const char *key, const char *expected)
{
	return value_refuse(&rows->values, key, expected);
}

static int read_u64(struct thread_row_reader *rows, struct json_reader *json, enum json_token token,
                    const char *key, uint64_t *ret)
{
	if (token != JSON_TOKEN_NUMBER || json_reader_u64(json, ret) < 0)
		return refuse(rows, key, "an integer from 0 on");
	return 0;
}

static int read_u32(struct thread_row_reader *rows, struct json_reader *json, enum json_token token,
                    const char *key, uint32_t *ret)
{
	uint64_t wide;

	if (token != JSON_TOKEN_NUMBER || json_reader_u64(json, &wide) < 0 || wide > UINT32_MAX)
		return refuse(rows, key, "an integer from 0 to 4294967295");
	*ret = (uint32_t)wide;
	return 0;
}

static int read_name(struct thread_row_reader *rows, struct json_reader *json,
                     enum json_token token, const char *key, size_t bytes_max, struct strbuf *ret)
{
	const char *text;
	size_t len;

	if (token != JSON_TOKEN_STRING)
		return refuse(rows, key, "a string");
	text = json_reader_text(json, &len);
	if (!name_fits(text, len, bytes_max))
		return value_refuse_length(&rows->values, key, bytes_max);
	strbuf_clear(ret);
	strbuf_add(ret, text, len);
	return 0;
}

static int read_cpus(struct thread_row_reader *rows, struct json_reader *json,
                     enum json_token token, enum metric_id metric, struct thread_sample *sample)
{
	static const char expected[] = "an array of CPU numbers below 8192";
	const char *key = metric_table[metric].name;
	struct cpu_mask *mask = (void *)((char *)sample + metric_table[metric].offset);
	uint64_t cpu;
	int r;

	if (token != JSON_TOKEN_ARRAY_OPEN)
		return refuse(rows, key, expected);
	cpu_mask_clear(mask);
	for (;;) {
		r = json_reader_next(json, &token);
		if (r < 0)
			return r;
		if (token == JSON_TOKEN_ARRAY_CLOSE)
			break;
		if (token != JSON_TOKEN_NUMBER || json_reader_u64(json, &cpu) < 0 ||
		    !cpu_mask_add(mask, cpu))
			return refuse(rows, key, expected);
	}
	if (mask->used_words > 0)
		metric_set_add(&sample->seen, metric);
	thread_row_note_cpus(rows, metric, sample);
	return 0;
}

static int read_number(struct thread_row_reader *rows, struct json_reader *json,
                       enum metric_id metric, struct thread_sample *sample)
{
	uint64_t number;
	int64_t negative;

	if (json_reader_u64(json, &number) == 0 && sample_set_integer(sample, metric, number)) {
		if (number != 0)
			metric_set_add(&rows->reference.row.nonzero, metric);
		return 0;
	}
	if (json_reader_i64(json, &negative) == 0 &&
	    sample_set_negative(sample, metric, negative)) {
		metric_set_add(&rows->reference.row.nonzero, metric);
		return 0;
	}
	return refuse(rows, metric_table[metric].name, "an integer in the metric's range");
}

static int read_metric(struct thread_row_reader *rows, struct json_reader *json,
                       enum json_token token, enum metric_id metric, struct thread_sample *sample)
{
	enum metric_representation representation =
	        metric_type_table[metric_table[metric].type].representation;
	const char *key = metric_table[metric].name;
	const char *text;
	size_t len;

	switch (representation) {
	case REPRESENTATION_U64:
	case REPRESENTATION_I32:
	case REPRESENTATION_U32:
		if (token != JSON_TOKEN_NUMBER)
			return refuse(rows, key, "an integer");
		return read_number(rows, json, metric, sample);
	case REPRESENTATION_TEXT:
	case REPRESENTATION_LETTER:
		if (token != JSON_TOKEN_STRING)
			return refuse(rows, key, "a string");
		text = json_reader_text(json, &len);
		return thread_row_set_label(rows, metric, text, len, sample);
	case REPRESENTATION_FLAG:
		if ((token != JSON_TOKEN_TRUE && token != JSON_TOKEN_FALSE) ||
		    !sample_set_flag(sample, metric, token == JSON_TOKEN_TRUE))
			return refuse(rows, key, "true or false");
		if (token == JSON_TOKEN_TRUE)
			metric_set_add(&rows->reference.row.nonzero, metric);
		return 0;
	case REPRESENTATION_CPUS:
		return read_cpus(rows, json, token, metric, sample);
	}
	return 0;
}

/* Sources and metrics have no name in common, so one object holds the reasons of both. */
static void set_reason(struct thread_sample *sample, const char *name, size_t name_len,
                       const char *reason, size_t reason_len)
{
	enum source_outcome outcome;
	enum metric_source source;
	enum metric_id metric;

	if (!outcome_find(reason, reason_len, &outcome))
		return;
	if (source_find(name, name_len, &source))
		sample->outcomes[source] = outcome;
	else if (!metric_find(name, name_len, &metric))
		return;
	else if (outcome == OUTCOME_malformed)
		metric_set_add(&sample->malformed, metric);
	else if (outcome == OUTCOME_skipped && !metric_set_has(&sample->malformed, metric))
		metric_set_add(&sample->skipped, metric);
}

static int read_missing(struct thread_row_reader *rows, struct json_reader *json,
                        enum json_token token, struct thread_sample *sample)
{
	const char *text;
	size_t len;
	int r;

	if (token != JSON_TOKEN_OBJECT_OPEN)
		return refuse(rows, "missing", "an object");
	for (;;) {
		r = json_reader_next(json, &token);
		if (r < 0)
			return r;
		if (token == JSON_TOKEN_OBJECT_CLOSE)
			return 0;
		text = json_reader_text(json, &len);
		strbuf_clear(&rows->values.bytes);
		strbuf_add(&rows->values.bytes, text, len);
		r = json_reader_next(json, &token);
		if (r < 0)
			return r;
		if (token != JSON_TOKEN_STRING)
			return refuse(rows, "missing", "a reason for each name");
		text = json_reader_text(json, &len);
		set_reason(sample, strbuf_str(&rows->values.bytes), rows->values.bytes.len, text,
		           len);
	}
}

/* A metric without a bound, or of a later version, is ignored. */
static void set_impossible(struct thread_sample *sample, const struct strbuf *name, uint64_t value)
{
	enum metric_id metric;

	if (metric_find(strbuf_str(name), name->len, &metric) && metric_is_bounded(metric) &&
	    !metric_set_has(&sample->seen, metric))
		sample_set_impossible(sample, metric, value);
}

/* Returns the total of a metric, or -1; the file has them in the order of the table, so @hint is mostly right. */
static int find_process_total(const char *name, unsigned hint)
{
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		unsigned total = (hint + i) % PROCESS_TOTAL_COUNT;

		if (strcmp(metric_table[process_total_table[total].metric].name, name) == 0)
			return (int)total;
	}
	return -1;
}

static void set_impossible_total(struct thread_sample *sample, const struct strbuf *name,
                                 uint64_t value)
{
	int total = find_process_total(strbuf_str(name), 0);

	if (total < 0 || !process_total_is_bounded((enum process_total)total) ||
	    sample_has_said_total(sample, (enum process_total)total))
		return;
	sample->has_process_totals = true;
	sample->process_totals_impossible |= UINT32_C(1) << total;
	sample->process_totals[total] = value;
}

static int read_impossible(struct thread_row_reader *rows, enum json_token token,
                           enum thread_row_identity identity, struct thread_sample *sample)
{
	struct value_reader *values = &rows->values;
	uint64_t value;
	int r;

	if (token != JSON_TOKEN_OBJECT_OPEN)
		return refuse(rows, identity_table[identity].name, "an object");
	strbuf_add_str(&values->place, identity_table[identity].name);
	while ((r = value_next_key(values)) > 0) {
		r = value_u64(values, &value);
		if (r < 0)
			break;
		if (identity == ROW_impossible_totals)
			set_impossible_total(sample, &values->key, value);
		else
			set_impossible(sample, &values->key, value);
	}
	value_leave(values, 0);
	return r;
}

static int read_smaps(struct thread_row_reader *rows, const char *key, enum json_token token,
                      struct thread_sample *sample)
{
	int r;

	if (token != JSON_TOKEN_OBJECT_OPEN)
		return refuse(rows, key, "an object");
	sample->has_smaps = true;
	rows->reference.row.has_smaps = true;
	keyed_values_clear(&sample->smaps_rollup_kib);
	strbuf_add_str(&rows->values.place, key);
	r = value_list(&rows->values, &sample->smaps_rollup_kib);
	value_leave(&rows->values, 0);
	return r;
}

static int read_process_totals(struct thread_row_reader *rows, enum json_token token,
                               struct thread_sample *sample)
{
	static const char key[] = "process_totals";
	struct value_reader *values = &rows->values;
	unsigned hint = 0;
	int r;

	if (token != JSON_TOKEN_OBJECT_OPEN)
		return refuse(rows, key, "an object");
	sample_forget_totals(sample);
	sample->has_process_totals = true;
	strbuf_add_str(&values->place, key);
	for (;;) {
		int total;

		while (hint < PROCESS_TOTAL_COUNT &&
		       json_reader_expect_u64(values->json, &rows->totals[hint],
		                              &sample->process_totals[hint]))
			sample->process_totals_seen |= UINT32_C(1) << hint++;
		r = value_next_key(values);
		if (r <= 0)
			break;
		total = find_process_total(strbuf_str(&values->key), hint);
		if (total < 0) {
			r = json_reader_skip(values->json);
		} else {
			r = value_u64(values, &sample->process_totals[total]);
			sample->process_totals_seen |= UINT32_C(1) << total;
			hint = (unsigned)total + 1;
		}
		if (r < 0)
			break;
	}
	value_leave(values, 0);
	return r;
}

/* A word of a later version is not stored. */
static int read_window_part(struct thread_row_reader *rows, struct json_reader *json,
                            enum json_token token, struct thread_sample *sample)
{
	size_t len;

	if (token != JSON_TOKEN_STRING)
		return refuse(rows, "window_part", "a string");
	for (unsigned part = WINDOW_PART_NONE + 1; part < WINDOW_PART_COUNT; part++)
		if (strcmp(json_reader_text(json, &len), window_part_names[part]) == 0)
			sample->window_part = (enum window_part)part;
	return 0;
}

/* Reads the value of an identity key that is a name or a path, which is the current token. */
static int read_identity_name(struct thread_row_reader *rows, struct json_reader *json,
                              enum json_token token, enum thread_row_identity identity,
                              struct thread_sample *sample)
{
	const char *key = identity_table[identity].name;

	switch (identity) {
	case ROW_host:
		return read_name(rows, json, token, key, SAMPLE_HOST_BYTES, &sample->host);
	case ROW_host_hex:
		return value_hex(&rows->values, token, key, SAMPLE_HOST_BYTES, &sample->host);
	case ROW_boot_id:
		return read_name(rows, json, token, key, SAMPLE_HOST_BYTES, &sample->boot_id);
	case ROW_pcomm:
		return read_name(rows, json, token, key, SAMPLE_COMM_BYTES, &sample->pcomm);
	case ROW_pcomm_hex:
		return value_hex(&rows->values, token, key, SAMPLE_COMM_BYTES, &sample->pcomm);
	case ROW_comm:
		return read_name(rows, json, token, key, SAMPLE_COMM_BYTES, &sample->comm);
	case ROW_comm_hex:
		return value_hex(&rows->values, token, key, SAMPLE_COMM_BYTES, &sample->comm);
	case ROW_cgroup:
	case ROW_cgroup_v1:
		return read_name(rows, json, token, key, SAMPLE_PATH_BYTES, &sample->cgroup);
	case ROW_cgroup_hex:
	case ROW_cgroup_v1_hex:
		return value_hex(&rows->values, token, key, SAMPLE_PATH_BYTES, &sample->cgroup);
	case ROW_cgroups_v1:
		return read_name(rows, json, token, key, SAMPLE_CGROUPS_V1_BYTES,
		                 &sample->cgroups_v1);
	case ROW_cgroups_v1_hex:
		return value_hex(&rows->values, token, key, SAMPLE_CGROUPS_V1_BYTES,
		                 &sample->cgroups_v1);
	case ROW_exe:
		return read_name(rows, json, token, key, SAMPLE_PATH_BYTES, &sample->exe);
	case ROW_exe_hex:
		return value_hex(&rows->values, token, key, SAMPLE_PATH_BYTES, &sample->exe);
	case ROW_cwd:
		return read_name(rows, json, token, key, SAMPLE_PATH_BYTES, &sample->cwd);
	case ROW_cwd_hex:
		return value_hex(&rows->values, token, key, SAMPLE_PATH_BYTES, &sample->cwd);
	case ROW_title:
		return read_name(rows, json, token, key, SAMPLE_TITLE_BYTES, &sample->title);
	case ROW_title_hex:
		return value_hex(&rows->values, token, key, SAMPLE_TITLE_BYTES, &sample->title);
	case ROW_wchan:
		return read_name(rows, json, token, key, SAMPLE_WAIT_BYTES, &sample->wchan);
	case ROW_syscall:
		return read_name(rows, json, token, key, SAMPLE_WAIT_BYTES, &sample->syscall);
	default:
		return 0;
	}
}

/* Reads the value of an identity key, which is the current token. */
static int read_identity(struct thread_row_reader *rows, struct json_reader *json,
                         enum json_token token, enum thread_row_identity identity,
                         struct thread_sample *sample)
{
	const char *key = identity_table[identity].name;

	switch (identity) {
	case ROW_tid:
	case ROW_tgid:
	case ROW_uid:
	case ROW_ppid:
	case ROW_pgrp:
	case ROW_session:
	case ROW_process_successors:
	case ROW_merged_threads:
	case ROW_jemalloc_program:
		return read_u32(rows, json, token, key, thread_row_u32(sample, identity));
	case ROW_host:
	case ROW_host_hex:
	case ROW_boot_id:
	case ROW_pcomm:
	case ROW_pcomm_hex:
	case ROW_comm:
	case ROW_comm_hex:
	case ROW_cgroup:
	case ROW_cgroup_v1:
	case ROW_cgroup_hex:
	case ROW_cgroup_v1_hex:
	case ROW_cgroups_v1:
	case ROW_cgroups_v1_hex:
	case ROW_exe:
	case ROW_exe_hex:
	case ROW_cwd:
	case ROW_cwd_hex:
	case ROW_title:
	case ROW_title_hex:
	case ROW_wchan:
	case ROW_syscall:
		return read_identity_name(rows, json, token, identity, sample);
	case ROW_start_time_clock_ticks:
		return read_u64(rows, json, token, key, &sample->start_time_clock_ticks);
	case ROW_process_start_time_clock_ticks:
		return read_u64(rows, json, token, key, &sample->process_start_clock_ticks);
	case ROW_jemalloc_boottime_ns:
		return read_u64(rows, json, token, key, &sample->jemalloc_boottime_ns);
	case ROW_jemalloc_interval_ns:
		return read_u64(rows, json, token, key, &sample->jemalloc_interval_ns);
	case ROW_read_boottime_ns:
		return read_u64(rows, json, token, key, &sample->read_boottime_ns);
	case ROW_window_part:
		return read_window_part(rows, json, token, sample);
	case ROW_interval_ns:
		return read_u64(rows, json, token, key, &sample->interval_ns);
	case ROW_life_ns:
		return read_u64(rows, json, token, key, &sample->life_ns);
	case ROW_run_time_before_ns:
		return read_u64(rows, json, token, key, &sample->run_time_before_ns);
	case ROW_smaps_rollup_kib:
		return read_smaps(rows, key, token, sample);
	case ROW_process_totals:
		return read_process_totals(rows, token, sample);
	case ROW_exit:
		return thread_row_read_exit(rows, token, sample);
	case ROW_impossible:
	case ROW_impossible_totals:
		return read_impossible(rows, token, identity, sample);
	case ROW_missing:
		return read_missing(rows, json, token, sample);
	case ROW_METRICS:
	case ROW_REFERENCE:
		break;
	}
	return 0;
}

/* Reads the value of a key that only ktstr ctprof has. */
static int read_reference_key(struct thread_row_reader *rows, enum json_token token,
                              enum reference_key key, struct thread_sample *sample)
{
	struct reference_row *row = &rows->reference.row;

	if (key == REFERENCE_KEY_smaps_rollup_kb)
		return read_smaps(rows, reference_key_names[key], token, sample);
	if (token != JSON_TOKEN_TRUE && token != JSON_TOKEN_FALSE)
		return refuse(rows, reference_key_names[key], "true or false");
	row->flags_there |= 1u << key;
	if (token == JSON_TOKEN_TRUE)
		row->flags |= 1u << key;
	else
		row->flags &= ~(1u << key);
	return 0;
}

/* Returns the meaning of the key, plus one, or 0. Rows have their keys in the same order, so the first guess is nearly
 * always right. */
static uintptr_t meaning_of(struct thread_row_reader *rows, const char *key, size_t len)
{
	uint32_t place, guess = rows->next[rows->last];

	if (guess > 0) {
		const struct strmap_entry *entry = &rows->keys.entries[guess - 1];

		if (entry->key_len == len && memcmp(entry->key, key, len) == 0) {
			rows->last = guess;
			return (uintptr_t)entry->value;
		}
	}
	if (!strmap_find(&rows->keys, key, len, &place))
		return 0;
	rows->next[rows->last] = place + 1;
	rows->last = place + 1;
	return (uintptr_t)rows->keys.entries[place].value;
}

static int read_pair(struct thread_row_reader *rows, struct json_reader *json,
                     struct thread_sample *sample, uint64_t *identities)
{
	size_t len;
	const char *key = json_reader_text(json, &len);
	uintptr_t meaning = meaning_of(rows, key, len);
	enum json_token token;
	int r;

	if (meaning == 0 || (meaning > ROW_REFERENCE && rows->is_own))
		return json_reader_skip(json);
	meaning--;
	if (meaning < ROW_METRICS)
		*identities |= UINT64_C(1) << meaning;
	if (thread_row_is_superseded(meaning, *identities))
		return json_reader_skip(json);
	r = json_reader_next(json, &token);
	if (r < 0)
		return r;
	if (meaning < ROW_METRICS)
		return read_identity(rows, json, token, (enum thread_row_identity)meaning, sample);
	if (meaning >= ROW_REFERENCE)
		return read_reference_key(rows, token,
		                          (enum reference_key)(meaning - ROW_REFERENCE), sample);
	metric_set_add(&rows->reference.row.keys, (enum metric_id)(meaning - ROW_METRICS));
	return read_metric(rows, json, token, (enum metric_id)(meaning - ROW_METRICS), sample);
}

/* Completes a row of a file that may be of ktstr ctprof. */
static void finish_reference(struct thread_row_reader *rows, uint64_t identities,
                             struct thread_sample *sample)
{
	static const uint64_t common =
	        UINT64_C(1) << ROW_tid | UINT64_C(1) << ROW_tgid | UINT64_C(1) << ROW_pcomm |
	        UINT64_C(1) << ROW_comm | UINT64_C(1) << ROW_cgroup |
	        UINT64_C(1) << ROW_start_time_clock_ticks | UINT64_C(1) << ROW_smaps_rollup_kib;

	reference_row_finish(&rows->reference, sample, (identities & ~common) != 0);
	if (!rows->reference.row.no_policy || rows->values.own_reason.len > 0)
		return;
	(void)refuse(rows, metric_table[METRIC_policy].name, "a label");
	strbuf_addf(&rows->values.own_reason, "threads[%llu]: %s",
	            (unsigned long long)rows->reference.count - 1,
	            strbuf_str(&rows->values.reason));
	strbuf_clear(&rows->values.reason);
}

static bool is_name(enum thread_row_identity identity)
{
	return identity == ROW_pcomm || identity == ROW_comm;
}

int thread_row_read(struct thread_row_reader *rows, struct json_reader *json,
                    struct thread_sample *sample)
{
	static const enum thread_row_identity required[] = {ROW_tid, ROW_tgid, ROW_pcomm, ROW_comm,
	                                                    ROW_start_time_clock_ticks};
	uint64_t identities = 0;
	enum json_token token;
	int r;

	rows->values.json = json;
	rows->last = 0;
	sample_reset(sample);
	reference_row_begin(&rows->reference);
	strbuf_clear(&rows->values.reason);
	for (;;) {
		r = thread_row_read_expected(rows, json, sample, &identities);
		if (r == 0)
			r = json_reader_next(json, &token);
		if (r < 0)
			return r;
		if (token == JSON_TOKEN_OBJECT_CLOSE)
			break;
		r = read_pair(rows, json, sample, &identities);
		if (r < 0)
			return r;
	}
	thread_row_note_identities(identities, sample);
	rows->is_changes =
	        rows->may_be_changes && !thread_row_has_identity(identities, ROW_window_part);
	for (size_t i = 0; i < ARRAY_SIZE(required); i++)
		if (!thread_row_has_identity(identities, required[i]) &&
		    !(rows->is_changes && is_name(required[i]))) {
			strbuf_addf(&rows->values.reason, "no \"%s\"",
			            identity_table[required[i]].name);
			return -EBADMSG;
		}
	if (!rows->is_own)
		finish_reference(rows, identities, sample);
	return 0;
}
