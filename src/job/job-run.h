/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-run - runs a command as a job and finds out what it used, with all its descendants. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "job/job-command.h"
#include "job/job-ends.h"
#include "job/job-process.h"
#include "job/job-reader.h"
#include "job/job-signals.h"
#include "job/job-values.h"

/* A moment at which the processes of a job are read. */
struct job_moment {
	struct job_reader *reader; /* of the processes; borrowed */
	uint64_t now_ns, start_ns; /* CLOCK_MONOTONIC */
	const struct id_list *pids;
	bool is_last;         /* the job has ended */
	bool has_cpu_time;    /* of the whole job, exact: */
	double cpu_time;      /* in seconds */
	double waited_time;   /* CPU time of the processes that we waited for, in seconds */
	bool has_pss;         /* of the processes: */
	double pss;           /* in bytes */
	bool has_peak_memory; /* of the cgroup: */
	double peak_memory;   /* in bytes */
	/* Bytes of storage: while the job runs, of the processes that we waited for; at its end of the whole job. */
	bool has_storage;
	double read_bytes, written_bytes;
};

/* An observer of a job that runs. All functions are called between its start and its end, with its signals blocked. The first and
 * the last one may be NULL. */
struct job_watcher {
	/* The command runs. @start_ns is of CLOCK_MONOTONIC. */
	void (*started)(struct job_watcher *self, pid_t pid, uint64_t start_ns);
	/* Reads the processes in place of job_memory_read(). */
	void (*sample)(struct job_watcher *self, const struct job_moment *moment,
	               struct job_memory *ret);
	/* A signal has come, and @passed: it was passed on. SIGWINCH of the terminal is not passed on. */
	void (*signalled)(struct job_watcher *self, int number, bool passed);
};

struct job_options {
	struct job_launch launch;    /* the command */
	struct job_watcher *watcher; /* borrowed; or NULL */
	bool wait_all;               /* the job ends with its last descendant */
	bool without_exits;          /* do not note the ends of threads */
	enum job_smaps smaps;
	uint64_t sample_ns; /* the longest time between two samples */
	uint64_t report_ns; /* between two readings of PSS */
	uint64_t linger_ns; /* how long the cgroup stays when the job has ended */
};

/* The means by which all processes of a job are found. */
enum job_container {
	JOB_CONTAINER_CGROUP,    /* a cgroup of its own */
	JOB_CONTAINER_SUBREAPER, /* orphans become children of the runner, which waits for them */
	JOB_CONTAINER_WAIT, /* nothing: what is known is the command and descendants that were waited for */
};

struct job_result {
	bool started; /* else the command could not be executed */
	int code;     /* the exit code of the command, or that of env(1) if it was not started */
	int error; /* -errno of a command that was not started; -EINTR: a signal came before it */
	bool was_signalled; /* before the command ended: by a process, or by the terminal */
	bool was_stopped;   /* a signal ended the wait for descendants */
	enum job_container container;
	struct strbuf cgroup; /* the path of it */
	struct strbuf
	        reason; /* a phrase: why it is not a cgroup, or has not all of the job; or empty */
	struct strbuf leftover; /* the path of a cgroup that could not be removed, or empty */
	struct job_values values;
	struct job_groups groups; /* none if ends are not known */
	struct job_live *left;    /* processes that go on; owned */
	size_t left_count, left_capacity;
	struct job_live *zombies; /* children of these that have ended; owned */
	size_t zombie_count, zombie_capacity;
};

/* Runs the command to its end. @ret is zeroed or done. Returns 0, also if the command cannot be executed; or -errno with a
 * sentence. */
must_check_ int job_run(const struct job_options *options, struct job_result *ret,
                        struct strbuf *reterr);

/* For cleanup_(job_result_done). */
void job_result_done(struct job_result *result);

/* The words for a container. */
extern const char *const job_container_names[];
