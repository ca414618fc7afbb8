// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of a cgroup: what makes no sense stays unseen, and the rows of the registry say what is looked for. */
#include "check.h"

#include "cgroup/cgroup-files.h"

static struct cgroup_stats stats;

static int begin(void **state)
{
	(void)state;
	cgroup_stats_reset(&stats);
	return 0;
}

static int done(void **state)
{
	(void)state;
	cgroup_stats_done(&stats);
	return 0;
}

static void parse_bytes(const char *file, const char *text, size_t len)
{
	char *copy = exact_copy(text, len);

	cgroup_file_parse(file, copy, len, &stats);
	free(copy);
}

static void add(const char *file, const char *text)
{
	parse_bytes(file, text, strlen(text));
}

static void parse(const char *file, const char *text)
{
	cgroup_stats_reset(&stats);
	parse_bytes(file, text, strlen(text));
}

static void check_number(enum cgroup_value_id id, int64_t number)
{
	assert_int_equal(stats.values[id].state, FACT_NUMBER);
	assert_true(stats.values[id].number == number);
}

static void check_unlimited(enum cgroup_value_id id)
{
	assert_int_equal(stats.values[id].state, FACT_UNLIMITED);
}

static void check_unseen(enum cgroup_value_id id)
{
	assert_int_equal(stats.values[id].state, FACT_UNSEEN);
}

static size_t count_seen(void)
{
	size_t count = 0;

	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		count += stats.values[i].state != FACT_UNSEEN;
	return count;
}

static void test_file_numbers(void **state)
{
	(void)state;
	parse("memory.current", "12345678\n");
	check_number(CGROUP_VALUE_memory_current, 12345678);
	assert_int_equal(count_seen(), 1);
	parse("memory.current", "9223372036854775807");
	check_number(CGROUP_VALUE_memory_current, INT64_MAX);
	parse("cpu.weight", "100\n");
	check_number(CGROUP_VALUE_cpu_weight, 100);
	parse("cpu.weight.nice", "-20\n");
	check_number(CGROUP_VALUE_cpu_weight_nice, -20);
	parse("memory.current", "0\n");
	check_number(CGROUP_VALUE_memory_current, 0);
}

static void test_file_numbers_refused(void **state)
{
	static const char *const texts[] = {"",
	                                    "\n",
	                                    "max\n",
	                                    "-1\n",
	                                    "1 2\n",
	                                    "1\n2\n",
	                                    "12x\n",
	                                    "0x10\n",
	                                    "9223372036854775808\n",
	                                    "18446744073709551616\n",
	                                    "1.5\n",
	                                    "+1\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		parse("memory.current", texts[i]);
		assert_int_equal(count_seen(), 0);
	}
	cgroup_stats_reset(&stats);
	parse_bytes("memory.current", "1\0\n", 3);
	assert_int_equal(count_seen(), 0);
	parse("memory.unheard-of", "1\n");
	assert_int_equal(count_seen(), 0);
}

static void test_file_limits(void **state)
{
	(void)state;
	parse("memory.max", "max\n");
	check_unlimited(CGROUP_VALUE_memory_max);
	parse("memory.max", "1048576\n");
	check_number(CGROUP_VALUE_memory_max, 1048576);
	parse("memory.max", "maximum\n");
	check_unseen(CGROUP_VALUE_memory_max);
	parse("memory.max", "max max\n");
	check_unseen(CGROUP_VALUE_memory_max);
	parse("memory.max", "-1\n");
	check_unseen(CGROUP_VALUE_memory_max);
}

