// SPDX-License-Identifier: GPL-2.0-or-later
/* Cgroups that were removed and made anew under their path inside a window: nothing is a difference of two of them. */
#include "window/window.h"

#include <string.h>

#include "check.h"
#include "memory-stream.h"
#include "samples.h"
#include "window/window-sum.h"
#include "windows.h"

struct pair {
	struct reading a, b;
	struct snapshot_copy window;
};

static void pair_init(struct pair *pair)
{
	*pair = (struct pair){0};
	reading_init(&pair->a, SECONDS(100));
	reading_init(&pair->b, SECONDS(130));
}

static void pair_done(struct pair *pair)
{
	reading_done(&pair->a);
	reading_done(&pair->b);
	snapshot_copy_done(&pair->window);
}

static struct cgroup_stats *add(struct reading *reading, const char *path, uint64_t read_s)
{
	struct cgroup_stats *stats = reading_add_cgroup(reading, path);

	stats->read_boottime_ns = SECONDS(read_s);
	return stats;
}

static void set_id(struct cgroup_stats *stats, const char *key, uint64_t id)
{
	keyed_values_set(&stats->ids, key, strlen(key), id);
}

static void fill(struct cgroup_stats *stats, uint64_t usage, uint64_t throttled, uint64_t faults)
{
	fact_set_number(&stats->values[CGROUP_VALUE_cpu_usage_usec], (int64_t)usage);
	fact_set_number(&stats->values[CGROUP_VALUE_nr_throttled], (int64_t)throttled);
	fact_set_number(&stats->values[CGROUP_VALUE_memory_current], 50);
	fact_set_number(&stats->values[CGROUP_VALUE_memory_peak], (int64_t)usage);
	stats->has_list[CGROUP_LIST_memory_stat] = true;
	keyed_values_set(&stats->lists[CGROUP_LIST_memory_stat], "pgfault", strlen("pgfault"),
	                 faults);
	stats->psi.lines[PSI_cpu][PSI_ROW_some] =
	        (struct psi_line){.seen = true, .total_usec = usage};
}

