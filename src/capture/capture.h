/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* capture - walks every thread of a /proc tree once and writes a snapshot. No action of a process makes it fail; values
 * that could not be read are counted with their reason. */
#include <stdbool.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/snapshot/snapshot.h"
#include "jemalloc/jemalloc-inspect.h"
#include "where/selection.h"

/* The leaders whose smaps_rollup is read. The kernel walks all page tables for it, some 10 ms for each GiB of small
 * pages, and holds the process's mmap lock meanwhile; AUTO skips processes that are larger than the two sizes. */
enum capture_smaps { CAPTURE_SMAPS_AUTO, CAPTURE_SMAPS_ALL, CAPTURE_SMAPS_OFF };

#define CAPTURE_SMAPS_AUTO_MAPPED_BYTES (UINT64_C(64) << 30)
#define CAPTURE_SMAPS_AUTO_RESIDENT_BYTES (UINT64_C(4) << 30)

/* The source of the threads' values. */
enum capture_source {
	CAPTURE_SOURCE_AUTO,   /* by BPF, or, if that does not work, from /proc */
	CAPTURE_SOURCE_PROCFS, /* from files of /proc and taskstats */
	CAPTURE_SOURCE_BPF,    /* by one BPF program for all threads; fails if that does not work */
};

struct capture_options {
	const char *proc_root;   /* NULL: the /proc of this system */
	const char *sys_root;    /* NULL: /sys */
	const char *cgroup_root; /* NULL: the mount point of cgroup2 in mountinfo */
	const char *
	        containers_root; /* where the files of container runtimes are; NULL: /, if proc_root is NULL too */
	enum capture_smaps smaps;
	enum jemalloc_mode jemalloc;
	enum capture_source source;
	/* Also look for jemalloc in files on FUSE, NFS and other file systems that are not local. */
	bool remote_files;
	const struct labels *labels; /* of the snapshot; borrowed; NULL: none */
	/* Leave out the names of the host and of users, executables, working directories and the kernel's command line. */
	bool anonymous;
	/* The only processes that are read, from their files; borrowed; NULL: all. Not with a source of BPF. */
	const struct selection *selection;
	/* In a window the kernel's records of exits on these CPUs alone; and the room for them in the kernel and then in our memory, 0
	 * for the default. */
	bool has_exit_cpus;
	struct cpu_mask exit_cpus;
	uint64_t exit_buffer_bytes;
	uint64_t exit_memory_bytes;
	bool without_settings; /* leave out the settings of the host */
	bool waits; /* read in which function of the kernel and in which system call threads wait */
	bool titles; /* read the titles that processes give themselves; not with anonymous */
};

/* Captures into @writer: head, threads, tail. A tree given by @options may belong to another system, so system calls
 * about its threads are made only without one. Threads that exit during their own read are left out whole. Returns 0;
 * or -errno with a sentence appended to @reterr if a root cannot be opened or has no process (-ENOENT), or without one
 * if the writer failed. @ret_info has the metadata of the snapshot; snapshot_info_done() it in any case.
 * -ESRCH if there is no selected process. */
must_check_ int capture_run(const struct capture_options *options, struct snapshot_writer *writer,
                            struct snapshot_info *ret_info, struct strbuf *reterr);

/* The source of the ends of threads in a window. */
enum capture_exits {
	CAPTURE_EXITS_AUTO,    /* with the counters at the last switch, if BPF has them */
	CAPTURE_EXITS_RECORDS, /* the kernel's records alone */
	CAPTURE_EXITS_OFF,
};

/* The wait between the two readings of a window: returns when CLOCK_BOOTTIME is @end_ns, or earlier. A result below 0
 * ends the capture, and becomes its result. */
struct capture_wait {
	int (*until)(struct capture_wait *self, uint64_t begin_ns, uint64_t end_ns);
	/* Called right before the time from which the window counts, and right before the time to which it counts. NULL: neither. */
	void (*reading)(struct capture_wait *self);
};

struct capture_window_options {
	struct capture_options capture; /* of both readings */
	uint64_t length_ns; /* from the begin of the one to that of the other, at least */
	enum capture_exits exits;
	struct capture_wait *wait; /* borrowed */
};

/* Reads twice and writes the window between the readings: see src/window/window.h. Both readings are in memory
 * meanwhile, at some 200 bytes a thread. Result and @ret_info as those of capture_run(). */
must_check_ int capture_window(const struct capture_window_options *options,
                               struct snapshot_writer *writer, struct snapshot_info *ret_info,
                               struct strbuf *reterr);
