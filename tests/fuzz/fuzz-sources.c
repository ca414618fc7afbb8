// SPDX-License-Identifier: GPL-2.0-or-later
/* Every parser of a thread's files, fed with the same text: whatever it says, values are seen or not, never
 * both, and a refused file leaves the sample as it was. */
#include <string.h>

#include "ctprof/normalise.h"
#include "ctprof/source.h"
#include "fuzz.h"

typedef enum source_outcome parse_function(const struct source_keys *keys, const char *text,
                                           size_t len, struct thread_sample *sample);

static const struct {
	enum metric_source source;
	parse_function *parse;
} parsers[] = {
        {SOURCE_stat, stat_parse},   {SOURCE_schedstat, schedstat_parse},
        {SOURCE_sched, sched_parse}, {SOURCE_status, status_parse},
        {SOURCE_io, io_parse},
};

static bool is_empty(const struct metric_set *set)
{
	for (size_t i = 0; i < METRIC_SET_WORDS; i++)
		if (set->words[i] != 0)
			return false;
	return true;
}

static void check_parser(size_t index, const char *text, size_t len)
{
	struct thread_sample sample = {0};
	struct source_keys keys;
	enum source_outcome outcome;

	source_keys_init(&keys, parsers[index].source);
	sample.tid = sample.tgid = 7;
	outcome = parsers[index].parse(&keys, text, len, &sample);
	require(outcome == OUTCOME_read || outcome == OUTCOME_malformed, "no other outcome");
	if (outcome == OUTCOME_malformed) {
		require(is_empty(&sample.seen), "a refused file gives no value");
		require(sample.comm.len == 0, "and no name");
	}
	source_keys_done(&keys);
	sample_done(&sample);
}

static void check_cgroup(const char *text, size_t len)
{
	struct thread_sample sample = {0};
	enum source_outcome outcome = cgroup_parse(text, len, &sample);

	require(sample.has_cgroup == (outcome == OUTCOME_read), "a path where it was read");
	require(!memchr(strbuf_str(&sample.cgroup), '\n', sample.cgroup.len), "of one line");
	sample_done(&sample);
}

static void check_normalise(const char *text, size_t len)
{
	cleanup_(strbuf_done) struct strbuf once = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf twice = STRBUF_INIT;

	normalise_name(text, len, &once);
	normalise_name(strbuf_str(&once), once.len, &twice);
	require(once.len == twice.len &&
	                memcmp(strbuf_str(&once), strbuf_str(&twice), once.len) == 0,
	        "the pattern of a pattern is itself");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	cleanup_(strbuf_done) struct strbuf list = STRBUF_INIT;
	struct cpu_mask mask, again;

	for (size_t i = 0; i < ARRAY_SIZE(parsers); i++)
		check_parser(i, text, size);
	check_cgroup(text, size);
	check_normalise(text, size);
	if (cpu_mask_parse(&mask, text, size)) {
		cpu_mask_format(&mask, &list);
		require(cpu_mask_parse(&again, strbuf_str(&list), list.len), "a list reads back");
		require(cpu_mask_equal(&mask, &again), "as the same set");
	}
	return 0;
}
