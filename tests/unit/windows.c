// SPDX-License-Identifier: GPL-2.0-or-later
#include "windows.h"

#include <stdlib.h>

#include "base/mem.h"
#include "memory-stream.h"
#include "samples.h"
#include "window/window-reading.h"

void reading_init(struct reading *reading, uint64_t boottime_ns)
{
	struct host *host;

	*reading = (struct reading){0};
	host = &reading->info.host;
	reading->info.captured_at_unix_ns = SECONDS(1000000) + boottime_ns;
	reading->info.captured_boottime_ns = boottime_ns;
	host_set_text(host, HOST_boot_id, "boot", 4);
	host_set_text(host, HOST_hostname, "here", 4);
	host_set_text(host, HOST_pid_namespace, "1", 1);
	host_set_number(host, HOST_clock_ticks_per_second, 100);
	host_set_number(host, HOST_total_threads, 1);
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		reading->info.rules[s] = OUTCOME_read;
}

void reading_done(struct reading *reading)
{
	for (size_t i = 0; i < reading->count; i++)
		sample_done(&reading->samples[i]);
	for (size_t i = 0; i < reading->cgroup_count; i++)
		cgroup_stats_done(&reading->cgroups[i]);
	free(reading->samples);
	free(reading->cgroups);
	snapshot_info_done(&reading->info);
	*reading = (struct reading){0};
}

struct thread_sample *reading_add(struct reading *reading, uint32_t tgid, uint32_t tid,
                                  uint64_t start_time_clock_ticks)
{
	struct thread_sample *sample;

	if (reading->count == reading->capacity) {
		reading->capacity = reading->capacity ? 2 * reading->capacity : 16;
		reading->samples = mem_realloc(reading->samples, reading->capacity,
		                               sizeof(reading->samples[0]));
	}
	sample = &reading->samples[reading->count++];
	memset(sample, 0, sizeof(*sample));
	sample->tgid = tgid;
	sample->tid = tid;
	sample->start_time_clock_ticks = start_time_clock_ticks;
	sample->read_boottime_ns = reading->info.captured_boottime_ns + SECONDS(1);
	sample_name(&sample->pcomm, "process");
	sample_name(&sample->comm, "thread");
	return sample;
}

struct cgroup_stats *reading_add_cgroup(struct reading *reading, const char *path)
{
	struct cgroup_stats *stats;

	reading->cgroups = mem_realloc(reading->cgroups, reading->cgroup_count + 1,
	                               sizeof(reading->cgroups[0]));
	stats = &reading->cgroups[reading->cgroup_count++];
	memset(stats, 0, sizeof(*stats));
	sample_name(&stats->path, path);
	return stats;
}

void reading_pack(const struct reading *reading, struct strbuf *out)
{
	snapshot_pack_all(&reading->info, reading->samples, reading->count, reading->cgroups,
	                  reading->cgroup_count, out);
}

/* The parts of a reading that the live window has: the file is left out. */
static void fill(const struct reading *reading, struct window_reading *ret)
{
	struct snapshot_writer *writer = snapshot_writer_new_visiting(&ret->visitor);

	window_reading_init(ret);
	ret->info = reading->info;
	ret->info.host = (struct host){0};
	ret->info.labels = (struct labels){0};
	labels_copy(&ret->info.labels, &reading->info.labels);
	ret->info.tally.threads = reading->count;
	host_copy(&ret->info.host, &reading->info.host);
	assert_int_equal(snapshot_write_begin(writer, &ret->info), 0);
	for (size_t i = 0; i < reading->count; i++)
		assert_int_equal(snapshot_write_thread(writer, &reading->samples[i]), 0);
	for (size_t i = 0; i < reading->cgroup_count; i++)
		assert_int_equal(snapshot_write_cgroup(writer, &reading->cgroups[i]), 0);
	assert_int_equal(snapshot_write_end(writer, &ret->info), 0);
	snapshot_writer_freep(&writer);
}

/* Readings that were in no file make the same window. */
static void check_without_files(const struct reading *first, const struct reading *last,
                                const struct exit_log *exits, int result,
                                const struct memory_sink *expected)
{
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);
	struct window_options options = {.first.name = "a", .last.name = "b", .exits = exits};
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;
	struct window_reading readings[2];

	fill(first, &readings[0]);
	fill(last, &readings[1]);
	assert_int_equal(
	        window_of_readings(&readings[0], &readings[1], &options, writer, &info, &error),
	        result);
	snapshot_writer_freep(&writer);
	if (result == 0) {
		assert_int_equal(sink.bytes.len, expected->bytes.len);
		assert_memory_equal(sink.bytes.data, expected->bytes.data, sink.bytes.len);
	}
	strbuf_done(&sink.bytes);
}

