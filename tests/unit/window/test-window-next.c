// SPDX-License-Identifier: GPL-2.0-or-later
/* Windows that follow one another have each exit once, and add up to the window over all of them. */
#include "check.h"

#include <errno.h>
#include <string.h>

#include "memory-stream.h"
#include "samples.h"
#include "window/window-reading.h"
#include "window/window-sum.h"
#include "windows.h"

enum { TGID = 700 };

static void set_run_time(struct thread_sample *sample, uint64_t ns)
{
	sample_set(sample, run_time_ns, (struct counter_ns){ns});
}

/* Makes the window between, whose rows are in @ret. */
static void make(struct window_reading *first, struct window_reading *last,
                 const struct exit_log *exits, struct window_next *next, struct window_reading *ret)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct window_options options = {.exits = exits, .next = next};
	struct snapshot_writer *writer;

	window_reading_init(ret);
	writer = snapshot_writer_new_visiting(&ret->visitor);
	assert_int_equal(window_of_readings(first, last, &options, writer, &ret->info, &reason), 0);
	snapshot_writer_freep(&writer);
}

static uint64_t run_time_of(const struct window_reading *window, uint32_t tid)
{
	struct thread_sample sample = {0};
	uint64_t sum = 0;

	for (uint32_t row = 0; row < window->threads.count; row++) {
		if (thread_store_key(&window->threads, row)->tid != tid)
			continue;
		thread_store_get(&window->threads, row, &sample);
		assert_true(metric_set_has(&sample.seen, METRIC_run_time_ns));
		sum += sample.run_time_ns.v;
	}
	sample_done(&sample);
	return sum;
}

static uint64_t number_of(const struct window_reading *window, enum window_number number)
{
	return window->info.window.numbers[number];
}

static void fill(struct reading readings[3])
{
	static const uint64_t times[] = {SECONDS(100), SECONDS(130), SECONDS(160)};

	for (unsigned i = 0; i < 3; i++) {
		struct psi_line *line;
		struct cgroup_stats *cgroup;

		reading_init(&readings[i], times[i]);
		line = &readings[i].info.psi.lines[PSI_cpu][PSI_ROW_some];
		line->seen = true;
		line->total_usec = 1000 + 70 * i;
		host_set_number(&readings[i].info.host, HOST_user_clock_ticks, 500 + 30 * i);
		set_run_time(reading_add(&readings[i], TGID, TGID, SECOND_TICKS(50)),
		             MILLISECONDS(100 + 70 * i));
		if (i < 2)
			set_run_time(reading_add(&readings[i], TGID, 701, SECOND_TICKS(60)),
			             MILLISECONDS(10 + 5 * i));
		cgroup = reading_add_cgroup(&readings[i], "/a");
		fact_set_number(&cgroup->values[CGROUP_VALUE_cpu_usage_usec], 1000 + 100 * i);
	}
}

/* 701 ends after its reading in the middle, and its record is in the first log; 702 is born and ends behind the begin of that
 * reading; 703 in the first window; 704 in the second one. */
static void log_exits(struct exit_log *first, struct exit_log *second)
{
	const struct end_spec ends[] = {
	        {.tid = 701,
	         .tgid = TGID,
	         .born_ns = SECONDS(60),
	         .exited_ns = MILLISECONDS(132500),
	         .is_complete = true,
	         .process_born_ns = SECONDS(50),
	         .run_time_ns = MILLISECONDS(18)},
	        {.tid = 702,
	         .tgid = TGID,
	         .born_ns = MILLISECONDS(130200),
	         .exited_ns = MILLISECONDS(130400),
	         .is_complete = true,
	         .process_born_ns = SECONDS(50),
	         .run_time_ns = MILLISECONDS(3)},
	        {.tid = 703,
	         .tgid = TGID,
	         .born_ns = SECONDS(110),
	         .exited_ns = SECONDS(111),
	         .is_complete = true,
	         .process_born_ns = SECONDS(50),
	         .run_time_ns = MILLISECONDS(4)},
	        {.tid = 704,
	         .tgid = TGID,
	         .born_ns = SECONDS(140),
	         .exited_ns = SECONDS(141),
	         .is_complete = true,
	         .process_born_ns = SECONDS(50),
	         .run_time_ns = MILLISECONDS(5)},
	};

	first->exits = second->exits = WINDOW_EXITS_completed;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct end_spec end = ends[i];

		end.comm = "ended";
		end.pcomm = "leader";
		add_end(i < 3 ? first : second, end);
	}
}

