// SPDX-License-Identifier: GPL-2.0-or-later
/* window(a,b) + window(b,c) = window(a,c) for every counter of every thread that is in all three. */
#include "check.h"
#include "ctprof/metric/metric.h"
#include "random.h"
#include "samples.h"
#include "windows.h"

enum { READINGS = 3, THREADS = 60, ROUNDS = 20 };

/* A counter of a thread by reading: it rises, and now and then it is not seen, or goes back, unless that tells of another
 * thread. Nobody runs for longer than there is time. */
struct history {
	bool seen[READINGS];
	uint64_t values[READINGS];
};

static bool never_goes_back(enum metric_id metric)
{
	return metric == METRIC_run_time_ns || metric == METRIC_timeslices ||
	       metric == METRIC_voluntary_csw || metric == METRIC_nonvoluntary_csw ||
	       metric == METRIC_minflt || metric == METRIC_majflt ||
	       metric_table[metric].source == SOURCE_io;
}

static void random_history(struct random *random, enum metric_id metric, struct history *ret)
{
	ret->values[0] = random_number(random) >> 2;
	for (unsigned i = 0; i < READINGS; i++) {
		ret->seen[i] = random_chance(random, 90);
		if (i > 0)
			ret->values[i] =
			        ret->values[i - 1] + (metric == METRIC_run_time_ns
			                                      ? random_below(random, SECONDS(1))
			                                      : random_number(random) >> 3);
	}
	if (!never_goes_back(metric) && random_chance(random, 5)) {
		uint64_t reading = 1 + random_below(random, READINGS - 1);

		ret->values[reading] = random_number(random);
	}
}

static void add_everywhere(struct random *random, struct reading readings[READINGS], uint32_t tid,
                           uint64_t start)
{
	struct history allocated = {0};
	unsigned from = random_chance(random, 80) ? 0 : (unsigned)random_below(random, READINGS);
	unsigned to =
	        random_chance(random, 80) ? READINGS - 1 : (unsigned)random_below(random, READINGS);
	size_t places[READINGS];

	for (unsigned i = from; i <= to; i++) {
		places[i] = readings[i].count;
		reading_add(&readings[i], tid, tid, start);
	}
	for (unsigned m = 0; m < METRIC_COUNT; m++) {
		enum metric_id metric = (enum metric_id)m;
		struct history history;

		if (!metric_is_counter(metric) || metric_table[m].source == SOURCE_synthetic)
			continue;
		/* jemalloc's counters are read together, and are worth as much as the other one. */
		if (metric == METRIC_deallocated_bytes)
			history = allocated;
		else
			random_history(random, metric, &history);
		if (metric == METRIC_allocated_bytes)
			allocated = history;
		for (unsigned i = from; i <= to; i++)
			if (history.seen[i])
				assert_true(sample_set_integer(&readings[i].samples[places[i]],
				                               metric, history.values[i]));
	}
}

static bool is_seen(const struct thread_sample *row, enum metric_id metric, uint64_t *ret_value)
{
	/* Random work is mostly more than there was time for, and kept as such. */
	if (!row || !sample_has_said(row, metric))
		return false;
	memcpy(ret_value, sample_value(row, metric), sizeof(*ret_value));
	return true;
}

/* The sum of both modes of CPU time adds up: if one went back, the other has the difference. Rounding may take a tick
 * from the sum between two readings; the window between them has 0 then, and the sum of the windows is a tick too large. */
static bool is_cpu_time(enum metric_id metric)
{
	return metric == METRIC_utime_clock_ticks || metric == METRIC_stime_clock_ticks;
}

static void check_cpu_time(struct random *random, const struct thread_sample *rows[READINGS],
                           size_t *ret_checked)
{
	uint64_t sums[READINGS];

	for (size_t i = 0; i < READINGS; i++) {
		uint64_t user, system;

		if (!is_seen(rows[i], METRIC_utime_clock_ticks, &user) ||
		    !is_seen(rows[i], METRIC_stime_clock_ticks, &system))
			return;
		sums[i] = user + system;
	}
	check_random(random, sums[0] + sums[1] - sums[2] <= 1);
	(*ret_checked)++;
}