/* The kernel's number decides if both readings have it, and else a counter that fell. */
static void remade(void **state)
{
	static const struct {
		uint64_t ids[2]; /* 0: an older file without them */
		uint64_t usage[2], throttled[2];
		bool is_same;
	} cases[] = {
	        {{7, 7}, {100, 170}, {3, 5}, true},   {{7, 8}, {100, 170}, {3, 5}, false},
	        {{7, 8}, {100, 70}, {3, 5}, false},   {{0, 0}, {100, 170}, {3, 5}, true},
	        {{0, 0}, {100, 170}, {3, 2}, false},  {{0, 8}, {100, 170}, {3, 5}, true},
	        {{0, 8}, {100, 70}, {3, 500}, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(pair_done) struct pair pair;
		const struct cgroup_stats *stats;

		pair_init(&pair);
		for (unsigned side = 0; side < 2; side++) {
			struct cgroup_stats *read =
			        add(side ? &pair.b : &pair.a, "/a", side ? 130 : 100);

			fill(read, cases[i].usage[side], cases[i].throttled[side], 10 + side);
			if (cases[i].ids[side] > 0)
				set_id(read, CGROUP_ID_UNIFIED, cases[i].ids[side]);
		}
		window_between(&pair.a, &pair.b, NULL, &pair.window);
		assert_int_equal(pair.window.result, 0);
		stats = &pair.window.cgroups[0];
		assert_int_equal(stats->values[CGROUP_VALUE_cpu_usage_usec].state == FACT_NUMBER,
		                 cases[i].is_same);
		assert_int_equal(stats->values[CGROUP_VALUE_nr_throttled].state == FACT_NUMBER,
		                 cases[i].is_same);
		assert_int_equal(stats->values[CGROUP_VALUE_memory_peak].state == FACT_NUMBER,
		                 cases[i].is_same);
		assert_int_equal(stats->lists[CGROUP_LIST_memory_stat].count, cases[i].is_same);
		assert_int_equal(stats->psi.lines[PSI_cpu][PSI_ROW_some].seen, cases[i].is_same);
		assert_int_equal(stats->interval_ns, cases[i].is_same ? SECONDS(30) : 0);
		assert_int_equal(stats->values[CGROUP_VALUE_memory_current].number, 50);
		assert_int_equal(pair.window.info.window.numbers[WINDOW_cgroups_lost],
		                 !cases[i].is_same);
	}
}

/* In version 1 each hierarchy has a cgroup of its own. */
static void remade_in_one_hierarchy(void **state)
{
	cleanup_(pair_done) struct pair pair;
	const struct cgroup_stats *stats;

	(void)state;
	pair_init(&pair);
	for (unsigned side = 0; side < 2; side++) {
		struct cgroup_stats *read = add(side ? &pair.b : &pair.a, "/a", side ? 130 : 100);

		read->is_v1 = true;
		fact_set_number(&read->values[CGROUP_VALUE_cpuacct_usage_ns], 100 + 70 * side);
		fact_set_number(&read->values[CGROUP_VALUE_cpu_v1_nr_throttled], 3 + side);
		set_id(read, "cpuacct", 7);
		set_id(read, "cpu", 8 + side);
	}
	window_between(&pair.a, &pair.b, NULL, &pair.window);
	stats = &pair.window.cgroups[0];
	assert_int_equal(stats->values[CGROUP_VALUE_cpuacct_usage_ns].number, 70);
	assert_int_equal(stats->values[CGROUP_VALUE_cpu_v1_nr_throttled].state, FACT_UNSEEN);
	assert_int_equal(stats->interval_ns, SECONDS(30));
	assert_int_equal(pair.window.info.window.numbers[WINDOW_cgroups_lost], 1);
}

static void set_io(struct cgroup_stats *stats, const char *key, uint64_t bytes)
{
	stats->has_list[CGROUP_LIST_io_stat] = true;
	if (key)
		keyed_values_set(&stats->lists[CGROUP_LIST_io_stat], key, strlen(key), bytes);
}

static uint64_t io_of(const struct cgroup_stats *stats, const char *key)
{
	const struct keyed_value *entry =
	        keyed_values_find(&stats->lists[CGROUP_LIST_io_stat], key, strlen(key), 0);

	return entry ? entry->value : UINT64_MAX;
}

/* io.stat has no line of a device that the cgroup did no I/O to. */
static void io_of_new_devices_counts_from_zero(void **state)
{
	cleanup_(pair_done) struct pair pair;
	struct cgroup_stats *read;

	(void)state;
	pair_init(&pair);
	for (unsigned side = 0; side < 2; side++) {
		read = add(side ? &pair.b : &pair.a, "/first", side ? 130 : 100);
		set_id(read, CGROUP_ID_UNIFIED, 7);
		set_io(read, side ? "8:0 rbytes" : NULL, 4096);
		read = add(side ? &pair.b : &pair.a, "/second", side ? 130 : 100);
		set_id(read, CGROUP_ID_UNIFIED, 8);
		set_io(read, "8:0 rbytes", side ? 300 : 100);
		if (side)
			set_io(read, "8:16 rbytes", 5);
		read = add(side ? &pair.b : &pair.a, "/unread", side ? 130 : 100);
		set_id(read, CGROUP_ID_UNIFIED, 9);
		if (side)
			set_io(read, "8:0 rbytes", 6);
	}
	read = add(&pair.b, "/made", 130);
	set_id(read, CGROUP_ID_UNIFIED, 10);
	set_io(read, "8:0 rbytes", 7);
	window_between(&pair.a, &pair.b, NULL, &pair.window);
	assert_int_equal(io_of(&pair.window.cgroups[0], "8:0 rbytes"), 4096);
	assert_int_equal(io_of(&pair.window.cgroups[1], "8:0 rbytes"), 200);
	assert_int_equal(io_of(&pair.window.cgroups[1], "8:16 rbytes"), 5);
	assert_true(pair.window.cgroups[1].has_list[CGROUP_LIST_io_stat]);
	/* An empty list would be no I/O at all. */
	assert_false(pair.window.cgroups[2].has_list[CGROUP_LIST_io_stat]);
	assert_false(pair.window.cgroups[3].has_list[CGROUP_LIST_io_stat]);
}

enum { READINGS = 4 };

/* Adds the window between two readings to a sum. */
static void add_window(struct window_sum *sum, const struct reading *first,
                       const struct reading *last)
{
	cleanup_(window_reading_done) struct window_reading a = {0}, b = {0};
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);
	struct window_options options = {0};
	struct memory_source source;

	reading_load(first, &a);
	reading_load(last, &b);
	assert_int_equal(window_of_readings(&a, &b, &options, writer, &info, &reason), 0);
	snapshot_writer_freep(&writer);
	source = memory_source_make(sink.bytes.data, sink.bytes.len, sink.bytes.len);
	assert_int_equal(window_sum_read(sum, &source.base, &snapshot_default_limits, &reason), 0);
	strbuf_done(&sink.bytes);
}

