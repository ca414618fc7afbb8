// SPDX-License-Identifier: GPL-2.0-or-later
/* The divisor of counters per second, and the lifetime per second. */
#include "check.h"

#include <math.h>

#include "groups.h"
#include "samples.h"

enum { TICKS_PER_SECOND = 100, READ_S = 1000 };

static const uint64_t second = 1000000000;
static struct snapshot_info info;
static struct rate_list rates;

static void start(struct group_table *table, enum group_key key, enum snapshot_kind kind)
{
	group_table_init(table, group_by_key(key, true));
	rates = all_rates();
	info = (struct snapshot_info){.kind = kind};
	host_set_number(&info.host, HOST_clock_ticks_per_second, TICKS_PER_SECOND);
	table->info = &info;
	table->host = &info.host;
	table->lifetime_rates = table->window_rates = &rates;
}

static void end(struct group_table *table)
{
	group_table_done(table);
	host_done(&info.host);
}

static void add(struct group_table *table, struct thread_sample *sample, const char *comm)
{
	sample_name(&sample->pcomm, "process");
	sample_name(&sample->comm, comm);
	group_table_add(table, sample);
	sample_done(sample);
}

/* A thread of a process that started at 0 s; it was born at @born_s, and has used @used_s until it is read. */
static void add_lifetime(struct group_table *table, uint32_t tid, const char *comm, uint64_t born_s,
                         uint64_t used_s)
{
	struct thread_sample sample = {.tid = tid,
	                               .tgid = 10,
	                               .start_time_clock_ticks = born_s * TICKS_PER_SECOND,
	                               .has_process_start = true,
	                               .read_boottime_ns = READ_S * second};

	sample_set(&sample, utime_clock_ticks, (struct counter_ticks){used_s * TICKS_PER_SECOND});
	sample_set(&sample, stime_clock_ticks, (struct counter_ticks){0});
	if (tid != 10) {
		sample.has_process_totals = true;
		sample.process_totals_seen = 1u << PROCESS_TOTAL_utime_clock_ticks |
		                             1u << PROCESS_TOTAL_stime_clock_ticks;
		sample.process_totals[PROCESS_TOTAL_utime_clock_ticks] = 500 * TICKS_PER_SECOND;
	}
	add(table, &sample, comm);
}

static double lifetime_percent(const struct group_table *table, const char *name)
{
	const struct derive_frame frame = group_table_frame(table);
	struct group *group = table_group(table, name);
	struct derive_inputs in;
	struct quantity value;

	assert_non_null(group);
	group_include_exited(table, group, (1u << PROCESS_SOURCE_COUNT) - 1, 0);
	in = group_inputs(table_group(table, name), table->rates, &frame);
	value = derive(DERIVED_cpu_lifetime_percent, &in);
	assert_int_not_equal(value.kind, QUANTITY_NONE);
	return quantity_double(value);
}

#define assert_near(found_, wanted_) assert_true(fabs((found_) - (wanted_)) < 1e-6)

/* The numbers are those of ps for a process, and of ps -L for its threads. 300 s of CPU time are those of threads that have exited. */
static void life_of_thread_and_process(void **state)
{
	static const enum group_key by_thread[] = {GROUP_KEY_comm, GROUP_KEY_comm_exact};
	struct group_table table;

	(void)state;
	start(&table, GROUP_KEY_pcomm, KIND_lifetime);
	add_lifetime(&table, 10, "leader", 0, 20);
	add_lifetime(&table, 11, "worker", 800, 180);
	group_table_finish(&table);
	assert_near(lifetime_percent(&table, "process"), 50.0);
	end(&table);
	for (size_t i = 0; i < ARRAY_SIZE(by_thread); i++) {
		start(&table, by_thread[i], KIND_lifetime);
		add_lifetime(&table, 10, "leader", 0, 20);
		add_lifetime(&table, 11, "worker", 800, 180);
		group_table_finish(&table);
		assert_near(lifetime_percent(&table, "leader"), 2.0);
		assert_near(lifetime_percent(&table, "worker"), 90.0);
		assert_near(lifetime_percent(&table, "process (exited threads)"), 30.0);
		end(&table);
	}
}

/* Two threads all the time, and one that lived for a tenth of it: 2.1 threads on average, however long the window is. */
static void life_per_second_of_a_window(void **state)
{
	(void)state;
	for (uint64_t length = 10 * second; length <= 1000 * second; length *= 10) {
		struct group_table table;
		struct derive_frame frame;
		struct derive_inputs in;

		start(&table, GROUP_KEY_pcomm, KIND_window);
		for (uint32_t tid = 10; tid < 13; tid++) {
			bool passed = tid == 12;
			struct thread_sample sample = {
			        .tid = tid,
			        .tgid = 10,
			        .has_process_start = true,
			        .window_part = passed ? WINDOW_PART_passed : WINDOW_PART_continued,
			        .interval_ns = length,
			        .life_ns = passed ? length / 10 : length};

			add(&table, &sample, "thread");
		}
		group_table_finish(&table);
		frame = group_table_frame(&table);
		in = group_inputs(table_group(&table, "process"), table.rates, &frame);
		assert_near(quantity_double(measure_quantity(METRIC_lived_ns, PER_second, &in)) /
		                    1e9,
		            2.1);
		end(&table);
	}
}

