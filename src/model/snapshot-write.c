// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/json-write.h"
#include "ctprof/mem.h"
#include "ctprof/snapshot.h"
#include "snapshot-cgroup.h"
#include "snapshot-meta.h"
#include "snapshot-value.h"
#include "zstd-stream.h"

/* Rows are collected to about this size before they are compressed. */
enum { WRITE_CHUNK = 64 << 10 };

/* Which of the containers that rows go into is open. */
enum phase { PHASE_THREADS, PHASE_CGROUPS, PHASE_V1_CGROUPS };

struct snapshot_writer {
	struct zstd_compressor *compressor;
	struct strbuf json;
	uint64_t compressed; /* bytes of JSON that were passed on */
	enum phase phase;
	struct strmap cgroup_keys; /* of the open container, as cgroup_write() wants it */
	struct strbuf scratch;
	struct json_writer out;
	enum source_outcome rules[SOURCE_COUNT];
	int error; /* the first one; nothing is written after it */
};

struct snapshot_writer *snapshot_writer_new(struct byte_sink *sink, int zstd_level)
{
	struct snapshot_writer *writer = mem_calloc(1, sizeof(*writer));

	writer->compressor = zstd_compressor_new(sink, zstd_level);
	writer->out = JSON_WRITER_INIT(&writer->json);
	return writer;
}

struct snapshot_writer *snapshot_writer_free(struct snapshot_writer *writer)
{
	if (!writer)
		return NULL;
	zstd_compressor_free(writer->compressor);
	strbuf_done(&writer->json);
	strbuf_done(&writer->scratch);
	strmap_done(&writer->cgroup_keys);
	free(writer);
	return NULL;
}

void snapshot_writer_freep(struct snapshot_writer **writer)
{
	*writer = snapshot_writer_free(*writer);
}

static int flush(struct snapshot_writer *writer, size_t at_least)
{
	if (writer->error == 0 && writer->json.len > at_least) {
		writer->error =
		        zstd_compress(writer->compressor, writer->json.data, writer->json.len);
		writer->compressed += writer->json.len;
		strbuf_clear(&writer->json);
	}
	return writer->error;
}

typedef void meta_function(const struct snapshot_info *info, struct strbuf *out);

static void write_meta(struct snapshot_writer *writer, const char *key, meta_function *add,
                       const struct snapshot_info *info)
{
	json_write_key(&writer->out, key);
	strbuf_clear(&writer->scratch);
	add(info, &writer->scratch);
	json_write_raw(&writer->out, strbuf_str(&writer->scratch), writer->scratch.len);
}

int snapshot_write_begin(struct snapshot_writer *writer, const struct snapshot_info *info)
{
	struct json_writer *out = &writer->out;

	memcpy(writer->rules, info->rules, sizeof(writer->rules));
	json_write_open(out, '{');
	json_write_key(out, "format");
	json_write_str(out, "ctprof");
	json_write_key(out, "version");
	json_write_u64(out, SNAPSHOT_VERSION);
	json_write_key(out, "kind");
	json_write_str(out, snapshot_kind_names[info->kind]);
	json_write_key(out, "captured_at_unix_ns");
	json_write_u64(out, info->captured_at_unix_ns);
	if (info->captured_boottime_ns > 0) {
		json_write_key(out, "captured_boottime_ns");
		json_write_u64(out, info->captured_boottime_ns);
	}
	write_meta(writer, "host", snapshot_meta_add_host, info);
	json_write_key(out, "threads");
	json_write_open(out, '[');
	return flush(writer, 0);
}

/* A name chosen by somebody else: readable under its key, and where that loses something, exact in
 * hexadecimal under a second one. */
static void write_name(struct snapshot_writer *writer, const char *key, const char *hex_key,
                       const struct strbuf *name)
{
	struct json_writer *out = &writer->out;
	const char *bytes = strbuf_str(name);
	struct strbuf *scratch = &writer->scratch;

	json_write_key(out, key);
	if (name_is_readable(bytes, name->len)) {
		json_write_text(out, bytes, name->len);
		return;
	}
	strbuf_clear(scratch);
	name_add_readable(scratch, bytes, name->len);
	json_write_text(out, strbuf_str(scratch), scratch->len);

	strbuf_clear(scratch);
	name_add_hex(scratch, bytes, name->len);
	json_write_key(out, hex_key);
	json_write_text(out, strbuf_str(scratch), scratch->len);
}