static void each_exit_is_in_one_window(void **state)
{
	struct reading readings[3];
	cleanup_(exit_log_done) struct exit_log exits = {0}, more = {0}, passed_on = {0};
	cleanup_(window_reading_done) struct window_reading middle = {0}, last = {0}, kept = {0};
	cleanup_(window_reading_done) struct window_reading a = {0}, b = {0};
	struct window_next next = {&kept, &passed_on, NULL};

	(void)state;
	fill(readings);
	log_exits(&exits, &more);
	reading_load(&readings[0], &kept);
	reading_load(&readings[1], &middle);
	reading_load(&readings[2], &last);
	make(&kept, &middle, &exits, &next, &a);
	assert_int_equal(passed_on.records.count, 2);
	assert_int_equal(run_time_of(&a, TGID), MILLISECONDS(70));
	assert_int_equal(run_time_of(&a, 701), MILLISECONDS(5));
	assert_int_equal(run_time_of(&a, 702), 0);
	assert_int_equal(run_time_of(&a, 703), MILLISECONDS(4));
	exit_log_append(&passed_on, &more);
	assert_int_equal(more.records.count, 0);
	exit_log_done(&exits);
	exits = passed_on;
	passed_on = (struct exit_log){0};
	make(&kept, &last, &exits, &next, &b);
	assert_int_equal(passed_on.records.count, 0);
	assert_int_equal(run_time_of(&b, TGID), MILLISECONDS(70));
	assert_int_equal(run_time_of(&b, 701), MILLISECONDS(3));
	assert_int_equal(run_time_of(&b, 702), MILLISECONDS(3));
	assert_int_equal(run_time_of(&b, 703), 0);
	assert_int_equal(run_time_of(&b, 704), MILLISECONDS(5));
	assert_int_equal(number_of(&b, WINDOW_threads_lost), 0);
	assert_int_equal(number_of(&b, WINDOW_exits_left_out), 0);
	assert_int_equal(number_of(&a, WINDOW_begin_boottime_ns) + number_of(&a, WINDOW_length_ns),
	                 number_of(&b, WINDOW_begin_boottime_ns));
	assert_int_equal(a.cgroups[0].values[CGROUP_VALUE_cpu_usage_usec].number, 100);
	assert_int_equal(b.cgroups[0].values[CGROUP_VALUE_cpu_usage_usec].number, 100);
	for (unsigned i = 0; i < 3; i++)
		reading_done(&readings[i]);
}

static void write_sum(struct window_sum *sum, struct window_reading *ret)
{
	struct snapshot_writer *writer;

	window_reading_init(ret);
	writer = snapshot_writer_new_visiting(&ret->visitor);
	assert_int_equal(window_sum_write(sum, writer, &ret->info), 0);
	snapshot_writer_freep(&writer);
}

/* Packs the windows between the three readings, and the one over both. */
static void pack_all(struct reading readings[3], struct memory_sink two[2],
                     struct window_reading *ret_one)
{
	cleanup_(exit_log_done) struct exit_log exits = {0}, more = {0}, passed_on = {0}, all = {0};
	cleanup_(window_reading_done) struct window_reading middle = {0}, last = {0}, kept = {0};
	struct window_next next = {&kept, &passed_on, NULL};

	log_exits(&exits, &more);
	log_exits(&all, &all);
	reading_load(&readings[0], &kept);
	reading_load(&readings[2], &last);
	make(&kept, &last, &all, NULL, ret_one);
	reading_load(&readings[0], &kept);
	reading_load(&readings[1], &middle);
	reading_load(&readings[2], &last);
	window_pack(&kept, &middle, &exits, &next, &two[0]);
	exit_log_append(&passed_on, &more);
	exit_log_done(&exits);
	exits = passed_on;
	passed_on = (struct exit_log){0};
	window_pack(&kept, &last, &exits, &next, &two[1]);
}

