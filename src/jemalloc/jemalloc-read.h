/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* jemalloc-read - jemalloc's counters of a process's threads: finds jemalloc in what the process has mapped, and reads
 * the threads' own storage. */
#include <stdbool.h>

#include "base/fd.h"
#include "bpf/thread-pointer.h"
#include "ctprof/metric/sample.h"
#include "jemalloc/jemalloc-files.h"
#include "jemalloc/memory-probe.h"

struct jemalloc_reader {
	enum source_outcome rule;     /* OUTCOME_read, or why nobody is looked at */
	bool by_stopping;             /* leave BPF alone */
	struct jemalloc_files *files; /* borrowed; NULL: nobody is looked at */
	struct memory_prober *prober; /* owned */
	struct strbuf text;           /* maps of the process being read */
	struct strbuf link;           /* where its executable is */
	uint64_t used_ns;             /* time spent on probing so far */
	struct probe_summary summary;
	/* The process last read. */
	bool is_forked; /* its memory is a copy of its parent's, and so are the counters of its leader */
	enum probe_tag tag;                  /* where it is not ok, that of all its threads */
	struct memory_probe_request request; /* its threads, in the order of the list; owned */
	size_t capacity;
};

/* @live: the threads are this system's own, in our pid namespace. @files, which may be NULL, is borrowed until
 * jemalloc_reader_done(), and keeps what is learnt for other readers. */
void jemalloc_reader_init(struct jemalloc_reader *reader, enum jemalloc_mode mode, bool live,
                          struct jemalloc_files *files);

/* Looks into the files that the process whose directory is @process_fd has mapped, which may be slow; readings that follow find it
 * done. Returns whether the process has jemalloc. */
bool jemalloc_reader_prepare_process(struct jemalloc_reader *reader, int process_fd, uint32_t tgid);
/* Loads the program that finds thread pointers, for readings that are not given them. */
void jemalloc_reader_prepare_pointers(struct jemalloc_reader *reader);

/* The buffers that a reading writes into. */
struct jemalloc_buffers {
	struct strbuf text, link;
	struct memory_probe_thread *threads; /* owned */
};

/* The thread that was reading with @reader was given up (base/watch.h), and its call may still write into the buffers of @reader:
 * returns them, for jemalloc_buffers_done() when the thread has ended. */
struct jemalloc_buffers jemalloc_reader_lose_buffers(struct jemalloc_reader *reader);
void jemalloc_buffers_done(struct jemalloc_buffers *buffers);

/* Ends the helpers. The summary stays, and nothing is left to be freed by another call. */
void jemalloc_reader_done(struct jemalloc_reader *reader);

/* Thread pointers that are known already, by tid. */
struct known_pointers {
	const struct thread_pointer *threads;
	size_t count;
};

/* Reads the threads of the process whose directory is @process_fd. @known may be NULL. */
void jemalloc_read_process(struct jemalloc_reader *reader, int process_fd, uint32_t tgid,
                           const struct id_list *threads, const struct known_pointers *known);

/* Reads a process all of whose files with code are known to @files, and lack jemalloc. Returns false, and has read nothing, for
 * any other process. No file but those of /proc is opened, and another thread may use @files at the same time. */
bool jemalloc_read_known(struct jemalloc_reader *reader, struct jemalloc_files *files,
                         int process_fd, uint32_t tgid);

/* Says that the next process has none: a kernel's. */
void jemalloc_pass_process(struct jemalloc_reader *reader);

/* Says that the next process has executed another program: of the one that it had there is nothing to be read. */
void jemalloc_leave_process(struct jemalloc_reader *reader);

/* Returns whether the process has jemalloc, and counters were requested. */
bool jemalloc_has_counters(const struct jemalloc_reader *reader);
/* Forgets what was read: it was another program's. */
void jemalloc_forget_process(struct jemalloc_reader *reader);

/* Gives @sample, the thread at @index of the list, what was read. */
void jemalloc_take_thread(const struct jemalloc_reader *reader, size_t index,
                          struct thread_sample *sample);
