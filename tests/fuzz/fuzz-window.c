// SPDX-License-Identifier: GPL-2.0-or-later
/* Two snapshots from somebody else, as JSON with a zero byte between and one behind them, and then the ends of threads
 * as they could come from the kernel. Readings that can be joined must make a window that can be read. */
#include <errno.h>
#include <string.h>

#include "compression/zstd-stream.h"
#include "fuzz.h"
#include "window/exit-log.h"
#include "window/window.h"

struct memory_source {
	struct byte_source source; /* must stay the first member */
	const char *bytes;
	size_t len;
};

static int memory_read(struct byte_source *self, void *buffer, size_t size, size_t *ret_len)
{
	struct memory_source *source = (struct memory_source *)self;

	*ret_len = size < source->len ? size : source->len;
	if (*ret_len > 0)
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

static void compress(const char *json, size_t len, struct memory_sink *sink)
{
	struct zstd_compressor *compressor = zstd_compressor_new(&sink->sink, 1);

	require(zstd_compress(compressor, json, len) == 0, "compressing");
	require(zstd_compress_end(compressor) == 0, "compressing");
	zstd_compressor_free(compressor);
}

/* Small numbers, so that ids and times meet those of the snapshots: tid, tgid, birth and life in half ticks. */
enum { END_BYTES = 6, HALF_TICK_NS = 5000000 };

static void add_ends(const uint8_t *data, size_t size, struct exit_log *log)
{
	log->exits = WINDOW_EXITS_recorded;
	for (; size >= END_BYTES; data += END_BYTES, size -= END_BYTES) {
		struct thread_sample sample = {.tid = data[0], .tgid = data[1]};
		struct exit_note note = {
		        .born_boottime_ns = (uint64_t)data[2] * HALF_TICK_NS,
		        .exited_boottime_ns = (uint64_t)(data[2] + data[3]) * HALF_TICK_NS,
		        .late_ns = (uint64_t)(data[5] & 15) * HALF_TICK_NS,
		        .user_ns = (uint64_t)data[4] << (data[5] & 31),
		        .system_ns = data[4],
		        .has_cpu_time = data[5] & 32,
		        .has_tgid = data[5] & 64,
		        .is_complete = data[5] & 128,
		};

		if (data[5] & 16 && data[4] < data[2]) {
			note.process_born_boottime_ns = (uint64_t)data[4] * HALF_TICK_NS;
			sample_set_process_start(&sample, data[4] / 2);
		}
		sample.start_time_clock_ticks = data[2] / 2;
		sample.life_ns = (uint64_t)data[3] * HALF_TICK_NS;
		sample_set(&sample, run_time_ns, (struct counter_ns){data[4]});
		exit_log_add(log, &sample, &note);
		log->received++;
	}
	log->overruns = size > 0;
}

struct counting {
	struct snapshot_visitor visitor; /* must stay the first member */
	uint64_t parts[WINDOW_PART_COUNT];
	uint64_t rows;
	uint64_t lost; /* threads that ended without a record, which have no time in the window */
};

static int count_row(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct counting *counting = (struct counting *)self;

	counting->rows++;
	if (sample->window_part == WINDOW_PART_exited && sample->interval_ns == 0 &&
	    sample->life_ns == 0) {
		require(metric_set_is_empty(&sample->seen),
		        "who left without a record has no values");
		counting->lost++;
		return 0;
	}
	counting->parts[sample->window_part]++;
	require(sample->interval_ns > 0 && sample->life_ns > 0, "every row has its time");
	return 0;
}

/* Decompressed it is larger than what came in: bytes that are not UTF-8 are written twice. */
static const struct snapshot_limits limits = {
        .bytes = 1 << 24, .threads = 2000, .values = 1 << 16, .depth = 32, .string_bytes = 1 << 16};

static void check_window(const struct memory_sink *sink, const struct snapshot_info *written)
{
	struct memory_source source = {{memory_read}, sink->bytes.data, sink->bytes.len};
	struct counting counting = {.visitor = {.thread = count_row}};
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	const uint64_t *numbers = info.window.numbers;
	int r = snapshot_read(&source.source, &snapshot_default_limits, &counting.visitor, &info,
	                      &reason);

	require(r == 0, "a window can be read");
	require(info.kind == KIND_window && written->kind == KIND_window, "it is a window");
	require(counting.parts[WINDOW_PART_NONE] == 0, "every row has its part");
	require(counting.parts[WINDOW_PART_continued] ==
	                numbers[WINDOW_threads_continued] + numbers[WINDOW_threads_unknown],
	        "as many that go on");
	require(counting.parts[WINDOW_PART_born] == numbers[WINDOW_threads_born], "as many births");
	require(counting.parts[WINDOW_PART_exited] == numbers[WINDOW_threads_exited],
	        "as many ends");
	require(counting.lost <= numbers[WINDOW_threads_lost], "no more without a record");
	require(counting.parts[WINDOW_PART_passed] == numbers[WINDOW_threads_passed],
	        "as many lives");
	require(counting.parts[WINDOW_PART_exited] + counting.parts[WINDOW_PART_passed] +
	                        numbers[WINDOW_exits_left_out] <=
	                numbers[WINDOW_exit_records],
	        "no record is used twice");
}

static void join(const struct memory_sink files[2], const struct exit_log *exits)
{
	struct memory_source sources[2] = {
	        {{memory_read}, files[0].bytes.data, files[0].bytes.len},
	        {{memory_read}, files[1].bytes.data, files[1].bytes.len}};
	struct window_options options = {
	        .first = {&sources[0].source, "a"},
	        .last = {&sources[1].source, "b"},
	        .limits = &limits,
	        .exits = exits,
	};
	struct memory_sink sink = {{memory_write}, STRBUF_INIT};
	struct snapshot_writer *writer = snapshot_writer_new(&sink.sink, 1);
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = window_make(&options, writer, &info, &reason);

	require(r == 0 || r == -EBADMSG || r == -E2BIG || r == -EINVAL,
	        "no other result from memory");
	require((r == 0) == (reason.len == 0), "a refusal has a reason");
	if (r == 0)
		check_window(&sink, &info);
	snapshot_writer_freep(&writer);
	strbuf_done(&sink.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_sink files[2] = {{{memory_write}, STRBUF_INIT},
	                               {{memory_write}, STRBUF_INIT}};
	cleanup_(exit_log_done) struct exit_log exits = {.exits = WINDOW_EXITS_skipped};

	for (unsigned i = 0; i < 2; i++) {
		const uint8_t *end = size > 0 ? memchr(data, 0, size) : NULL;
		size_t len = end ? (size_t)(end - data) : size;

		compress((const char *)data, len, &files[i]);
		data += end ? len + 1 : len;
		size -= end ? len + 1 : len;
	}
	add_ends(data, size, &exits);
	join(files, &exits);
	strbuf_done(&files[0].bytes);
	strbuf_done(&files[1].bytes);
	return 0;
}
