// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU time in no row, by the times of the host. */
#include "window/window-time.h"

#include "base/clock.h"
#include "check.h"

enum { CPUS = 2, SECONDS_LONG = 20, ALL = 100 * CPUS * SECONDS_LONG, UNKNOWN = -1 };

static void set_host(struct host *host, uint64_t ticks, uint64_t idle, uint64_t hz)
{
	host_set_number(host, HOST_clock_ticks_per_second, 100);
	host_set_number(host, HOST_user_clock_ticks, ticks - ticks / 4);
	host_set_number(host, HOST_system_clock_ticks, ticks / 4);
	host_set_number(host, HOST_idle_clock_ticks, idle);
	host_set_number(host, HOST_iowait_clock_ticks, 0);
	host_set_number(host, HOST_irq_clock_ticks, 0);
	host_set_number(host, HOST_softirq_clock_ticks, 0);
	host_set_number(host, HOST_steal_clock_ticks, 0);
	host_set_number(host, HOST_online_cpus, CPUS);
	host_set_number(host, HOST_stat_interval_ns, SECONDS_LONG * NS_PER_SECOND);
	if (hz > 0)
		host_set_number(host, HOST_kernel_hz, hz);
}

static int64_t rest_of(const struct host *host, uint64_t rows)
{
	cleanup_(window_accounted_done) struct window_accounted accounted = {.ticks = rows};
	uint64_t rest;

	return window_time_rest(host, &accounted, &rest) ? (int64_t)rest : UNKNOWN;
}

/* A tenth of two CPUs for 20 s: 1,000 samples of 10,000, with a standard deviation of 30 samples or 12 clock ticks. With the hundredth and two
 * ticks for each CPU, the error is 44 of 400. */
static void samples_have_an_error(void **state)
{
	static const struct {
		uint64_t ticks, hz, rows;
		int64_t rest;
	} cases[] = {
	        {400, 250, 400, 0},
	        {400, 250, 357, 0},
	        {400, 250, 355, 1},
	        {400, 250, 300, 56},
	        {400, 250, 444, 0},
	        {400, 250, 445, UNKNOWN},
	        /* Fewer samples have a larger error: 4 + 4 + 3 * 19. */
	        {400, 100, 336, 0},
	        {400, 100, 335, 1},
	        {400, 0, 335, 1},
	        {400, 1000, 374, 0},
	        {400, 1000, 373, 1},
	        /* Busy CPUs are sampled without an error. */
	        {ALL, 250, ALL - 44, 0},
	        {ALL, 250, ALL - 45, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(host_done) struct host host = {0};
		int64_t rest;

		set_host(&host, cases[i].ticks, ALL - cases[i].ticks, cases[i].hz);
		rest = rest_of(&host, cases[i].rows);
		if (rest != cases[i].rest)
			fail_msg("case %zu: %lld", i, (long long)rest);
	}
}

/* Work in step with the timer has more samples than time. The idle time shows that it is not there; where it contradicts the samples
 * by more than their error, nothing is known. */
static void idle_time_bounds_the_samples(void **state)
{
	static const struct {
		uint64_t idle, others, rows;
		int64_t rest;
	} cases[] = {
	        {ALL - 400, 0, 320, 80 - 44},   {ALL - 364, 0, 320, 0},
	        {ALL - 370, 0, 320, 50 - 44},   {ALL - 500, 0, 320, 80 - 44},
	        {ALL - 470, 100, 320, 50 - 44}, {ALL - 355, 0, 320, UNKNOWN},
	        {ALL + 1, 0, 320, UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(host_done) struct host host = {0};
		int64_t rest;

		set_host(&host, 400, cases[i].idle, 250);
		host_set_number(&host, HOST_softirq_clock_ticks, cases[i].others);
		rest = rest_of(&host, cases[i].rows);
		if (rest != cases[i].rest)
			fail_msg("case %zu: %lld", i, (long long)rest);
	}
}

/* The time that threads may have used unobserved is taken off what is in no row. */
static void unobserved_time_is_taken_off(void **state)
{
	static const struct {
		uint64_t unobserved_ms;
		int64_t rest;
	} cases[] = {{0, 56}, {100, 45}, {540, 1}, {550, UNKNOWN}, {900, UNKNOWN}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(host_done) struct host host = {0};
		cleanup_(window_accounted_done) struct window_accounted accounted = {.ticks = 300};
		uint64_t rest;
		bool is_known;

		set_host(&host, 400, ALL - 400, 250);
		window_time_unobserved(&accounted, cases[i].unobserved_ms * NS_PER_MS);
		is_known = window_time_rest(&host, &accounted, &rest);
		assert_int_equal(is_known ? (int64_t)rest : UNKNOWN, cases[i].rest);
	}
}

/* Numbers that a host does not have, and those that no host has. */
static void odd_hosts(void **state)
{
	static const enum host_field needed[] = {HOST_online_cpus, HOST_stat_interval_ns,
	                                         HOST_idle_clock_ticks, HOST_steal_clock_ticks};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		cleanup_(host_done) struct host host = {0};

		set_host(&host, 400, ALL - 364, 250);
		assert_int_equal(host_busy_ticks(&host), 364);
		host_forget(&host, needed[i]);
		assert_true(host_busy_ticks(&host) == UINT64_MAX);
		assert_true(rest_of(&host, 300) > 0);
	}
	for (unsigned huge = 0; huge < 16; huge++) {
		cleanup_(host_done) struct host host = {0};

		set_host(&host, huge & 1 ? UINT64_MAX / 2 : 400, huge & 2 ? UINT64_MAX : 1, 250);
		if (huge & 4)
			host_set_number(&host, HOST_online_cpus, UINT64_MAX);
		if (huge & 8)
			host_set_number(&host, HOST_stat_interval_ns, UINT64_MAX);
		(void)host_busy_ticks(&host);
		assert_true(host_ticks_error(&host) > 0);
		assert_true(rest_of(&host, UINT64_MAX / 2) <= 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(samples_have_an_error),
	        cmocka_unit_test(idle_time_bounds_the_samples),
	        cmocka_unit_test(unobserved_time_is_taken_off),
	        cmocka_unit_test(odd_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
