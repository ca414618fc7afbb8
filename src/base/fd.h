/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fd - files and directories relative to a descriptor. Everything is opened O_CLOEXEC. */
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Reads a whole file into @out, replacing its contents. /proc may return less than is there from one
 * read(2), so it is read until the end is reported. A symbolic link is not followed, for a tree of files may be somebody
 * else's (-ELOOP). Returns 0, -EFBIG past @max_bytes, or -errno. */
must_check_ int fd_read_all_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes);

/* The same for a file that the kernel makes in one piece, as most files of a process are: the read that leaves room is the
 * last, and nobody asks for the end. Others, such as maps, may give less than there is room for at any time. */
must_check_ int fd_read_record_at(int dir_fd, const char *name, struct strbuf *out,
                                  size_t max_bytes);

/* Reads where a symbolic link points to into @out, replacing its contents. Returns 0, -EFBIG past @max_bytes, or
 * -errno; @out means nothing then. */
must_check_ int fd_read_link_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes);

/* Opens a directory only to look things up in it (O_PATH). Returns the descriptor or -errno. */
must_check_ int fd_open_path_at(int dir_fd, const char *name);

/* Opens a directory for listing as well. Returns the descriptor or -errno. */
must_check_ int fd_open_dir_at(int dir_fd, const char *name);

/* Numbers, for reuse from one listing to the next. */
struct id_list {
	uint32_t *ids; /* owned */
	size_t count;
	size_t capacity;
};

/* Returns the entries of a directory whose names are positive decimal numbers, rising. @scratch keeps the raw listing.
 * Returns 0 or -errno; what was listed before an error is in the list. */
must_check_ int fd_list_ids(int dir_fd, struct id_list *list, struct strbuf *scratch);
void id_list_done(struct id_list *list);

/* Writes all of it. Returns 0 or -errno. */
must_check_ int fd_write_all(int fd, const void *bytes, size_t len);

/* Waits until there is something to be read, or the other side has gone. @until_ns is of CLOCK_MONOTONIC. Returns 0, -ETIME
 * past it, or -errno. */
must_check_ int fd_await_input(int fd, uint64_t until_ns);

/* Closes and sets to -1; for cleanup_(fd_closep). */
void fd_closep(int *fd);
