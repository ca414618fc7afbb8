// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "compression/zstd-thread.h"
#include "ctprof/snapshot/snapshot.h"
#include "frame-ended.h"
#include "snapshot-cgroup.h"
#include "snapshot-meta.h"
#include "snapshot-row-judge.h"
#include "snapshot-row-write.h"
#include "snapshot-value.h"
#include "snapshot/frame-base.h"
#include "snapshot/snapshot-batch.h"
#include "json/json-write.h"

/* Rows are collected to about this size before they are compressed, beside those that follow. */
enum { WRITE_CHUNK = 128 << 10 };

/* The container of rows that is open. */
enum phase { PHASE_BEFORE, PHASE_THREADS, PHASE_CGROUPS, PHASE_V1_CGROUPS };

struct snapshot_writer {
	struct zstd_thread *compressor; /* NULL: there is no file */
	struct strbuf json;
	uint64_t compressed; /* bytes of JSON that were passed on */
	enum phase phase;
	struct strbuf kept[2]; /* cgroups of version 2, of version 1, that came before the rest */
	struct strmap cgroup_keys[2]; /* of the same, for cgroup_write() */
	struct strbuf scratch;
	struct json_writer out;
	struct thread_row_writer rows;
	int error; /* the first one; nothing is written afterwards */
	/* The windows before in a file of a recording, borrowed; NULL: there is no recording. */
	struct frame_base *base;
	bool asked_whole;
	bool has_changes; /* the snapshot that is written has only those */
	struct thread_sample changes;
	/* Without a file. */
	struct snapshot_visitor *visitor; /* borrowed, as is the next */
	const struct snapshot_info *info;
	struct thread_row_process process;
	struct thread_sample sample; /* of a batch */
};

struct snapshot_writer *snapshot_writer_new(struct byte_sink *sink, int zstd_level)
{
	struct snapshot_writer *writer = mem_calloc(1, sizeof(*writer));

	writer->compressor = zstd_thread_new(sink, zstd_level);
	writer->out = JSON_WRITER_INIT(&writer->json);
	thread_row_writer_init(&writer->rows);
	return writer;
}

struct snapshot_writer *snapshot_writer_new_visiting(struct snapshot_visitor *visitor)
{
	struct snapshot_writer *writer = mem_calloc(1, sizeof(*writer));

	writer->visitor = visitor;
	writer->process = ROW_PROCESS_INIT;
	return writer;
}

void snapshot_writer_follow(struct snapshot_writer *writer, struct frame_base *base, bool whole)
{
	writer->base = base;
	writer->asked_whole = whole;
}

const struct snapshot_info *snapshot_writer_info(const struct snapshot_writer *writer)
{
	return writer->info;
}

