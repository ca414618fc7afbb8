// SPDX-License-Identifier: GPL-2.0-or-later
/* The score and the lines of the overview. */
#include <math.h>

#include "base/clock.h"
#include "overview/overview.h"
#include "random.h"
#include "row-fixture.h"

enum { CPUS = 4 };
static const uint64_t length_ns = 10 * NS_PER_SECOND;
static struct snapshot_info infos[SIDE_MAX];
static struct rate_list rates;
static struct overview overview;

static int start(void **state)
{
	start_by_comm(state);
	memset(options.measures, 0, sizeof(options.measures));
	rates = all_rates();
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		tables[side].window_rates = &rates;
		infos[side] = (struct snapshot_info){.kind = KIND_window};
		window_set(&infos[side].window, WINDOW_length_ns, length_ns);
		host_set_number(&infos[side].host, HOST_online_cpus, CPUS);
		host_set_number(&infos[side].host, HOST_clock_ticks_per_second, 100);
		tables[side].info = &infos[side];
		tables[side].host = &infos[side].host;
	}
	return 0;
}

static int end(void **state)
{
	overview_done(&overview);
	return end_rows(state);
}

static void build(unsigned sides)
{
	overview_done(&overview);
	build_rows(sides);
	overview_init(&overview, &rows, false, ASPECT_COUNT, false);
}

/* A thread that ran for so many percent of the window, and wrote so many bytes. */
static void add(unsigned side, const char *name, uint64_t percent, uint64_t bytes)
{
	add_thread(&tables[side],
	           (struct thread_spec){
	                   .name = name,
	                   .interval_ns = length_ns,
	                   .life_ns = length_ns,
	                   .values = {{METRIC_run_time_ns, (int64_t)(percent * length_ns / 100)},
	                              {METRIC_write_bytes, (int64_t)bytes}}});
}

static const struct overview_row *row_of(const char *label)
{
	for (size_t i = 0; i < overview.count; i++)
		if (strcmp(overview.rows[i].group->label, label) == 0)
			return &overview.rows[i];
	return NULL;
}