/* Stores the sum of the windows between the readings. */
static void add_up(const struct reading readings[READINGS], struct window_reading *ret)
{
	struct window_sum *sum = window_sum_new();
	struct snapshot_writer *writer;

	for (unsigned i = 0; i + 1 < READINGS; i++)
		add_window(sum, &readings[i], &readings[i + 1]);
	window_reading_init(ret);
	writer = snapshot_writer_new_visiting(&ret->visitor);
	assert_int_equal(window_sum_write(sum, writer, &ret->info), 0);
	snapshot_writer_freep(&writer);
	window_sum_freep(&sum);
}

/* Stores the peaks of memory in the sum of the windows between the readings, and in the one window over all of them. */
static void get_peaks(const struct reading readings[READINGS], unsigned id,
                      struct fact_value ret[2])
{
	cleanup_(window_reading_done) struct window_reading both = {0};
	struct snapshot_copy one;

	add_up(readings, &both);
	window_between(&readings[0], &readings[READINGS - 1], NULL, &one);
	ret[0] = both.cgroups[0].values[id];
	ret[1] = one.cgroups[0].values[id];
	snapshot_copy_done(&one);
}

/* The sum of windows has the peak that one long window has. */
static void peaks_of_sums_are_those_of_one_window(void **state)
{
	static const struct {
		uint64_t ids[READINGS]; /* 0: it is not there */
		int64_t peaks[READINGS];
		int64_t expected; /* 0: none */
	} cases[] = {
	        {{7, 7, 7, 7}, {100, 200, 200, 200}, 200},
	        {{7, 7, 7, 7}, {100, 100, 100, 300}, 300},
	        {{7, 7, 7, 7}, {100, 100, 100, 100}, 0},
	        {{7, 7, 8, 8}, {100, 200, 60, 60}, 0},
	        {{7, 7, 8, 8}, {100, 200, 50, 60}, 0},
	        {{7, 7, 8, 8}, {100, 200, 250, 250}, 0},
	        {{7, 8, 8, 8}, {100, 50, 60, 60}, 0},
	        {{0, 8, 8, 8}, {0, 50, 60, 60}, 0},
	        {{7, 7, 0, 8}, {100, 200, 0, 60}, 0},
	};

	(void)state;
	for (size_t n = 0; n < ARRAY_SIZE(cases) * 2; n++) {
		const unsigned version = n % 2 == 0 ? 1 : 2, at = (unsigned)n / 2;
		const unsigned peak =
		        version == 1 ? CGROUP_VALUE_memory_v1_max_usage : CGROUP_VALUE_memory_peak;
		struct reading readings[READINGS];
		struct fact_value peaks[2];

		for (unsigned i = 0; i < READINGS; i++) {
			struct cgroup_stats *stats;

			reading_init(&readings[i], SECONDS(100 + 30 * i));
			if (cases[at].ids[i] == 0)
				continue;
			stats = add(&readings[i], "/a", 100 + 30 * i);
			stats->is_v1 = version == 1;
			set_id(stats, version == 1 ? "memory" : CGROUP_ID_UNIFIED,
			       cases[at].ids[i]);
			fact_set_number(&stats->values[peak], cases[at].peaks[i]);
			if (version == 1)
				fact_set_number(&stats->values[CGROUP_VALUE_memory_v1_failcnt], 0);
		}
		get_peaks(readings, peak, peaks);
		for (unsigned i = 0; i < 2; i++)
			if (peaks[i].state != (cases[at].expected ? FACT_NUMBER : FACT_UNSEEN) ||
			    peaks[i].number != cases[at].expected)
				fail_msg("case %u, version %u, %s: state %d, %lld", at, version,
				         i == 0 ? "sum" : "one window", (int)peaks[i].state,
				         (long long)peaks[i].number);
		for (unsigned i = 0; i < READINGS; i++)
			reading_done(&readings[i]);
	}
}

