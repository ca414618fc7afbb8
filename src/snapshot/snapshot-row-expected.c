// SPDX-License-Identifier: GPL-2.0-or-later
/* The short way through a row: rows have their keys in the same order, but for some keys that only some threads
 * have. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "snapshot-row.h"
#include "json/json-write.h"

/* The most keys of the rows before that a row may leave out in one place. */
enum { KEYS_LEFT_OUT_MAX = 4 };

/* The result of a guess. */
enum { IS_OTHER, IS_READ };

static bool is_number_of_64_bits(const struct thread_row_reader *rows, size_t place)
{
	uintptr_t meaning = (uintptr_t)rows->keys.entries[place].value - 1;

	return meaning >= ROW_METRICS && meaning < ROW_REFERENCE &&
	       metric_type_table[metric_table[meaning - ROW_METRICS].type].representation ==
	               REPRESENTATION_U64;
}

/* The order of the registry is the first guess. */
void thread_row_expect(struct thread_row_reader *rows)
{
	size_t count = rows->keys.count;

	rows->next = mem_calloc(count + 1, sizeof(rows->next[0]));
	rows->expected = mem_calloc(count, sizeof(rows->expected[0]));
	rows->run = mem_calloc(count + 1, sizeof(rows->run[0]));
	for (size_t i = count; i-- > 0;) {
		json_expected_init(&rows->expected[i], rows->keys.entries[i].key);
		rows->next[i] = (uint32_t)i + 1;
		if (is_number_of_64_bits(rows, i))
			rows->run[i] = (uint16_t)(rows->run[i + 1] + 1);
	}
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		json_expected_init(&rows->totals[i],
		                   metric_table[process_total_table[i].metric].name);
}

void thread_row_expect_done(struct thread_row_reader *rows)
{
	free(rows->next);
	free(rows->expected);
	free(rows->run);
	strbuf_done(&rows->cpus.member);
}

void thread_row_note_cpus(struct thread_row_reader *rows, enum metric_id metric,
                          const struct thread_sample *sample)
{
	const struct cpu_mask *mask = sample_value(sample, metric);
	struct thread_row_cpus *cpus = &rows->cpus;
	struct json_writer out = JSON_WRITER_INIT(&cpus->member);

	strbuf_clear(&cpus->member);
	/* A list without a CPU is not a value. */
	if (mask->used_words == 0)
		return;
	cpus->mask = *mask;
	json_write_key(&out, metric_table[metric].name);
	json_write_open(&out, '[');
	for (unsigned cpu = cpu_mask_next(mask, 0); cpu < CPU_MASK_CPUS;
	     cpu = cpu_mask_next(mask, cpu + 1))
		json_write_u64(&out, cpu);
	json_write_close(&out, ']');
}

static int expect_cpus(struct thread_row_reader *rows, struct json_reader *json,
                       enum metric_id metric, struct thread_sample *sample)
{
	const struct thread_row_cpus *cpus = &rows->cpus;

	if (!json_reader_expect_member(json, strbuf_str(&cpus->member), cpus->member.len))
		return IS_OTHER;
	memcpy((char *)sample + metric_table[metric].offset, &cpus->mask,
	       offsetof(struct cpu_mask, words) +
	               cpus->mask.used_words * sizeof(cpus->mask.words[0]));
	metric_set_add(&sample->seen, metric);
	return IS_READ;
}

static int expect_number(struct thread_row_reader *rows, struct json_reader *json,
                         const struct json_expected *expected, enum metric_id metric,
                         struct thread_sample *sample)
{
	uint64_t number;

	if (!json_reader_expect_u64(json, expected, &number))
		return IS_OTHER;
	if (!sample_set_integer(sample, metric, number))
		return value_refuse(&rows->values, metric_table[metric].name,
		                    "an integer in the metric's range");
	if (number != 0)
		metric_set_add(&rows->reference.row.nonzero, metric);
	return IS_READ;
}

static int expect_flag(struct thread_row_reader *rows, struct json_reader *json,
                       const struct json_expected *expected, enum metric_id metric,
                       struct thread_sample *sample)
{
	bool flag;

