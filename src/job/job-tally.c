// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-tally.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { KIB = 1024 };

void job_tally_init(struct job_tally *tally, int proc_fd, const struct id_list *others)
{
	*tally = JOB_TALLY_INIT;
	tally->proc_fd = proc_fd;
	tally->others = others;
	tally->has_io = true;
}

void job_tally_watch(struct job_tally *tally, pid_t command)
{
	tally->command = command;
	tally->command_io_fd = job_io_open(tally->proc_fd, command);
}

void job_tally_done(struct job_tally *tally)
{
	fd_closep(&tally->command_io_fd);
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec * NS_PER_US / NS_PER_SECOND;
}

static void add_usage(struct job_tally *tally, const struct rusage *usage)
{
	const double rss = (double)usage->ru_maxrss * KIB;

	tally->user_time += seconds_of(&usage->ru_utime);
	tally->system_time += seconds_of(&usage->ru_stime);
	tally->minor_faults += (double)usage->ru_minflt;
	tally->major_faults += (double)usage->ru_majflt;
	tally->voluntary_switches += (double)usage->ru_nvcsw;
	tally->involuntary_switches += (double)usage->ru_nivcsw;
	if (rss > tally->largest_rss)
		tally->largest_rss = rss;
}

static bool is_other(const struct job_tally *tally, pid_t pid)
{
	for (size_t i = 0; i < tally->others->count; i++)
		if (tally->others->ids[i] == (uint32_t)pid)
			return true;
	return false;
}

/* The file of a zombie has the counters of all its threads. */
static void add_io(struct job_tally *tally, pid_t pid)
{
	double io[JOB_IO_COUNT] = {0};
	bool known = pid == tally->command ? job_io_read_open(tally->command_io_fd, io)
	                                   : job_io_read(tally->proc_fd, pid, io);

	if (!known) {
		tally->has_io = false;
		return;
	}
	for (unsigned i = 0; i < JOB_IO_COUNT; i++)
		tally->io[i] += io[i];
}

/* Returns the next child that has ended, 0 if there are only others, and -1 if there are no children. */
static pid_t next_of_all(void)
{
	siginfo_t info = {0};

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ? -1 : info.si_pid;
}

/* Does the same without the children that are not of the job: whoever started them waits for them. */
static pid_t next_of_job(const struct job_tally *tally)
{
	cleanup_(id_list_done) struct id_list children = {0};
	pid_t result = -1;

	if (job_children(tally->proc_fd, getpid(), &children) < 0)
		return next_of_all();
	for (size_t i = 0; i < children.count && result <= 0; i++) {
		siginfo_t info = {0};

		if (is_other(tally, (pid_t)children.ids[i]))
			continue;
		result = 0;
		if (waitid(P_PID, children.ids[i], &info, WEXITED | WNOHANG | WNOWAIT) == 0)
			result = info.si_pid;
	}
	return result;
}

bool job_tally_reap(struct job_tally *tally, pid_t pid, bool *ret_ended, int *ret_status)
{
	pid_t ended;

	while ((ended = tally->others->count == 0 ? next_of_all() : next_of_job(tally)) > 0) {
		struct rusage usage;
		int status;

		add_io(tally, ended);
		if (wait4(ended, &status, 0, &usage) != ended)
			continue;
		add_usage(tally, &usage);
		if (ended == pid) {
			*ret_ended = true;
			*ret_status = status;
		}
	}
	return ended == 0;
}

static const enum job_value_id io_values[JOB_IO_COUNT] = {
        [JOB_IO_RCHAR] = JOB_rchar,
        [JOB_IO_WCHAR] = JOB_wchar,
        [JOB_IO_SYSCR] = JOB_syscr,
        [JOB_IO_SYSCW] = JOB_syscw,
        [JOB_IO_READ_BYTES] = JOB_read_bytes,
        [JOB_IO_WRITE_BYTES] = JOB_write_bytes,
        [JOB_IO_CANCELLED] = JOB_cancelled_write_bytes,
};

/* Forgets what the counters of each live process belong to. */
static void forget_live(struct job_values *values)
{
	static const enum job_value_id ids[] = {JOB_user_time, JOB_system_time, JOB_cpu_time,
	                                        JOB_minor_faults, JOB_major_faults};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		job_forget(values, ids[i]);
}

void job_tally_add(const struct job_live *live, struct job_values *values)
{
	if (live->is_stalled)
		forget_live(values);
	job_add(values, JOB_user_time, live->user_time);
	job_add(values, JOB_system_time, live->system_time);
	job_add(values, JOB_cpu_time, live->cpu_time);
	job_add(values, JOB_minor_faults, live->minor_faults);
	job_add(values, JOB_major_faults, live->major_faults);
	for (unsigned k = 0; k < JOB_IO_COUNT; k++) {
		if (live->has_io)
			job_add(values, io_values[k], live->io[k]);
		else
			job_forget(values, io_values[k]);
	}
}

void job_tally_forget(struct job_values *values)
{
	for (unsigned i = 0; i < JOB_VALUE_COUNT; i++)
		if (values->seen[i] && values->sources[i] == JOB_SOURCE_wait)
			job_forget(values, (enum job_value_id)i);
}

void job_tally_values(const struct job_tally *tally, const struct job_live *live, size_t count,
                      struct job_values *values)
{
	job_set(values, JOB_user_time, JOB_SOURCE_wait, tally->user_time);
	job_set(values, JOB_system_time, JOB_SOURCE_wait, tally->system_time);
	job_set(values, JOB_cpu_time, JOB_SOURCE_wait, tally->user_time + tally->system_time);
	job_set(values, JOB_minor_faults, JOB_SOURCE_wait, tally->minor_faults);
	job_set(values, JOB_major_faults, JOB_SOURCE_wait, tally->major_faults);
	for (unsigned k = 0; tally->has_io && k < JOB_IO_COUNT; k++)
		job_set(values, io_values[k], JOB_SOURCE_wait, tally->io[k]);
	for (size_t i = 0; i < count; i++)
		job_tally_add(&live[i], values);
	/* Nobody says how often the threads of a live process that have ended switched. */
	if (count == 0) {
		job_set(values, JOB_voluntary_switches, JOB_SOURCE_wait, tally->voluntary_switches);
		job_set(values, JOB_involuntary_switches, JOB_SOURCE_wait,
		        tally->involuntary_switches);
	}
	/* The largest of what has ended may be less than what goes on, of which nothing can be read. */
	if (tally->proc_fd >= 0 || count == 0)
		job_set(values, JOB_largest_rss, JOB_SOURCE_wait, tally->largest_rss);
	/* Without a cgroup, children that go on are known by /proc alone. */
	if (tally->proc_fd < 0 && values->sources[JOB_processes_left] == JOB_SOURCE_wait &&
	    next_of_all() == 0)
		job_tally_forget(values);
}
