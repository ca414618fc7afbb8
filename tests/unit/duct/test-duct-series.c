// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-series.h"

#include <jansson.h>

#include "base/clock.h"
#include "check.h"

#define WALL (1795341039 * NS_PER_SECOND) /* 2026-11-22 09:50:39 UTC */

static void commands(void *context, const struct duct_process *const *processes, size_t count,
                     size_t most_bytes, struct strbuf *outs)
{
	if (context)
		*(size_t *)context = most_bytes;
	for (size_t i = 0; i < count; i++) {
		assert_true(i == 0 || processes[i - 1]->pid < processes[i]->pid);
		strbuf_addf(&outs[i], "cmd %u", processes[i]->pid);
	}
}

static struct duct_series new_series(void)
{
	return (struct duct_series){.host_memory = 1000000, .commands = commands};
}

/* A process that began with the job. */
static struct duct_process process_of(uint32_t pid, double age, double cpu_time, double rss)
{
	return (struct duct_process){
	        .pid = pid,
	        .start_ticks = 5,
	        .age = age,
	        .cpu_time = cpu_time,
	        .rss = rss,
	        .vsz = 10 * rss,
	        .threads = 1,
	        .state = "R",
	        .comm = "x",
	};
}

static void add(struct duct_series *series, double time, double cpu_time,
                const struct duct_process *processes, size_t count)
{
	duct_series_add(series, &(struct duct_sample){
	                                .time = time,
	                                .wall_ns = WALL + (uint64_t)(time * 1e6) * NS_PER_US,
	                                .cpu_time = cpu_time,
	                                .is_exact = true,
	                                .processes = processes,
	                                .count = count,
	                        });
}

/* Commands of a megabyte. */
static void long_commands(void *context, const struct duct_process *const *processes, size_t count,
                          size_t most_bytes, struct strbuf *outs)
{
	(void)processes;
	*(size_t *)context = most_bytes;
	for (size_t i = 0; i < count; i++) {
		memset(strbuf_reserve(&outs[i], most_bytes), 'x', most_bytes);
		outs[i].len = most_bytes;
	}
}

/* The commands of all processes share some room; one that is forgotten gives its part back. */
static void test_room_for_commands(void **state)
{
	enum { MANY = 128 };
	struct duct_process processes[2 * MANY];
	size_t most = 0;
	struct duct_series series = {.commands = long_commands, .context = &most};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	for (uint32_t i = 0; i < 2 * MANY; i++)
		processes[i] = process_of(i + 1, 1, 1, 1);
	add(&series, 1, 1, processes, 1);
	assert_int_equal(most, 64 << 10);
	add(&series, 2, 1, processes, MANY);
	assert_int_equal(most, ((4 << 20) - (64 << 10)) / (MANY - 1));
	add(&series, 3, 1, processes, 2 * MANY);
	assert_int_equal(most, 128);
	add(&series, 4, 1, processes + 2 * MANY - 1, 1);
	assert_true(duct_series_write(&series, &text));
	add(&series, 5, 1, processes, 2);
	assert_int_equal(most, 64 << 10);
	duct_series_done(&series);
	assert_int_equal(series.command_bytes, 0);
}

static json_t *write_record(struct duct_series *series)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	json_t *record;

	assert_true(duct_series_write(series, &text));
	assert_true(text.data[text.len - 1] == '\n');
	record = json_loadb(text.data, text.len - 1, 0, NULL);
	assert_non_null(record);
	return record;
}

static double number(const json_t *record, const char *object, const char *key)
{
	const json_t *value =
	        json_object_get(object ? json_object_get(record, object) : record, key);

	assert_true(json_is_number(value));
	return json_number_value(value);
}

static void assert_near(double have, double want)
{
	if (have - want > 1e-6 || want - have > 1e-6)
		fail_msg("%.9g is not %.9g", have, want);
}

static const json_t *process_in(const json_t *record, const char *pid)
{
	return json_object_get(json_object_get(record, "processes"), pid);
}

