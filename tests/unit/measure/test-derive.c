// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics computed from others, and how measures of both kinds are named and numbered. */
#include "base/clock.h"
#include "check.h"

#include "groups.h"
#include "measure/measure.h"

static struct fold_cell cells[METRIC_COUNT];
static const struct derive_inputs sums = {.cells = cells};

static int reset(void **state)
{
	(void)state;
	memset(cells, 0, sizeof(cells));
	return 0;
}

static void set(enum metric_id metric, uint64_t number)
{
	cells[metric] = (struct fold_cell){.number = number, .seen = 4};
}

/* A quotient of two metrics, by hand: its value, nothing over zero, nothing where an input is missing. */
static void check_quotient(enum derived_id derived, enum metric_id above, enum metric_id below)
{
	set(above, 7);
	set(below, 2);
	assert_real(derive(derived, &sums), 3.5);
	assert_integer(derive_weight(derived, &sums), 2);
	set(above, 0);
	assert_real(derive(derived, &sums), 0);
	set(below, 0);
	assert_none(derive(derived, &sums));
	set(above, UINT64_MAX);
	set(below, UINT64_MAX);
	assert_real(derive(derived, &sums), 1);
	cells[below].seen = 0;
	assert_none(derive(derived, &sums));
	assert_none(derive_weight(derived, &sums));
	cells[below].seen = 4;
	cells[above].seen = 0;
	assert_none(derive(derived, &sums));
}

static void test_derive_quotients(void **state)
{
	(void)state;
	check_quotient(DERIVED_affine_success_ratio, METRIC_nr_wakeups_affine,
	               METRIC_nr_wakeups_affine_attempts);
	check_quotient(DERIVED_avg_wait_ns, METRIC_wait_sum, METRIC_wait_count);
	check_quotient(DERIVED_avg_slice_ns, METRIC_run_time_ns, METRIC_timeslices);
	check_quotient(DERIVED_disk_io_fraction, METRIC_read_bytes, METRIC_rchar);
	check_quotient(DERIVED_avg_iowait_ns, METRIC_iowait_sum, METRIC_iowait_count);
	check_quotient(DERIVED_avg_cpu_delay_ns, METRIC_cpu_delay_total_ns, METRIC_cpu_delay_count);
	check_quotient(DERIVED_avg_blkio_delay_ns, METRIC_blkio_delay_total_ns,
	               METRIC_blkio_delay_count);
	check_quotient(DERIVED_avg_swapin_delay_ns, METRIC_swapin_delay_total_ns,
	               METRIC_swapin_delay_count);
	check_quotient(DERIVED_avg_freepages_delay_ns, METRIC_freepages_delay_total_ns,
	               METRIC_freepages_delay_count);
	check_quotient(DERIVED_avg_thrashing_delay_ns, METRIC_thrashing_delay_total_ns,
	               METRIC_thrashing_delay_count);
	check_quotient(DERIVED_avg_compact_delay_ns, METRIC_compact_delay_total_ns,
	               METRIC_compact_delay_count);
	check_quotient(DERIVED_avg_wpcopy_delay_ns, METRIC_wpcopy_delay_total_ns,
	               METRIC_wpcopy_delay_count);
	check_quotient(DERIVED_avg_irq_delay_ns, METRIC_irq_delay_total_ns, METRIC_irq_delay_count);
}

/* A share of the sum of both; the sum does not wrap. */
static void check_share(enum derived_id derived, enum metric_id part, enum metric_id rest)
{
	set(part, 1);
	set(rest, 3);
	assert_real(derive(derived, &sums), 0.25);
	assert_integer(derive_weight(derived, &sums), 4);
	set(rest, 0);
	assert_real(derive(derived, &sums), 1);
	set(part, 0);
	assert_none(derive(derived, &sums));
	set(rest, 5);
	assert_real(derive(derived, &sums), 0);
	set(part, UINT64_MAX);
	set(rest, UINT64_MAX);
	assert_real(derive(derived, &sums), 0.5);
	assert_integer(derive_weight(derived, &sums), 2 * (__int128)UINT64_MAX);
	cells[rest].seen = 0;
	assert_none(derive(derived, &sums));
	cells[rest].seen = 4;
	cells[part].seen = 0;
	assert_none(derive(derived, &sums));
}

