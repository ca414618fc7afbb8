// SPDX-License-Identifier: GPL-2.0-or-later
/* Differences of jemalloc's counters. */
#include "check.h"
#include "memory-stream.h"
#include "samples.h"
#include "window/window-add.h"
#include "window/window-reading.h"
#include "window/window-sum.h"
#include "window/window.h"
#include "windows.h"

/* The readings of a test: at 100 s and at 130 s after boot. */
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

static void join(struct pair *pair)
{
	window_between(&pair->a, &pair->b, NULL, &pair->window);
	assert_int_equal(pair->window.result, 0);
}

/* A thread that executes another program stays itself, but jemalloc begins anew. */
static void another_program_has_no_difference(void **state)
{
	cleanup_(pair_done) struct pair pair;

	(void)state;
	pair_init(&pair);
	for (uint32_t tid = 6; tid < 8; tid++) {
		struct thread_sample *first = reading_add(&pair.a, tid, tid, 100);
		struct thread_sample *last = reading_add(&pair.b, tid, tid, 100);

		sample_set(first, allocated_bytes, (struct counter_bytes){500});
		sample_set(first, deallocated_bytes, (struct counter_bytes){30});
		sample_set(last, allocated_bytes, (struct counter_bytes){tid == 6 ? 400 : 900});
		sample_set(last, deallocated_bytes, (struct counter_bytes){40});
	}
	join(&pair);
	assert_false(metric_set_has(&pair.window.samples[0].seen, METRIC_allocated_bytes));
	assert_false(metric_set_has(&pair.window.samples[0].seen, METRIC_deallocated_bytes));
	assert_int_equal(pair.window.samples[1].allocated_bytes.v, 400);
	assert_int_equal(pair.window.samples[1].deallocated_bytes.v, 10);
	assert_window(&pair.window.info, values_went_back, 1);
}