static double score_of(const char *label)
{
	const struct overview_row *row = row_of(label);

	return row ? row->score : 0;
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Two threads of 60 % each are 120, and 30 % of four CPUs; of what the host used they are more. */
static void test_amounts(void **state)
{
	(void)state;
	add(0, "hog", 60, 0);
	add(0, "hog", 60, 0);
	add(0, "small", 40, 0);
	build(1);
	assert_int_equal(overview.kind, OVERVIEW_WINDOW);
	assert_int_equal(overview.count, 2);
	assert_string_equal(overview.rows[0].group->label, "hog");
	assert_true(is_near(overview.rows[0].values[ASPECT_cpu][0].amount, 120));
	assert_true(is_near(overview.rows[0].score, 0.75));
	assert_true(is_near(overview.scale.capacity[ASPECT_cpu], 400));
	assert_true(overview.rows[0].values[ASPECT_wait][0].seen == false);
	assert_false(overview.seen[ASPECT_wait]);
}

static void add_part(const char *name, enum window_part part, double interval_s, double life_s,
                     double ran_s)
{
	add_thread(&tables[0],
	           (struct thread_spec){
	                   .name = name,
	                   .window_part = part,
	                   .interval_ns = (uint64_t)(interval_s * NS_PER_SECOND),
	                   .life_ns = (uint64_t)(life_s * NS_PER_SECOND),
	                   .values = {{METRIC_run_time_ns, (int64_t)(ran_s * NS_PER_SECOND)}}});
}

static double cpu_of(const char *label)
{
	const struct overview_row *row = row_of(label);

	assert_non_null(row);
	return row->values[ASPECT_cpu][0].amount;
}

/* Readings of all threads took 9 s of the 10 between them. A thread read at 0 s and 10.5 s that always ran used one CPU, one
 * read at 9 s and 18.5 s that ran for half of that used half of one; both used 10.5 + 4.75 s in the 10. A thread that ran for
 * 4 s and was born or ended inside used 4 of the 10 s; one that was born 12 s before its reading, and always ran, one CPU. */
static void test_slow_reading(void **state)
{
	(void)state;
	add_part("early", WINDOW_PART_continued, 10.5, 10.5, 10.5);
	add_part("late", WINDOW_PART_continued, 9.5, 9.5, 4.75);
	add_part("born", WINDOW_PART_born, 10, 4, 4);
	add_part("old", WINDOW_PART_born, 12, 12, 12);
	add_part("mixed", WINDOW_PART_continued, 10.5, 10.5, 10.5);
	add_part("mixed", WINDOW_PART_exited, 10, 5, 4);
	build(1);
	assert_true(is_near(cpu_of("early"), 100));
	assert_true(is_near(cpu_of("late"), 50));
	assert_true(is_near(cpu_of("born"), 40));
	assert_true(is_near(cpu_of("old"), 100));
	assert_true(is_near(cpu_of("mixed"), 140));
	assert_true(is_near(overview.host.values[ASPECT_cpu][0].amount, 430));
}

/* A wait that began before the window counts with no more than the time that no other state had: 10 s less 4 s of running,
 * of 10 s. */
static void test_wait_from_before(void **state)
{
	(void)state;
	add_thread(&tables[0],
	           (struct thread_spec){.name = "blocked",
	                                .window_part = WINDOW_PART_continued,
	                                .interval_ns = 10 * NS_PER_SECOND,
	                                .life_ns = 10 * NS_PER_SECOND,
	                                .values = {{METRIC_run_time_ns, 4 * (int64_t)NS_PER_SECOND},
	                                           {METRIC_blkio_delay_total_ns,
	                                            900 * (int64_t)NS_PER_SECOND}}});
	build(1);
	assert_true(is_near(cpu_of("blocked"), 40));
	assert_true(is_near(row_of("blocked")->values[ASPECT_blocked][0].amount, 60));
}

/* A share of a total that is below the floor says nothing: what is left is the share of the machine. */
static void test_floor_of_the_host(void **state)
{
	(void)state;
	add(0, "one", 4, 100);
	build(1);
	/* 4 % of a CPU are 1 % of four; 10 bytes a second are none of storage. */
	assert_true(is_near(score_of("one"), 0.01));
	assert_true(overview.scale.total[ASPECT_write] <= 0);
	add(0, "two", 0, 100 << 20);
	build(1);
	assert_true(is_near(score_of("two"), 1 / (1 + 100.0 / (100 << 20))));
}

/* Groups below the floor are counted, and those of ctprof's own names are added up apart. */
static void test_noise_and_own(void **state)
{
	(void)state;
	add(0, "nearly", 1, 0);
	add(0, "ctprof", 50, 0);
	add(0, "ctprof-exits", 20, 0);
	add(0, "ctprof-miner", 80, 0);
	build(1);
	assert_int_equal(overview.count, 1);
	assert_int_equal(overview.noise, 1);
	assert_true(is_near(overview.own->values[ASPECT_cpu][0].amount, 70));
	assert_true(is_near(overview.own->score, 70.0 / 151));
	overview_done(&overview);
	overview_init(&overview, &rows, true, ASPECT_COUNT, false);
	assert_int_equal(overview.count, 3);
	assert_null(overview.own);
}

static void check_order(unsigned aspect, bool ascending, const char *const names[4])
{
	overview_done(&overview);
	overview_init(&overview, &rows, false, aspect, ascending);
	assert_int_equal(overview.count, 4);
	assert_int_equal(overview.noise, 0);
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(overview.rows[i].group->label, names[i]);
}

/* Sorted by a column, nothing is noise, and what is not known is last, whichever way it goes. */
static void test_sorted(void **state)
{
	(void)state;
	add(0, "runs", 90, 1);
	add(0, "writes", 20, 100 << 20);
	add(0, "idle", 0, 0);
	add_thread(&tables[0], (struct thread_spec){.name = "unknown", .interval_ns = length_ns});
	build(1);
	check_order(ASPECT_cpu, false, (const char *[]){"runs", "writes", "idle", "unknown"});
	check_order(ASPECT_cpu, true, (const char *[]){"idle", "writes", "runs", "unknown"});
	check_order(ASPECT_write, false, (const char *[]){"writes", "runs", "idle", "unknown"});
}

/* For whole lives, threads are sorted by their number. */
static void test_sorted_by_threads(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 9; i++)
		add(0, i < 1 ? "one" : i < 3 ? "two" : i < 6 ? "three" : "tie", i < 1 ? 90 : 0, 0);
	infos[0].kind = KIND_lifetime;
	build(1);
	check_order(ASPECT_threads, false, (const char *[]){"three", "tie", "two", "one"});
}