static void test_derive_shares(void **state)
{
	(void)state;
	check_share(DERIVED_cpu_efficiency, METRIC_run_time_ns, METRIC_wait_time_ns);
	check_share(DERIVED_involuntary_csw_ratio, METRIC_nonvoluntary_csw, METRIC_voluntary_csw);
}

static void test_derive_live_heap(void **state)
{
	(void)state;
	assert_none(derive(DERIVED_live_heap_estimate, &sums));
	set(METRIC_allocated_bytes, 100);
	assert_none(derive(DERIVED_live_heap_estimate, &sums));
	set(METRIC_deallocated_bytes, 30);
	assert_integer(derive(DERIVED_live_heap_estimate, &sums), 70);
	set(METRIC_deallocated_bytes, 130);
	assert_integer(derive(DERIVED_live_heap_estimate, &sums), -30);
	set(METRIC_allocated_bytes, 0);
	set(METRIC_deallocated_bytes, UINT64_MAX);
	assert_integer(derive(DERIVED_live_heap_estimate, &sums), -(__int128)UINT64_MAX);
	assert_none(derive_weight(DERIVED_live_heap_estimate, &sums));
}

/* All delays together, but of swapin and thrashing, which overlap, the larger one. */
static void test_derive_total_delay(void **state)
{
	static const enum metric_id inputs[] = {
	        METRIC_cpu_delay_total_ns,       METRIC_blkio_delay_total_ns,
	        METRIC_freepages_delay_total_ns, METRIC_compact_delay_total_ns,
	        METRIC_wpcopy_delay_total_ns,    METRIC_irq_delay_total_ns,
	        METRIC_swapin_delay_total_ns,    METRIC_thrashing_delay_total_ns};

	(void)state;
	assert_none(derive(DERIVED_total_offcpu_delay_ns, &sums));
	for (size_t i = 0; i < ARRAY_SIZE(inputs); i++)
		set(inputs[i], UINT64_C(1) << (4 * i));
	assert_integer(derive(DERIVED_total_offcpu_delay_ns, &sums), 0x10111111);
	set(METRIC_swapin_delay_total_ns, UINT64_C(1) << 32);
	assert_integer(derive(DERIVED_total_offcpu_delay_ns, &sums), 0x100111111);
	assert_none(derive_weight(DERIVED_total_offcpu_delay_ns, &sums));
	set(METRIC_irq_delay_total_ns, UINT64_MAX - 5);
	assert_integer(derive(DERIVED_total_offcpu_delay_ns, &sums),
	               (__int128)UINT64_MAX - 5 + 0x100111111 - 0x100000);
	for (size_t i = 0; i < ARRAY_SIZE(inputs); i++)
		set(inputs[i], 0);
	assert_integer(derive(DERIVED_total_offcpu_delay_ns, &sums), 0);
}

static bool is_missing(enum derived_id derived, enum metric_id metric)
{
	struct metric_set missing = derive_missing(derived, &sums);

	return metric_set_has(&missing, metric);
}

