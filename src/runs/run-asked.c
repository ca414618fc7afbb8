// SPDX-License-Identifier: GPL-2.0-or-later
#include "run-asked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 15, PERCENT = 100, KIB = 1024 };

/* Reads the digits at the start. Returns NaN if there are none, or too many. @ret_rest is behind them. */
static double leading_number(const char *text, const char **ret_rest)
{
	size_t len = text ? strspn(text, "0123456789") : 0;

	*ret_rest = text ? text + len : "";
	return len > 0 && len <= DIGITS_MAX ? strtod(text, NULL) : NAN;
}

/* Returns a variable that is a whole number, or NaN. */
static double variable(const struct job_info *info, const char *name)
{
	const char *rest;
	double number = leading_number(job_info_text(info, name), &rest);

	return *rest == '\0' ? number : NAN;
}

static double first_of(double a, double b)
{
	return isnan(a) ? b : a;
}

/* Returns a size of SLURM in bytes: MiB, unless a letter says otherwise. */
static double slurm_size(const struct job_info *info, const char *name)
{
	static const char letters[] = "KMGT";
	const char *rest, *letter;
	double bytes = leading_number(job_info_text(info, name), &rest);
	size_t steps = 2;

	if (*rest != '\0') {
		letter = strchr(letters, *rest);
		if (!letter || rest[1] != '\0')
			return NAN;
		steps = (size_t)(letter - letters) + 1;
	}
	while (steps-- > 0)
		bytes *= KIB;
	return bytes;
}

/* SLURM_TASKS_PER_NODE is a list such as "2(x3),1"; the first node is the one of a batch script. */
static double slurm_tasks(const struct job_info *info)
{
	const char *rest;
	double tasks = variable(info, "SLURM_NTASKS_PER_NODE");

	tasks = first_of(tasks, leading_number(job_info_text(info, "SLURM_TASKS_PER_NODE"), &rest));
	if (isnan(tasks) && variable(info, "SLURM_JOB_NUM_NODES") == 1)
		tasks = variable(info, "SLURM_NTASKS");
	return first_of(tasks, 1);
}

static double cpus_asked(const struct job_info *info)
{
	double cpus = variable(info, "SLURM_CPUS_PER_TASK") * slurm_tasks(info);

	cpus = first_of(cpus, variable(info, "SLURM_CPUS_ON_NODE"));
	return first_of(cpus, variable(info, "PBS_NUM_PPN"));
}

static double memory_asked(const struct job_info *info, double cpus)
{
	double memory = slurm_size(info, "SLURM_MEM_PER_NODE");

	if (memory == 0)
		return job_info_number(info, "memory_total");
	return first_of(memory, slurm_size(info, "SLURM_MEM_PER_CPU") * cpus);
}

static double time_asked(const struct job_info *info)
{
	double seconds =
	        variable(info, "SLURM_JOB_END_TIME") - variable(info, "SLURM_JOB_START_TIME");

	return first_of(seconds, variable(info, "PBS_WALLTIME"));
}

/* Sets what was asked for, and how much of it was used. */
static void set_pair(struct job_info *info, const char *asked_name, double asked,
                     const char *used_name, double used, bool is_integer)
{
	if (!(asked > 0))
		return;
	job_info_set_number(info, asked_name, asked, is_integer);
	job_info_set_number(info, used_name, PERCENT * used / asked, false);
}

static void set_id(struct job_info *info)
{
	static const char *const names[] = {"SLURM_JOB_ID", "SLURM_JOBID", "PBS_JOBID"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *id = job_info_text(info, names[i]);

		if (id) {
			job_info_set_text(info, "job_id", id);
			return;
		}
	}
}

void run_set_asked(struct job_info *info)
{
	double cpus = cpus_asked(info), memory = memory_asked(info, cpus);

	set_id(info);
	set_pair(info, "cpus_asked", cpus, "cpus_used_percent",
	         job_info_number(info, "average_pcpu") / PERCENT, true);
	set_pair(info, "memory_asked", memory, "memory_used_percent",
	         job_info_number(info, "peak_rss"), true);
	set_pair(info, "time_asked", time_asked(info), "time_used_percent",
	         job_info_number(info, "wall_clock_time"), true);
}