static void check_metric(struct random *random, enum metric_id metric,
                         const struct thread_sample *rows[READINGS], size_t *ret_checked)
{
	uint64_t ab, bc, ac = 0;
	bool seen_ab = is_seen(rows[0], metric, &ab), seen_bc = is_seen(rows[1], metric, &bc);

	if (!seen_ab || !seen_bc)
		return;
	check_random(random, is_seen(rows[2], metric, &ac));
	check_random(random, ab + bc == ac);
	(*ret_checked)++;
}

static size_t check_round(struct random *random)
{
	struct reading readings[READINGS];
	struct snapshot_copy windows[READINGS];
	size_t checked = 0;

	for (unsigned i = 0; i < READINGS; i++)
		reading_init(&readings[i], SECONDS(100 + 30 * i));
	for (uint32_t tid = 1; tid <= THREADS; tid++)
		add_everywhere(random, readings, tid, random_below(random, SECOND_TICKS(200)));
	window_between(&readings[0], &readings[1], NULL, &windows[0]);
	window_between(&readings[1], &readings[2], NULL, &windows[1]);
	window_between(&readings[0], &readings[2], NULL, &windows[2]);
	for (unsigned i = 0; i < READINGS; i++)
		check_random(random, windows[i].result == 0);
	for (size_t i = 0; i < windows[2].count; i++) {
		const struct thread_sample *rows[READINGS] = {
		        snapshot_copy_find(&windows[0], windows[2].samples[i].tid),
		        snapshot_copy_find(&windows[1], windows[2].samples[i].tid),
		        &windows[2].samples[i]};

		if (!rows[0] || rows[0]->window_part != WINDOW_PART_continued || !rows[1] ||
		    rows[2]->window_part != WINDOW_PART_continued)
			continue;
		for (unsigned m = 0; m < METRIC_COUNT; m++)
			if (metric_is_counter((enum metric_id)m) &&
			    metric_table[m].source != SOURCE_synthetic &&
			    !is_cpu_time((enum metric_id)m))
				check_metric(random, (enum metric_id)m, rows, &checked);
		check_cpu_time(random, rows, &checked);
		check_random(random,
		             rows[0]->interval_ns + rows[1]->interval_ns == rows[2]->interval_ns);
	}
	for (unsigned i = 0; i < READINGS; i++) {
		snapshot_copy_done(&windows[i]);
		reading_done(&readings[i]);
	}
	return checked;
}

static void windows_add_up(void **state)
{
	size_t checked = 0;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(5, round);

		checked += check_round(&random);
	}
	/* Most threads live through, and most of their counters are seen. */
	assert_true(checked > (size_t)ROUNDS * THREADS * 20);
}

/* A window of anything is read as it was written: window_between() checks that. */
static void anything_can_be_joined(void **state)
{
	enum { ROWS = 40 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(6, round);
		struct reading readings[2];
		struct snapshot_copy window;

		for (unsigned i = 0; i < 2; i++) {
			reading_init(&readings[i], SECONDS(100 + 30 * i));
			for (uint32_t tid = 1; tid <= ROWS; tid++) {
				struct thread_sample *sample =
				        reading_add(&readings[i], tid, tid, 1);

				random_thread(&random, sample);
				sample->tid = (uint32_t)random_below(&random, ROWS);
				sample->tgid = (uint32_t)random_below(&random, 5);
				sample->start_time_clock_ticks = random_below(&random, 3);
				sample->window_part = WINDOW_PART_NONE;
				sample->interval_ns = sample->life_ns = 0;
			}
		}
		window_between(&readings[0], &readings[1], NULL, &window);
		check_random(&random, window.result == 0);
		check_random(&random,
		             window.count ==
		                     ROWS + window.info.window.numbers[WINDOW_threads_lost]);
		snapshot_copy_done(&window);
		reading_done(&readings[0]);
		reading_done(&readings[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(windows_add_up),
	        cmocka_unit_test(anything_can_be_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
