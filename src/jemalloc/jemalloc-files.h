/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* jemalloc-files - what is kept from one reading of jemalloc's counters to the next: which of the files mapped by processes
 * have jemalloc, and the program that reads thread pointers. Each file is looked into once, whatever is found, and however
 * many processes map it: one that could not be read is not tried again. */
#include <pthread.h>

#include "base/strmap.h"
#include "bpf/thread-pointer.h"
#include "ctprof/base/strbuf.h"
#include "file-look.h"
#include "jemalloc/jemalloc-inspect.h"
#include "procfs/maps.h"
#include "procfs/mount-systems.h"
#include "trusted-file.h"

/* The table has no more files, and no more bytes of names. */
enum { JEMALLOC_FILES_MAX = 1 << 17, JEMALLOC_NAMES_BYTES_MAX = 32 << 20 };

struct jemalloc_files {
	/* Files by mount namespace, device, inode and path: struct known_file, owned. */
	struct strmap by_name;
	pthread_mutex_t lock; /* of by_name and its files */
	size_t name_bytes;    /* in by_name */
	uint32_t reading;     /* the number of jemalloc_files_limit()'s calls */
	bool lacks_room;      /* for a file of this reading */
	struct strbuf key;
	enum file_systems allowed;
	struct helper_guard guard;  /* of all helpers of a capture */
	struct file_looker *looker; /* owned; NULL before the first file that takes a helper */
	struct trusted_files trusted;
	bool has_systems;
	struct mount_systems systems;
	/* The time of all threads together, so far: for maps, and for all that is read of files. */
	_Atomic uint64_t used_ns;
	uint64_t budget_ns;               /* no more than this */
	uint64_t looked_ns;               /* for looking into files, which is a part of that time */
	uint64_t look_budget_ns;          /* no more than this, and no longer for one file */
	struct thread_pointers *pointers; /* owned; NULL: not tried yet, or they do not work here */
	bool pointers_tried;
};

/* The process whose files are wanted. */
struct mapping_process {
	uint32_t tgid;
	uint32_t tid;    /* of one of its threads that lives */
	int thread_fd;   /* that one's directory */
	char mounts[32]; /* its mount namespace */
};

/* Nothing is read or started before the first file. */
/* Files on file systems that are not @allowed are not looked into. */
void jemalloc_files_init(struct jemalloc_files *files, enum file_systems allowed);
/* Ends the helper. The results for files stay, and the next file starts another helper. */
void jemalloc_files_rest(struct jemalloc_files *files);
void jemalloc_files_done(struct jemalloc_files *files);

/* Called before a reading: from now on reading maps and looking into files may take at most @budget_ns, and looking into files alone
 * at most @look_budget_ns, and only those on local file systems are looked into, whatever was allowed before. Before the first call both
 * are 10 s. If the table had no room for a file since the last call, files that have not been asked for since then are forgotten. */
void jemalloc_files_limit(struct jemalloc_files *files, uint64_t budget_ns,
                          uint64_t look_budget_ns);

/* Counts the time since *@since_ns, of CLOCK_MONOTONIC, as used, and sets *@since_ns to now. Returns whether there is time left. Any
 * thread may call it at any time. */
bool jemalloc_files_spend(struct jemalloc_files *files, uint64_t *since_ns);
/* Returns when the time will have been used up if @now_ns is now and no other thread uses it. */
uint64_t jemalloc_files_until_ns(const struct jemalloc_files *files, uint64_t now_ns);

/* Called once, before any reading: thread pointers come from this program, which is borrowed; NULL: from one of its own. */
void jemalloc_files_use(struct jemalloc_files *files, struct task_record_reader *reader);
/* The program that reads thread pointers, which is loaded at the first call; NULL where that does not work. */
struct thread_pointers *jemalloc_files_pointers(struct jemalloc_files *files);
/* It has ceased to work. */
void jemalloc_files_drop_pointers(struct jemalloc_files *files);

/* @thread_fd, the directory of thread @tid, is borrowed. */
void mapping_process_init(struct mapping_process *process, uint32_t tgid, uint32_t tid,
                          int thread_fd);

/* Returns what an earlier call of jemalloc_files_find() kept of the file, or NULL. Good until jemalloc_files_limit(). @key is a buffer of
 * the caller's. Any thread may call it at any time. */
const struct jemalloc_object *jemalloc_files_find_known(struct jemalloc_files *files,
                                                        const struct mapping_process *process,
                                                        const struct mapped_file *mapped,
                                                        struct strbuf *key);

/* Returns the knowledge of a file that the process has mapped; if the file cannot be opened, or there is no time or no room for it, its
 * tag says so. Good until the next call. */
const struct jemalloc_object *jemalloc_files_find(struct jemalloc_files *files,
                                                  const struct mapping_process *process,
                                                  const struct mapped_file *mapped);
