/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* recording-sums - sums of the windows of one file of a recording, in a file beside it. A sum is a frame in the form of a
 * window, behind a skippable frame (RFC 8878) that has the bytes of the file that it stands for. It only saves time: one that is torn,
 * damaged or of another file is not used. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory-stream.h"
#include "ctprof/base/macro.h"
#include "recording/recording-name.h"

/* The sum of windows that follow one another in a file; the first one does not depend on those before, nor does the one behind the
 * last. Their wall-clock times rise. */
struct recording_sum {
	bool is_merged;      /* rows of threads that ended are merged: see window_sum_merge() */
	uint64_t begin, end; /* bytes of the recording's file */
	uint64_t begin_unix_ns, end_unix_ns;
	/* The place of its frame in the file of the sums, and the frame's hash. */
	uint64_t at, len, hash;
	uint64_t mark; /* of the bytes at both ends of these windows */
};

struct recording_sums {
	int fd;      /* -1: there are none */
	int file_fd; /* of the recording; borrowed */
	int dir_fd;  /* borrowed; with the next one, where the first sum makes the file */
	char name[RECORDING_NAME_BYTES];
	bool may_add;  /* the caller owns the recording, and has the lock of the file of sums */
	uint64_t size; /* whole sums */
	struct recording_sum *entries; /* owned */
	size_t count, capacity;
};

#define RECORDING_SUMS_INIT ((struct recording_sums){.fd = -1, .file_fd = -1, .dir_fd = -1})

/* Opens the sums of the file @name, which is open as @file_fd. Further ones can be added if the directory belongs to this user alone.
 * Whatever fails, there are none. @dir_fd and @file_fd stay open as long as @sums. */
void recording_sums_open(struct recording_sums *sums, int dir_fd, const char *name, int file_fd);

/* Returns the sum of the windows from this byte of the file on, merged or not, or NULL. Borrowed until the next one is added. */
const struct recording_sum *recording_sums_find(const struct recording_sums *sums, uint64_t begin,
                                                bool is_merged);

/* Reads the frame of a sum, which is no longer than its windows. Returns false if it is damaged; then no other one is found either. */
must_check_ bool recording_sums_read(struct recording_sums *sums, const struct recording_sum *sum,
                                     struct memory_stream *ret);

/* Appends a sum: its kind, begin, end and the times are given, the rest is set. Returns false if that fails; nothing is added then. */
must_check_ bool recording_sums_add(struct recording_sums *sums, struct recording_sum sum,
                                    const struct strbuf *frame);

/* For cleanup_(recording_sums_done). */
void recording_sums_done(struct recording_sums *sums);