/* A delay that the kernel does not measure is left out of their sum, and named. */
static void test_derive_total_delay_of_parts(void **state)
{
	struct metric_set missing;

	(void)state;
	set(METRIC_cpu_delay_total_ns, 100);
	set(METRIC_thrashing_delay_total_ns, 20);
	assert_integer(derive(DERIVED_total_offcpu_delay_ns, &sums), 120);
	assert_true(is_missing(DERIVED_total_offcpu_delay_ns, METRIC_irq_delay_total_ns));
	assert_true(is_missing(DERIVED_total_offcpu_delay_ns, METRIC_swapin_delay_total_ns));
	assert_false(is_missing(DERIVED_total_offcpu_delay_ns, METRIC_cpu_delay_total_ns));
	assert_int_equal(derive_threads(DERIVED_total_offcpu_delay_ns, &sums), 4);

	/* It is not known of one thread how long it waited for a device. */
	for (size_t i = 0; i < derived_table[DERIVED_total_offcpu_delay_ns].input_count; i++)
		set(derived_table[DERIVED_total_offcpu_delay_ns].inputs[i], 1);
	missing = derive_missing(DERIVED_total_offcpu_delay_ns, &sums);
	assert_true(metric_set_is_empty(&missing));
	cells[METRIC_blkio_delay_total_ns].seen = 3;
	assert_integer(derive(DERIVED_total_offcpu_delay_ns, &sums), 7);
	assert_true(is_missing(DERIVED_total_offcpu_delay_ns, METRIC_blkio_delay_total_ns));
	assert_false(is_missing(DERIVED_total_offcpu_delay_ns, METRIC_irq_delay_total_ns));

	/* A metric that is no such sum lacks nothing, or has no value. */
	set(METRIC_run_time_ns, 1);
	missing = derive_missing(DERIVED_avg_slice_ns, &sums);
	assert_true(metric_set_is_empty(&missing));
}

/* Inputs that cover different threads have no quotient. */
static void test_derive_coverage_differs(void **state)
{
	(void)state;
	set(METRIC_run_time_ns, 10);
	set(METRIC_timeslices, 2);
	assert_real(derive(DERIVED_avg_slice_ns, &sums), 5);
	cells[METRIC_timeslices].seen = 3;
	assert_none(derive(DERIVED_avg_slice_ns, &sums));
	assert_none(derive_weight(DERIVED_avg_slice_ns, &sums));
	cells[METRIC_run_time_ns].seen = 3;
	assert_real(derive(DERIVED_avg_slice_ns, &sums), 5);
}

/* The part of a host's memory; a host that does not say how much it has leaves nothing to divide by. */
static void test_derive_memory(void **state)
{
	struct derive_frame frame = {.memory_bytes = 4096};
	const struct derive_inputs in = {.cells = cells, .frame = &frame};

	(void)state;
	set(METRIC_rss_bytes, 1024);
	assert_real(derive(DERIVED_mem_percent, &in), 25);
	assert_false(measure_scales(METRIC_COUNT + DERIVED_mem_percent));
	assert_false(measure_scales(METRIC_rss_bytes));
	assert_none(derive(DERIVED_mem_percent, &sums));
	frame.memory_bytes = 0;
	assert_none(derive(DERIVED_mem_percent, &in));
	frame.memory_bytes = 4096;
	cells[METRIC_rss_bytes].seen = 0;
	assert_none(derive(DERIVED_mem_percent, &in));
}

/* Every row is computed from the inputs that it names: without any one of them there is nothing. */
static void test_derive_named_inputs(void **state)
{
	static struct rate_list list;
	static struct rate_sum rates[METRIC_COUNT];
	struct derive_frame frame = {
	        .clock_ticks_per_second = 100, .online_cpus = 2, .memory_bytes = 1 << 20};
	const struct derive_inputs all = {
	        .cells = cells, .rate_list = &list, .rates = rates, .frame = &frame};

	(void)state;
	list = all_rates();
	for (unsigned d = 0; d < DERIVED_COUNT; d++) {
		const struct derived_desc *derived = &derived_table[d];

		frame.kind =
		        strstr(derived->description, "in a window: ") ? KIND_window : KIND_lifetime;
		assert_true(derived->needed_count >= 1 || basis_is_of_parts(derived->basis));
		for (unsigned i = 0; i < METRIC_COUNT; i++)
			set((enum metric_id)i, 5);
		assert_int_not_equal(derive((enum derived_id)d, &all).kind, QUANTITY_NONE);
		for (unsigned i = 0; i < METRIC_COUNT; i++) {
			bool input = false, needed = false;

			for (size_t j = 0; j < derived->input_count; j++) {
				input = input || derived->inputs[j] == i;
				needed = needed ||
				         (j < derived->needed_count && derived->inputs[j] == i);
			}
			cells[i].seen = 0;
			assert_int_equal(derive((enum derived_id)d, &all).kind == QUANTITY_NONE,
			                 needed);
			assert_int_equal(strstr(derived->formula, metric_table[i].name) != NULL &&
			                         input,
			                 input);
			cells[i].seen = 4;
		}
	}
}