/* jemalloc's counters are divided by the time between their own readings, in the group and in the spread of its threads. */
static void jemalloc_per_second(void **state)
{
	static const uint16_t measures[] = {METRIC_allocated_bytes};
	struct thread_sample sample = {.tid = 10,
	                               .tgid = 10,
	                               .window_part = WINDOW_PART_continued,
	                               .interval_ns = 10 * second,
	                               .life_ns = 10 * second,
	                               .jemalloc_interval_ns = 8 * second};
	struct spread_summary spread;
	struct group_table table;
	struct derive_frame frame;
	struct derive_inputs in;

	(void)state;
	start(&table, GROUP_KEY_pcomm, KIND_window);
	table.spread_measures = measures;
	table.spread_count = ARRAY_SIZE(measures);
	table.spread_per = PER_second;
	sample_set(&sample, allocated_bytes, (struct counter_bytes){4000});
	add(&table, &sample, "thread");
	group_table_finish(&table);
	frame = group_table_frame(&table);
	in = group_inputs(table_group(&table, "process"), table.rates, &frame);
	assert_near(quantity_double(measure_quantity(METRIC_allocated_bytes, PER_second, &in)),
	            500);
	spread_summarise(&table_group(&table, "process")->spreads[0], &spread);
	assert_near(quantity_double(spread.max), 500);
	end(&table);
}

/* Sets the time per second of CPU time, of 4 s, to @ret_per_cpu_second. */
static double delays_per_second(struct group_table *table, struct spread_summary *ret_spread,
                                double *ret_per_cpu_second)
{
	const struct derive_frame frame = group_table_frame(table);
	struct group *group;
	struct derive_inputs in;

	group_table_finish(table);
	group = table_group(table, "process");
	assert_non_null(group);
	in = group_inputs(group, table->rates, &frame);
	spread_summarise(&group->spreads[0], ret_spread);
	*ret_per_cpu_second =
	        quantity_double(measure_quantity(METRIC_COUNT + DERIVED_total_offcpu_delay_ns,
	                                         PER_cpu_second, &in)) /
	        1e9;
	return quantity_double(measure_quantity(METRIC_COUNT + DERIVED_total_offcpu_delay_ns,
	                                        PER_second, &in)) /
	       1e9;
}

/* Delays overlap: memory is freed while block I/O is waited for. One thread is never off the CPU for more than a second per
 * second, and what is too much of it is taken off no other thread. */
static void delays_within_life(void **state)
{
	static const uint16_t measures[] = {METRIC_COUNT + DERIVED_total_offcpu_delay_ns};

	(void)state;
	for (enum snapshot_kind kind = KIND_lifetime; kind <= KIND_window; kind++) {
		const uint64_t length = 10 * second;
		struct group_table table;
		struct spread_summary spread;
		double per_cpu_second;

		start(&table, GROUP_KEY_pcomm, kind);
		table.spread_measures = measures;
		table.spread_count = ARRAY_SIZE(measures);
		table.spread_per = PER_second;
		for (uint32_t tid = 10; tid < 12; tid++) {
			struct thread_sample sample = {
			        .tid = tid,
			        .tgid = 10,
			        .start_time_clock_ticks = (READ_S - 10) * TICKS_PER_SECOND,
			        .has_process_start = true,
			        .process_start_clock_ticks = (READ_S - 10) * TICKS_PER_SECOND,
			        .read_boottime_ns = READ_S * second};

			if (kind == KIND_window) {
				sample.window_part = WINDOW_PART_continued;
				sample.interval_ns = sample.life_ns = length;
			}
			sample_set(&sample, blkio_delay_total_ns,
			           (struct counter_ns){tid == 10 ? 8 * second : second});
			sample_set(&sample, freepages_delay_total_ns,
			           (struct counter_ns){tid == 10 ? 9 * second : second});
			sample_set(&sample, swapin_delay_total_ns, (struct counter_ns){second});
			sample_set(&sample, thrashing_delay_total_ns, (struct counter_ns){second});
			sample_set(&sample, run_time_ns, (struct counter_ns){2 * second});
			add(&table, &sample, "thread");
		}
		assert_near(delays_per_second(&table, &spread, &per_cpu_second), 1.3);
		assert_near(per_cpu_second, 13 / 4.);
		assert_near(quantity_double(spread.max) / 1e9, 1);
		end(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(life_of_thread_and_process),
	        cmocka_unit_test(life_per_second_of_a_window),
	        cmocka_unit_test(jemalloc_per_second),
	        cmocka_unit_test(delays_within_life),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
