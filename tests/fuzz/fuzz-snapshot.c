// SPDX-License-Identifier: GPL-2.0-or-later
/* A snapshot from somebody else: the input is taken once as the compressed file and once as the JSON inside a
 * sound frame. What is accepted must survive being written and read again. */
#include <errno.h>
#include <string.h>

#include "../../src/model/zstd-stream.h"
#include "ctprof/group.h"
#include "ctprof/snapshot.h"
#include "fuzz.h"

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

/* Groups the rows and, where there is a writer, writes them again. */
struct rows {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct group_table groups;
	struct snapshot_writer *writer;
	uint64_t count;
};

static int take_row(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct rows *rows = (struct rows *)self;

	rows->count++;
	if (rows->writer)
		require(snapshot_write_thread(rows->writer, sample) == 0, "rows can be written");
	group_table_add(&rows->groups, sample);
	return 0;
}

static int read_all(const char *bytes, size_t len, struct rows *rows, struct snapshot_info *info)
{
	const struct snapshot_limits limits = {
	        .bytes = 1 << 22, .threads = 1000, .depth = 32, .string_bytes = 1 << 16};
	struct memory_source source = {{memory_read}, bytes, len};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r;

	rows->visitor.thread = take_row;
	group_table_init(&rows->groups, GROUP_KEY_comm, false);
	r = snapshot_read(&source.source, &limits, &rows->visitor, info, &reason);
	require(r == 0 || r == -EBADMSG, "no other result from memory");
	require(r == 0 || reason.len > 0, "a refusal has a reason");
	group_table_done(&rows->groups);
	return r;
}

static void check_compressed(const char *bytes, size_t len)
{
	cleanup_(snapshot_info_done) struct snapshot_info info = {0}, again = {0};
	struct memory_sink sink = {{memory_write}, STRBUF_INIT};
	struct rows rows = {0}, rows_again = {0};

	if (read_all(bytes, len, &rows, &info) == 0) {
		struct rows writing = {.writer = snapshot_writer_new(&sink.sink, 1)};
		struct snapshot_info same = {0};

		require(snapshot_write_begin(writing.writer, &info) == 0, "the head is written");
		require(read_all(bytes, len, &writing, &same) == 0, "the same twice");
		require(snapshot_write_end(writing.writer, &info) == 0, "the tail is written");
		snapshot_writer_free(writing.writer);
		snapshot_info_done(&same);
		require(read_all(sink.bytes.data, sink.bytes.len, &rows_again, &again) == 0,
		        "what was written can be read");
		require(rows_again.count == rows.count, "with as many rows");
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