static void test_measure_names(void **state)
{
	unsigned found = 12345;

	(void)state;
	for (unsigned i = 0; i < MEASURE_COUNT; i++) {
		const char *name = measure_name(i);
		char *copy = exact_copy(name, strlen(name));

		assert_true(measure_find(copy, strlen(name), &found));
		assert_int_equal(found, i);
		assert_int_equal(measure_is_derived(i), i >= METRIC_COUNT);
		assert_true(measure_section(i) < SECTION_COUNT);
		assert_true(measure_unit(i) < UNIT_COUNT);
		assert_true(measure_type(i)[0] != '\0');
		free(copy);
	}
	found = 12345;
	assert_false(measure_find("", 0, &found));
	assert_false(measure_find("nic", 3, &found));
	assert_false(measure_find("nice\0", 5, &found));
	assert_false(measure_find("avg_wait_ns\0\0\0", 14, &found));
	assert_false(measure_find("Nice", 4, &found));
	assert_int_equal(found, 12345);
}

static void test_measure_kinds(void **state)
{
	unsigned ratio = (unsigned)METRIC_COUNT + DERIVED_cpu_efficiency;
	unsigned delay = (unsigned)METRIC_COUNT + DERIVED_avg_irq_delay_ns;

	(void)state;
	assert_string_equal(measure_type(METRIC_run_time_ns), "counter_ns");
	assert_string_equal(measure_type(ratio), "derived");
	assert_int_equal(measure_unit(METRIC_run_time_ns), UNIT_ns);
	assert_int_equal(measure_unit(ratio), UNIT_ratio);
	assert_int_equal(measure_section(METRIC_cpu_delay_count), SECTION_taskstats_delay);
	assert_int_equal(measure_section(ratio), SECTION_derived);
	assert_int_equal(measure_section(delay), SECTION_taskstats_delay);
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		assert_int_equal(measure_is_label(i), i == METRIC_policy || i == METRIC_state ||
		                                              i == METRIC_ext_enabled);
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		assert_int_equal(measure_is_place(i), i == METRIC_nice || i == METRIC_priority ||
		                                              i == METRIC_rt_priority ||
		                                              i == METRIC_cpu_affinity ||
		                                              i == METRIC_processor);
	set(METRIC_run_time_ns, 30);
	set(METRIC_wait_time_ns, 10);
	assert_integer(measure_quantity(METRIC_run_time_ns, PER_total, &sums), 30);
	assert_real(measure_quantity(ratio, PER_total, &sums), 0.75);
	assert_none(measure_quantity(METRIC_minflt, PER_total, &sums));
}

