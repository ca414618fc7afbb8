// SPDX-License-Identifier: GPL-2.0-or-later
/* A snapshot from somebody else: the input is taken once as the compressed file and once as the JSON inside a
 * sound frame. An accepted snapshot must survive being written and read again. */
#include <errno.h>
#include <string.h>

#include "compression/zstd-stream.h"
#include "ctprof/snapshot/snapshot.h"
#include "fuzz.h"
#include "group/group.h"
#include "snapshot/reference.h"

struct memory_source {
	struct byte_source source; /* must stay the first member */
	const char *bytes;
	size_t len;
};

static int memory_read(struct byte_source *self, void *buffer, size_t size, size_t *ret_len)
{
	struct memory_source *source = (struct memory_source *)self;

	*ret_len = size < source->len ? size : source->len;
	memcpy(buffer, source->bytes, *ret_len);
	source->bytes += *ret_len;
	source->len -= *ret_len;
	return 0;
}

struct memory_sink {
	struct byte_sink sink; /* must stay the first member */
	struct strbuf bytes;
};

static int memory_write(struct byte_sink *self, const void *bytes, size_t len)
{
	strbuf_add(&((struct memory_sink *)self)->bytes, bytes, len);
	return 0;
}

/* The writer wants threads first and then the cgroups by version; the file may have them in any order. */
enum phase { PHASE_THREADS, PHASE_CGROUPS, PHASE_V1_CGROUPS, PHASE_COUNT };

/* Groups the rows and, where there is a writer, writes those of the phase again. */
struct rows {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct group_table groups;
	struct snapshot_writer *writer;
	enum phase phase;
	uint64_t count, cgroups;
	uint64_t checksum; /* of the cgroups, in any order */
};

static int take_row(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct rows *rows = (struct rows *)self;

	rows->count++;
	if (rows->writer && rows->phase == PHASE_THREADS)
		require(snapshot_write_thread(rows->writer, sample) == 0, "rows can be written");
	group_table_add(&rows->groups, sample);
	return 0;
}

static uint64_t mixed(uint64_t sum, uint64_t number)
{
	return (sum ^ number) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static uint64_t text_sum(const char *text, size_t len)
{
	uint64_t sum = len;

	for (size_t i = 0; i < len; i++)
		sum = mixed(sum, (unsigned char)text[i]);
	return sum;
}

static uint64_t list_sum(const struct keyed_values *values)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < values->count; i++)
		sum += mixed(text_sum(values->entries[i].key, strlen(values->entries[i].key)),
		             values->entries[i].value);
	return sum;
}

static uint64_t psi_sum(const struct psi *psi)
{
	uint64_t sum = 0;

	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++) {
			const struct psi_line *line = &psi->lines[resource][row];

			sum = mixed(sum, line->seen);
			for (unsigned i = 0; line->seen && i < PSI_AVERAGE_COUNT; i++)
				sum = mixed(sum, line->averages[i]);
			sum = mixed(sum, line->seen ? line->total_usec : 0);
		}
	return sum;
}

static uint64_t cgroup_sum(const struct cgroup_stats *stats)
{
	uint64_t sum = text_sum(strbuf_str(&stats->path), stats->path.len) + stats->is_v1;

	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct fact_value *value = &stats->values[i];

		sum = mixed(sum, (uint64_t)value->state);
		sum = mixed(sum, value->state == FACT_NUMBER ? (uint64_t)value->number : 0);
		if (value->state == FACT_TEXT)
			sum = mixed(sum, text_sum(value->text, strlen(value->text)));
	}
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		sum = mixed(sum, stats->has_list[i] ? list_sum(&stats->lists[i]) : 1);
	return mixed(sum, psi_sum(&stats->psi));
}