/* Between two windows the difference counts, whichever way it goes. */
static void test_change(void **state)
{
	(void)state;
	options.one_sided[0] = options.one_sided[1] = true;
	add(0, "less", 100, 0);
	add(1, "less", 60, 0);
	add(0, "same", 80, 0);
	add(1, "same", 80, 0);
	add(1, "new", 60, 0);
	add(0, "gone", 20, 0);
	build(2);
	assert_int_equal(overview.kind, OVERVIEW_CHANGE);
	assert_int_equal(overview.count, 3);
	assert_string_equal(overview.rows[0].group->label, "new");
	assert_int_equal(overview.rows[0].mark, OVERVIEW_NEW);
	assert_string_equal(overview.rows[1].group->label, "less");
	assert_string_equal(overview.rows[2].group->label, "gone");
	assert_int_equal(overview.rows[2].mark, OVERVIEW_GONE);
	assert_true(is_near(score_of("less"), 40 / 200.0));
	assert_int_equal(overview.noise, 1);
}

static void add_tid(struct group_table *table, uint32_t tid, const char *name,
                    enum window_part part)
{
	add_thread(table, (struct thread_spec){.name = name,
	                                       .tid = tid,
	                                       .start_time_clock_ticks = 100,
	                                       .window_part = part,
	                                       .interval_ns = length_ns,
	                                       .life_ns = length_ns,
	                                       .values = {{METRIC_run_time_ns, NS_PER_SECOND}}});
}

static void assert_threads(const char *label, uint32_t before, uint32_t after, uint32_t born,
                           uint32_t gone)
{
	const struct overview_row *row = row_of(label);

	assert_non_null(row);
	assert_int_equal(row->threads.before, before);
	assert_int_equal(row->threads.after, after);
	assert_int_equal(row->threads.born, born);
	assert_int_equal(row->threads.gone, gone);
}

/* The window between the two snapshots. */
static void start_interval(struct group_table *interval)
{
	group_table_init(interval, group_by_key(GROUP_KEY_comm, false));
	interval->window_rates = &rates;
	interval->info = &infos[0];
	interval->host = &infos[0].host;
	options.interval = interval;
	options.one_sided[0] = options.one_sided[1] = true;
}

/* Between two snapshots, a thread that came under another name was not born: not as a group of its own, and not beside
 * others. */
static void test_other_names(void **state)
{
	struct group_table interval;

	(void)state;
	start_interval(&interval);
	add_tid(&tables[0], 1, "old", WINDOW_PART_NONE);
	add_tid(&tables[1], 1, "now", WINDOW_PART_NONE);
	add_tid(&interval, 1, "now", WINDOW_PART_continued);
	add_tid(&tables[0], 2, "sh", WINDOW_PART_NONE);
	add_tid(&tables[0], 3, "sh", WINDOW_PART_NONE);
	add_tid(&tables[1], 2, "sh", WINDOW_PART_NONE);
	add_tid(&interval, 2, "sh", WINDOW_PART_continued);
	add_tid(&tables[0], 4, "py", WINDOW_PART_NONE);
	add_tid(&tables[1], 3, "py", WINDOW_PART_NONE);
	add_tid(&tables[1], 4, "py", WINDOW_PART_NONE);
	add_tid(&tables[1], 5, "py", WINDOW_PART_NONE);
	add_tid(&interval, 3, "py", WINDOW_PART_continued);
	add_tid(&interval, 4, "py", WINDOW_PART_continued);
	add_tid(&interval, 5, "py", WINDOW_PART_born);
	add_tid(&tables[1], 6, "born", WINDOW_PART_NONE);
	add_tid(&interval, 6, "born", WINDOW_PART_born);
	build(2);
	assert_int_equal(overview.kind, OVERVIEW_INTERVAL);
	assert_null(row_of("old"));
	assert_int_equal(row_of("now")->mark, OVERVIEW_STAYED);
	assert_true(is_near(cpu_of("now"), 10));
	assert_threads("now", 1, 1, 0, 0);
	/* The one that is called py now neither left nor came. */
	assert_threads("sh", 1, 1, 0, 0);
	assert_threads("py", 2, 3, 1, 0);
	assert_int_equal(row_of("born")->mark, OVERVIEW_NEW);
	assert_threads("born", 0, 1, 1, 0);
	overview_done(&overview);
	row_set_done(&rows);
	group_table_done(&interval);
}

static void add_lived(struct group_table *table, uint32_t tid, const char *name, double ran_s,
                      double lived_s, enum window_part part)
{
	add_thread(table, (struct thread_spec){.name = name,
	                                       .tid = tid,
	                                       .start_time_clock_ticks = 100,
	                                       .window_part = part,
	                                       .interval_ns = length_ns,
	                                       .life_ns = (uint64_t)(lived_s * NS_PER_SECOND),
	                                       .values = {{METRIC_run_time_ns,
	                                                   (int64_t)(ran_s * NS_PER_SECOND)}}});
}

