/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* recording-directory - finds, makes and lists the directory of a recording. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "recording/recording-name.h"

/* Opens the directory to write there, and makes it (0700) if there is none. It must belong to this user or to root, and nobody
 * else may write there or exchange a directory above it. Returns a descriptor, or -errno with a sentence. */
must_check_ int recording_directory_make(const char *path, struct strbuf *reterr);

/* Opens the lock of the directory for the time that the descriptor is open. The time of its file says since when the recorder runs.
 * Returns a descriptor; -EBUSY if another process has it; or -errno. */
must_check_ int recording_lock(int dir_fd, uint64_t since_unix_ns);

/* The process that has the lock. */
struct recording_owner {
	pid_t pid;              /* 0: nobody; -1: a process of another pid namespace */
	uint64_t since_unix_ns; /* 0: not known */
};

/* Returns 0 or -errno. */
must_check_ int recording_lock_owner(int dir_fd, struct recording_owner *ret);

struct recording_file {
	char name[RECORDING_NAME_BYTES];
	uint64_t begin_unix_s; /* by its name */
	uint64_t bytes;
	uint64_t sums_bytes; /* of the file of its sums; 0: there is none */
};

struct recording_files {
	struct recording_file *entries; /* in the order of their times; owned */
	size_t count, capacity;
};

/* Lists the regular files of a recording's naming; all others are left alone. @list is zeroed. Returns 0 or -errno. */
must_check_ int recording_files_list(int dir_fd, struct recording_files *list);
/* For cleanup_(recording_files_done). */
void recording_files_done(struct recording_files *list);
