// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "ctprof/json-write.h"
#include "ctprof/mem.h"
#include "ctprof/snapshot.h"
#include "ctprof/text.h"
#include "snapshot-meta.h"
#include "zstd-stream.h"

/* Rows are collected to about this size before they are compressed. */
enum { WRITE_CHUNK = 64 << 10 };

struct snapshot_writer {
	struct zstd_compressor *compressor;
	struct strbuf json;
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
		strbuf_clear(&writer->json);
	}
	return writer->error;
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
	json_write_str(out, "lifetime");
	json_write_key(out, "captured_at_unix_ns");
	json_write_u64(out, info->captured_at_unix_ns);
	if (info->captured_boottime_ns > 0) {
		json_write_key(out, "captured_boottime_ns");
		json_write_u64(out, info->captured_boottime_ns);
	}
	json_write_key(out, "host");
	strbuf_clear(&writer->scratch);
	snapshot_meta_add_host(info, &writer->scratch);
	json_write_raw(out, strbuf_str(&writer->scratch), writer->scratch.len);
	json_write_key(out, "threads");
	json_write_open(out, '[');
	return flush(writer, 0);
}

/* Appends valid UTF-8 without NULs, which a reader would refuse: each of them becomes U+FFFD as well. */
static void add_readable(struct strbuf *out, const char *bytes, size_t len)
{
	while (len > 0) {
		size_t run = strnlen(bytes, len);

		text_add_replaced(out, bytes, run);
		if (run < len) {
			strbuf_add_str(out, "\xef\xbf\xbd");
			run++;
		}
		bytes += run;
		len -= run;
	}
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
	if (text_is_utf8(bytes, name->len) && !memchr(bytes, '\0', name->len)) {
		json_write_text(out, bytes, name->len);
		return;
	}
	strbuf_clear(scratch);
	add_readable(scratch, bytes, name->len);
	json_write_text(out, strbuf_str(scratch), scratch->len);

	strbuf_clear(scratch);
	for (size_t i = 0; i < name->len; i++)
		strbuf_addf(scratch, "%02x", (unsigned char)bytes[i]);
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

int snapshot_write_thread(struct snapshot_writer *writer, const struct thread_sample *sample)
{
	struct json_writer *out = &writer->out;

	json_write_open(out, '{');
	json_write_key(out, "tid");
	json_write_u64(out, sample->tid);
	json_write_key(out, "tgid");
	json_write_u64(out, sample->tgid);
	write_name(writer, "pcomm", "pcomm_hex", &sample->pcomm);
	write_name(writer, "comm", "comm_hex", &sample->comm);
	if (sample->has_cgroup)
		write_name(writer, "cgroup", "cgroup_hex", &sample->cgroup);
	json_write_key(out, "start_time_clock_ticks");
	json_write_u64(out, sample->start_time_clock_ticks);
	if (sample->read_boottime_ns > 0) {
		json_write_key(out, "read_boottime_ns");
		json_write_u64(out, sample->read_boottime_ns);
	}
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;

		if (!metric_set_has(&sample->seen, metric) ||
		    metric_table[i].source == SOURCE_synthetic)
			continue;
		json_write_key(out, metric_table[i].name);
		write_value(out, metric, sample_value(sample, metric));
	}
	write_missing(writer, sample);
	json_write_close(out, '}');
	return flush(writer, WRITE_CHUNK);
}

int snapshot_write_end(struct snapshot_writer *writer, const struct snapshot_info *info)
{
	struct json_writer *out = &writer->out;

	json_write_close(out, ']');
	json_write_key(out, "parse_summary");
	strbuf_clear(&writer->scratch);
	snapshot_meta_add_parse_summary(&info->tally, &writer->scratch);
	json_write_raw(out, strbuf_str(&writer->scratch), writer->scratch.len);
	json_write_key(out, "sources");
	strbuf_clear(&writer->scratch);
	snapshot_meta_add_sources(info, &writer->scratch);
	json_write_raw(out, strbuf_str(&writer->scratch), writer->scratch.len);
	json_write_close(out, '}');
	if (flush(writer, 0) == 0)
		writer->error = zstd_compress_end(writer->compressor);
	return writer->error;
}
