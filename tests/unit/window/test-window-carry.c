// SPDX-License-Identifier: GPL-2.0-or-later
/* Windows that follow one another: the clock ticks of a thread's rows add up to its CPU time, however many windows it lives in. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "window/window-reading.h"
#include "windows.h"

enum { THREADS = 240, READINGS = 9, WINDOWS = READINGS - 1, USER = 0, SYSTEM = 1, MODES = 2 };
enum { FIRST_TID = 1000, NEVER = READINGS };

/* A thread is born in window @born, where -1 is before the first reading, and ends in window @ended. */
struct life {
	int born, ended;
	int64_t worked_ns[WINDOWS + 1][MODES]; /* in each window; first, before them */
};

struct sums {
	int64_t ticks[THREADS][MODES];
	int64_t window_ticks[WINDOWS][MODES];
};

static uint64_t begin_of(unsigned reading)
{
	return SECONDS(100 + 30 * reading);
}

/* Stores the time of a thread from its birth to the end of a window. */
static void worked_by(const struct life *life, int window, uint64_t ret_ns[MODES])
{
	for (unsigned mode = 0; mode < MODES; mode++) {
		ret_ns[mode] = 0;
		for (int i = life->born; i <= window && i <= life->ended && i < WINDOWS; i++)
			ret_ns[mode] += (uint64_t)life->worked_ns[i + 1][mode];
	}
}

static uint64_t born_ns(const struct life *life, uint32_t i)
{
	return life->born < 0 ? SECONDS(50)
	                      : begin_of((unsigned)life->born) + SECONDS(2) + i * 1000;
}

/* The kernel rounds each mode down to a tick. */
static void read_threads(const struct life *lives, unsigned at, struct window_reading *ret)
{
	struct reading reading;

	reading_init(&reading, begin_of(at));
	for (uint32_t i = 0; i < THREADS; i++) {
		const struct life *life = &lives[i];
		struct thread_sample *sample;
		uint64_t ns[MODES];

		if (life->born >= (int)at || life->ended < (int)at)
			continue;
		worked_by(life, (int)at - 1, ns);
		sample = reading_add(&reading, FIRST_TID + i, FIRST_TID + i,
		                     born_ns(life, i) / TICK_NS);
		sample_set_process_start(sample, born_ns(life, i) / TICK_NS);
		sample_set(sample, run_time_ns, (struct counter_ns){ns[USER] + ns[SYSTEM]});
		sample_set(sample, utime_clock_ticks, (struct counter_ticks){ns[USER] / TICK_NS});
		sample_set(sample, stime_clock_ticks, (struct counter_ticks){ns[SYSTEM] / TICK_NS});
	}
	reading_load(&reading, ret);
	reading_done(&reading);
}

static void log_ends(const struct life *lives, unsigned window, struct exit_log *log)
{
	for (uint32_t i = 0; i < THREADS; i++) {
		const struct life *life = &lives[i];
		uint64_t ns[MODES];

		if (life->ended != (int)window)
			continue;
		worked_by(life, life->ended, ns);
		add_end(log, (struct end_spec){.tid = FIRST_TID + i,
		                               .tgid = FIRST_TID + i,
		                               .born_ns = born_ns(life, i),
		                               .exited_ns = begin_of(window) + SECONDS(20),
		                               .is_complete = true,
		                               .process_born_ns = born_ns(life, i),
		                               .run_time_ns = ns[USER] + ns[SYSTEM],
		                               .user_ns = ns[USER],
		                               .system_ns = ns[SYSTEM],
		                               .comm = "process",
		                               .pcomm = "process"});
	}
	log->exits = WINDOW_EXITS_completed;
}