static void test_file_fields(void **state)
{
	(void)state;
	parse("cpu.max", "max 100000\n");
	check_unlimited(CGROUP_VALUE_cpu_max_quota_us);
	check_number(CGROUP_VALUE_cpu_max_period_us, 100000);
	parse("cpu.max", "50000 100000\n");
	check_number(CGROUP_VALUE_cpu_max_quota_us, 50000);
	check_number(CGROUP_VALUE_cpu_max_period_us, 100000);
	parse("cpu.max", "50000\n");
	assert_int_equal(count_seen(), 0);
	parse("cpu.max", "50000 100000 0\n");
	assert_int_equal(count_seen(), 0);
	parse("cpu.max", "50000 max\n");
	check_number(CGROUP_VALUE_cpu_max_quota_us, 50000);
	check_unseen(CGROUP_VALUE_cpu_max_period_us);
	parse("cpu.max", "-5 100000\n");
	check_unseen(CGROUP_VALUE_cpu_max_quota_us);
	check_number(CGROUP_VALUE_cpu_max_period_us, 100000);
}

static void test_file_flat(void **state)
{
	(void)state;
	parse("cpu.stat", "usage_usec 110\nuser_usec 70\nsystem_usec 40\n"
	                  "core_sched.force_idle_usec 0\nnr_periods 9\nnr_throttled 5\n"
	                  "throttled_usec 777\nnr_bursts 0\nburst_usec 0\n");
	check_number(CGROUP_VALUE_cpu_usage_usec, 110);
	check_number(CGROUP_VALUE_cpu_user_usec, 70);
	check_number(CGROUP_VALUE_cpu_system_usec, 40);
	check_number(CGROUP_VALUE_nr_periods, 9);
	check_number(CGROUP_VALUE_nr_throttled, 5);
	check_number(CGROUP_VALUE_throttled_usec, 777);
	assert_int_equal(count_seen(), 6);
	parse("cpu.stat", "usage_usec\nuser_usec 1 2\nsystem_usec x\nnr_periods -1\n"
	                  "nr_throttled 18446744073709551615\nxthrottled_usec 1\n"
	                  "throttled_usecx 2\n");
	assert_int_equal(count_seen(), 0);
	parse("cpu.stat", "\n\nusage_usec 5");
	check_number(CGROUP_VALUE_cpu_usage_usec, 5);
}

static void test_file_cpus(void **state)
{
	static const char *const refused[] = {"\n",    "",      "0-",         "x\n",
	                                      "3-1\n", "0 1\n", "0-9999999\n"};

	(void)state;
	parse("cpuset.cpus.effective", "0-3,8\n");
	assert_int_equal(stats.values[CGROUP_VALUE_cpuset_cpus_effective].state, FACT_TEXT);
	assert_string_equal(stats.values[CGROUP_VALUE_cpuset_cpus_effective].text, "0-3,8");
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		parse("cpuset.cpus.effective", refused[i]);
		check_unseen(CGROUP_VALUE_cpuset_cpus_effective);
	}
}

/* cpu.stat and pids.max are in both versions, and are not the same there. */
static void test_file_versions(void **state)
{
	(void)state;
	parse("pids.max", "max\n");
	check_unlimited(CGROUP_VALUE_pids_max);
	check_unseen(CGROUP_VALUE_pids_v1_max);

	cgroup_stats_reset(&stats);
	stats.is_v1 = true;
	add("pids.max", "7\n");
	check_number(CGROUP_VALUE_pids_v1_max, 7);
	check_unseen(CGROUP_VALUE_pids_max);
	add("cpu.stat", "nr_periods 1\nnr_throttled 2\nthrottled_time 3\n");
	check_number(CGROUP_VALUE_cpu_v1_nr_periods, 1);
	check_number(CGROUP_VALUE_cpu_v1_nr_throttled, 2);
	check_number(CGROUP_VALUE_cpu_v1_throttled_ns, 3);
	add("cpuacct.usage", "352891363340\n");
	check_number(CGROUP_VALUE_cpuacct_usage_ns, 352891363340);
	add("cpuacct.stat", "user 24688\nsystem 10600\n");
	check_number(CGROUP_VALUE_cpuacct_user_clock_ticks, 24688);
	check_number(CGROUP_VALUE_cpuacct_system_clock_ticks, 10600);
	add("memory.usage_in_bytes", "4096\n");
	check_number(CGROUP_VALUE_memory_v1_usage, 4096);
	assert_int_equal(count_seen(), 8);
}