static void assert_same_rows(const struct window_reading *a, const struct window_reading *b)
{
	struct thread_sample x = {0}, y = {0};

	assert_int_equal(a->threads.count, b->threads.count);
	for (uint32_t row = 0; row < a->threads.count; row++) {
		uint32_t other = window_reading_find(b, thread_store_key(&a->threads, row));

		assert_true(other != THREAD_STORE_NONE);
		thread_store_get(&a->threads, row, &x);
		thread_store_get(&b->threads, other, &y);
		assert_int_equal(x.window_part, y.window_part);
		assert_int_equal(x.interval_ns, y.interval_ns);
		assert_int_equal(x.life_ns, y.life_ns);
		assert_memory_equal(&x.seen, &y.seen, sizeof(x.seen));
		assert_int_equal(x.run_time_ns.v, y.run_time_ns.v);
	}
	sample_done(&x);
	sample_done(&y);
}

static void sums_are_those_of_one_window(void **state)
{
	static const enum window_number numbers[] = {
	        WINDOW_length_ns,      WINDOW_begin_boottime_ns, WINDOW_threads_continued,
	        WINDOW_threads_exited, WINDOW_threads_passed,    WINDOW_threads_lost,
	        WINDOW_threads_born,   WINDOW_threads_unknown,
	};
	struct memory_sink two[2] = {memory_sink_make(SIZE_MAX), memory_sink_make(SIZE_MAX)};
	cleanup_(window_reading_done) struct window_reading one = {0}, both = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct window_sum *sum = window_sum_new();
	struct reading readings[3];

	(void)state;
	fill(readings);
	pack_all(readings, two, &one);
	assert_int_equal(window_add(sum, &two[0], &reason), 0);
	assert_int_equal(window_add(sum, &two[1], &reason), 0);
	write_sum(sum, &both);
	assert_same_rows(&one, &both);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_int_equal(number_of(&one, numbers[i]), number_of(&both, numbers[i]));
	assert_int_equal(number_of(&both, WINDOW_windows), 2);
	assert_int_equal(number_of(&both, WINDOW_gaps), 0);
	assert_int_equal(both.cgroups[0].values[CGROUP_VALUE_cpu_usage_usec].number, 200);
	assert_int_equal(both.info.psi.lines[PSI_cpu][PSI_ROW_some].total_usec, 140);
	assert_int_equal(both.info.host.numbers[HOST_user_clock_ticks], 60);
	window_sum_freep(&sum);
	/* In another order they are no recording. */
	sum = window_sum_new();
	assert_int_equal(window_add(sum, &two[1], &reason), 0);
	assert_int_equal(window_add(sum, &two[0], &reason), -EINVAL);
	assert_contains(strbuf_str(&reason), "begins before the end");
	window_sum_freep(&sum);
	for (unsigned i = 0; i < 3; i++)
		reading_done(&readings[i]);
	strbuf_done(&two[0].bytes);
	strbuf_done(&two[1].bytes);
}

static void add_end_of(struct exit_log *log, uint32_t tid, uint64_t born_s, uint64_t exited_s,
                       uint64_t run_ms)
{
	add_end(log, (struct end_spec){.tid = tid,
	                               .tgid = TGID,
	                               .born_ns = SECONDS(born_s),
	                               .exited_ns = SECONDS(exited_s),
	                               .is_complete = true,
	                               .process_born_ns = SECONDS(50),
	                               .run_time_ns = MILLISECONDS(run_ms)});
}

/* A thread executes a program in the second window and has the leader's ids from then on; the process ends in the third one. The sum
 * has the leader and that thread, with all of their work; 702 is born in the new program. */