static void add_rows(const struct window_reading *window, unsigned at, struct sums *sums)
{
	struct thread_sample sample = {0};

	for (uint32_t row = 0; row < window->threads.count; row++) {
		thread_store_get(&window->threads, row, &sample);
		assert_true(metric_set_has(&sample.seen, METRIC_utime_clock_ticks));
		assert_true(metric_set_has(&sample.seen, METRIC_stime_clock_ticks));
		sums->ticks[sample.tid - FIRST_TID][USER] += (int64_t)sample.utime_clock_ticks.v;
		sums->ticks[sample.tid - FIRST_TID][SYSTEM] += (int64_t)sample.stime_clock_ticks.v;
		sums->window_ticks[at][USER] += (int64_t)sample.utime_clock_ticks.v;
		sums->window_ticks[at][SYSTEM] += (int64_t)sample.stime_clock_ticks.v;
	}
	sample_done(&sample);
}

/* Makes the windows between the readings, and adds up their rows from window @from on. */
static void add_up(const struct life *lives, unsigned from, struct sums *ret)
{
	cleanup_(window_reading_done) struct window_reading kept = {0};
	cleanup_(exit_log_done) struct exit_log passed_on = {0};
	cleanup_(window_rests_done) struct window_rests rests = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct window_next next = {&kept, &passed_on, &rests};

	*ret = (struct sums){0};
	read_threads(lives, 0, &kept);
	for (unsigned i = 0; i < WINDOWS; i++) {
		cleanup_(exit_log_done) struct exit_log exits = {0};
		cleanup_(window_reading_done) struct window_reading last = {0}, window = {0};
		struct window_options options = {.exits = &exits, .next = &next};
		struct snapshot_writer *writer;

		log_ends(lives, i, &exits);
		read_threads(lives, i + 1, &last);
		window_reading_init(&window);
		writer = snapshot_writer_new_visiting(&window.visitor);
		assert_int_equal(
		        window_of_readings(&kept, &last, &options, writer, &window.info, &reason),
		        0);
		snapshot_writer_freep(&writer);
		if (i >= from)
			add_rows(&window, i, ret);
	}
}

/* Stores the time in all windows from @from on. */
static void true_time(const struct life *life, unsigned from, int64_t ret_ns[MODES])
{
	for (unsigned mode = 0; mode < MODES; mode++) {
		ret_ns[mode] = 0;
		for (unsigned i = from; i < WINDOWS; i++)
			if ((int)i >= life->born && (int)i <= life->ended)
				ret_ns[mode] += life->worked_ns[i + 1][mode];
	}
}

/* No thread is off by more than @each ticks of a mode, and all together by no more than @all, nor by more than @both in the sum. */
struct limits {
	double each, all, both;
};

static void check_thread(uint32_t i, const int64_t ticks[MODES], const int64_t ns[MODES],
                         double each, double off[MODES])
{
	for (unsigned mode = 0; mode < MODES; mode++) {
		double one = (double)ticks[mode] - (double)ns[mode] / (double)TICK_NS;

		off[mode] += one;
		if (one < -each || one > each)
			fail_msg("thread %u, mode %u: %lld ticks of %lld ns", i, mode,
			         (long long)ticks[mode], (long long)ns[mode]);
	}
}

static void check_sums(const struct life *lives, unsigned from, struct limits limits)
{
	double off[MODES] = {0}, both;
	struct sums sums;

	add_up(lives, from, &sums);
	for (uint32_t i = 0; i < THREADS; i++) {
		int64_t ns[MODES];

		true_time(&lives[i], from, ns);
		check_thread(i, sums.ticks[i], ns, limits.each, off);
	}
	both = off[USER] + off[SYSTEM];
	if (fabs(off[USER]) > limits.all || fabs(off[SYSTEM]) > limits.all ||
	    fabs(both) > limits.both)
		fail_msg("off by %.1f user and %.1f system ticks, from window %u on", off[USER],
		         off[SYSTEM], from);
}

/* All work lies between the first reading of a thread and the second one. */
static void work_between_readings(void **state)
{
	struct life *lives = calloc(THREADS, sizeof(*lives));
	struct random random = random_start(0x15, 0);

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++) {
		lives[i] = (struct life){.born = 1 + (int)i % 3, .ended = 3 + (int)i % 3};
		for (unsigned mode = 0; mode < MODES; mode++)
			lives[i].worked_ns[lives[i].born + 2][mode] =
			        (int64_t)MILLISECONDS(4) +
			        (int64_t)random_below(&random, MILLISECONDS(9));
	}
	check_sums(lives, 0, (struct limits){2, 8, 3});
	free(lives);
}