/* In version 1 no limit is -1, or as many whole pages as there can be. */
static void test_file_v1_limits(void **state)
{
	(void)state;
	cgroup_stats_reset(&stats);
	stats.is_v1 = true;
	add("cpu.cfs_quota_us", "-1\n");
	check_unlimited(CGROUP_VALUE_cpu_v1_quota_us);
	add("cpu.cfs_quota_us", "20000\n");
	check_number(CGROUP_VALUE_cpu_v1_quota_us, 20000);
	add("memory.limit_in_bytes", "9223372036854771712\n");
	check_unlimited(CGROUP_VALUE_memory_v1_limit);
	add("memory.limit_in_bytes", "9223372036854710272\n"); /* pages of 64 KiB */
	check_unlimited(CGROUP_VALUE_memory_v1_limit);
	add("memory.limit_in_bytes", "4611686018427387904\n");
	check_number(CGROUP_VALUE_memory_v1_limit, INT64_C(4611686018427387904));
	stats.is_v1 = false;
	add("memory.max", "9223372036854771712\n");
	check_number(CGROUP_VALUE_memory_max, INT64_C(9223372036854771712));
}

/* The values of all devices are added up. Without a device nothing is counted, or nothing was to be counted. */
static void test_file_devices(void **state)
{
	static const char file[] = "blkio.throttle.io_service_bytes_recursive";

	(void)state;
	cgroup_stats_reset(&stats);
	stats.is_v1 = true;
	add(file, "8:0 Read 4096\n8:0 Write 1\n8:0 Total 4097\n8:16 Read 8192\nTotal 12289\n");
	check_number(CGROUP_VALUE_blkio_read_bytes, 12288);
	check_number(CGROUP_VALUE_blkio_write_bytes, 1);
	check_unseen(CGROUP_VALUE_blkio_reads);
	add(file, "8:0 Read 0\n8:0 Write 0\n8:0 Total 0\nTotal 0\n");
	check_number(CGROUP_VALUE_blkio_read_bytes, 0);
	check_number(CGROUP_VALUE_blkio_write_bytes, 0);
	cgroup_stats_reset(&stats);
	stats.is_v1 = true;
	add(file, "Total 0\n");
	check_unseen(CGROUP_VALUE_blkio_read_bytes);
	check_unseen(CGROUP_VALUE_blkio_write_bytes);
	cgroup_stats_reset(&stats);
	stats.is_v1 = true;
	add(file, "8:0 Read x\n8:0 Write 9223372036854775807\n8:1 Write 1\n");
	check_unseen(CGROUP_VALUE_blkio_read_bytes);
	check_unseen(CGROUP_VALUE_blkio_write_bytes);
}

static void parse_list(enum cgroup_list_id list, const char *text)
{
	char *copy = exact_copy(text, strlen(text));

	cgroup_stats_reset(&stats);
	assert_false(stats.has_list[list]);
	cgroup_list_parse(list, copy, strlen(text), &stats);
	assert_true(stats.has_list[list]);
	free(copy);
}

static void check_key(enum cgroup_list_id list, const char *key, uint64_t value)
{
	const struct keyed_value *found =
	        keyed_values_find(&stats.lists[list], key, strlen(key), 0);

	assert_non_null(found);
	assert_true(found->value == value);
}

static void test_list_flat(void **state)
{
	(void)state;
	parse_list(CGROUP_LIST_memory_stat, "anon 4096\nfile 0\nworkingset_refault_file 3\n"
	                                    "huge 18446744073709551615\nbroken -1\nnone\n"
	                                    "two 1 2\nwords x\ncontrol\x1b 1\n\nlast 9");
	assert_int_equal(stats.lists[CGROUP_LIST_memory_stat].count, 5);
	check_key(CGROUP_LIST_memory_stat, "anon", 4096);
	check_key(CGROUP_LIST_memory_stat, "file", 0);
	check_key(CGROUP_LIST_memory_stat, "workingset_refault_file", 3);
	check_key(CGROUP_LIST_memory_stat, "huge", UINT64_MAX);
	check_key(CGROUP_LIST_memory_stat, "last", 9);
	parse_list(CGROUP_LIST_memory_events, "");
	assert_int_equal(stats.lists[CGROUP_LIST_memory_events].count, 0);
}