static void executing_thread_has_one_row(void **state)
{
	struct memory_sink packed = memory_sink_make(SIZE_MAX);
	cleanup_(window_reading_done) struct window_reading kept = {0}, both = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct window_sum *sum = window_sum_new();
	struct window_next next = {&kept, &(struct exit_log){0}, NULL};
	struct thread_sample leader = {0}, taker = {0};
	struct reading readings[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		reading_init(&readings[i], SECONDS(100 + 30 * i));
		(void)reading_add(&readings[i], 1, 1, 1);
		if (i == 3)
			continue;
		set_run_time(reading_add(&readings[i], TGID, TGID, SECOND_TICKS(50)),
		             MILLISECONDS(i < 2 ? 100 + 20 * i : 900));
		set_run_time(reading_add(&readings[i], TGID, i < 2 ? 701 : 702,
		                         SECOND_TICKS(i < 2 ? 60 : 145)),
		             MILLISECONDS(i < 2 ? 300 + 200 * i : 10));
		sample_set_process_start(&readings[i].samples[2], SECOND_TICKS(50));
	}
	reading_load(&readings[0], &kept);
	for (unsigned i = 1; i < 4; i++) {
		cleanup_(window_reading_done) struct window_reading last = {0};
		cleanup_(exit_log_done) struct exit_log exits = {.exits = WINDOW_EXITS_completed};

		if (i == 2)
			add_end_of(&exits, TGID, 50, 140, 150);
		if (i == 3) {
			add_end_of(&exits, TGID, 50, 180, 1000);
			add_end_of(&exits, 702, 145, 180, 30);
		}
		reading_load(&readings[i], &last);
		strbuf_clear(&packed.bytes);
		window_pack(&kept, &last, &exits, &next, &packed);
		assert_int_equal(window_add(sum, &packed, &reason), 0);
	}
	write_sum(sum, &both);
	assert_int_equal(both.threads.count, 4);
	assert_int_equal(run_time_of(&both, 702), MILLISECONDS(30));
	thread_store_get(&both.threads, 1, &leader);
	thread_store_get(&both.threads, 2, &taker);
	assert_int_equal(leader.run_time_ns.v, MILLISECONDS(50));
	assert_int_equal(taker.run_time_ns.v, MILLISECONDS(700));
	assert_int_equal(taker.tid, TGID);
	assert_int_equal(taker.window_part, WINDOW_PART_exited);
	assert_int_equal(taker.life_ns, SECONDS(30 + 30 + 20 - 1));
	assert_int_equal(number_of(&both, WINDOW_threads_exited), 2);
	assert_int_equal(number_of(&both, WINDOW_threads_lost), 0);
	assert_int_equal(number_of(&both, WINDOW_threads_unknown), 0);
	window_sum_freep(&sum);
	sample_done(&leader);
	sample_done(&taker);
	for (unsigned i = 0; i < 4; i++)
		reading_done(&readings[i]);
	strbuf_done(&packed.bytes);
}

static void name_process(struct thread_sample *sample, const char *pcomm, const char *exe)
{
	strbuf_clear(&sample->pcomm);
	sample_name(&sample->pcomm, pcomm);
	sample_name(&sample->exe, exe);
	sample->has_exe = true;
	sample_set_process_start(sample, SECOND_TICKS(50));
}

enum ending { LIVES, LEADER_ENDS, LEADER_HAD_ENDED, ENDINGS };

/* A process "sh" with a thread that ends in the first window, and another one. It executes "ls" in the second window. */
static void add_named(struct reading readings[3], enum ending ending)
{
	for (unsigned i = 0; i < 3; i++) {
		reading_init(&readings[i], SECONDS(100 + 30 * i));
		(void)reading_add(&readings[i], 1, 1, 1);
		if (i == 2 && ending != LIVES)
			continue;
		name_process(reading_add(&readings[i], TGID, TGID, SECOND_TICKS(50)),
		             i < 2 ? "sh" : "ls", i < 2 ? "/bin/sh" : "/bin/ls");
		if (ending == LEADER_HAD_ENDED)
			assert_true(
			        sample_set_label(&readings[i].samples[1], METRIC_state, "Z", 1));
		if (i == 0)
			name_process(reading_add(&readings[i], TGID, 701, SECOND_TICKS(60)), "sh",
			             "/bin/sh");
		if (i < 2 && ending == LEADER_HAD_ENDED)
			name_process(reading_add(&readings[i], TGID, 702, SECOND_TICKS(61)), "sh",
			             "/bin/sh");
	}
}