/* 3 s of one CPU, then 5 s asleep: 37.5 % of the 8 s, where a mean of lives would say 65. */
static void test_burst(void **state)
{
	cleanup_(duct_series_done) struct duct_series series = new_series();
	json_t *record;
	double peak;

	(void)state;
	for (int i = 1; i < 8; i++) {
		double cpu_time = i < 3 ? i : 3;
		const struct duct_process process = process_of(7, i, cpu_time, 1000);

		add(&series, i, cpu_time, &process, 1);
	}
	duct_series_end(&series, 8, 0, 3, NULL);
	record = write_record(&series);
	assert_near(number(record, "averages", "pcpu"), 37.5);
	assert_near(number(record, "totals", "pcpu"), 100);
	assert_near(number(record, NULL, "ctprof_cpu_seconds"), 3);
	assert_near(number(record, NULL, "ctprof_seconds"), 8);
	assert_near(number(record, NULL, "num_samples"), 7);
	/* The process has its CPU time by its age, the highest. */
	assert_near(json_number_value(json_object_get(process_in(record, "7"), "pcpu")), 100);
	assert_string_equal(json_string_value(json_object_get(process_in(record, "7"), "etime")),
	                    "00:07");
	assert_near(number(process_in(record, "7"), "stat", "R"), 7);
	assert_true(duct_series_peak(&series, &peak));
	assert_near(peak, 100);
	json_decref(record);
}

/* Children that no sample sees are in the CPU time of the job. */
static void test_unseen(void **state)
{
	cleanup_(duct_series_done) struct duct_series series = new_series();
	const struct duct_process shell = process_of(7, 1, 0.01, 1000);
	json_t *record;

	(void)state;
	add(&series, 0.5, 0.495, &shell, 1);
	add(&series, 1, 0.99, &shell, 1);
	duct_series_end(&series, 1.6, 0, 1.584, NULL);
	record = write_record(&series);
	assert_near(number(record, "averages", "pcpu"), 99);
	assert_near(number(record, "totals", "pcpu"), 99);
	assert_near(number(record, NULL, "ctprof_processes"), 1);
	json_decref(record);
}

/* Totals are of one moment, the values of a process of its own best one; averages are over the time. */
/* A record that is too short for a rate between two samples has the CPU time of the record all the same, not that of the process's
 * life, which is 40 % here. */
static void test_short_record(void **state)
{
	struct duct_series series = new_series();
	struct duct_process process = process_of(7, 2.5, 1, 100);
	json_t *record;

	(void)state;
	add(&series, 2.5, 1, &process, 1);
	json_decref(write_record(&series));
	process.age = 2.55;
	add(&series, 2.55, 1, &process, 1);
	record = write_record(&series);
	assert_near(number(record, "averages", "pcpu"), 0);
	assert_near(number(record, "totals", "pcpu"), 0);
	json_decref(record);
	process.age = 2.6;
	process.cpu_time = 1.04;
	add(&series, 2.6, 1.04, &process, 1);
	record = write_record(&series);
	assert_near(number(record, "averages", "pcpu"), 80);
	json_decref(record);
	duct_series_done(&series);
}

static void test_two_workers(void **state)
{
	cleanup_(duct_series_done) struct duct_series series = new_series();
	json_t *record;
	const struct duct_process first[] = {process_of(7, 1, .5, 3000),
	                                     process_of(9, 1, .25, 1000)},
	                          second[] = {process_of(8, 1, 0, 500),
	                                      process_of(9, 3, .75, 2000)};

	(void)state;
	add(&series, 1, .75, first, 2);
	add(&series, 3, 1.25, second, 2);
	record = write_record(&series);
	assert_near(number(record, "totals", "rss"), 4000);
	assert_near(number(record, "totals", "vsz"), 40000);
	assert_near(number(record, "totals", "pmem"), .4);
	assert_near(number(record, "totals", "pcpu"), 75);
	/* 4000 for 1 s, 2500 for 2. */
	assert_near(number(record, "averages", "rss"), 3000);
	assert_near(number(record, "averages", "pcpu"), 100 * 1.25 / 3);
	assert_near(number(process_in(record, "9"), NULL, "rss"), 2000);
	assert_near(number(process_in(record, "7"), NULL, "rss"), 3000);
	assert_near(number(process_in(record, "8"), NULL, "pmem"), .05);
	assert_int_equal(json_object_size(json_object_get(record, "processes")), 3);
	assert_string_equal(json_string_value(json_object_get(record, "timestamp")),
	                    "2026-11-22T09:50:42.000000+00:00");
	assert_string_equal(
	        json_string_value(json_object_get(process_in(record, "7"), "timestamp")),
	        "2026-11-22T09:50:40.000000+00:00");
	json_decref(record);
	/* The next record has those that are still there, and nothing of this one. */
	add(&series, 4, 1.25, &second[1], 1);
	record = write_record(&series);
	assert_int_equal(json_object_size(json_object_get(record, "processes")), 1);
	assert_near(number(process_in(record, "9"), "stat", "R"), 1);
	assert_near(number(record, "totals", "pcpu"), 0);
	assert_near(number(record, NULL, "ctprof_cpu_seconds_total"), 1.25);
	json_decref(record);
}