static void test_list_nested(void **state)
{
	(void)state;
	parse_list(CGROUP_LIST_io_stat,
	           "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6 use_delay=7 depth=max\n"
	           "253:0 \n"
	           "(unknown) rbytes=11\n"
	           "(unknown) rbytes=12\n"
	           "259:3 rbytes=20 cost.vrate=100.00 cost.usage=21 lone = =1 x=\n"
	           "rbytes=13\n"
	           "8:x rbytes=14\n");
	assert_int_equal(stats.lists[CGROUP_LIST_io_stat].count, 9);
	check_key(CGROUP_LIST_io_stat, "8:0 rbytes", 1);
	check_key(CGROUP_LIST_io_stat, "8:0 dios", 6);
	check_key(CGROUP_LIST_io_stat, "8:0 use_delay", 7);
	check_key(CGROUP_LIST_io_stat, "259:3 rbytes", 20);
	check_key(CGROUP_LIST_io_stat, "259:3 cost.usage", 21);
}

/* A 5.15 kernel printed these lines. */
static void test_list_nested_joined_lines(void **state)
{
	(void)state;
	parse_list(CGROUP_LIST_io_stat,
	           "7:7 7:6 7:5 7:4 rbytes=28672 wbytes=0 rios=22 wios=0 dbytes=0 dios=0\n"
	           "7:3 (unknown) rbytes=1\n"
	           "252:0 ");
	assert_int_equal(stats.lists[CGROUP_LIST_io_stat].count, 6);
	check_key(CGROUP_LIST_io_stat, "7:4 rbytes", 28672);
	check_key(CGROUP_LIST_io_stat, "7:4 rios", 22);
}

/* A list that somebody made up takes neither memory nor time without end. */
static void test_list_limits(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	for (unsigned i = 0; i < KEYED_VALUES_MAX - 1; i++)
		strbuf_addf(&text, "k%u 1\n", i);
	parse_list(CGROUP_LIST_memory_stat, text.data);
	assert_int_equal(stats.lists[CGROUP_LIST_memory_stat].count, KEYED_VALUES_MAX - 1);
	assert_true(stats.has_list[CGROUP_LIST_memory_stat]);
	/* A part of the list would pass for all of it. */
	strbuf_add_str(&text, "x 1\ny 1\n");
	cgroup_stats_reset(&stats);
	cgroup_list_parse(CGROUP_LIST_memory_stat, strbuf_str(&text), text.len, &stats);
	assert_int_equal(stats.lists[CGROUP_LIST_memory_stat].count, 0);
	assert_false(stats.has_list[CGROUP_LIST_memory_stat]);
	strbuf_clear(&text);
	for (unsigned i = 0; i < 200; i++)
		strbuf_add_char(&text, 'k');
	strbuf_add_str(&text, " 1\n");
	parse_list(CGROUP_LIST_memory_stat, text.data);
	assert_int_equal(stats.lists[CGROUP_LIST_memory_stat].count, 0);
	strbuf_done(&text);
}

#define with_stats(test_) cmocka_unit_test_setup(test_, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        with_stats(test_file_numbers),  with_stats(test_file_numbers_refused),
	        with_stats(test_file_limits),   with_stats(test_file_fields),
	        with_stats(test_file_flat),     with_stats(test_file_cpus),
	        with_stats(test_file_versions), with_stats(test_file_v1_limits),
	        with_stats(test_file_devices),  with_stats(test_list_flat),
	        with_stats(test_list_nested),   with_stats(test_list_nested_joined_lines),
	        with_stats(test_list_limits),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