/* All have used 0.9 of a tick of either mode when they are read first, and then a tenth. */
static void ticks_are_given_once(void **state)
{
	struct life *lives = calloc(THREADS, sizeof(*lives));

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++) {
		lives[i] = (struct life){.born = 1, .ended = 3 + (int)i % 3};
		for (unsigned mode = 0; mode < MODES; mode++) {
			lives[i].worked_ns[2][mode] = TICK_NS * 9 / 10;
			lives[i].worked_ns[3][mode] = TICK_NS / 10;
		}
	}
	/* Without a tick at the first reading, the time of all counts as user mode. */
	check_sums(lives, 0, (struct limits){2, THREADS, 3});
	free(lives);
}

static void fill(struct random *random, struct life *life, int born, int ended)
{
	*life = (struct life){.born = born, .ended = ended};
	for (unsigned i = 0; i <= WINDOWS; i++)
		for (unsigned mode = 0; mode < MODES; mode++)
			if (random_chance(random, 60))
				life->worked_ns[i][mode] =
				        (int64_t)random_below(random, MILLISECONDS(17));
}

/* Lives of any length; also where a range begins in their midst, or the recording after their birth. */
static void any_lives(void **state)
{
	struct life *lives = calloc(THREADS, sizeof(*lives));

	(void)state;
	for (unsigned round = 0; round < 10; round++) {
		struct random random = random_start(0x16, round);

		for (uint32_t i = 0; i < THREADS; i++) {
			int born = (int)random_below(&random, WINDOWS);

			fill(&random, &lives[i], born,
			     born + (int)random_below(&random, (uint64_t)(WINDOWS - born)));
		}
		check_sums(lives, 0, (struct limits){3, 5, 3});
		check_sums(lives, 4, (struct limits){3, 24, 24});
		for (uint32_t i = 0; i < THREADS; i++)
			fill(&random, &lives[i], (int)random_below(&random, WINDOWS) - 1,
			     random_chance(&random, 50) ? NEVER : WINDOWS - 1);
		check_sums(lives, 0, (struct limits){3, 24, 24});
		check_sums(lives, 4, (struct limits){3, 24, 24});
	}
	free(lives);
}

/* Two threads that use half a tick in each window take turns: none has the ticks of the other. */
static void threads_keep_their_own(void **state)
{
	struct life *lives = calloc(THREADS, sizeof(*lives));

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++) {
		lives[i] = (struct life){.born = 0, .ended = NEVER};
		for (unsigned window = 1; window <= WINDOWS; window++)
			lives[i].worked_ns[window][USER] = TICK_NS / 2;
	}
	check_sums(lives, 0, (struct limits){1, 2, 2});
	free(lives);
}

/* Threads that were there before have the difference of the kernel's ticks, to the tick. */
static void first_ones_have_the_kernels_ticks(void **state)
{
	struct life *lives = calloc(THREADS, sizeof(*lives));
	struct random random = random_start(0x17, 0);
	struct sums sums;

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++)
		fill(&random, &lives[i], -1, NEVER);
	add_up(lives, 0, &sums);
	for (uint32_t i = 0; i < THREADS; i++) {
		uint64_t then[MODES], now[MODES];

		worked_by(&lives[i], -1, then);
		worked_by(&lives[i], WINDOWS - 1, now);
		for (unsigned mode = 0; mode < MODES; mode++)
			assert_int_equal(sums.ticks[i][mode],
			                 now[mode] / TICK_NS - then[mode] / TICK_NS);
	}
	free(lives);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(work_between_readings),
	        cmocka_unit_test(ticks_are_given_once),
	        cmocka_unit_test(any_lives),
	        cmocka_unit_test(threads_keep_their_own),
	        cmocka_unit_test(first_ones_have_the_kernels_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
