/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* process-read - what is read once for a whole process, before its threads: the totals that include exited threads,
 * smaps_rollup, its executable and its user. */
#include "capture/capture.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"
#include "stall.h"
#include "taskstats/taskstats-read.h"

/* What is read only where it is asked for. */
struct process_wishes {
	enum capture_smaps smaps;
	bool exe;
};

/* What decides whether there is anything to be read of its memory, and whether that is too much. */
struct process_memory {
	bool is_known;
	uint64_t mapped_bytes; /* 0: it has none */
	uint64_t resident_bytes;
	uint64_t threads;
};

struct process_reader {
	struct process_wishes wishes;
	bool owner_is_user; /* the tree is a kernel's, where directories belong to the processes' users */
	struct taskstats_reader *taskstats; /* borrowed */
	struct strbuf text;
	struct process_memory memory; /* of the process last read */
	enum stall_avoids avoids;     /* of the process to be read; the owner sets it */
	enum metric_source at;        /* the source that was begun last */
	bool has_executed; /* by process_read_rest(): another program than it had when it was seen */
	/* The process last read; its totals, smaps, exe and uid, and the outcomes of their sources. */
	struct thread_sample sample;
	struct thread_sample again; /* totals of taskstats, read a second time */
};

/* @proc_fd is the root of the /proc tree, or -1; it is not kept. */
void process_reader_init(struct process_reader *reader, int proc_fd,
                         const struct process_wishes *wishes, struct taskstats_reader *taskstats);
void process_reader_done(struct process_reader *reader);

/* Reads the process whose directory is @process_fd. Returns 0, or -errno where the trouble is our own (no
 * descriptors, no memory); what could not be read has its reason in reader->sample.outcomes. */
must_check_ int process_read(struct process_reader *reader, int process_fd, uint32_t tgid);

/* A process as it was when its threads were read. */
struct process_seen {
	uint32_t tgid;
	uint64_t born_clock_ticks; /* start time of the process, which is its leader's */
	bool had_ended;            /* the leader had */
	uint64_t start_stack;      /* as its stat has it; 0: not known */
	bool needs_uid;
};

/* Reads only its executable and smaps, and its user where that is not known. Where it has executed another program since, the
 * first two are gone. Sets @ret_is_same to whether it was still the same process, and alive if it was. Result as above, or
 * -EACCES or -EPERM where this user may not even see its stat. */
must_check_ int process_read_rest(struct process_reader *reader, int process_fd,
                                  const struct process_seen *seen, bool *ret_is_same);

/* The same where reading anything of the process would stall: its executable, smaps and totals are missing with that reason. */
void process_read_stalled(struct process_reader *reader);

/* The same of a kernel thread, of which there is nothing to read. */
void process_read_kernel(struct process_reader *reader);

/* Looks at the process of process_read_rest() once more, and sets has_executed and @ret_is_same as that does. */
must_check_ int process_look_again(struct process_reader *reader, int process_fd,
                                   const struct process_seen *seen, bool *ret_is_same);

/* Reads the totals of a process once more, of its stat and io; those of taskstats are malformed. Result as process_read(). */
must_check_ int process_read_totals(struct process_reader *reader, int process_fd);

/* From the first step of a thread's exit to its last the kernel has it in the taskstats totals twice. Reads them once
 * more; then process_take_smaller() keeps the smaller of the first reading and of this one less @exiting, what threads
 * that were on their way out all the time have used. Totals do not fall otherwise. */
enum source_outcome process_read_again(struct process_reader *reader, uint32_t tgid);
void process_take_smaller(struct process_reader *reader,
                          const uint64_t exiting[PROCESS_TOTAL_COUNT]);

/* Leaves the taskstats totals out, for this reason. */
void process_drop_taskstats(struct process_reader *reader, enum source_outcome reason);
