// SPDX-License-Identifier: GPL-2.0-or-later
/* Every parser of a thread's files, fed with the same text: whatever it says, values are seen or not, never
 * both, and a refused file leaves the sample as it was. */
#include <string.h>

#include "cgroup/cgroup-files.h"
#include "cgroup/cgroup.h"
#include "fuzz.h"
#include "group/normalise.h"
#include "host/kernel-config.h"
#include "procfs/procfs.h"
#include "procfs/wait.h"

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

/* A line of pressure is there whole or not at all. */
static void check_psi(const char *text, size_t len)
{
	struct psi_line lines[PSI_ROW_COUNT] = {0};
	enum source_outcome outcome = psi_parse(text, len, lines);
	bool any = false;

	for (unsigned i = 0; i < PSI_ROW_COUNT; i++) {
		any = any || lines[i].seen;
		for (unsigned j = 0; j < PSI_AVERAGE_COUNT; j++)
			require(lines[i].averages[j] <= (lines[i].seen ? 10000 : 0),
			        "an average is a percentage, of a line that was seen");
		require(lines[i].seen || lines[i].total_usec == 0, "so is a total");
	}
	require(outcome == (any ? OUTCOME_read : OUTCOME_malformed),
	        "read means that one was seen");
}

static void check_smaps(const char *text, size_t len)
{
	struct thread_sample sample = {0};
	enum source_outcome outcome = smaps_parse(text, len, &sample);

	require(outcome == OUTCOME_read || outcome == OUTCOME_malformed, "no other outcome");
	require(sample.has_smaps == (outcome == OUTCOME_read), "values where they were read");
	require(sample.has_smaps == (sample.smaps_rollup_kib.count > 0), "and nowhere else");
	sample_done(&sample);
}

static void check_process_totals(enum metric_source source, const char *text, size_t len)
{
	struct thread_sample sample = {0};
	enum source_outcome outcome = process_totals_parse(source, text, len, &sample);

	require(outcome == OUTCOME_read || outcome == OUTCOME_malformed, "no other outcome");
	require(sample.has_process_totals == (outcome == OUTCOME_read), "totals where they are");
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		require(!(sample.process_totals_seen & 1u << i) ||
		                process_total_table[i].source == source,
		        "of the source that was asked for");
	sample_done(&sample);
}

typedef enum source_outcome config_function(const char *text, size_t len, struct host *host);

static enum source_outcome parse_gzip(const char *bytes, size_t len, struct host *host)
{
	return kernel_config_parse_gzip(bytes, len, host);
}

static void check_kernel_config(config_function *parse, const char *text, size_t len)
{
	cleanup_(host_done) struct host host = {0};
	enum source_outcome outcome = parse(text, len, &host);
	const struct host_map *map = &host.maps[HOST_kernel_config];

	require(host.seen[HOST_kernel_config] == (outcome == OUTCOME_read), "all or nothing");
	for (size_t i = 0; i < map->count; i++)
		require(strlen(map->entries[i].text) == 1 && strchr("ymn", map->entries[i].text[0]),
		        "an option is y, m or n");
}

static void check_cgroup_lines(const char *text, size_t len)
{
	struct cgroup_v1_controllers controllers;
	struct span rest = {text, len};
	struct cgroup_line line;

	cgroup_v1_controllers_init(&controllers);
	while (cgroup_next_line(&controllers, &rest, &line)) {
		require(line.is_v2 ? line.list.len == 0 && line.controllers == 0
		                   : line.list.text >= text && line.list.len < len,
		        "a line of one version");
		require(line.path.text + line.path.len <= text + len, "a path within the text");
		require(line.is_v2 || line.path.text[0] == '/', "an absolute path");
	}
}

/* The text stands for every file of a cgroup in turn. */
static void check_cgroup_files(const char *text, size_t len, bool is_v1)
{
	cleanup_(cgroup_stats_done) struct cgroup_stats stats = {.is_v1 = is_v1};

	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		cgroup_file_parse(cgroup_value_table[i].file, text, len, &stats);
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct fact_value *value = &stats.values[i];

		require(value->state == FACT_UNSEEN ||
		                (cgroup_value_table[i].version == 1) == is_v1,
		        "only values of this version");
		require((value->state == FACT_TEXT) == (value->text != NULL),
		        "a text where it is one");
		require(value->state != FACT_NUMBER || value->number >= 0 ||
		                cgroup_value_table[i].unit == UNIT_none,
		        "nothing that is counted is below zero");
	}
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++) {
		cgroup_list_parse((enum cgroup_list_id)i, text, len, &stats);
		for (size_t at = 0; at < stats.lists[i].count; at++)
			require((strchr(stats.lists[i].entries[at].key, ' ') != NULL) ==
			                (i == CGROUP_LIST_io_stat),
			        "a device in front of the key, where there are devices");
	}
}

static void check_wait(const char *text, size_t len)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	enum source_outcome outcome = wchan_parse(text, len, &name);
	struct syscall_number call;

	require(outcome == OUTCOME_read || outcome == OUTCOME_malformed, "no other outcome");
	require(name.len == 0 || outcome == OUTCOME_read, "a refused file gives no name");
	require(name.len <= SAMPLE_WAIT_BYTES, "of a symbol's length");
	for (size_t i = 0; i < name.len; i++)
		require(name.data[i] > ' ' && name.data[i] <= '~', "of printable characters");
	outcome = syscall_parse(text, len, &call);
	require(outcome == OUTCOME_read || !call.has_number, "a refused file gives no number");
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
	check_cgroup_lines(text, size);
	check_cgroup_files(text, size, false);
	check_cgroup_files(text, size, true);
	check_psi(text, size);
	check_smaps(text, size);
	check_wait(text, size);
	check_process_totals(SOURCE_process_stat, text, size);
	check_process_totals(SOURCE_process_io, text, size);
	check_kernel_config(kernel_config_parse, text, size);
	check_kernel_config(parse_gzip, text, size);
	check_normalise(text, size);
	if (cpu_mask_parse(&mask, text, size)) {
		cpu_mask_format(&mask, &list);
		require(cpu_mask_parse(&again, strbuf_str(&list), list.len), "a list reads back");
		require(cpu_mask_equal(&mask, &again), "as the same set");
	}
	return 0;
}