/* A thread of the first snapshot that left without a record, and its row in the window. */
static void add_lost(struct group_table *interval, uint32_t tid, const char *name, double ran_s,
                     double lived_s)
{
	const uint64_t ticks = 100;

	add_lived(&tables[0], tid, name, ran_s, lived_s, WINDOW_PART_NONE);
	add_thread(interval, (struct thread_spec){
	                             .name = name,
	                             .tid = tid,
	                             .start_time_clock_ticks = ticks,
	                             .read_boottime_ns = (uint64_t)((1 + lived_s) * NS_PER_SECOND),
	                             .window_part = WINDOW_PART_exited,
	                             .run_time_before_ns = (uint64_t)(ran_s * NS_PER_SECOND)});
}

/* A group that left without a record did in its life what it did: how much of that between the snapshots nobody knows. It
 * stands below each group that did something for sure, and among its like by its last known CPU. */
static void test_gone_without_record(void **state)
{
	static const char *const order[] = {"busy", "little", "hog", "less"};
	struct group_table interval;

	(void)state;
	start_interval(&interval);
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		add_lived(&tables[side], 1, "busy", 50, 100, WINDOW_PART_NONE);
		add_lived(&tables[side], 2, "little", 50, 100, WINDOW_PART_NONE);
	}
	add_lived(&interval, 1, "busy", 9, 10, WINDOW_PART_continued);
	add_lived(&interval, 2, "little", 0.5, 10, WINDOW_PART_continued);
	add_lost(&interval, 3, "less", 30, 60);
	add_lost(&interval, 4, "hog", 60, 60);
	add_lost(&interval, 5, "hog", 60, 60);
	add_lost(&interval, 6, "idle", 0, 60);
	for (unsigned i = 7; i < 200; i++) {
		for (unsigned side = 0; side < SIDE_MAX; side++)
			add_lived(&tables[side], i, "others", 0, 60, WINDOW_PART_NONE);
		add_lived(&interval, i, "others", 0, 10, WINDOW_PART_continued);
	}
	build(2);
	assert_int_equal(overview.kind, OVERVIEW_INTERVAL);
	assert_int_equal(overview.count, ARRAY_SIZE(order));
	for (unsigned i = 0; i < ARRAY_SIZE(order); i++)
		assert_string_equal(overview.rows[i].group->label, order[i]);
	assert_true(overview.rows[2].score < overview.floor);
	assert_true(isnan(row_of("hog")->moved[ASPECT_cpu]));
	assert_threads("hog", 2, 0, 0, 2);
	assert_int_equal(overview.quiet_count, 1);
	overview_done(&overview);
	overview_init(&overview, &rows, false, ASPECT_cpu, false);
	assert_string_equal(overview.rows[0].group->label, "busy");
	assert_string_equal(overview.rows[1].group->label, "little");
	overview_done(&overview);
	row_set_done(&rows);
	group_table_done(&interval);
}

/* Groups of one side are no rows if the other side is of another boot. */
static void test_apart(void **state)
{
	(void)state;
	add(0, "both", 10, 0);
	add(1, "both", 90, 0);
	add(1, "small", 1, 0);
	add(1, "writer", 1, 100 << 20);
	build(2);
	assert_int_equal(overview.count, 1);
	assert_int_equal(overview.apart_count[SIDE_BASELINE], 0);
	assert_int_equal(overview.apart_count[SIDE_CANDIDATE], 2);
	assert_string_equal(overview.apart[SIDE_CANDIDATE][0].group->label, "writer");
}

/* A value that one side has not seen moved nothing, and is no zero. */
static void test_unseen(void **state)
{
	(void)state;
	add(0, "a", 10, 0);
	add(0, "b", 10, 0);
	add(1, "a", 10, 100 << 20);
	add_thread(&tables[1], (struct thread_spec){.name = "b",
	                                            .interval_ns = length_ns,
	                                            .values = {{METRIC_run_time_ns, 0}}});
	build(2);
	assert_non_null(row_of("b"));
	assert_true(isnan(row_of("b")->moved[ASPECT_write]));
	assert_false(row_of("b")->values[ASPECT_write][SIDE_CANDIDATE].seen);
}