/* The end comes before a sample of its record: it has what was there when it began, and the CPU time since. */
static void test_end_without_sample(void **state)
{
	cleanup_(duct_series_done) struct duct_series series = new_series();
	cleanup_(strbuf_done) struct strbuf none = STRBUF_INIT;
	const struct duct_process process = process_of(7, 1, 1, 1000);
	json_t *record;

	(void)state;
	add(&series, 1, 1, &process, 1);
	json_decref(write_record(&series));
	assert_false(duct_series_write(&series, &none));
	duct_series_end(&series, 1.5, WALL + 1500000 * NS_PER_US, 1.25, NULL);
	record = write_record(&series);
	assert_string_equal(json_string_value(json_object_get(record, "timestamp")),
	                    "2026-11-22T09:50:40.500000+00:00");
	assert_string_equal(
	        json_string_value(json_object_get(process_in(record, "7"), "timestamp")),
	        "2026-11-22T09:50:40.000000+00:00");
	assert_near(number(record, "totals", "rss"), 1000);
	assert_near(number(record, "averages", "pcpu"), 50);
	assert_near(number(record, NULL, "num_samples"), 1);
	assert_string_equal(json_string_value(json_object_get(process_in(record, "7"), "cmd")),
	                    "cmd 7");
	json_decref(record);
	/* Without any sample there is no record. */
	series.run = (struct duct_sums){0};
	duct_series_end(&series, 2, 0, 2, NULL);
	assert_false(duct_series_write(&series, &none));
}

/* Samples that find no process, before or behind a record, leave nothing out of the records. */
static void test_end_without_process(void **state)
{
	const struct duct_process process = process_of(7, 1, 1, 1000);

	(void)state;
	for (unsigned before = 0; before < 2; before++) {
		cleanup_(duct_series_done) struct duct_series series = new_series();
		const struct duct_storage storage = {100, 4096};
		json_t *record;

		add(&series, 1, 1, &process, 1);
		if (before)
			add(&series, 1.25, 1.25, NULL, 0);
		json_decref(write_record(&series));
		add(&series, 1.5, 1.5, NULL, 0);
		duct_series_end(&series, 2, WALL + 2000000 * NS_PER_US, 1.75, &storage);
		record = write_record(&series);
		assert_near(number(record, NULL, "ctprof_seconds"), before ? 0.75 : 1);
		assert_near(number(record, NULL, "ctprof_cpu_seconds"), before ? 0.5 : 0.75);
		assert_near(number(record, NULL, "ctprof_cpu_seconds_total"), 1.75);
		assert_near(number(record, NULL, "ctprof_write_bytes_total"), 4096);
		assert_near(number(record, "averages", "rss"), 1000);
		assert_near(number(process_in(record, "7"), "stat", "R"), 1);
		json_decref(record);
	}
}

/* A pid that is given to another process is that process. */
static void test_pid_again(void **state)
{
	cleanup_(duct_series_done) struct duct_series series = new_series();
	struct duct_process process = process_of(7, 1, 1, 5000);
	json_t *record;

	(void)state;
	add(&series, 1, 1, &process, 1);
	process = process_of(7, .5, 0, 1000);
	process.start_ticks = 55;
	add(&series, 2, 1, &process, 1);
	record = write_record(&series);
	assert_near(number(process_in(record, "7"), NULL, "rss"), 1000);
	assert_near(number(process_in(record, "7"), "stat", "R"), 1);
	assert_near(number(record, "totals", "rss"), 5000);
	json_decref(record);
}