/* All rows of a process have the last name in the sum as well, and so does a leader whose last row is older than that name. */
static void process_has_its_last_name(void **state)
{
	struct memory_sink packed = memory_sink_make(SIZE_MAX);
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct thread_sample row = {0};

	(void)state;
	for (unsigned ending = 0; ending < ENDINGS; ending++) {
		cleanup_(window_reading_done) struct window_reading kept = {0}, both = {0};
		struct window_next next = {&kept, &(struct exit_log){0}, NULL};
		struct window_sum *sum = window_sum_new();
		struct reading readings[3];

		add_named(readings, (enum ending)ending);
		reading_load(&readings[0], &kept);
		for (unsigned i = 1; i < 3; i++) {
			cleanup_(window_reading_done) struct window_reading last = {0};
			cleanup_(exit_log_done) struct exit_log exits = {
			        .exits = WINDOW_EXITS_completed};

			if (i == 1)
				add_end_of(&exits, 701, 60, 110, 20);
			else if (ending != LIVES)
				add_end(&exits, (struct end_spec){.tid = TGID,
				                                  .tgid = TGID,
				                                  .born_ns = SECONDS(50),
				                                  .exited_ns = SECONDS(140),
				                                  .is_complete = true,
				                                  .comm = "ls"});
			reading_load(&readings[i], &last);
			strbuf_clear(&packed.bytes);
			window_pack(&kept, &last, &exits, &next, &packed);
			assert_int_equal(window_add(sum, &packed, &reason), 0);
		}
		write_sum(sum, &both);
		assert_int_equal(both.threads.count, ending == LEADER_HAD_ENDED ? 4 : 3);
		for (uint32_t i = 0; i < both.threads.count; i++) {
			thread_store_get(&both.threads, i, &row);
			if (row.tgid != TGID)
				continue;
			assert_string_equal(strbuf_str(&row.pcomm), "ls");
			assert_int_equal(row.has_exe, ending == LIVES);
			if (row.has_exe)
				assert_string_equal(strbuf_str(&row.exe), "/bin/ls");
		}
		window_sum_freep(&sum);
		for (unsigned i = 0; i < 3; i++)
			reading_done(&readings[i]);
	}
	sample_done(&row);
	strbuf_done(&packed.bytes);
}

/* A window of half a minute is missing: its time and its work are in nothing. */
static void a_gap_is_left_out(void **state)
{
	struct memory_sink windows[2] = {memory_sink_make(SIZE_MAX), memory_sink_make(SIZE_MAX)};
	cleanup_(window_reading_done) struct window_reading first = {0}, last = {0}, both = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct window_sum *sum = window_sum_new();
	struct reading readings[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		reading_init(&readings[i], SECONDS(100 + 30 * i));
		set_run_time(reading_add(&readings[i], TGID, TGID, SECOND_TICKS(50)),
		             MILLISECONDS(100 * i * i));
	}
	/* It ends in the gap. */
	for (unsigned i = 0; i < 2; i++)
		set_run_time(reading_add(&readings[i], 800, 800, SECOND_TICKS(60)),
		             MILLISECONDS(7 * i));
	for (unsigned i = 0; i < 4; i += 2) {
		reading_load(&readings[i], &first);
		reading_load(&readings[i + 1], &last);
		window_pack(&first, &last, NULL, NULL, &windows[i / 2]);
		assert_int_equal(window_add(sum, &windows[i / 2], &reason), 0);
	}
	write_sum(sum, &both);
	assert_int_equal(run_time_of(&both, TGID), MILLISECONDS(100 + 500));
	assert_int_equal(run_time_of(&both, 800), MILLISECONDS(7));
	assert_int_equal(number_of(&both, WINDOW_length_ns), SECONDS(60));
	assert_int_equal(number_of(&both, WINDOW_gaps), 1);
	assert_int_equal(number_of(&both, WINDOW_gap_ns), SECONDS(30));
	assert_int_equal(number_of(&both, WINDOW_threads_exited), 1);
	assert_int_equal(number_of(&both, WINDOW_threads_continued), 1);
	window_sum_freep(&sum);
	for (unsigned i = 0; i < 4; i++)
		reading_done(&readings[i]);
	strbuf_done(&windows[0].bytes);
	strbuf_done(&windows[1].bytes);
}

