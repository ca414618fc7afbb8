// SPDX-License-Identifier: GPL-2.0-or-later
#include "runs/run-asked.h"

#include <math.h>

#include "check.h"

/* @variables: "NAME=value" each, ended by NULL. */
static void info_init(struct job_info *info, const char *const *variables)
{
	*info = (struct job_info){0};
	job_info_set_number(info, "peak_rss", 1073741824, true);
	job_info_set_number(info, "average_pcpu", 150, false);
	job_info_set_number(info, "wall_clock_time", 900, false);
	job_info_set_number(info, "memory_total", 8589934592, true);
	for (; *variables; variables++) {
		char name[64];
		size_t len = strcspn(*variables, "=");

		memcpy(name, *variables, len);
		name[len] = '\0';
		job_info_set_text(info, name, *variables + len + 1);
	}
	run_set_asked(info);
}

#define ASSERT_FIELD(name_, expected_, ...)                                                     \
	do {                                                                                    \
		const char *const variables_[] = {__VA_ARGS__, NULL};                           \
		cleanup_(job_info_done) struct job_info info_;                                  \
		info_init(&info_, variables_);                                                  \
		if (isnan(expected_))                                                           \
			assert_null(job_info_find(&info_, name_));                              \
		else                                                                            \
			assert_true(fabs(job_info_number(&info_, name_) - (expected_)) < 1e-6); \
	} while (0)

static void test_memory(void **state)
{
	(void)state;
	ASSERT_FIELD("memory_asked", 2147483648.0, "SLURM_MEM_PER_NODE=2048");
	ASSERT_FIELD("memory_used_percent", 50.0, "SLURM_MEM_PER_NODE=2048");
	ASSERT_FIELD("memory_asked", 2147483648.0, "SLURM_MEM_PER_NODE=2G");
	/* All of the node. */
	ASSERT_FIELD("memory_asked", 8589934592.0, "SLURM_MEM_PER_NODE=0");
	ASSERT_FIELD("memory_asked", 4294967296.0, "SLURM_MEM_PER_CPU=1024",
	             "SLURM_CPUS_PER_TASK=4");
	ASSERT_FIELD("memory_asked", NAN, "SLURM_MEM_PER_CPU=1024");
	ASSERT_FIELD("memory_asked", NAN, "SLURM_MEM_PER_NODE=much");
	ASSERT_FIELD("memory_asked", NAN, "SLURM_MEM_PER_NODE=2GB");
	ASSERT_FIELD("memory_asked", NAN, "SLURM_MEM_PER_NODE=99999999999999999999");
}

static void test_cpus(void **state)
{
	(void)state;
	ASSERT_FIELD("cpus_asked", 4.0, "SLURM_CPUS_PER_TASK=4");
	ASSERT_FIELD("cpus_used_percent", 37.5, "SLURM_CPUS_PER_TASK=4");
	ASSERT_FIELD("cpus_asked", 8.0, "SLURM_CPUS_PER_TASK=4", "SLURM_TASKS_PER_NODE=2(x3),1");
	ASSERT_FIELD("cpus_asked", 12.0, "SLURM_CPUS_PER_TASK=4", "SLURM_NTASKS_PER_NODE=3",
	             "SLURM_TASKS_PER_NODE=2(x3)");
	ASSERT_FIELD("cpus_asked", 6.0, "SLURM_CPUS_ON_NODE=6");
	ASSERT_FIELD("cpus_asked", 3.0, "PBS_NUM_PPN=3");
	ASSERT_FIELD("cpus_asked", NAN, "SLURM_CPUS_PER_TASK=-4");
	ASSERT_FIELD("cpus_asked", NAN, "SLURM_CPUS_PER_TASK=0");
}

static void test_time(void **state)
{
	(void)state;
	ASSERT_FIELD("time_asked", 3600.0, "SLURM_JOB_START_TIME=1795342222",
	             "SLURM_JOB_END_TIME=1795345822");
	ASSERT_FIELD("time_used_percent", 25.0, "PBS_WALLTIME=3600");
	ASSERT_FIELD("time_asked", NAN, "SLURM_JOB_END_TIME=1795345822");
	ASSERT_FIELD("time_asked", NAN, "SLURM_JOB_START_TIME=2", "SLURM_JOB_END_TIME=1");
}

static void test_id(void **state)
{
	const char *const variables[] = {"PBS_JOBID=7.example", NULL};
	cleanup_(job_info_done) struct job_info info;

	(void)state;
	info_init(&info, variables);
	assert_string_equal(job_info_text(&info, "job_id"), "7.example");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_memory),
	        cmocka_unit_test(test_cpus),
	        cmocka_unit_test(test_time),
	        cmocka_unit_test(test_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