static void write_cpus(struct json_writer *out, const struct cpu_mask *mask)
{
	json_write_open(out, '[');
	for (unsigned cpu = cpu_mask_next(mask, 0); cpu < CPU_MASK_CPUS;
	     cpu = cpu_mask_next(mask, cpu + 1))
		json_write_u64(out, cpu);
	json_write_close(out, ']');
}

/* A value's wrapper has the value as its only member, so its address serves as the value's. */
static void write_value(struct json_writer *out, enum metric_id metric, const void *value)
{
	const struct label_bytes *label = value;

	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		json_write_u64(out, *(const uint64_t *)value);
		break;
	case REPRESENTATION_I32:
		json_write_i64(out, *(const int32_t *)value);
		break;
	case REPRESENTATION_U32:
		json_write_u64(out, *(const uint32_t *)value);
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
		write_cpus(out, value);
		break;
	}
}

static bool any_malformed(const struct thread_sample *sample)
{
	uint64_t any = 0;

	for (size_t i = 0; i < METRIC_SET_WORDS; i++)
		any |= sample->malformed.words[i] & ~sample->seen.words[i];
	return any != 0;
}

static bool differs_from_rule(const struct snapshot_writer *writer,
                              const struct thread_sample *sample, unsigned source)
{
	enum source_outcome outcome = sample->outcomes[source];

	return outcome != OUTCOME_unneeded && outcome != OUTCOME_read &&
	       outcome != writer->rules[source];
}

static void write_missing(struct snapshot_writer *writer, const struct thread_sample *sample)
{
	struct json_writer *out = &writer->out;
	bool any = any_malformed(sample);

	for (unsigned s = 0; !any && s < SOURCE_COUNT; s++)
		any = differs_from_rule(writer, sample, s);
	if (!any)
		return;

	json_write_key(out, "missing");
	json_write_open(out, '{');
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		if (differs_from_rule(writer, sample, s)) {
			json_write_key(out, source_table[s].name);
			json_write_str(out, outcome_table[sample->outcomes[s]].name);
		}
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_set_has(&sample->malformed, (enum metric_id)i) &&
		    !metric_set_has(&sample->seen, (enum metric_id)i)) {
			json_write_key(out, metric_table[i].name);
			json_write_str(out, outcome_table[OUTCOME_malformed].name);
		}
	json_write_close(out, '}');
}

static void write_process_totals(struct json_writer *out, const struct thread_sample *sample)
{
	json_write_key(out, "process_totals");
	json_write_open(out, '{');
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (sample->process_totals_seen & UINT32_C(1) << i) {
			json_write_key(out, metric_table[process_total_table[i].metric].name);
			json_write_u64(out, sample->process_totals[i]);
		}
	json_write_close(out, '}');
}

/* Who the thread is, and whose. */
static void write_identity(struct snapshot_writer *writer, const struct thread_sample *sample)
{
	struct json_writer *out = &writer->out;

	json_write_key(out, "tid");
	json_write_u64(out, sample->tid);
	json_write_key(out, "tgid");
	json_write_u64(out, sample->tgid);
	write_name(writer, "pcomm", "pcomm_hex", &sample->pcomm);
	write_name(writer, "comm", "comm_hex", &sample->comm);
	if (sample->has_cgroup && sample->cgroup_is_v1)
		write_name(writer, "cgroup_v1", "cgroup_v1_hex", &sample->cgroup);
	else if (sample->has_cgroup)
		write_name(writer, "cgroup", "cgroup_hex", &sample->cgroup);
	if (sample->has_exe)
		write_name(writer, "exe", "exe_hex", &sample->exe);
	if (sample->has_uid) {
		json_write_key(out, "uid");
		json_write_u64(out, sample->uid);
	}
}

static void write_optional(struct json_writer *out, const char *key, uint64_t value)
{
	if (value == 0)
		return;
	json_write_key(out, key);
	json_write_u64(out, value);
}