/* The candidate has no records of ends: of groups whose threads ended nothing is known there. CPU time alone ranks the others. */
static void test_unlike(void **state)
{
	static const char *const names[] = {"short", "some"};

	(void)state;
	options.one_boot = options.one_sided[0] = options.one_sided[1] = true;
	infos[SIDE_BASELINE].window.exits = WINDOW_EXITS_completed;
	infos[SIDE_CANDIDATE].window.exits = WINDOW_EXITS_off;
	window_set(&infos[SIDE_CANDIDATE].window, WINDOW_unaccounted_clock_ticks, 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		add_thread(&tables[0], (struct thread_spec){.name = names[i],
		                                            .interval_ns = length_ns,
		                                            .life_ns = length_ns,
		                                            .window_part = WINDOW_PART_passed,
		                                            .values = {{METRIC_run_time_ns,
		                                                        (int64_t)length_ns}}});
	add(0, "calm", 10, 0);
	add(0, "gone", 50, 0);
	add(1, "calm", 10, 0);
	add(1, "some", 1, 0);
	build(2);
	assert_int_equal(overview.count, 1);
	assert_string_equal(overview.rows[0].group->label, "gone");
	assert_int_equal(overview.rows[0].mark, OVERVIEW_GONE);
	assert_true(isnan(overview.rows[0].moved[ASPECT_write]));
	assert_int_equal(overview.unlike_count - overview.noise, 4);
	infos[SIDE_CANDIDATE].window.exits = WINDOW_EXITS_completed;
	build(2);
	assert_int_equal(overview.count, 3);
	assert_int_equal(overview.unlike_count, 0);
}

enum { THREADS = 40, NAMES = 6 };
struct work {
	uint64_t percent, bytes;
	unsigned name;
};

static const char *const names[NAMES + 1] = {"ant", "bee", "cat", "dog", "eel", "fox", "gnu"};

static void add_all(const struct work work[THREADS], const unsigned order[THREADS], bool split)
{
	for (unsigned i = 0; i < THREADS; i++) {
		const struct work *one = &work[order[i]];
		/* Half of the threads of the first group are a group of their own. */
		unsigned name = split && one->name == 0 && order[i] % 2 ? NAMES : one->name;

		add(0, names[name], one->percent, one->bytes);
	}
	build(1);
}

/* Scores do not depend on the order of threads, nor on how those of another group are split; the parts of a group have no
 * more than the whole, and together no less. */
static void test_order_and_splitting(void **state)
{
	struct random random = random_start(7, 0);

	for (unsigned round = 0; round < 40; round++) {
		struct work work[THREADS];
		unsigned order[THREADS];
		double whole[NAMES];

		for (unsigned i = 0; i < THREADS; i++) {
			order[i] = i;
			work[i] = (struct work){random_below(&random, 100),
			                        (uint64_t)random_below(&random, 1000) << 16,
			                        (unsigned)random_below(&random, NAMES)};
		}
		start(state);
		add_all(work, order, false);
		for (unsigned n = 0; n < NAMES; n++)
			whole[n] = score_of(names[n]);
		for (unsigned i = THREADS - 1; i > 0; i--) {
			unsigned other = (unsigned)random_below(&random, i + 1), kept = order[i];

			order[i] = order[other];
			order[other] = kept;
		}
		start(state);
		add_all(work, order, false);
		for (unsigned n = 0; n < NAMES; n++)
			assert_true(is_near(score_of(names[n]), whole[n]));
		start(state);
		add_all(work, order, true);
		for (unsigned n = 1; n < NAMES; n++)
			assert_true(is_near(score_of(names[n]), whole[n]));
		assert_true(score_of(names[0]) <= whole[0] * (1 + 1e-9));
		assert_true(score_of(names[NAMES]) <= whole[0] * (1 + 1e-9));
		assert_true(score_of(names[0]) + score_of(names[NAMES]) + 2 * overview.floor >=
		            whole[0]);
	}
}

#define OVERVIEW_TEST(test_) cmocka_unit_test_setup_teardown(test_, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        OVERVIEW_TEST(test_amounts),
	        OVERVIEW_TEST(test_slow_reading),
	        OVERVIEW_TEST(test_wait_from_before),
	        OVERVIEW_TEST(test_floor_of_the_host),
	        OVERVIEW_TEST(test_noise_and_own),
	        OVERVIEW_TEST(test_sorted),
	        OVERVIEW_TEST(test_sorted_by_threads),
	        OVERVIEW_TEST(test_change),
	        OVERVIEW_TEST(test_other_names),
	        OVERVIEW_TEST(test_gone_without_record),
	        OVERVIEW_TEST(test_apart),
	        OVERVIEW_TEST(test_unseen),
	        OVERVIEW_TEST(test_unlike),
	        OVERVIEW_TEST(test_order_and_splitting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
