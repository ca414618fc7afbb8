/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fd - files and directories relative to a descriptor. Everything is opened O_CLOEXEC. Every call that opens, reads or lists is marked
 * for base/watch.h. */
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Reads a whole file into @out, replacing its contents. One read(2) of /proc may return a part only, so it reads to the
 * end. A symbolic link is refused (-ELOOP), since another user may own the tree. Returns 0, -EFBIG past @max_bytes, or
 * -errno. */
must_check_ int fd_read_all_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes);

/* Does the same, and begins no read(2) from @until_ns of CLOCK_MONOTONIC on: -ETIME, and @out means nothing then. */
must_check_ int fd_read_all_until(int dir_fd, const char *name, struct strbuf *out,
                                  size_t max_bytes, uint64_t until_ns);

/* Reads the rest of an open file into @out so. */
must_check_ int fd_read_all(int fd, struct strbuf *out, size_t max_bytes);

/* Reads a file that the kernel makes in one piece, as most files of a process are: the read that leaves room is the
 * last one. Other files, such as maps, may give less than there is room for at any time. */
must_check_ int fd_read_record_at(int dir_fd, const char *name, struct strbuf *out,
                                  size_t max_bytes);

/* Reads the first bytes of a file, as much as one read(2) gives, and no more than @max_bytes. Returns 0 or -errno. */
must_check_ int fd_read_begin_at(int dir_fd, const char *name, char *bytes, size_t max_bytes,
                                 size_t *ret_len);

/* Reads the target of a symbolic link into @out, replacing its contents. Returns 0, -EFBIG past @max_bytes, or -errno;
 * @out means nothing then. */
must_check_ int fd_read_link_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes);

/* Opens a file for reading as the functions above do. Returns the descriptor or -errno. */
must_check_ int fd_open_file_at(int dir_fd, const char *name);

/* Opens a directory with O_PATH, for lookups only. Returns the descriptor or -errno. */
must_check_ int fd_open_path_at(int dir_fd, const char *name);

/* Opens a directory for lookups and listing. Returns the descriptor or -errno. */
must_check_ int fd_open_dir_at(int dir_fd, const char *name);

/* Stores the next entry of a directory stream. Returns 1, 0 behind the last one, or -errno: readdir(3) itself has one answer for
 * both, and a part of a directory would be taken for all of it. */
must_check_ int fd_next_entry(DIR *dir, const struct dirent **ret_entry);

/* Numbers; the memory is reused from one listing to the next. */
struct id_list {
	uint32_t *ids; /* owned */
	size_t count;
	size_t capacity;
};

/* Returns 0 if the directory is empty, -EEXIST if it is not, or -errno. Allocates no memory. */
must_check_ int fd_check_empty(int dir_fd);

/* Lists the entries of a directory whose names are positive decimal numbers, in rising order. @scratch keeps the raw
 * listing. Returns 0 or -errno; the list has the entries from before an error. */
must_check_ int fd_list_ids(int dir_fd, struct id_list *list, struct strbuf *scratch);
void id_list_done(struct id_list *list);

/* Orders ids, for qsort(3) and bsearch(3). */
int id_compare(const void *a, const void *b);

/* Writes all bytes. Returns 0 or -errno. */
must_check_ int fd_write_all(int fd, const void *bytes, size_t len);

/* Waits for input, or until the other side has closed. @until_ns is of CLOCK_MONOTONIC. Returns 0, -ETIME past it, or
 * -errno. */
must_check_ int fd_await_input(int fd, uint64_t until_ns);

/* Returns whether the file has no name any more. */
bool fd_is_removed(int fd);

/* Closes and sets to -1; for cleanup_(fd_closep). */
void fd_closep(int *fd);

/* For cleanup_(fd_closedirp). */
void fd_closedirp(DIR **dir);