/* When it was read, and what became of it in a window. */
static void write_times(struct json_writer *out, const struct thread_sample *sample)
{
	json_write_key(out, "start_time_clock_ticks");
	json_write_u64(out, sample->start_time_clock_ticks);
	write_optional(out, "read_boottime_ns", sample->read_boottime_ns);
	if (sample->window_part == WINDOW_PART_NONE)
		return;
	json_write_key(out, "window_part");
	json_write_str(out, window_part_names[sample->window_part]);
	write_optional(out, "interval_ns", sample->interval_ns);
	if (sample->life_ns != sample->interval_ns)
		write_optional(out, "life_ns", sample->life_ns);
}

int snapshot_write_thread(struct snapshot_writer *writer, const struct thread_sample *sample)
{
	struct json_writer *out = &writer->out;

	if (writer->error == 0 && writer->phase != PHASE_THREADS)
		writer->error = -EINVAL;
	if (writer->error < 0)
		return writer->error;
	json_write_open(out, '{');
	write_identity(writer, sample);
	write_times(out, sample);
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		if (!metric_set_has(&sample->seen, metric) ||
		    metric_table[i].source == SOURCE_synthetic)
			continue;
		json_write_key(out, metric_table[i].name);
		write_value(out, metric, sample_value(sample, metric));
	}
	if (sample->has_smaps) {
		json_write_key(out, "smaps_rollup_kib");
		values_write(out, &sample->smaps_rollup_kib, &writer->scratch);
	}
	if (sample->has_process_totals)
		write_process_totals(out, sample);
	write_missing(writer, sample);
	json_write_close(out, '}');
	return flush(writer, WRITE_CHUNK);
}

/* Closes containers, empty ones too, until @phase is the open one. */
static void advance(struct snapshot_writer *writer, enum phase phase)
{
	struct json_writer *out = &writer->out;

	if (writer->phase < phase && writer->phase == PHASE_THREADS) {
		json_write_close(out, ']');
		json_write_key(out, "cgroup_stats");
		json_write_open(out, '{');
		writer->phase = PHASE_CGROUPS;
	}
	if (writer->phase < phase) {
		json_write_close(out, '}');
		json_write_key(out, "cgroup_v1_stats");
		json_write_open(out, '{');
		strmap_done(&writer->cgroup_keys);
		writer->phase = PHASE_V1_CGROUPS;
	}
}

int snapshot_write_cgroup(struct snapshot_writer *writer, const struct cgroup_stats *stats)
{
	if (writer->error < 0)
		return writer->error;
	advance(writer, stats->is_v1 ? PHASE_V1_CGROUPS : PHASE_CGROUPS);
	if (!stats->is_v1 && writer->phase == PHASE_V1_CGROUPS)
		return writer->error = -EINVAL;
	cgroup_write(&writer->out, stats, &writer->cgroup_keys, &writer->scratch);
	return flush(writer, WRITE_CHUNK);
}

uint64_t snapshot_writer_json_bytes(const struct snapshot_writer *writer)
{
	return writer->compressed + writer->json.len;
}

int snapshot_write_end(struct snapshot_writer *writer, const struct snapshot_info *info)
{
	struct json_writer *out = &writer->out;

	advance(writer, PHASE_V1_CGROUPS);
	json_write_close(out, '}');
	write_meta(writer, "probe_summary", snapshot_meta_add_probe_summary, info);
	write_meta(writer, "parse_summary", snapshot_meta_add_parse_summary, info);
	write_meta(writer, "taskstats_summary", snapshot_meta_add_taskstats_summary, info);
	json_write_key(out, "psi");
	psi_write(out, &info->psi);
	write_meta(writer, "sched_ext", snapshot_meta_add_sched_ext, info);
	write_meta(writer, "sources", snapshot_meta_add_sources, info);
	if (info->kind == KIND_window)
		write_meta(writer, "window", snapshot_meta_add_window, info);
	write_meta(writer, "cost", snapshot_meta_add_cost, info);
	json_write_close(out, '}');
	if (flush(writer, 0) == 0)
		writer->error = zstd_compress_end(writer->compressor);
	return writer->error;
}
