// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups by names have the same values whether the rows of threads that passed are merged or not. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "groups.h"
#include "memory-stream.h"
#include "samples.h"
#include "window/exit-log.h"
#include "window/window-merged.h"
#include "window/window-reading.h"
#include "window/window-sum.h"
#include "windows.h"

enum { THREADS = 3000, LIFE_NS = 1000000, LENGTH_NS = 2000000 };

static uint32_t state_of_random;

static uint32_t any(uint32_t below)
{
	state_of_random = state_of_random * 1664525 + 1013904223;
	return (state_of_random >> 8) % below;
}

/* Most values are zero now and then, and no wait is longer than the life. */
static void set_any(struct thread_sample *sample, enum metric_id metric)
{
	char *at = (char *)sample + metric_table[metric].offset;
	uint64_t number = any(4) == 0 ? 0 : any(1000);
	uint32_t small = any(2);

	metric_set_add(&sample->seen, metric);
	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		memcpy(at, &number, sizeof(number));
		break;
	case REPRESENTATION_U32:
	case REPRESENTATION_I32:
		memcpy(at, &small, sizeof(small));
		break;
	case REPRESENTATION_LETTER:
		*at = small ? 'S' : 'R';
		break;
	case REPRESENTATION_FLAG:
		*(bool *)at = small;
		break;
	case REPRESENTATION_TEXT:
		memcpy(at, small ? "one" : "two", 4);
		break;
	case REPRESENTATION_CPUS:
		((struct cpu_mask *)at)->used_words = 1;
		((struct cpu_mask *)at)->words[0] = 1 + small;
		break;
	}
}

/* A row of thread @tid, of a few names and of one of three sets of values. */
static void fill(struct thread_sample *sample, uint32_t tid)
{
	const char *const names[] = {"make", "cc1", "sh"};
	uint32_t set = any(3);

	sample_reset(sample);
	sample->tid = tid;
	sample->tgid = any(3) == 0 ? tid - 1 : tid;
	sample->start_time_clock_ticks = 10 + tid;
	sample_set_process_start(sample, 10 + tid);
	sample->window_part = WINDOW_PART_passed;
	sample->interval_ns = LENGTH_NS;
	sample->life_ns = LIFE_NS;
	sample->read_boottime_ns = LENGTH_NS;
	sample->uid = any(2);
	sample->has_uid = any(5) > 0;
	sample_name(&sample->pcomm, names[any(3)]);
	sample_name(&sample->comm, names[any(3)]);
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_table[i].source != SOURCE_synthetic &&
		    metric_table[i].source != SOURCE_jemalloc && i % 3 <= set)
			set_any(sample, (enum metric_id)i);
}

static void start(struct group_table *table, enum group_key key, const struct rate_list *rates,
                  const struct snapshot_info *info)
{
	group_table_init(table, group_by_key(key, true));
	table->info = info;
	table->host = &info->host;
	table->lifetime_rates = table->window_rates = rates;
}

static void check_group(const struct group_table *table, const struct group *single,
                        const struct group *merged)
{
	struct group_reader readers[2] = {0};
	const struct group *a = group_read(&readers[0], single),
	                   *b = group_read(&readers[1], merged);

	assert_int_equal(b->threads, a->threads);
	assert_int_equal(b->leaders, a->leaders);
	assert_int_equal(b->passed, a->passed);
	assert_int_equal(b->ended, a->ended);
	assert_int_equal(b->born, a->born);
	assert_int_equal(b->lost, a->lost);
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		if (!fold_equal((enum metric_id)i, &a->cells[i], &b->cells[i]) ||
		    a->cells[i].seen != b->cells[i].seen)
			fail_msg("%s: %u and %u threads", metric_table[i].name, a->cells[i].seen,
			         b->cells[i].seen);
	}
	/* A rate is rounded for each row. */
	for (unsigned i = 0; i < table->rates->count; i++) {
		double x = rate_value(a->rates[i]), y = rate_value(b->rates[i]);

		if (fabs(x - y) > 1e-6 * fabs(x))
			fail_msg("%s: %.17g and %.17g", metric_table[table->rates->metrics[i]].name,
			         x, y);
	}
	assert_int_equal(!b->delays_beyond, !a->delays_beyond);
	for (unsigned i = 0; a->delays_beyond && i < EVICTED_COUNT; i++)
		assert_true(rate_value(b->delays_beyond->rates[i]) ==
		            rate_value(a->delays_beyond->rates[i]));
	group_reader_done(&readers[0]);
	group_reader_done(&readers[1]);
}