/* A program may be executed again, by the same process, and count further than before. */
static void another_execution_has_no_difference(void **state)
{
	static const struct {
		uint32_t then, now;
		bool is_other;
	} cases[] = {{7, 7, false}, {7, 8, true}, {0, 8, false}, {7, 0, false}, {0, 0, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(pair_done) struct pair pair;
		struct thread_sample *first, *last, *row;

		pair_init(&pair);
		first = reading_add(&pair.a, 6, 6, 100);
		last = reading_add(&pair.b, 6, 6, 100);
		sample_set(first, allocated_bytes, (struct counter_bytes){500});
		sample_set(first, deallocated_bytes, (struct counter_bytes){30});
		sample_set(last, allocated_bytes, (struct counter_bytes){900});
		sample_set(last, deallocated_bytes, (struct counter_bytes){40});
		first->jemalloc_boottime_ns = first->read_boottime_ns;
		last->jemalloc_boottime_ns = last->read_boottime_ns;
		first->jemalloc_program = cases[i].then;
		last->jemalloc_program = cases[i].now;
		join(&pair);
		row = &pair.window.samples[0];
		assert_int_equal(metric_set_has(&row->seen, METRIC_allocated_bytes),
		                 !cases[i].is_other);
		assert_int_equal(metric_set_has(&row->seen, METRIC_deallocated_bytes),
		                 !cases[i].is_other);
		assert_window(&pair.window.info, values_went_back, cases[i].is_other);
		assert_int_equal(row->jemalloc_program, 0);
	}
}

/* Without a known executable, the name of the process shows that it is another program's. */
static void another_name_has_no_difference(void **state)
{
	static const struct {
		const char *exe_then, *exe_now, *then, *now;
		bool is_other;
	} cases[] = {
	        {"", "", "one", "one", false},
	        {"", "", "one", "two", true},
	        {"", "/bin/two", "one", "two", true},
	        {"/bin/one", "", "one", "two", true},
	        {"", "", "", "two", false},
	        {"", "", "one", "", false},
	        {"/bin/a", "/bin/a", "one", "two", false},
	        {"/bin/a", "/bin/b", "one", "one", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(pair_done) struct pair pair;
		struct thread_sample *first, *last;

		pair_init(&pair);
		first = reading_add(&pair.a, 6, 6, 100);
		last = reading_add(&pair.b, 6, 6, 100);
		sample_set(first, allocated_bytes, (struct counter_bytes){500});
		sample_set(last, allocated_bytes, (struct counter_bytes){900});
		sample_name(&first->exe, cases[i].exe_then);
		sample_name(&last->exe, cases[i].exe_now);
		first->has_exe = cases[i].exe_then[0] != '\0';
		last->has_exe = cases[i].exe_now[0] != '\0';
		sample_name(&first->pcomm, cases[i].then);
		sample_name(&last->pcomm, cases[i].now);
		join(&pair);
		assert_int_equal(
		        metric_set_has(&pair.window.samples[0].seen, METRIC_allocated_bytes),
		        !cases[i].is_other);
	}
}

/* The counters of a thread that was born inside are divided by the time from the begin of the window to their own reading. */
static void born_threads_count_from_the_begin(void **state)
{
	cleanup_(pair_done) struct pair pair;
	struct thread_sample *last;

	(void)state;
	pair_init(&pair);
	last = reading_add(&pair.b, 6, 6, 11000);
	last->read_boottime_ns = SECONDS(130);
	last->jemalloc_boottime_ns = SECONDS(132);
	sample_set(last, allocated_bytes, (struct counter_bytes){400});
	join(&pair);
	assert_int_equal(pair.window.samples[0].window_part, WINDOW_PART_born);
	assert_int_equal(pair.window.samples[0].interval_ns, SECONDS(30));
	assert_int_equal(pair.window.samples[0].jemalloc_interval_ns, SECONDS(32));
}

/* The two intervals begin together, so that a longer one is longer by as much in both. */
static void intervals_change_together(void **state)
{
	struct thread_sample sample = {.interval_ns = SECONDS(3),
	                               .jemalloc_interval_ns = SECONDS(4)};

	(void)state;
	window_set_interval(&sample, SECONDS(9));
	assert_int_equal(sample.interval_ns, SECONDS(9));
	assert_int_equal(sample.jemalloc_interval_ns, SECONDS(10));
	window_set_interval(&sample, SECONDS(2));
	assert_int_equal(sample.jemalloc_interval_ns, SECONDS(3));
	sample.jemalloc_interval_ns = 0;
	window_set_interval(&sample, SECONDS(5));
	assert_int_equal(sample.interval_ns, SECONDS(5));
	assert_int_equal(sample.jemalloc_interval_ns, 0);
}

/* A reading with a thread that was born at 135 s; its counters are read 2 s behind the others. */
static void add_reading(struct reading *reading, uint64_t seconds)
{
	struct thread_sample *sample;

	reading_init(reading, SECONDS(seconds));
	if (seconds < 135)
		return;
	sample = reading_add(reading, 6, 6, 13500);
	sample->read_boottime_ns = SECONDS(seconds);
	sample->jemalloc_boottime_ns = SECONDS(seconds + 2);
	sample_set(sample, allocated_bytes, (struct counter_bytes){seconds * 10});
}

static int check_row(struct snapshot_visitor *self, struct thread_sample *sample)
{
	(void)self;
	assert_int_equal(sample->window_part, WINDOW_PART_born);
	assert_int_equal(sample->allocated_bytes.v, 1900);
	assert_int_equal(sample->interval_ns, SECONDS(90));
	assert_int_equal(sample->jemalloc_interval_ns, SECONDS(92));
	return 0;
}

/* A thread that was born in the second of three windows has the intervals of one window over the three. */
static void sums_have_the_interval_of_one_window(void **state)
{
	struct snapshot_visitor visitor = {.thread = check_row};
	struct memory_sink written = memory_sink_make(SIZE_MAX);
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0}, read = {0};
	struct window_sum *sum = window_sum_new();
	struct snapshot_writer *writer;
	struct memory_source source;

	(void)state;
	for (uint64_t begin = 100; begin < 190; begin += 30) {
		struct memory_sink packed = memory_sink_make(SIZE_MAX);
		cleanup_(window_reading_done) struct window_reading first = {0}, last = {0};
		cleanup_(reading_done) struct reading a, b;

		add_reading(&a, begin);
		add_reading(&b, begin + 30);
		reading_load(&a, &first);
		reading_load(&b, &last);
		window_pack(&first, &last, NULL, NULL, &packed);
		assert_int_equal(window_add(sum, &packed, &reason), 0);
		strbuf_done(&packed.bytes);
	}
	writer = snapshot_writer_new(&written.base, 1);
	assert_int_equal(window_sum_write(sum, writer, &info), 0);
	snapshot_writer_freep(&writer);
	source = memory_source_make(written.bytes.data, written.bytes.len, written.bytes.len);
	assert_int_equal(
	        snapshot_read(&source.base, &snapshot_default_limits, &visitor, &read, &reason), 0);
	assert_int_equal(read.tally.threads, 1);
	window_sum_freep(&sum);
	strbuf_done(&written.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(another_program_has_no_difference),
	        cmocka_unit_test(another_execution_has_no_difference),
	        cmocka_unit_test(another_name_has_no_difference),
	        cmocka_unit_test(born_threads_count_from_the_begin),
	        cmocka_unit_test(intervals_change_together),
	        cmocka_unit_test(sums_have_the_interval_of_one_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