void snapshot_writer_freep(struct snapshot_writer **writer_ref)
{
	struct snapshot_writer *writer = *writer_ref;

	*writer_ref = NULL;
	if (!writer)
		return;
	if (writer->compressor)
		zstd_thread_free(writer->compressor);
	strbuf_done(&writer->json);
	strbuf_done(&writer->scratch);
	for (unsigned i = 0; i < ARRAY_SIZE(writer->kept); i++) {
		strbuf_done(&writer->kept[i]);
		strmap_done(&writer->cgroup_keys[i]);
	}
	thread_row_writer_done(&writer->rows);
	sample_done(&writer->sample);
	free(writer);
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

static uint64_t version_of(const struct snapshot_writer *writer, const struct snapshot_info *info)
{
	if (info->is_of_hosts)
		return SNAPSHOT_VERSION_HOSTS;
	return writer->has_changes ? SNAPSHOT_VERSION_CHANGES : SNAPSHOT_VERSION;
}

int snapshot_write_begin(struct snapshot_writer *writer, const struct snapshot_info *info)
{
	struct json_writer *out = &writer->out;

	memcpy(writer->rows.rules, info->rules, sizeof(writer->rows.rules));
	writer->info = info;
	writer->phase = PHASE_THREADS;
	if (writer->visitor)
		return writer->error;
	if (writer->base)
		writer->has_changes =
		        !frame_base_begin_writing(writer->base, writer->asked_whole, info->rules);
	json_write_open(out, '{');
	json_write_key(out, "format");
	json_write_str(out, "ctprof");
	json_write_key(out, "version");
	json_write_u64(out, version_of(writer, info));
	json_write_key(out, "kind");
	json_write_str(out, snapshot_kind_names[info->kind]);
	json_write_key(out, "captured_at_unix_ns");
	json_write_u64(out, info->captured_at_unix_ns);
	if (info->captured_boottime_ns > 0) {
		json_write_key(out, "captured_boottime_ns");
		json_write_u64(out, info->captured_boottime_ns);
	}
	if (info->labels.count > 0)
		write_meta(writer, "labels", snapshot_meta_add_labels, info);
	write_meta(writer, "host", snapshot_meta_add_host, info);
	json_write_key(out, "threads");
	json_write_open(out, '[');
	return flush(writer);
}

/* The visitor has the texts of @sample, and values and reasons of its own. */
static int visit(struct snapshot_writer *writer, const struct thread_sample *sample)
{
	struct thread_sample row = *sample;

	thread_row_keep_written_reasons(writer->rows.rules, &row);
	thread_row_find_process(&writer->process, &row);
	thread_row_judge(writer->info, &row);
	return writer->visitor->thread(writer->visitor, &row);
}

/* Reasons that are not written are not those of the reader's base. */
static void write_following(struct snapshot_writer *writer, const struct thread_sample *sample)
{
	struct thread_sample row = *sample;

	thread_row_keep_written_reasons(writer->rows.rules, &row);
	switch (frame_base_write_row(writer->base, &row, &writer->changes)) {
	case FRAME_ROW_WHOLE:
		thread_row_write(&writer->rows, &writer->out, &row);
		break;
	case FRAME_ROW_CHANGES:
		thread_row_write_changes(&writer->rows, &writer->out, &writer->changes);
		break;
	case FRAME_ROW_LEFT_OUT:
		break;
	}
}

int snapshot_write_thread(struct snapshot_writer *writer, const struct thread_sample *sample)
{
	if (writer->error == 0 && writer->phase != PHASE_THREADS)
		writer->error = -EINVAL;
	if (writer->error < 0)
		return writer->error;
	if (writer->visitor)
		return writer->error = visit(writer, sample);
	if (writer->base)
		write_following(writer, sample);
	else
		thread_row_write(&writer->rows, &writer->out, sample);
	return flush(writer);
}

bool snapshot_leave_out_thread(struct snapshot_writer *writer, const struct thread_key *key)
{
	return writer->error == 0 && writer->has_changes && frame_base_leave_out(writer->base, key);
}

struct snapshot_rows {
	bool is_for_visitor;
	struct thread_row_writer writer;
};

struct snapshot_rows *snapshot_rows_new(const struct snapshot_writer *writer)
{
	struct snapshot_rows *rows = mem_calloc(1, sizeof(*rows));

	rows->is_for_visitor = writer->visitor != NULL;
	thread_row_writer_init(&rows->writer);
	memcpy(rows->writer.rules, writer->rows.rules, sizeof(rows->writer.rules));
	return rows;
}

struct snapshot_rows *snapshot_rows_free(struct snapshot_rows *rows)
{
	if (rows)
		thread_row_writer_done(&rows->writer);
	free(rows);
	return NULL;
}

void snapshot_rows_add(struct snapshot_rows *rows, const struct thread_sample *sample,
                       struct snapshot_batch *batch)
{
	struct json_writer out = {.out = &batch->text, .need_comma = batch->text.len > 0};

	if (rows->is_for_visitor)
		thread_store_add(&batch->samples, sample);
	else
		thread_row_write(&rows->writer, &out, sample);
}

int snapshot_write_batch(struct snapshot_writer *writer, const struct snapshot_batch *batch)
{
	if (writer->error == 0 && writer->phase != PHASE_THREADS)
		writer->error = -EINVAL;
	for (uint32_t row = 0; writer->error == 0 && row < batch->samples.count; row++) {
		thread_store_get(&batch->samples, row, &writer->sample);
		writer->error = visit(writer, &writer->sample);
	}
	if (writer->error < 0 || batch->text.len == 0)
		return writer->error;
	json_write_raw(&writer->out, strbuf_str(&batch->text), batch->text.len);
	return flush(writer);
}

static void write_gone(struct snapshot_writer *writer, bool is_v1)
{
	const struct cgroup_stats *gone;

	while (writer->has_changes && (gone = frame_base_next_gone(writer->base, is_v1)))
		cgroup_write_gone(&writer->out, gone, &writer->cgroup_keys[is_v1],
		                  &writer->scratch);
}

static void write_kept(struct snapshot_writer *writer, bool is_v1)
{
	struct strbuf *kept = &writer->kept[is_v1];

	if (kept->len > 0)
		json_write_raw(&writer->out, strbuf_str(kept), kept->len);
	strbuf_done(kept);
}

/* Closes containers, empty ones too, until @phase is the open one. */
static void advance(struct snapshot_writer *writer, enum phase phase)
{
	struct json_writer *out = &writer->out;

	if (writer->phase < phase && writer->phase == PHASE_THREADS) {
		json_write_close(out, ']');
		if (writer->has_changes) {
			json_write_key(out, "ended_threads");
			frame_ended_write(out, writer->base);
		}
		json_write_key(out, "cgroup_stats");
		json_write_open(out, '{');
		write_kept(writer, false);
		writer->phase = PHASE_CGROUPS;
	}
	if (writer->phase < phase) {
		write_gone(writer, false);
		json_write_close(out, '}');
		json_write_key(out, "cgroup_v1_stats");
		json_write_open(out, '{');
		write_kept(writer, true);
		writer->phase = PHASE_V1_CGROUPS;
	}
}

int snapshot_write_cgroup(struct snapshot_writer *writer, const struct cgroup_stats *stats)
{
	struct strbuf *kept = &writer->kept[stats->is_v1];
	struct json_writer keeping = {.out = kept, .need_comma = kept->len > 0};
	bool is_kept = writer->phase == PHASE_BEFORE;

	if (writer->error < 0)
		return writer->error;
	if (writer->visitor)
		return writer->error = writer->visitor->cgroup
		                               ? writer->visitor->cgroup(writer->visitor, stats)
		                               : 0;
	if (!is_kept)
		advance(writer, stats->is_v1 ? PHASE_V1_CGROUPS : PHASE_CGROUPS);
	if (!stats->is_v1 && writer->phase == PHASE_V1_CGROUPS)
		return writer->error = -EINVAL;
	/* write_gone() has those of the frame before. */
	if (stats->is_gone && writer->has_changes)
		return 0;
	if (!stats->is_gone && writer->base && frame_base_write_cgroup(writer->base, stats))
		return 0;
	(stats->is_gone ? cgroup_write_gone
	                : cgroup_write)(is_kept ? &keeping : &writer->out, stats,
	                                &writer->cgroup_keys[stats->is_v1], &writer->scratch);
	return is_kept ? 0 : flush(writer);
}

uint64_t snapshot_writer_json_bytes(const struct snapshot_writer *writer)
{
	return writer->compressed + writer->json.len + writer->kept[0].len + writer->kept[1].len;
}

/* Ends the frame of a recording. */
static void end_frame(struct snapshot_writer *writer)
{
	struct json_writer *out = &writer->out;

	if (writer->has_changes) {
		json_write_key(out, "unchanged");
		json_write_open(out, '{');
		json_write_key(out, "threads");
		json_write_u64(out, writer->base->unchanged_threads);
		json_write_key(out, "cgroups");
		json_write_u64(out, writer->base->unchanged_cgroups);
		json_write_close(out, '}');
	}
	frame_base_end(writer->base);
}

int snapshot_write_end(struct snapshot_writer *writer, const struct snapshot_info *info)
{
	struct json_writer *out = &writer->out;

	if (writer->visitor)
		return writer->error;
	advance(writer, PHASE_V1_CGROUPS);
	write_gone(writer, true);
	json_write_close(out, '}');
	if (writer->base)
		end_frame(writer);
	write_meta(writer, "probe_summary", snapshot_meta_add_probe_summary, info);
	write_meta(writer, "parse_summary", snapshot_meta_add_parse_summary, info);
	write_meta(writer, "taskstats_summary", snapshot_meta_add_taskstats_summary, info);
	json_write_key(out, "psi");
	psi_write(out, &info->psi);
	write_meta(writer, "sched_ext", snapshot_meta_add_sched_ext, info);
	if (info->settings.seen) {
		json_write_key(out, "settings");
		snapshot_write_settings(out, &info->settings);
	}
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
