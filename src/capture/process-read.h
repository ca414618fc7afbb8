/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* process-read - reads the data of a whole process, once before its threads: the totals that include exited threads,
 * smaps_rollup, its executable, its working directory and its user. */
#include "base/fd.h"
#include "capture/capture.h"
#include "capture/stall.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"
#include "taskstats/taskstats-read.h"

/* Data that is read only on request. */
struct process_wishes {
	enum capture_smaps smaps;
	/* The time for "auto" smaps_rollup of all processes that are read before their threads, as from /proc; 0: there is no limit. */
	uint64_t smaps_ns;
	bool titles;
	bool waits; /* of each thread: see wait-read.h */
	bool paths; /* its executable and its working directory */
};

/* Decides whether the process has memory to be read about, and whether that is too much. */
struct process_memory {
	bool is_known;
	uint64_t mapped_bytes; /* 0: it has none */
	uint64_t resident_bytes;
	uint64_t threads;
};

struct process_reader {
	struct process_wishes wishes;
	bool owner_is_user; /* the tree is a kernel's, in which directories belong to the processes' users */
	struct taskstats_reader *taskstats; /* borrowed */
	struct strbuf text;
	struct id_list threads;       /* of a process whose leader has exited */
	struct strbuf listing;        /* for them */
	struct process_memory memory; /* of the process last read */
	uint64_t smaps_used_ns;       /* by process_read() */
	enum stall_avoids avoids;     /* of the process to be read; the owner sets it */
	enum metric_source at;        /* the source that was begun last */
	bool has_executed; /* set by process_read_rest(): it has executed another program since its threads were read */
	/* The process last read; its totals, smaps, exe, cwd, title and uid, and the outcomes of their sources. */
	struct thread_sample sample;
	struct thread_sample again; /* totals of taskstats, from a second reading */
};

/* @proc_fd is the root of the /proc tree, or -1; it is not kept. */
void process_reader_init(struct process_reader *reader, int proc_fd,
                         const struct process_wishes *wishes, struct taskstats_reader *taskstats);
void process_reader_done(struct process_reader *reader);

/* Reads the process whose directory is @process_fd. Returns 0, or -errno if ctprof has run out of descriptors or
 * memory; reader->sample.outcomes has the reasons of missing values. */
must_check_ int process_read(struct process_reader *reader, int process_fd, uint32_t tgid);

/* The process at the time when its threads were read. */
struct process_seen {
	uint32_t tgid;
	uint64_t born_clock_ticks; /* start time of the process, which is its leader's */
	bool had_ended;            /* the leader had ended */
	uint64_t start_stack;      /* from its stat; 0: not known */
	bool needs_uid;
};

/* Reads only its executable, working directory and smaps, and its user if that is not known. If it has executed another program
 * since, all but the user are gone. Sets @ret_is_same if it was still the same process, and alive if it was. Result as above, or
 * -EACCES or -EPERM if this user may not even see its stat. */
must_check_ int process_read_rest(struct process_reader *reader, int process_fd,
                                  const struct process_seen *seen, bool *ret_is_same);

/* The same where reading anything of the process would stall: its executable, working directory, smaps and totals are missing with that reason. */
void process_read_stalled(struct process_reader *reader);

/* The same where the process has ended since its threads were read: they are gone. */
void process_read_gone(struct process_reader *reader);

/* Does so for a kernel thread, which has nothing to read. */
void process_read_kernel(struct process_reader *reader);

/* Checks the process of process_read_rest() once more, and sets has_executed and @ret_is_same as that does. */
must_check_ int process_check_again(struct process_reader *reader, int process_fd,
                                    const struct process_seen *seen, bool *ret_is_same);

/* Reads the totals of a process once more, of its stat and io; those of taskstats are gone. Result as process_read(). */
must_check_ int process_read_totals(struct process_reader *reader, int process_fd);

/* From the first step of a thread's exit to its last the kernel has it in the taskstats totals twice. This reads them
 * once more; then process_keep_smaller() keeps the smaller of the first reading and of this one less @exiting, the work
 * of threads that were exiting all the time. Totals do not fall otherwise. */
enum source_outcome process_read_again(struct process_reader *reader, uint32_t tgid);
void process_keep_smaller(struct process_reader *reader,
                          const uint64_t exiting[PROCESS_TOTAL_COUNT]);

/* Removes the taskstats totals, for this reason. */
void process_drop_taskstats(struct process_reader *reader, enum source_outcome reason);
