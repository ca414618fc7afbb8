// SPDX-License-Identifier: GPL-2.0-or-later
/* Totals of a process in a window: they are read before its threads, so work between the two reads is no work of exited
 * threads. */
#include "window-scene.h"

enum { PROCESS = 300, WORKER = 301 };

static struct thread_sample *add_row(struct reading *reading, uint32_t tid)
{
	struct thread_sample *sample = reading_add(reading, PROCESS, tid, SECOND_TICKS(60));

	sample_set_process_start(sample, SECOND_TICKS(60));
	sample_name(&sample->pcomm, "app");
	return sample;
}

static void set_ticks(struct thread_sample *sample, uint64_t thread, uint64_t user, uint64_t system)
{
	sample_set(sample, utime_clock_ticks, (struct counter_ticks){thread});
	sample_set(sample, stime_clock_ticks, (struct counter_ticks){0});
	sample->has_process_totals = true;
	sample->process_totals_seen =
	        1u << PROCESS_TOTAL_utime_clock_ticks | 1u << PROCESS_TOTAL_stime_clock_ticks;
	sample->process_totals[PROCESS_TOTAL_utime_clock_ticks] = user;
	sample->process_totals[PROCESS_TOTAL_stime_clock_ticks] = system;
}

static void add_run_time(struct reading *reading, uint32_t tid, uint64_t run_ns, uint64_t total_ns)
{
	struct thread_sample *sample = add_row(reading, tid);

	sample_set(sample, run_time_ns, (struct counter_ns){run_ns});
	if (total_ns == 0)
		return;
	sample->has_process_totals = true;
	sample->process_totals_seen = 1u << PROCESS_TOTAL_run_time_ns;
	sample->process_totals[PROCESS_TOTAL_run_time_ns] = total_ns;
}

/* The total is read before the threads, so at the first reading it may be below their sum. That is no work of exited
 * threads in the window. */
static void totals_read_before_their_threads(void **state)
{
	static const struct {
		uint64_t leader[2], worker[2], total[2]; /* worker: 0 if it is not there */
		uint64_t difference;
	} cases[] = {
	        {{100, 200}, {0, 0}, {60, 200}, 100},    /* noise of the first reading */
	        {{100, 200}, {0, 0}, {60, 190}, 90},     /* and of the last one */
	        {{100, 105}, {0, 0}, {60, 95}, 0},       /* below the first sum */
	        {{100, 200}, {0, 0}, {60, 210}, 110},    /* a thread was there between */
	        {{100, 200}, {0, 0}, {120, 250}, 130},   /* and others before */
	        {{100, 200}, {50, 0}, {130, 290}, 140},  /* a worker ended */
	        {{100, 200}, {50, 70}, {130, 270}, 120}, /* it continues */
	        {{100, 200}, {0, 70}, {60, 270}, 170},   /* it was born */
	        {{100, 200}, {50, 0}, {180, 320}, 140},  /* it ended, as others before */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(scene_done) struct scene scene;
		struct reading *readings[] = {&scene.a, &scene.b};
		const struct thread_sample *row;

		scene_init(&scene);
		for (unsigned k = 0; k < 2; k++) {
			bool born = k == 1 && cases[i].worker[0] == 0;

			add_run_time(readings[k], PROCESS, cases[i].leader[k],
			             cases[i].worker[k] > 0 ? 0 : cases[i].total[k]);
			if (cases[i].worker[k] == 0)
				continue;
			add_run_time(readings[k], WORKER, cases[i].worker[k], cases[i].total[k]);
			if (born)
				readings[k]
				        ->samples[readings[k]->count - 1]
				        .start_time_clock_ticks = SECOND_TICKS(110);
		}
		join(&scene);
		row = snapshot_copy_find(&scene.window, cases[i].worker[1] > 0 ? WORKER : PROCESS);
		assert_int_equal(row->process_totals_seen, 1u << PROCESS_TOTAL_run_time_ns);
		assert_int_equal(row->process_totals[PROCESS_TOTAL_run_time_ns],
		                 cases[i].difference);
	}
}

/* The same of ticks, whose split into modes is not exact: the process's differs from that of its threads. */
static void ticks_read_before_their_threads(void **state)
{
	static const struct {
		uint64_t thread, user[2], system[2], difference;
	} cases[] = {
	        {20, {10, 30}, {5, 10}, 20},  /* 15 in all, below 20 */
	        {20, {10, 30}, {15, 10}, 15}, /* 25 in all: only the split differs */
	        {60, {10, 30}, {5, 10}, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(scene_done) struct scene scene;
		const struct thread_sample *row;

		scene_init(&scene);
		set_ticks(add_row(&scene.a, PROCESS), cases[i].thread, cases[i].user[0],
		          cases[i].system[0]);
		set_ticks(add_row(&scene.b, PROCESS), cases[i].thread, cases[i].user[1],
		          cases[i].system[1]);
		join(&scene);
		row = snapshot_copy_find(&scene.window, PROCESS);
		assert_int_equal(row->process_totals[PROCESS_TOTAL_utime_clock_ticks] +
		                         row->process_totals[PROCESS_TOTAL_stime_clock_ticks],
		                 cases[i].difference);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(totals_read_before_their_threads),
	        cmocka_unit_test(ticks_read_before_their_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