static int take_cgroup(struct snapshot_visitor *self, const struct cgroup_stats *stats)
{
	struct rows *rows = (struct rows *)self;

	rows->cgroups++;
	rows->checksum += cgroup_sum(stats);
	if (rows->writer && rows->phase == (stats->is_v1 ? PHASE_V1_CGROUPS : PHASE_CGROUPS))
		require(snapshot_write_cgroup(rows->writer, stats) == 0, "cgroups can be written");
	return 0;
}

enum { STRING_BYTES = 1 << 16 };

static int read_all(const char *bytes, size_t len, size_t string_bytes, struct rows *rows,
                    struct snapshot_info *info)
{
	const struct snapshot_limits limits = {
	        .bytes = 1 << 22, .threads = 1000, .depth = 32, .string_bytes = string_bytes};
	struct memory_source source = {{memory_read}, bytes, len};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct metric_set forgotten = {{0}};
	int r;

	rows->visitor.thread = take_row;
	rows->visitor.cgroup = take_cgroup;
	group_table_init(&rows->groups, group_by_key(GROUP_KEY_comm, false));
	r = snapshot_read(&source.source, &limits, &rows->visitor, info, &reason);
	require(r == 0 || r == -EBADMSG || r == -E2BIG, "no other result from memory");
	require(r == 0 || reason.len > 0, "a refusal has a reason");
	require(info->origin == ORIGIN_ktstr || (info->forgotten | info->ambiguous) == 0,
	        "zeros of ours are zeros");
	require((info->forgotten & info->ambiguous) == 0, "missing or ambiguous");
	group_table_finish(&rows->groups);
	reference_add_metrics(info->forgotten, &forgotten);
	group_table_forget(&rows->groups, &forgotten);
	group_table_done(&rows->groups);
	return r;
}

static void write_again(const char *bytes, size_t len, const struct snapshot_info *info,
                        struct memory_sink *sink)
{
	struct snapshot_writer *writer = snapshot_writer_new(&sink->sink, 1);

	require(snapshot_write_begin(writer, info) == 0, "the head is written");
	for (enum phase phase = PHASE_THREADS; phase < PHASE_COUNT; phase++) {
		cleanup_(snapshot_info_done) struct snapshot_info same = {0};
		struct rows writing = {.writer = writer, .phase = phase};

		require(read_all(bytes, len, STRING_BYTES, &writing, &same) == 0,
		        "the same each time");
	}
	require(snapshot_write_end(writer, info) == 0, "the tail is written");
	snapshot_writer_freep(&writer);
}

static void check_compressed(const char *bytes, size_t len)
{
	cleanup_(snapshot_info_done) struct snapshot_info info = {0}, again = {0};
	struct memory_sink sink = {{memory_write}, STRBUF_INIT};
	struct rows rows = {0}, rows_again = {0};

	if (read_all(bytes, len, STRING_BYTES, &rows, &info) == 0) {
		write_again(bytes, len, &info, &sink);
		/* A byte that is not UTF-8 grows to three, or to two digits. */
		require(read_all(sink.bytes.data, sink.bytes.len, 4 * STRING_BYTES, &rows_again,
		                 &again) == 0,
		        "what was written can be read");
		require(rows_again.count == rows.count, "with as many rows");
		require(rows_again.cgroups == rows.cgroups, "with as many cgroups");
		require(rows_again.checksum == rows.checksum, "with the same cgroups");
		require(psi_sum(&again.psi) == psi_sum(&info.psi), "with the same pressure");
	}
	strbuf_done(&sink.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_sink sink = {{memory_write}, STRBUF_INIT};
	struct zstd_compressor *compressor = zstd_compressor_new(&sink.sink, 1);

	check_compressed((const char *)data, size);
	require(zstd_compress(compressor, data, size) == 0, "compressing");
	require(zstd_compress_end(compressor) == 0, "compressing");
	check_compressed(sink.bytes.data, sink.bytes.len);
	zstd_compressor_free(compressor);
	strbuf_done(&sink.bytes);
	return 0;
}