/* Two processes had one id, one after the other, in one clock tick: in the sum they are two as well. */
static void lives_of_one_tick_stay_apart(void **state)
{
	static const char *const names[] = {"later", "earlier"};
	struct memory_sink packed = memory_sink_make(SIZE_MAX);
	cleanup_(window_reading_done) struct window_reading first = {0}, last = {0}, both = {0};
	cleanup_(exit_log_done) struct exit_log exits = {.exits = WINDOW_EXITS_completed};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct window_sum *sum = window_sum_new();
	struct thread_sample sample = {0};
	struct reading readings[3];
	unsigned found = 0;

	(void)state;
	fill(readings);
	reading_load(&readings[0], &first);
	reading_load(&readings[1], &last);
	for (unsigned i = 2; i-- > 0;) {
		uint64_t born_ns = SECONDS(110) + (i == 0 ? MILLISECONDS(4) : 0);

		add_end(&exits, (struct end_spec){.tid = 900,
		                                  .tgid = 900,
		                                  .born_ns = born_ns,
		                                  .exited_ns = born_ns + MILLISECONDS(2),
		                                  .is_complete = true,
		                                  .process_born_ns = born_ns,
		                                  .comm = names[i],
		                                  .pcomm = names[i]});
	}
	window_pack(&first, &last, &exits, NULL, &packed);
	assert_int_equal(window_add(sum, &packed, &reason), 0);
	write_sum(sum, &both);
	for (uint32_t row = 0; row < both.threads.count; row++) {
		if (thread_store_key(&both.threads, row)->tid != 900)
			continue;
		thread_store_get(&both.threads, row, &sample);
		assert_in_range(sample.process_successors, 0, 1);
		assert_string_equal(strbuf_str(&sample.pcomm), names[sample.process_successors]);
		found |= 1U << sample.process_successors;
	}
	assert_int_equal(found, 3);
	sample_done(&sample);
	window_sum_freep(&sum);
	strbuf_done(&packed.bytes);
	for (unsigned i = 0; i < 3; i++)
		reading_done(&readings[i]);
}

/* Each of two windows has a thread that lived for less than a tick, and both together used one. */
static void parts_of_a_tick_are_passed_on(void **state)
{
	struct reading readings[3];
	cleanup_(window_reading_done) struct window_reading kept = {0}, window = {0};
	cleanup_(exit_log_done) struct exit_log passed_on = {0};
	cleanup_(window_rests_done) struct window_rests rests = {0};
	struct window_next next = {&kept, &passed_on, &rests};
	struct thread_sample sample = {0};
	uint64_t ticks[2] = {0, 0};

	(void)state;
	fill(readings);
	reading_load(&readings[0], &kept);
	for (unsigned i = 0; i < 2; i++) {
		cleanup_(exit_log_done) struct exit_log exits = {.exits = WINDOW_EXITS_completed};
		cleanup_(window_reading_done) struct window_reading last = {0};
		uint32_t row;

		reading_load(&readings[i + 1], &last);
		add_end(&exits, (struct end_spec){.tid = 900 + i,
		                                  .tgid = 900 + i,
		                                  .born_ns = SECONDS(110 + 30 * i),
		                                  .exited_ns = SECONDS(111 + 30 * i),
		                                  .is_complete = true,
		                                  .process_born_ns = SECONDS(110 + 30 * i),
		                                  .user_ns = TICK_NS / 2,
		                                  .comm = "short",
		                                  .pcomm = "short"});
		window_reading_done(&window);
		make(&kept, &last, &exits, &next, &window);
		row = thread_store_find(&window.threads, 900 + i);
		assert_true(row != THREAD_STORE_NONE);
		thread_store_get(&window.threads, row, &sample);
		ticks[i] = sample.utime_clock_ticks.v;
	}
	assert_int_equal(ticks[0], 0);
	assert_int_equal(ticks[1], 1);
	sample_done(&sample);
	for (unsigned i = 0; i < 3; i++)
		reading_done(&readings[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_exit_is_in_one_window),
	        cmocka_unit_test(sums_are_those_of_one_window),
	        cmocka_unit_test(executing_thread_has_one_row),
	        cmocka_unit_test(process_has_its_last_name),
	        cmocka_unit_test(a_gap_is_left_out),
	        cmocka_unit_test(lives_of_one_tick_stay_apart),
	        cmocka_unit_test(parts_of_a_tick_are_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