static void make_window(const struct strbuf *first, const struct strbuf *last,
                        const struct exit_log *exits, const struct snapshot_limits *limits,
                        struct memory_sink *sink, struct snapshot_copy *ret_copy)
{
	struct memory_source sources[2] = {memory_source_make(first->data, first->len, 1000),
	                                   memory_source_make(last->data, last->len, 1000)};
	struct window_options options = {
	        .first = {&sources[0].base, "a"},
	        .last = {&sources[1].base, "b"},
	        .limits = limits ? limits : &snapshot_default_limits,
	        .exits = exits,
	};
	struct snapshot_writer *writer = snapshot_writer_new(&sink->base, 1);
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;
	int r = window_make(&options, writer, &info, &error);

	if (r == 0) {
		snapshot_copy_read(ret_copy, sink->bytes.data, sink->bytes.len, NULL);
		assert_int_equal(ret_copy->result, 0);
		assert_int_equal(ret_copy->info.kind, KIND_window);
		assert_true(same_info(&ret_copy->info, &info));
	} else {
		memset(ret_copy, 0, sizeof(*ret_copy));
		ret_copy->result = r;
		strbuf_add(&ret_copy->error, strbuf_str(&error), error.len);
	}
	snapshot_writer_freep(&writer);
}

void window_of_bytes(const struct strbuf *first, const struct strbuf *last,
                     const struct exit_log *exits, const struct snapshot_limits *limits,
                     struct snapshot_copy *ret_copy)
{
	struct memory_sink sink = memory_sink_make(SIZE_MAX);

	make_window(first, last, exits, limits, &sink, ret_copy);
	strbuf_done(&sink.bytes);
}

void window_between(const struct reading *first, const struct reading *last,
                    const struct exit_log *exits, struct snapshot_copy *ret_copy)
{
	cleanup_(strbuf_done) struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	struct memory_sink sink = memory_sink_make(SIZE_MAX);

	reading_pack(first, &a);
	reading_pack(last, &b);
	make_window(&a, &b, exits, NULL, &sink, ret_copy);
	check_without_files(first, last, exits, ret_copy->result, &sink);
	strbuf_done(&sink.bytes);
}

void add_end(struct exit_log *log, struct end_spec spec)
{
	uint64_t seems_born = spec.born_ns + spec.late_ns;
	struct thread_sample sample = {
	        .tid = spec.tid,
	        .tgid = spec.tgid ? spec.tgid : spec.tid,
	        .start_time_clock_ticks = seems_born / TICK_NS,
	        .life_ns = spec.exited_ns - spec.born_ns,
	};

	if (spec.process_born_ns > 0)
		sample_set_process_start(&sample, (spec.process_born_ns + spec.late_ns) / TICK_NS);
	sample_name(&sample.comm, spec.comm ? spec.comm : "ended");
	if (spec.pcomm)
		sample_name(&sample.pcomm, spec.pcomm);
	sample.has_cgroup = spec.cgroup != NULL;
	if (spec.cgroup)
		sample_name(&sample.cgroup, spec.cgroup);
	sample_set(&sample, run_time_ns, (struct counter_ns){spec.run_time_ns});
	sample.outcomes[SOURCE_taskstats] = OUTCOME_read;
	exit_log_add(
	        log, &sample,
	        &(struct exit_note){
	                .born_boottime_ns = seems_born,
	                .process_born_boottime_ns =
	                        spec.process_born_ns > 0 ? spec.process_born_ns + spec.late_ns : 0,
	                .exited_boottime_ns = spec.exited_ns + spec.late_ns,
	                .late_ns = spec.late_ns,
	                .user_ns = spec.user_ns,
	                .system_ns = spec.system_ns,
	                .has_cpu_time = true,
	                .has_no_ticks = spec.has_no_ticks,
	                .has_tgid = spec.tgid != 0,
	                .is_complete = spec.is_complete,
	        });
	log->exits = WINDOW_EXITS_recorded;
	log->received++;
	sample_done(&sample);
}

void reading_load(const struct reading *from, struct window_reading *reading)
{
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT, reason = STRBUF_INIT;
	struct memory_source source;
	struct window_input input = {&source.base, "reading"};

	reading_pack(from, &bytes);
	source = memory_source_make(bytes.data, bytes.len, bytes.len);
	window_reading_init(reading);
	assert_int_equal(window_reading_load(&input, &snapshot_default_limits, reading, &reason),
	                 0);
}

void window_pack(struct window_reading *first, struct window_reading *last,
                 const struct exit_log *exits, struct window_next *next, struct memory_sink *sink)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	struct window_options options = {.exits = exits, .next = next};
	struct snapshot_writer *writer = snapshot_writer_new(&sink->base, 1);

	assert_int_equal(window_of_readings(first, last, &options, writer, &info, &reason), 0);
	snapshot_writer_freep(&writer);
}

int window_add(struct window_sum *sum, const struct memory_sink *sink, struct strbuf *reason)
{
	struct memory_source source =
	        memory_source_make(sink->bytes.data, sink->bytes.len, sink->bytes.len);

	return window_sum_read(sum, &source.base, &snapshot_default_limits, reason);
}