/* The file has a lower bound, which lacks the error of the host's ticks; the frame has as much as there may be. 0 is no larger than the error. */
static void test_unaccounted(void **state)
{
	struct snapshot_info info = {.kind = KIND_window};

	(void)state;
	assert_false(derive_frame_of(&info).unaccounted_known);
	host_set_number(&info.host, HOST_clock_ticks_per_second, 100);
	host_set_number(&info.host, HOST_user_clock_ticks, 300);
	host_set_number(&info.host, HOST_system_clock_ticks, 100);
	info.window.seen[WINDOW_unaccounted_clock_ticks] = true;
	info.window.numbers[WINDOW_unaccounted_clock_ticks] = 50;
	assert_int_equal(host_ticks_error(&info.host), 4 + 3 * 20);
	assert_int_equal(derive_frame_of(&info).unaccounted_ns, (50 + 64) * 10 * NS_PER_MS);
	info.window.numbers[WINDOW_unaccounted_clock_ticks] = 0;
	assert_true(derive_frame_of(&info).unaccounted_known);
	assert_int_equal(derive_frame_of(&info).unaccounted_ns, 64 * 10 * NS_PER_MS);
	host_done(&info.host);
}

/* The memory of several hosts is a sum, of which no host's processes are a part. */
static void test_memory_of_hosts(void **state)
{
	struct snapshot_info info = {.kind = KIND_lifetime};

	(void)state;
	host_set_number(&info.host, HOST_total_memory_kib, 4);
	assert_int_equal(derive_frame_of(&info).memory_bytes, 4096);
	host_set_number(&info.host, HOST_hosts, 1);
	assert_int_equal(derive_frame_of(&info).memory_bytes, 4096);
	host_set_number(&info.host, HOST_hosts, 2);
	assert_int_equal(derive_frame_of(&info).memory_bytes, 0);
	host_done(&info.host);
}

/* The time of a delay that is not known is in other sleep, which is too large then, and says so. */
static void test_derive_rest_of_life(void **state)
{
	const struct derived_desc *rest = &derived_table[DERIVED_state_other_sleep_percent];
	struct metric_set missing;

	(void)state;
	for (size_t i = 0; i < rest->input_count; i++)
		set(rest->inputs[i], 10);
	set(METRIC_lived_ns, 100);
	assert_real(derive(DERIVED_state_other_sleep_percent, &sums), 20);
	missing = derive_missing(DERIVED_state_other_sleep_percent, &sums);
	assert_true(metric_set_is_empty(&missing));
	cells[METRIC_blkio_delay_total_ns].seen = 3;
	cells[METRIC_irq_delay_total_ns] = (struct fold_cell){0};
	assert_real(derive(DERIVED_state_other_sleep_percent, &sums), 40);
	assert_true(is_missing(DERIVED_state_other_sleep_percent, METRIC_blkio_delay_total_ns));
	assert_true(is_missing(DERIVED_state_other_sleep_percent, METRIC_irq_delay_total_ns));
	assert_false(is_missing(DERIVED_state_other_sleep_percent, METRIC_wpcopy_delay_total_ns));
	assert_true(is_missing(DERIVED_state_unexplained_percent, METRIC_irq_delay_total_ns));
	assert_false(is_missing(DERIVED_state_on_cpu_percent, METRIC_irq_delay_total_ns));
	assert_false(derive_only_adds(DERIVED_state_other_sleep_percent));
	assert_true(derive_only_adds(DERIVED_state_swap_percent));
	assert_true(derive_only_adds(DERIVED_total_offcpu_delay_ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_memory_of_hosts),
	        cmocka_unit_test(test_unaccounted),
	        cmocka_unit_test_setup(test_derive_quotients, reset),
	        cmocka_unit_test_setup(test_derive_shares, reset),
	        cmocka_unit_test_setup(test_derive_live_heap, reset),
	        cmocka_unit_test_setup(test_derive_total_delay, reset),
	        cmocka_unit_test_setup(test_derive_total_delay_of_parts, reset),
	        cmocka_unit_test_setup(test_derive_rest_of_life, reset),
	        cmocka_unit_test_setup(test_derive_coverage_differs, reset),
	        cmocka_unit_test_setup(test_derive_memory, reset),
	        cmocka_unit_test_setup(test_derive_named_inputs, reset),
	        cmocka_unit_test_setup(test_measure_names, reset),
	        cmocka_unit_test_setup(test_measure_kinds, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
