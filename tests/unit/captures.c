// SPDX-License-Identifier: GPL-2.0-or-later
#include "captures.h"

#include "memory-stream.h"

void captured_run(struct captured *captured, const struct capture_options *options)
{
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, SNAPSHOT_ZSTD_LEVEL);

	/* The capture must not rely on what was in there. */
	memset(captured, 0, sizeof(*captured));
	memset(&captured->info, 0xa5, sizeof(captured->info));
	captured->result = capture_run(options, writer, &captured->info, &captured->error);
	if (captured->result == 0) {
		snapshot_copy_read(&captured->copy, sink.bytes.data, sink.bytes.len, NULL);
		assert_text(&captured->copy.error, "");
		assert_int_equal(captured->copy.result, 0);
	}
	snapshot_writer_freep(&writer);
	strbuf_done(&sink.bytes);
}

static uint64_t threads_of(const struct snapshot_tally *tally, unsigned source)
{
	uint64_t threads = 0;

	for (unsigned o = 0; o < OUTCOME_COUNT; o++)
		threads += tally->sources[source][o];
	return threads;
}

void captured_tree(struct captured *captured, const struct temp_tree *tree)
{
	const struct snapshot_tally *tally = &captured->info.tally;

	captured_run(captured, &(struct capture_options){.proc_root = tree->path});
	if (captured->result != 0)
		return;
	assert_int_equal(captured->copy.count, tally->threads);
	assert_int_equal(captured->copy.info.tally.processes, tally->processes);
	assert_int_equal(captured->copy.info.tally.processes_gone, tally->processes_gone);
	assert_int_equal(captured->copy.info.tally.threads_gone, tally->threads_gone);
	assert_int_equal(captured->copy.info.tally.threads_unreadable, tally->threads_unreadable);
	assert_int_equal(captured->copy.info.tally.malformed_values, tally->malformed_values);
	for (unsigned s = SOURCE_synthetic + 1; s < SOURCE_COUNT; s++) {
		assert_int_equal(captured->copy.info.rules[s], captured->info.rules[s]);
		/* A thread whose stat was refused has no row, but its refusal is counted. */
		assert_int_equal(threads_of(tally, s),
		                 tally->threads +
		                         (s == SOURCE_stat ? tally->threads_unreadable : 0));
		for (unsigned o = OUTCOME_unneeded + 1; o < OUTCOME_COUNT; o++)
			assert_int_equal(captured->copy.info.tally.sources[s][o],
			                 tally->sources[s][o]);
	}
}

void captured_done(struct captured *captured)
{
	if (captured->result == 0)
		snapshot_copy_done(&captured->copy);
	snapshot_info_done(&captured->info);
	strbuf_done(&captured->error);
}