	if (!json_reader_expect_bool(json, expected, &flag))
		return IS_OTHER;
	if (!sample_set_flag(sample, metric, flag))
		return value_refuse(&rows->values, metric_table[metric].name, "true or false");
	if (flag)
		metric_set_add(&rows->reference.row.nonzero, metric);
	return IS_READ;
}

static int expect_metric(struct thread_row_reader *rows, struct json_reader *json,
                         const struct json_expected *expected, enum metric_id metric,
                         struct thread_sample *sample)
{
	const char *text;
	size_t len;
	int r = IS_OTHER;

	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64: /* expect_run() */
		break;
	case REPRESENTATION_I32:
	case REPRESENTATION_U32:
		r = expect_number(rows, json, expected, metric, sample);
		break;
	case REPRESENTATION_TEXT:
	case REPRESENTATION_LETTER:
		if (!json_reader_expect_text(json, expected, &text, &len))
			return IS_OTHER;
		r = thread_row_set_label(rows, metric, text, len, sample);
		r = r < 0 ? r : IS_READ;
		break;
	case REPRESENTATION_FLAG:
		r = expect_flag(rows, json, expected, metric, sample);
		break;
	case REPRESENTATION_CPUS:
		r = expect_cpus(rows, json, metric, sample);
		break;
	}
	if (r == IS_READ)
		metric_set_add(&rows->reference.row.keys, metric);
	return r;
}

static int expect_name(struct thread_row_reader *rows, struct json_reader *json,
                       const struct json_expected *expected, enum thread_row_identity identity,
                       size_t bytes_max, struct strbuf *ret)
{
	const char *text;
	size_t len;

	if (!json_reader_expect_text(json, expected, &text, &len))
		return IS_OTHER;
	if (len > bytes_max)
		return value_refuse_length(&rows->values, identity_table[identity].name, bytes_max);
	strbuf_clear(ret);
	strbuf_add(ret, text, len);
	return IS_READ;
}

static int expect_u32(struct thread_row_reader *rows, struct json_reader *json,
                      const struct json_expected *expected, enum thread_row_identity identity,
                      uint32_t *ret)
{
	uint64_t wide;

	if (!json_reader_expect_u64(json, expected, &wide))
		return IS_OTHER;
	if (wide > UINT32_MAX)
		return value_refuse(&rows->values, identity_table[identity].name,
		                    "an integer from 0 to 4294967295");
	*ret = (uint32_t)wide;
	return IS_READ;
}

static int expect_u64(struct json_reader *json, const struct json_expected *expected, uint64_t *ret)
{
	return json_reader_expect_u64(json, expected, ret) ? IS_READ : IS_OTHER;
}

