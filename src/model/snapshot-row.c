// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot-row.h"

#include <errno.h>
#include <string.h>

/* What a key of a row means: an identity, or a metric. */
enum row_identity {
#define IDENTITY(id_, json_type_, text_) ROW_##id_,
#include "identity.def"
#undef IDENTITY
	ROW_METRICS, /* ROW_METRICS + a metric */
};

static void add_key(struct row_reader *rows, const char *name, uintptr_t meaning)
{
	strmap_add(&rows->keys, name, strlen(name))->value = (void *)(meaning + 1);
}

void row_reader_init(struct row_reader *rows)
{
	*rows = (struct row_reader){.keys = STRMAP_INIT};
	for (size_t i = 0; i < identity_count; i++)
		add_key(rows, identity_table[i].name, i);
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_table[i].source != SOURCE_synthetic)
			add_key(rows, metric_table[i].name, ROW_METRICS + i);
}

void row_reader_done(struct row_reader *rows)
{
	strmap_done(&rows->keys);
	strbuf_done(&rows->hex);
	strbuf_done(&rows->reason);
}

static int refuse(struct row_reader *rows, const char *key, const char *expected)
{
	strbuf_clear(&rows->reason);
	strbuf_addf(&rows->reason, "%s: %s was expected", key, expected);
	return -EBADMSG;
}

static int read_u64(struct row_reader *rows, struct json_reader *json, enum json_token token,
                    const char *key, uint64_t *ret)
{
	if (token != JSON_TOKEN_NUMBER || json_reader_u64(json, ret) < 0)
		return refuse(rows, key, "an integer from 0 on");
	return 0;
}

static int read_u32(struct row_reader *rows, struct json_reader *json, enum json_token token,
                    const char *key, uint32_t *ret)
{
	uint64_t wide;

	if (token != JSON_TOKEN_NUMBER || json_reader_u64(json, &wide) < 0 || wide > UINT32_MAX)
		return refuse(rows, key, "an integer from 0 to 4294967295");
	*ret = (uint32_t)wide;
	return 0;
}

static int read_name(struct row_reader *rows, struct json_reader *json, enum json_token token,
                     const char *key, struct strbuf *ret)
{
	const char *text;
	size_t len;

	if (token != JSON_TOKEN_STRING)
		return refuse(rows, key, "a string");
	text = json_reader_text(json, &len);
	strbuf_clear(ret);
	strbuf_add(ret, text, len);
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* The exact bytes take the place of the readable ones, whichever key comes first. */
static int read_hex(struct row_reader *rows, struct json_reader *json, enum json_token token,
                    const char *key, struct strbuf *ret)
{
	const char *text;
	size_t len;

	if (token != JSON_TOKEN_STRING)
		return refuse(rows, key, "a string");
	text = json_reader_text(json, &len);
	strbuf_clear(&rows->hex);
	for (size_t i = 0; i + 1 < len; i += 2) {
		int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);

		if (high < 0 || low < 0)
			return refuse(rows, key, "bytes in hexadecimal");
		strbuf_add_char(&rows->hex, (char)(high * 16 + low));
	}
	if (len % 2 != 0)
		return refuse(rows, key, "bytes in hexadecimal");
	strbuf_clear(ret);
	strbuf_add(ret, strbuf_str(&rows->hex), rows->hex.len);
	return 0;
}

static int read_cpus(struct row_reader *rows, struct json_reader *json, enum json_token token,
                     enum metric_id metric, struct thread_sample *sample)
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
	return 0;
}

static int read_number(struct row_reader *rows, struct json_reader *json, enum metric_id metric,
                       struct thread_sample *sample)
{
	uint64_t number;
	int64_t negative;

	if (json_reader_u64(json, &number) == 0 && sample_set_integer(sample, metric, number))
		return 0;
	if (json_reader_i64(json, &negative) == 0 && sample_set_negative(sample, metric, negative))
		return 0;
	return refuse(rows, metric_table[metric].name, "an integer in the metric's range");
}

static int read_metric(struct row_reader *rows, struct json_reader *json, enum json_token token,
                       enum metric_id metric, struct thread_sample *sample)
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
		if (!sample_set_label(sample, metric, text, len))
			return refuse(rows, key, "a label");
		return 0;
	case REPRESENTATION_FLAG:
		if ((token != JSON_TOKEN_TRUE && token != JSON_TOKEN_FALSE) ||
		    !sample_set_flag(sample, metric, token == JSON_TOKEN_TRUE))
			return refuse(rows, key, "true or false");
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
	else if (metric_find(name, name_len, &metric) && outcome == OUTCOME_malformed)
		metric_set_add(&sample->malformed, metric);
}

