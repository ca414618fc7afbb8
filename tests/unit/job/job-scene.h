/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-scene - a report with known values. */
#include "job/job-report.h"

struct job_scene {
	char *argv[3];
	struct job_result runs[3];
	struct job_report report;
};

static inline void job_scene_init(struct job_scene *scene, size_t count)
{
	*scene = (struct job_scene){0};
	scene->argv[0] = mem_copy("make", 4);
	scene->argv[1] = mem_copy("-j 2", 4);
	for (size_t i = 0; i < count; i++) {
		struct job_values *values = &scene->runs[i].values;

		job_set(values, JOB_exit_code, JOB_SOURCE_status, 3);
		job_set(values, JOB_wall_clock_time, JOB_SOURCE_clock, 2 + (double)i);
		job_set(values, JOB_cpu_time, JOB_SOURCE_cgroup, 3);
		job_set(values, JOB_user_time, JOB_SOURCE_cgroup, 2);
		job_set(values, JOB_system_time, JOB_SOURCE_cgroup, 1);
		job_set(values, JOB_average_pcpu, JOB_SOURCE_cgroup, 150);
		job_set(values, JOB_cpus, JOB_SOURCE_host, 2);
		job_set(values, JOB_peak_rss, JOB_SOURCE_samples, 3 << 20);
		job_set(values, JOB_minor_faults, JOB_SOURCE_exits, 12345);
		scene->runs[i].started = true;
		scene->runs[i].code = 3;
		scene->runs[i].container = JOB_CONTAINER_CGROUP;
		strbuf_add_str(&scene->runs[i].cgroup, "/a/ctprof-run-1-0");
	}
	/* The second run does not know it. */
	if (count > 1)
		job_forget(&scene->runs[1].values, JOB_minor_faults);
	scene->report = (struct job_report){
	        .argv = scene->argv,
	        .working_directory = "/home/x",
	        .runs = scene->runs,
	        .count = count,
	        .code = 3,
	};
}

static inline void job_scene_done(struct job_scene *scene)
{
	free(scene->argv[0]);
	free(scene->argv[1]);
	for (size_t i = 0; i < ARRAY_SIZE(scene->runs); i++)
		job_result_done(&scene->runs[i]);
}