/* Many processes come and go: the list stays in order. */
static void test_many(void **state)
{
	enum { ROUNDS = 50, PROCESSES = 40 };
	cleanup_(duct_series_done) struct duct_series series = new_series();

	(void)state;
	for (unsigned round = 1; round <= ROUNDS; round++) {
		struct duct_process processes[PROCESSES];
		size_t count = 0;

		for (uint32_t pid = 1; pid <= PROCESSES; pid++)
			if ((pid * 7 + round * 11) % 5 != 0)
				processes[count++] = process_of(pid, round, 0, pid);
		add(&series, round, 0, processes, count);
		for (size_t i = 1; i < series.count; i++)
			assert_true(series.entries[i - 1].last.pid < series.entries[i].last.pid);
		if (round % 10 == 0)
			json_decref(write_record(&series));
	}
}

static void add_with_storage(struct duct_series *series, double time, bool known, double read,
                             double written)
{
	struct duct_process processes[] = {process_of(7, time, 0, 1000),
	                                   process_of(8, time, 0, 1000)};

	processes[1].threads = (unsigned)time;
	duct_series_add(series, &(struct duct_sample){
	                                .time = time,
	                                .wall_ns = WALL + (uint64_t)(time * 1e6) * NS_PER_US,
	                                .is_exact = true,
	                                .has_storage = known,
	                                .storage = {read, written},
	                                .processes = processes,
	                                .count = ARRAY_SIZE(processes),
	                        });
}

/* Storage is that of the record's time, and that since the start; neither if it is not known. A reading that misses something is
 * made good by the next one. Threads are those of one moment. */
/* A child of 0.5 s that no sample saw is waited for in the last hundredth of the job. */
static void test_late_cpu_time(void **state)
{
	cleanup_(duct_series_done) struct duct_series series = new_series();
	const struct duct_process process = process_of(1, 1, 0.1, 1000);
	json_t *record;
	double peak;

	(void)state;
	series.most_pcpu = 200;
	add(&series, 1, 0.1, &process, 1);
	json_decref(write_record(&series));
	add(&series, 1.01, 0.6, &process, 1);
	duct_series_end(&series, 1.01, 0, 0.6, NULL);
	record = write_record(&series);
	assert_near(number(record, "totals", "pcpu"), 200);
	assert_near(number(record, "averages", "pcpu"), 200);
	assert_true(duct_series_peak(&series, &peak));
	assert_true(peak <= 200);
	json_decref(record);
}

static void test_storage(void **state)
{
	static const struct {
		bool known;
		double read, written;           /* as they are read */
		bool has_part;                  /* of the record's time: */
		double part_read, part_written; /* what is written */
		double all_read, all_written;
	} steps[] = {
	        {true, 100, 4096, true, 100, 4096, 100, 4096},
	        {true, 90, 8192, true, 0, 4096, 100, 8192},
	        {true, 150, 8192, true, 50, 0, 150, 8192},
	        {false, 0, 0, false, 0, 0, 0, 0},
	        {true, 200, 9000, false, 0, 0, 200, 9000},
	        {true, 210, 9001, true, 10, 1, 210, 9001},
	};
	cleanup_(duct_series_done) struct duct_series series = new_series();

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(steps); i++) {
		json_t *record;

		add_with_storage(&series, i + 1, steps[i].known, steps[i].read, steps[i].written);
		record = write_record(&series);
		assert_near(number(record, NULL, "ctprof_threads"), i + 2);
		assert_int_equal(json_object_get(record, "ctprof_read_bytes") != NULL,
		                 steps[i].has_part);
		assert_int_equal(json_object_get(record, "ctprof_read_bytes_total") != NULL,
		                 steps[i].known);
		if (steps[i].has_part) {
			assert_near(number(record, NULL, "ctprof_read_bytes"), steps[i].part_read);
			assert_near(number(record, NULL, "ctprof_write_bytes"),
			            steps[i].part_written);
		}
		if (steps[i].known) {
			assert_near(number(record, NULL, "ctprof_read_bytes_total"),
			            steps[i].all_read);
			assert_near(number(record, NULL, "ctprof_write_bytes_total"),
			            steps[i].all_written);
		}
		json_decref(record);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_room_for_commands),
	        cmocka_unit_test(test_burst),
	        cmocka_unit_test(test_unseen),
	        cmocka_unit_test(test_two_workers),
	        cmocka_unit_test(test_short_record),
	        cmocka_unit_test(test_end_without_sample),
	        cmocka_unit_test(test_end_without_process),
	        cmocka_unit_test(test_pid_again),
	        cmocka_unit_test(test_many),
	        cmocka_unit_test(test_late_cpu_time),
	        cmocka_unit_test(test_storage),
	};

	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