static int read_missing(struct row_reader *rows, struct json_reader *json, enum json_token token,
                        struct thread_sample *sample)
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
		strbuf_clear(&rows->hex);
		strbuf_add(&rows->hex, text, len);
		r = json_reader_next(json, &token);
		if (r < 0)
			return r;
		if (token != JSON_TOKEN_STRING)
			return refuse(rows, "missing", "a reason for each name");
		text = json_reader_text(json, &len);
		set_reason(sample, strbuf_str(&rows->hex), rows->hex.len, text, len);
	}
}

/* The value of an identity key is the current token. */
static int read_identity(struct row_reader *rows, struct json_reader *json, enum json_token token,
                         enum row_identity identity, struct thread_sample *sample)
{
	const char *key = identity_table[identity].name;

	switch (identity) {
	case ROW_tid:
		return read_u32(rows, json, token, key, &sample->tid);
	case ROW_tgid:
		return read_u32(rows, json, token, key, &sample->tgid);
	case ROW_pcomm:
		return read_name(rows, json, token, key, &sample->pcomm);
	case ROW_pcomm_hex:
		return read_hex(rows, json, token, key, &sample->pcomm);
	case ROW_comm:
		return read_name(rows, json, token, key, &sample->comm);
	case ROW_comm_hex:
		return read_hex(rows, json, token, key, &sample->comm);
	case ROW_cgroup:
		sample->has_cgroup = true;
		return read_name(rows, json, token, key, &sample->cgroup);
	case ROW_cgroup_hex:
		return read_hex(rows, json, token, key, &sample->cgroup);
	case ROW_start_time_clock_ticks:
		return read_u64(rows, json, token, key, &sample->start_time_clock_ticks);
	case ROW_read_boottime_ns:
		return read_u64(rows, json, token, key, &sample->read_boottime_ns);
	case ROW_missing:
		return read_missing(rows, json, token, sample);
	case ROW_METRICS:
		break;
	}
	return 0;
}

/* A *_hex value must not be overwritten by the readable form when that comes later. */
static bool is_superseded(uintptr_t meaning, unsigned identities)
{
	return (meaning == ROW_pcomm && (identities & (1u << ROW_pcomm_hex))) ||
	       (meaning == ROW_comm && (identities & (1u << ROW_comm_hex))) ||
	       (meaning == ROW_cgroup && (identities & (1u << ROW_cgroup_hex)));
}

static int read_pair(struct row_reader *rows, struct json_reader *json,
                     struct thread_sample *sample, unsigned *identities)
{
	size_t len;
	const char *key = json_reader_text(json, &len);
	uintptr_t meaning = (uintptr_t)strmap_get(&rows->keys, key, len);
	enum json_token token;
	int r;

	if (meaning == 0)
		return json_reader_skip(json);
	meaning--;
	if (meaning < ROW_METRICS)
		*identities |= 1u << meaning;
	if (is_superseded(meaning, *identities)) {
		sample->has_cgroup = sample->has_cgroup || meaning == ROW_cgroup;
		return json_reader_skip(json);
	}
	r = json_reader_next(json, &token);
	if (r < 0)
		return r;
	if (meaning < ROW_METRICS)
		return read_identity(rows, json, token, (enum row_identity)meaning, sample);
	return read_metric(rows, json, token, (enum metric_id)(meaning - ROW_METRICS), sample);
}

int row_read(struct row_reader *rows, struct json_reader *json, struct thread_sample *sample)
{
	static const enum row_identity required[] = {ROW_tid, ROW_tgid, ROW_pcomm, ROW_comm,
	                                             ROW_start_time_clock_ticks};
	unsigned identities = 0;
	enum json_token token;
	int r;

	sample_reset(sample);
	strbuf_clear(&rows->reason);
	for (;;) {
		r = json_reader_next(json, &token);
		if (r < 0)
			return r;
		if (token == JSON_TOKEN_OBJECT_CLOSE)
			break;
		r = read_pair(rows, json, sample, &identities);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < ARRAY_SIZE(required); i++)
		if (!(identities & (1u << required[i]))) {
			strbuf_addf(&rows->reason, "no \"%s\"", identity_table[required[i]].name);
			return -EBADMSG;
		}
	return 0;
}
