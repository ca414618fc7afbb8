// SPDX-License-Identifier: GPL-2.0-or-later
/* The states in which a group's threads spent their time: shares that add up, whichever of them are known. */
#include "check.h"

#include "groups.h"
#include "measure/measure.h"
#include "random.h"

enum { THREADS = 4, ROUNDS = 20000 };

static const enum derived_id shares[] = {
        DERIVED_state_on_cpu_percent,        DERIVED_state_cpu_wait_percent,
        DERIVED_state_block_io_percent,      DERIVED_state_swap_percent,
        DERIVED_state_reclaim_percent,       DERIVED_state_compaction_percent,
        DERIVED_state_copy_on_write_percent, DERIVED_state_irq_percent,
        DERIVED_state_other_sleep_percent,   DERIVED_state_unexplained_percent,
};

static const enum metric_id parts[] = {
        METRIC_run_time_ns,
        METRIC_wait_time_ns,
        METRIC_blkio_delay_total_ns,
        METRIC_swapin_delay_total_ns,
        METRIC_thrashing_delay_total_ns,
        METRIC_freepages_delay_total_ns,
        METRIC_compact_delay_total_ns,
        METRIC_wpcopy_delay_total_ns,
        METRIC_irq_delay_total_ns,
};

static struct fold_cell cells[METRIC_COUNT];
static fold_number exited[PROCESS_TOTAL_COUNT];
static const struct derive_inputs inputs = {.cells = cells, .exited = exited};

static int reset(void **state)
{
	(void)state;
	memset(cells, 0, sizeof(cells));
	memset(exited, 0, sizeof(exited));
	return 0;
}

static void set(enum metric_id metric, uint64_t number)
{
	cells[metric] = (struct fold_cell){.number = number, .seen = THREADS};
}

static struct quantity share(enum derived_id derived)
{
	return derive(derived, &inputs);
}

/* A life of 1000 of which everything is known: 300 on a CPU, 100 waiting for one, and 20 to 80 of each delay. */
static void set_life(void)
{
	set(METRIC_lived_ns, 1000);
	set(METRIC_run_time_ns, 300);
	set(METRIC_wait_time_ns, 100);
	set(METRIC_blkio_delay_total_ns, 80);
	set(METRIC_swapin_delay_total_ns, 70);
	set(METRIC_thrashing_delay_total_ns, 60);
	set(METRIC_freepages_delay_total_ns, 50);
	set(METRIC_compact_delay_total_ns, 40);
	set(METRIC_wpcopy_delay_total_ns, 30);
	set(METRIC_irq_delay_total_ns, 20);
}

static void test_shares(void **state)
{
	(void)state;
	set_life();
	assert_real(share(DERIVED_state_on_cpu_percent), 30);
	assert_real(share(DERIVED_state_cpu_wait_percent), 10);
	assert_real(share(DERIVED_state_block_io_percent), 8);
	assert_real(share(DERIVED_state_swap_percent), 7);
	assert_real(share(DERIVED_state_reclaim_percent), 5);
	assert_real(share(DERIVED_state_compaction_percent), 4);
	assert_real(share(DERIVED_state_copy_on_write_percent), 3);
	assert_real(share(DERIVED_state_irq_percent), 2);
	assert_real(share(DERIVED_state_other_sleep_percent), 31);
	assert_real(share(DERIVED_state_unexplained_percent), 0);
	set(METRIC_thrashing_delay_total_ns, 90);
	assert_real(share(DERIVED_state_swap_percent), 9);
	assert_real(share(DERIVED_state_other_sleep_percent), 29);
}

/* Many lives, whose sum is above 2^64 ns. */
static void test_long_lives(void **state)
{
	(void)state;
	set_life();
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		cells[i].number *= (fold_number)1 << 62;
	assert_real(share(DERIVED_state_on_cpu_percent), 30);
	assert_real(share(DERIVED_state_cpu_wait_percent), 10);
	assert_real(share(DERIVED_state_other_sleep_percent), 31);
	assert_real(share(DERIVED_state_unexplained_percent), 0);
}

