// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ctprof/snapshot/snapshot.h"
#include "snapshot-cgroup.h"
#include "snapshot-meta.h"
#include "snapshot-row-write.h"
#include "snapshot-value.h"
#include "zstd-thread.h"
#include "json/json-write.h"

/* Rows are collected to about this size before they are compressed, beside those that follow. */
enum { WRITE_CHUNK = 128 << 10 };

/* Which of the containers that rows go into is open. */
enum phase { PHASE_THREADS, PHASE_CGROUPS, PHASE_V1_CGROUPS };

struct snapshot_writer {
	struct zstd_thread *compressor;
	struct strbuf json;
	uint64_t compressed; /* bytes of JSON that were passed on */
	enum phase phase;
	struct strmap cgroup_keys; /* of the open container, as cgroup_write() wants it */
	struct strbuf scratch;
	struct json_writer out;
	struct row_writer rows;
	int error; /* the first one; nothing is written after it */
};

struct snapshot_writer *snapshot_writer_new(struct byte_sink *sink, int zstd_level)
{
	struct snapshot_writer *writer = mem_calloc(1, sizeof(*writer));

	writer->compressor = zstd_thread_new(sink, zstd_level);
	writer->out = JSON_WRITER_INIT(&writer->json);
	row_writer_init(&writer->rows);
	return writer;
}

struct snapshot_writer *snapshot_writer_free(struct snapshot_writer *writer)
{
	if (!writer)
		return NULL;
	zstd_thread_free(writer->compressor);
	strbuf_done(&writer->json);
	strbuf_done(&writer->scratch);
	strmap_done(&writer->cgroup_keys);
	row_writer_done(&writer->rows);
	free(writer);
	return NULL;
}

void snapshot_writer_freep(struct snapshot_writer **writer)
{
	*writer = snapshot_writer_free(*writer);
}

static int flush(struct snapshot_writer *writer)
{
	if (writer->error == 0 && writer->json.len > WRITE_CHUNK) {
		writer->compressed += writer->json.len;
		writer->error = zstd_thread_add(writer->compressor, &writer->json);
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

	memcpy(writer->rows.rules, info->rules, sizeof(writer->rows.rules));
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
	return flush(writer);
}

int snapshot_write_thread(struct snapshot_writer *writer, const struct thread_sample *sample)
{
	if (writer->error == 0 && writer->phase != PHASE_THREADS)
		writer->error = -EINVAL;
	if (writer->error < 0)
		return writer->error;
	row_write(&writer->rows, &writer->out, sample);
	return flush(writer);
}

struct snapshot_rows {
	struct row_writer writer;
};

struct snapshot_rows *snapshot_rows_new(const enum source_outcome rules[SOURCE_COUNT])
{
	struct snapshot_rows *rows = mem_calloc(1, sizeof(*rows));

	row_writer_init(&rows->writer);
	memcpy(rows->writer.rules, rules, sizeof(rows->writer.rules));
	return rows;
}

struct snapshot_rows *snapshot_rows_free(struct snapshot_rows *rows)
{
	if (rows)
		row_writer_done(&rows->writer);
	free(rows);
	return NULL;
}

void snapshot_rows_add(struct snapshot_rows *rows, const struct thread_sample *sample,
                       struct strbuf *text)
{
	struct json_writer out = {.out = text, .need_comma = text->len > 0};

	row_write(&rows->writer, &out, sample);
}

int snapshot_write_rows(struct snapshot_writer *writer, const struct strbuf *text)
{
	if (writer->error == 0 && writer->phase != PHASE_THREADS)
		writer->error = -EINVAL;
	if (writer->error < 0 || text->len == 0)
		return writer->error;
	json_write_raw(&writer->out, strbuf_str(text), text->len);
	return flush(writer);
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
	return flush(writer);
}

struct snapshot_cgroups {
	struct strbuf texts[2]; /* of version 2, of version 1 */
	struct strmap keys[2];  /* as cgroup_write() wants them */
	struct strbuf scratch;
};

struct snapshot_cgroups *snapshot_cgroups_new(void)
{
	return mem_calloc(1, sizeof(struct snapshot_cgroups));
}

struct snapshot_cgroups *snapshot_cgroups_free(struct snapshot_cgroups *cgroups)
{
	for (unsigned i = 0; cgroups && i < ARRAY_SIZE(cgroups->texts); i++) {
		strbuf_done(&cgroups->texts[i]);
		strmap_done(&cgroups->keys[i]);
	}
	if (cgroups)
		strbuf_done(&cgroups->scratch);
	free(cgroups);
	return NULL;
}

void snapshot_cgroups_add(struct snapshot_cgroups *cgroups, const struct cgroup_stats *stats)
{
	struct strbuf *text = &cgroups->texts[stats->is_v1];
	struct json_writer out = {.out = text, .need_comma = text->len > 0};

	cgroup_write(&out, stats, &cgroups->keys[stats->is_v1], &cgroups->scratch);
}

static int write_kept(struct snapshot_writer *writer, struct strbuf *text, enum phase phase)
{
	if (writer->error < 0 || text->len == 0)
		return writer->error;
	advance(writer, phase);
	if (writer->phase != phase)
		return writer->error = -EINVAL;
	json_write_raw(&writer->out, strbuf_str(text), text->len);
	strbuf_clear(text);
	return flush(writer);
}

int snapshot_write_cgroups(struct snapshot_writer *writer, struct snapshot_cgroups *cgroups,
                           bool is_v1)
{
	int r = write_kept(writer, &cgroups->texts[false], PHASE_CGROUPS);

	return r < 0 || !is_v1 ? r : write_kept(writer, &cgroups->texts[true], PHASE_V1_CGROUPS);
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
	if (writer->error == 0) {
		writer->compressed += writer->json.len;
		writer->error = zstd_thread_end(writer->compressor, &writer->json);
	}
	return writer->error;
}
