/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-process - reads processes of a job in /proc, by their ids. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fd.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Opens /proc. @ret_fd is -1, with a phrase in @reason, if it is of another pid namespace, whose ids are those of other processes: then
 * nothing of the job can be read there. Returns 0 or -errno. */
must_check_ int job_proc_open(int *ret_fd, struct strbuf *reason);

/* Lists the descendants of a process in @ret, sorted, without those below the processes in @others. Zombies are among
 * them. Returns 0; -ENOENT if the kernel has no lists of children; or -errno. */
must_check_ int job_descendants(int proc_fd, pid_t root, const struct id_list *others,
                                struct id_list *ret);

/* Lists the children of a process, in @ret. Results as above. */
must_check_ int job_children(int proc_fd, pid_t pid, struct id_list *ret);

/* Memory that processes have at one moment, in bytes. */
struct job_memory {
	double vsz, rss;
	double largest_rss; /* of one process */
	uint32_t processes; /* with memory */
};

/* Adds up those that are there. */
void job_memory_read(int proc_fd, const struct id_list *pids, struct job_memory *ret);

enum job_smaps { JOB_SMAPS_AUTO, JOB_SMAPS_ALL, JOB_SMAPS_OFF };

/* Adds up their proportional memory in bytes. Returns false if one that is there cannot be read, or is too large for
 * JOB_SMAPS_AUTO. */
must_check_ bool job_pss_read(int proc_fd, const struct id_list *pids, enum job_smaps smaps,
                              double *ret);

/* The counters of /proc/PID/io. They are those of a process, and of all its children that were waited for. */
enum job_io {
	JOB_IO_RCHAR,
	JOB_IO_WCHAR,
	JOB_IO_SYSCR,
	JOB_IO_SYSCW,
	JOB_IO_READ_BYTES,
	JOB_IO_WRITE_BYTES,
	JOB_IO_CANCELLED,
	JOB_IO_COUNT,
};

/* Parses the text of the file. Returns false if a counter is missing. */
must_check_ bool job_io_parse(const char *text, size_t len, double ret[JOB_IO_COUNT]);

/* Reads them of a process, also of a zombie if we are root. Returns false if they cannot be read. */
must_check_ bool job_io_read(int proc_fd, pid_t pid, double ret[JOB_IO_COUNT]);

/* Opens the file for readings that are also possible when the process is a zombie. Returns a descriptor or -errno. */
must_check_ int job_io_open(int proc_fd, pid_t pid);
must_check_ bool job_io_read_open(int fd, double ret[JOB_IO_COUNT]);

enum { JOB_COMM_BYTES = 16 };

/* Counters of one thread, or of several together. */
struct job_counters {
	double minor_faults, major_faults;
	bool has_schedstat;
	double run_time, run_queue_wait; /* in seconds */
	bool has_switches;
	double voluntary_switches, involuntary_switches;
	bool has_io;
	double io[JOB_IO_COUNT];
};

struct job_thread {
	uint32_t tid;
	uint64_t start_ticks; /* since the boot */
	struct job_counters counters;
};

/* A process that is there when the job has ended: it goes on, or a parent that goes on has not waited for it. */
struct job_live {
	uint32_t pid;
	char comm[JOB_COMM_BYTES];
	bool is_zombie;       /* its whole process has ended */
	bool is_stalled;      /* it holds up its readers: nothing below is known */
	uint64_t start_ticks; /* since the boot */
	/* Counters of the process and of its children that were waited for. */
	double minor_faults, major_faults;
	double user_time, system_time; /* in seconds, by clock ticks */
	double cpu_time; /* the two together; that of the process itself is exact if its clock can be read */
	bool has_io;
	double io[JOB_IO_COUNT];
	/* Its threads that have not ended. */
	struct job_thread *threads; /* owned */
	size_t thread_count, thread_capacity;
};

/* Returns false if it is not there. A process whose leader alone has ended goes on. @ret is zeroed or done, and is to be done
 * in both cases. */
must_check_ bool job_live_read(int proc_fd, pid_t pid, struct job_live *ret);

/* Adds up the counters of its threads. */
void job_live_add_up(const struct job_live *live, struct job_counters *ret);

/* For cleanup_(job_live_done). */
void job_live_done(struct job_live *live);

/* Reads only the name, which no process holds up. */
void job_live_stalled(int proc_fd, pid_t pid, struct job_live *ret);