/* Time that is counted twice is shown, and nothing is cut off. */
static void test_overlap(void **state)
{
	(void)state;
	set_life();
	set(METRIC_run_time_ns, 900);
	assert_real(share(DERIVED_state_on_cpu_percent), 90);
	assert_real(share(DERIVED_state_other_sleep_percent), 0);
	assert_real(share(DERIVED_state_unexplained_percent), -29);
	set(METRIC_run_time_ns, 2000);
	assert_real(share(DERIVED_state_on_cpu_percent), 200);
	assert_real(share(DERIVED_state_unexplained_percent), -139);
}

/* A delay that not all threads have has no share, and what is known of it is in nobody's. */
static void test_partial_coverage(void **state)
{
	(void)state;
	set_life();
	cells[METRIC_blkio_delay_total_ns].seen = THREADS - 1;
	assert_none(share(DERIVED_state_block_io_percent));
	assert_real(share(DERIVED_state_other_sleep_percent), 39);
	cells[METRIC_irq_delay_total_ns].seen = 0;
	assert_none(share(DERIVED_state_irq_percent));
	assert_real(share(DERIVED_state_other_sleep_percent), 41);
	/* One of two overlapping states is enough. */
	cells[METRIC_swapin_delay_total_ns].seen = 0;
	assert_real(share(DERIVED_state_swap_percent), 6);
	assert_real(share(DERIVED_state_other_sleep_percent), 42);
	cells[METRIC_thrashing_delay_total_ns].seen = 0;
	assert_none(share(DERIVED_state_swap_percent));
	assert_real(share(DERIVED_state_other_sleep_percent), 48);
	/* Without the time on a CPU nobody knows what sleep was. */
	cells[METRIC_run_time_ns].seen = THREADS - 1;
	assert_none(share(DERIVED_state_on_cpu_percent));
	assert_none(share(DERIVED_state_other_sleep_percent));
	assert_none(share(DERIVED_state_unexplained_percent));
	assert_real(share(DERIVED_state_cpu_wait_percent), 10);
}

/* Nobody knows how long exited threads lived, so their time is in no share. */
static void test_exited_threads(void **state)
{
	(void)state;
	set_life();
	exited[PROCESS_TOTAL_run_time_ns] = 200;
	assert_real(share(DERIVED_state_on_cpu_percent), 10);
	assert_real(share(DERIVED_state_other_sleep_percent), 51);
	assert_real(share(DERIVED_state_unexplained_percent), 0);
}

static void test_no_life(void **state)
{
	(void)state;
	set_life();
	set(METRIC_lived_ns, 0);
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		assert_none(share(shares[i]));
	cells[METRIC_lived_ns].seen = 0;
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		assert_none(share(shares[i]));
}

/* A part of the life in which parts of parts overlap or not; some are not known of any, or of all, threads. */
static void set_random(struct random *random, uint64_t life)
{
	set(METRIC_lived_ns, life);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		uint64_t most = random_chance(random, 20) ? 2 * life : life / ARRAY_SIZE(parts);

		set(parts[i], random_chance(random, 10) ? 0 : random_below(random, most + 1));
		/* The first two decide whether there is a rest at all. */
		if (i >= 2 && random_chance(random, 20))
			cells[parts[i]].seen = (uint32_t)random_below(random, THREADS);
	}
}

/* The known shares add up to 100, and only time that is counted twice is below 0. */
static bool adds_up(void)
{
	double sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		struct quantity quantity = share(shares[i]);
		bool may_be_negative = shares[i] == DERIVED_state_unexplained_percent;

		if (quantity.kind == QUANTITY_NONE)
			continue;
		if (quantity.real < 0 && !may_be_negative)
			return false;
		sum += quantity.real;
	}
	return sum > 100 - 1e-6 && sum < 100 + 1e-6;
}

static void test_adds_up(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(7, round);
		struct quantity rest, excess;

		set_random(&random, 1 + random_below(&random, UINT64_C(1) << 50));
		rest = share(DERIVED_state_other_sleep_percent);
		excess = share(DERIVED_state_unexplained_percent);
		if (!adds_up() || (rest.real > 0 && excess.real < 0))
			fail_msg("seed 7, round %u: the shares do not add up", round);
	}
}

#define on_cells(test_) cmocka_unit_test_setup(test_, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        on_cells(test_shares),     on_cells(test_overlap), on_cells(test_partial_coverage),
	        on_cells(test_no_life),    on_cells(test_adds_up), on_cells(test_exited_threads),
	        on_cells(test_long_lives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