/* The sum of windows has the I/O that one long window has: of a device that is first used in the second window, and of no
 * cgroup that was made there. */
static void io_of_sums_is_that_of_one_window(void **state)
{
	cleanup_(window_reading_done) struct window_reading both = {0};
	struct reading readings[READINGS];

	(void)state;
	for (unsigned i = 0; i < READINGS; i++) {
		struct cgroup_stats *stats;

		reading_init(&readings[i], SECONDS(100 + 30 * i));
		stats = add(&readings[i], "/a", 100 + 30 * i);
		set_id(stats, CGROUP_ID_UNIFIED, 7);
		set_io(stats, "8:0 rbytes", 10 * i);
		if (i >= 2)
			set_io(stats, "8:16 rbytes", i);
		if (i == 0)
			continue;
		stats = add(&readings[i], "/made", 100 + 30 * i);
		set_id(stats, CGROUP_ID_UNIFIED, 8);
		set_io(stats, "8:0 rbytes", 10 * i);
	}
	add_up(readings, &both);
	assert_int_equal(io_of(&both.cgroups[0], "8:0 rbytes"), 30);
	assert_int_equal(io_of(&both.cgroups[0], "8:16 rbytes"), 3);
	assert_false(both.cgroups[1].has_list[CGROUP_LIST_io_stat]);
	for (unsigned i = 0; i < READINGS; i++)
		reading_done(&readings[i]);
}

static const struct cgroup_stats *find(const struct window_reading *reading, const char *path)
{
	for (size_t i = 0; i < reading->cgroup_count; i++)
		if (strcmp(strbuf_str(&reading->cgroups[i].path), path) == 0)
			return &reading->cgroups[i];
	return NULL;
}

/* A sum says which cgroups any of its windows has lost. One that came back has no counters, for what it counted before is not known. */
static void sums_have_those_that_are_gone(void **state)
{
	static const struct {
		const char *path;
		bool there[READINGS];
		bool is_gone, has_counters;
	} cases[] = {
	        {"/stays", {true, true, true, true}, false, true},
	        {"/ends", {true, true, false, false}, true, false},
	        {"/passes", {false, true, false, false}, true, false},
	        {"/returns", {true, false, true, true}, false, false},
	        {"/made", {false, false, true, true}, false, false},
	};
	cleanup_(window_reading_done) struct window_reading both = {0};
	struct reading readings[READINGS];

	(void)state;
	for (unsigned i = 0; i < READINGS; i++) {
		reading_init(&readings[i], SECONDS(100 + 30 * i));
		for (size_t k = 0; k < ARRAY_SIZE(cases); k++)
			if (cases[k].there[i])
				fill(add(&readings[i], cases[k].path, 100 + 30 * i), 10 * (i + 1),
				     0, 0);
	}
	add_up(readings, &both);
	assert_int_equal(both.cgroup_count, ARRAY_SIZE(cases));
	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		const struct cgroup_stats *stats = find(&both, cases[k].path);

		assert_non_null(stats);
		assert_int_equal(stats->is_gone, cases[k].is_gone);
		assert_int_equal(stats->values[CGROUP_VALUE_cpu_usage_usec].state == FACT_NUMBER,
		                 cases[k].has_counters);
	}
	for (unsigned i = 0; i < READINGS; i++)
		reading_done(&readings[i]);
}

static uint64_t unjoined_of(const struct cgroup_stats *cgroups, size_t count, const char *path,
                            bool is_v1)
{
	for (size_t i = 0; i < count; i++) {
		const struct keyed_values *unjoined = &cgroups[i].unjoined;
		const struct keyed_value *memory =
		        keyed_values_find(unjoined, "memory", strlen("memory"), 0);

		if (strcmp(strbuf_str(&cgroups[i].path), path) != 0 || cgroups[i].is_v1 != is_v1)
			continue;
		assert_int_equal(unjoined->count, memory != NULL);
		return memory ? memory->value : 0;
	}
	fail_msg("no cgroup %s", path);
	return 0;
}