static void check_key(enum group_key key)
{
	static struct thread_sample sample;
	const struct rate_list rates = all_rates();
	struct snapshot_info info = {.kind = KIND_window};
	cleanup_(window_merged_done) struct window_merged merged = {0};
	struct group_table single, of_merged;

	start(&single, key, &rates, &info);
	start(&of_merged, key, &rates, &info);
	state_of_random = 1 + (uint32_t)key;
	for (uint32_t i = 0; i < THREADS; i++) {
		uint32_t seed = state_of_random;

		fill(&sample, 100 + 2 * i);
		group_table_add(&single, &sample);
		state_of_random = seed;
		fill(&sample, 100 + 2 * i);
		assert_true(window_merged_can(&sample));
		assert_true(window_merged_add(&merged, &sample));
	}
	assert_in_range(merged.count, 2, THREADS - 1);
	for (size_t i = 0; i < merged.count; i++)
		group_table_add(&of_merged, &merged.rows[i]);
	group_table_finish(&single);
	group_table_finish(&of_merged);
	assert_int_equal(of_merged.map.count, single.map.count);
	for (size_t i = 0; i < single.map.count; i++) {
		const struct strmap_entry *entry = &single.map.entries[i];
		struct span pattern = group_table_pattern(&single, entry, 0);
		uint32_t number = 0;

		assert_true(
		        strmap_find(&of_merged.names[0].map, pattern.text, pattern.len, &number));
		check_group(&single, entry->value,
		            strmap_get(&of_merged.map, (const char *)&number, sizeof(number)));
	}
	group_table_done(&single);
	group_table_done(&of_merged);
	sample_done(&sample);
	memset(&sample, 0, sizeof(sample));
}

static void groups_are_the_same(void **state)
{
	(void)state;
	check_key(GROUP_KEY_pcomm);
	check_key(GROUP_KEY_comm);
	check_key(GROUP_KEY_user);
	check_key(GROUP_KEY_cgroup);
}

/* A merged row is one of a sum, which is added to another sum. */
static void merged_rows_are_merged(void **state)
{
	cleanup_(window_merged_done) struct window_merged first = {0}, second = {0};
	struct thread_sample sample = {0};

	(void)state;
	state_of_random = 7;
	for (uint32_t i = 0; i < 500; i++) {
		fill(&sample, 100 + 2 * i);
		assert_true(window_merged_add(&first, &sample));
	}
	for (size_t i = 0; i < first.count; i++) {
		assert_true(window_merged_can(&first.rows[i]));
		assert_true(window_merged_add(&second, &first.rows[i]));
	}
	assert_int_equal(second.count, first.count);
	for (uint64_t i = 0, threads = 0; i < second.count; i++) {
		threads += second.rows[i].merged_threads;
		if (i + 1 == second.count)
			assert_int_equal(threads, 500);
	}
	sample_done(&sample);
}

static void some_rows_are_not_merged(void **state)
{
	struct thread_sample sample = {0};

	(void)state;
	state_of_random = 3;
	fill(&sample, 100);
	assert_true(window_merged_can(&sample));
	sample.window_part = WINDOW_PART_born;
	assert_false(window_merged_can(&sample));
	fill(&sample, 100);
	sample.process_successors = 1;
	assert_false(window_merged_can(&sample));
	fill(&sample, 100);
	sample_set_impossible(&sample, METRIC_run_time_ns, 5);
	assert_false(window_merged_can(&sample));
	fill(&sample, 100);
	sample.has_process_totals = true;
	assert_false(window_merged_can(&sample));
	/* Delays that are longer than the life are wrong, but each for its own thread. */
	sample_reset(&sample);
	fill(&sample, 100);
	sample_set(&sample, blkio_delay_total_ns, (struct counter_ns){LIFE_NS + 1});
	assert_false(window_merged_can(&sample));
	sample_done(&sample);
}

static int check_merged(struct snapshot_visitor *self, struct thread_sample *sample)
{
	bool is_long = sample->tid == 40;

	(void)self;
	assert_int_equal(sample->merged_threads, is_long ? 0 : 1);
	assert_int_equal(sample->interval_ns, SECONDS(is_long ? 32 : 30));
	return 0;
}

/* A life that ended behind the end of a window, before a slow reading came to it, is longer than the sum and keeps its own time. */
static void long_lives_are_not_merged(void **state)
{
	struct snapshot_visitor visitor = {.thread = check_merged};
	struct memory_sink packed = memory_sink_make(SIZE_MAX);
	cleanup_(window_reading_done) struct window_reading first = {0}, last = {0};
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(reading_done) struct reading a, b;
	cleanup_(exit_log_done) struct exit_log exits = {0};
	struct window_sum *sum = window_sum_new();
	struct snapshot_writer *writer = snapshot_writer_new_visiting(&visitor);

	(void)state;
	reading_init(&a, SECONDS(100));
	reading_init(&b, SECONDS(130));
	for (uint32_t i = 0; i < 2; i++)
		add_end(&exits, (struct end_spec){.tid = 40 + i,
		                                  .tgid = 40 + i,
		                                  .born_ns = SECONDS(101),
		                                  .exited_ns = SECONDS(i == 0 ? 133 : 120),
		                                  .is_complete = true,
		                                  .process_born_ns = SECONDS(101),
		                                  .run_time_ns = SECONDS(5)});
	exits.exits = WINDOW_EXITS_completed;
	reading_load(&a, &first);
	reading_load(&b, &last);
	window_pack(&first, &last, &exits, NULL, &packed);
	window_sum_merge(sum);
	assert_int_equal(window_add(sum, &packed, &reason), 0);
	assert_int_equal(window_sum_write(sum, writer, &info), 0);
	assert_int_equal(info.tally.threads, 2);
	snapshot_writer_freep(&writer);
	window_sum_freep(&sum);
	strbuf_done(&packed.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(groups_are_the_same),
	        cmocka_unit_test(merged_rows_are_merged),
	        cmocka_unit_test(some_rows_are_not_merged),
	        cmocka_unit_test(long_lives_are_not_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
