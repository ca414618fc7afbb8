// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-cgroup-files.h"

#include "check.h"
#include "temp-tree.h"

static struct span span_of(const char *text)
{
	return (struct span){text, strlen(text)};
}

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(job_list_length(span_of("")), 0);
	assert_int_equal(job_list_length(span_of("cpu")), 1);
	assert_int_equal(job_list_length(span_of("cpu,cpuacct")), 2);
}

static void test_processes_of_all_below(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(id_list_done) struct id_list list = {0};

	temp_tree_write_text(tree, "cgroup.procs", "30\n10\n0\n");
	temp_tree_write_text(tree, "a/cgroup.procs", "20\n10\n");
	temp_tree_write_text(tree, "a/b/cgroup.procs", "5\n");
	/* One that is being removed. */
	temp_tree_make_dir(tree, "c");
	assert_int_equal(job_directory_list(tree->fd, 0, &list), 0);
	job_ids_sort(&list);
	/* 0 is a process of another pid namespace; 10 was moved meanwhile. */
	assert_int_equal(list.count, 4);
	assert_int_equal(list.ids[0], 5);
	assert_int_equal(list.ids[1], 10);
	assert_int_equal(list.ids[3], 30);
}

static void test_cpu_stat(void **state)
{
	const struct temp_tree *tree = *state;
	struct job_values values = {0};

	job_read_cpu_stat(tree->fd, &values);
	assert_false(values.seen[JOB_cpu_time]);
	temp_tree_write_text(tree, "cpu.stat",
	                     "usage_usec 3500000\nuser_usec 2000000\nsystem_usec 1500000\n"
	                     "nr_periods 0\n");
	job_read_cpu_stat(tree->fd, &values);
	assert_float_equal(values.numbers[JOB_cpu_time], 3.5, 1e-12);
	assert_float_equal(values.numbers[JOB_user_time], 2, 1e-12);
	assert_float_equal(values.numbers[JOB_system_time], 1.5, 1e-12);
	assert_int_equal(values.sources[JOB_cpu_time], JOB_SOURCE_cgroup);
}

static void test_version_1(void **state)
{
	const struct temp_tree *tree = *state;
	struct job_values values = {0};

	temp_tree_write_text(tree, "cpuacct.usage", "2500000000\n");
	temp_tree_write_text(tree, "memory.max_usage_in_bytes", "4096\n");
	temp_tree_write_text(tree, "broken", "max\n");
	job_read_cpuacct(tree->fd, &values);
	assert_float_equal(values.numbers[JOB_cpu_time], 2.5, 1e-12);
	assert_false(values.seen[JOB_user_time]);
	job_read_peak(tree->fd, "broken", &values);
	job_read_peak(tree->fd, "missing", &values);
	assert_false(values.seen[JOB_peak_memory]);
	job_read_peak(tree->fd, "memory.max_usage_in_bytes", &values);
	assert_float_equal(values.numbers[JOB_peak_memory], 4096, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_names),
	        cmocka_unit_test_setup_teardown(test_processes_of_all_below, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_cpu_stat, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_version_1, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