/* Counters that one end of a window has and the other one has not, by the controllers that are on. */
static void windows_say_what_is_unjoined(void **state)
{
	static const struct {
		const char *path;
		bool has_memory[READINGS];
		bool is_v1;
		uint64_t
		        unjoined; /* of the three windows together, and of one over them: the largest number */
		uint64_t unjoined_of_one;
	} cases[] = {
	        {"/always", {true, true, true, true}, false, 0, 0},
	        {"/never", {false, false, false, false}, false, 0, 0},
	        {"/on", {false, true, true, true}, false, 1, 1},
	        {"/off", {true, true, true, false}, false, 1, 1},
	        {"/between", {false, true, false, false}, false, 1, 0},
	        {"/on", {false, true, true, true}, true, 1, 1},
	        {"/off", {true, true, true, false}, true, 1, 1},
	};
	cleanup_(window_reading_done) struct window_reading both = {0};
	struct reading readings[READINGS];
	struct snapshot_copy one;

	(void)state;
	for (unsigned i = 0; i < READINGS; i++) {
		reading_init(&readings[i], SECONDS(100 + 30 * i));
		for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
			struct cgroup_stats *stats = add(&readings[i], cases[k].path, 100 + 30 * i);

			stats->is_v1 = cases[k].is_v1;
			fact_set_number(&stats->values[stats->is_v1 ? CGROUP_VALUE_cpuacct_usage_ns
			                                            : CGROUP_VALUE_cpu_usage_usec],
			                10 * (i + 1));
			if (cases[k].has_memory[i] && stats->is_v1) {
				fact_set_number(&stats->values[CGROUP_VALUE_memory_v1_failcnt], 1);
			} else if (cases[k].has_memory[i]) {
				stats->has_list[CGROUP_LIST_memory_stat] = true;
				keyed_values_set(&stats->lists[CGROUP_LIST_memory_stat], "pgfault",
				                 strlen("pgfault"), 10 * (i + 1));
			}
		}
	}
	add_up(readings, &both);
	window_between(&readings[0], &readings[READINGS - 1], NULL, &one);
	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		assert_int_equal(
		        unjoined_of(both.cgroups, both.cgroup_count, cases[k].path, cases[k].is_v1),
		        cases[k].unjoined);
		assert_int_equal(
		        unjoined_of(one.cgroups, one.cgroup_count, cases[k].path, cases[k].is_v1),
		        cases[k].unjoined_of_one);
	}
	snapshot_copy_done(&one);
	for (unsigned i = 0; i < READINGS; i++)
		reading_done(&readings[i]);
}

static void add_row(struct window_reading *reading, uint32_t tgid, uint32_t tid, const char *v1)
{
	struct thread_sample sample = {0};

	sample_reset(&sample);
	sample.tgid = tgid;
	sample.tid = tid;
	sample.start_time_clock_ticks = tid;
	sample_set_process_start(&sample, tgid);
	strbuf_add_str(&sample.cgroups_v1, v1);
	assert_int_equal(reading->visitor.thread(&reading->visitor, &sample), 0);
	sample_done(&sample);
}

/* Threads of version 1 may be in other cgroups than their leader. */
static void readings_know_divided_processes(void **state)
{
	cleanup_(window_reading_done) struct window_reading reading = {0};

	(void)state;
	window_reading_init(&reading);
	add_row(&reading, 1, 1, "cpu:/a\n");
	add_row(&reading, 1, 2, "");
	add_row(&reading, 1, 3, "cpu:/a\n");
	add_row(&reading, 4, 4, "cpu:/b\n");
	add_row(&reading, 4, 5, "cpu:/a\n");
	add_row(&reading, 4, 6, "cpu:/a\n");
	add_row(&reading, 7, 7, "cpu:/c\n");
	assert_false(window_reading_is_divided(&reading, 1, 1));
	assert_true(window_reading_is_divided(&reading, 4, 4));
	assert_false(window_reading_is_divided(&reading, 4, 5));
	assert_false(window_reading_is_divided(&reading, 7, 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(remade),
	        cmocka_unit_test(remade_in_one_hierarchy),
	        cmocka_unit_test(io_of_new_devices_counts_from_zero),
	        cmocka_unit_test(io_of_sums_is_that_of_one_window),
	        cmocka_unit_test(peaks_of_sums_are_those_of_one_window),
	        cmocka_unit_test(sums_have_those_that_are_gone),
	        cmocka_unit_test(windows_say_what_is_unjoined),
	        cmocka_unit_test(readings_know_divided_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