/* Reads the identities that every row has. */
static int expect_identity(struct thread_row_reader *rows, struct json_reader *json,
                           const struct json_expected *expected, enum thread_row_identity identity,
                           struct thread_sample *sample)
{
	switch (identity) {
	case ROW_tid:
		return expect_u32(rows, json, expected, identity, &sample->tid);
	case ROW_tgid:
		return expect_u32(rows, json, expected, identity, &sample->tgid);
	case ROW_uid:
		return expect_u32(rows, json, expected, identity, &sample->uid);
	case ROW_ppid:
		return expect_u32(rows, json, expected, identity, &sample->ppid);
	case ROW_pgrp:
		return expect_u32(rows, json, expected, identity, &sample->pgrp);
	case ROW_session:
		return expect_u32(rows, json, expected, identity, &sample->session);
	case ROW_host:
		return expect_name(rows, json, expected, identity, SAMPLE_HOST_BYTES,
		                   &sample->host);
	case ROW_boot_id:
		return expect_name(rows, json, expected, identity, SAMPLE_HOST_BYTES,
		                   &sample->boot_id);
	case ROW_pcomm:
		return expect_name(rows, json, expected, identity, SAMPLE_COMM_BYTES,
		                   &sample->pcomm);
	case ROW_comm:
		return expect_name(rows, json, expected, identity, SAMPLE_COMM_BYTES,
		                   &sample->comm);
	case ROW_cgroup:
	case ROW_cgroup_v1:
		return expect_name(rows, json, expected, identity, SAMPLE_PATH_BYTES,
		                   &sample->cgroup);
	case ROW_cgroups_v1:
		return expect_name(rows, json, expected, identity, SAMPLE_CGROUPS_V1_BYTES,
		                   &sample->cgroups_v1);
	case ROW_exe:
		return expect_name(rows, json, expected, identity, SAMPLE_PATH_BYTES, &sample->exe);
	case ROW_cwd:
		return expect_name(rows, json, expected, identity, SAMPLE_PATH_BYTES, &sample->cwd);
	case ROW_title:
		return expect_name(rows, json, expected, identity, SAMPLE_TITLE_BYTES,
		                   &sample->title);
	case ROW_wchan:
		return expect_name(rows, json, expected, identity, SAMPLE_WAIT_BYTES,
		                   &sample->wchan);
	case ROW_syscall:
		return expect_name(rows, json, expected, identity, SAMPLE_WAIT_BYTES,
		                   &sample->syscall);
	case ROW_start_time_clock_ticks:
		return expect_u64(json, expected, &sample->start_time_clock_ticks);
	case ROW_process_start_time_clock_ticks:
		return expect_u64(json, expected, &sample->process_start_clock_ticks);
	case ROW_jemalloc_boottime_ns:
		return expect_u64(json, expected, &sample->jemalloc_boottime_ns);
	case ROW_jemalloc_interval_ns:
		return expect_u64(json, expected, &sample->jemalloc_interval_ns);
	case ROW_read_boottime_ns:
		return expect_u64(json, expected, &sample->read_boottime_ns);
	case ROW_interval_ns:
		return expect_u64(json, expected, &sample->interval_ns);
	case ROW_life_ns:
		return expect_u64(json, expected, &sample->life_ns);
	default:
		return IS_OTHER;
	}
}

static int expect_key(struct thread_row_reader *rows, struct json_reader *json, uint32_t place,
                      struct thread_sample *sample, uint64_t *identities)
{
	uintptr_t meaning = (uintptr_t)rows->keys.entries[place].value - 1;
	const struct json_expected *expected = &rows->expected[place];
	int r;

	if (meaning >= ROW_REFERENCE)
		return IS_OTHER;
	if (meaning >= ROW_METRICS)
		return expect_metric(rows, json, expected, (enum metric_id)(meaning - ROW_METRICS),
		                     sample);
	if (thread_row_is_superseded(meaning, *identities | UINT64_C(1) << meaning))
		return IS_OTHER;
	r = expect_identity(rows, json, expected, (enum thread_row_identity)meaning, sample);
	if (r == IS_READ)
		*identities |= UINT64_C(1) << meaning;
	return r;
}

/* Reads the metrics of 64 bits that come in the order of the registry from this place on. Returns their number. */
static uint32_t expect_run(struct thread_row_reader *rows, struct json_reader *json, uint32_t place,
                           struct thread_sample *sample)
{
	uint64_t values[METRIC_COUNT];
	size_t found =
	        json_reader_expect_u64s(json, &rows->expected[place], rows->run[place], values);

	for (size_t i = 0; i < found; i++) {
		enum metric_id metric = (enum metric_id)(
		        (uintptr_t)rows->keys.entries[place + i].value - 1 - ROW_METRICS);

		sample_replace_number(sample, metric, values[i]);
		metric_set_add(&sample->seen, metric);
		if (rows->is_own)
			continue;
		metric_set_add(&rows->reference.row.keys, metric);
		if (values[i] != 0)
			metric_set_add(&rows->reference.row.nonzero, metric);
	}
	return (uint32_t)found;
}

int thread_row_read_expected(struct thread_row_reader *rows, struct json_reader *json,
                             struct thread_sample *sample, uint64_t *identities)
{
	uint32_t guess = rows->next[rows->last];
	unsigned left_out = 0;

	while (guess > 0 && left_out <= KEYS_LEFT_OUT_MAX) {
		int read = rows->run[guess - 1] > 0
		                   ? (int)expect_run(rows, json, guess - 1, sample)
		                   : expect_key(rows, json, guess - 1, sample, identities);

		if (read < 0)
			return read;
		left_out = read > 0 ? 0 : left_out + 1;
		if (read > 0)
			guess = rows->last = guess + (uint32_t)read - 1;
		guess = rows->next[guess];
	}
	return 0;
}
