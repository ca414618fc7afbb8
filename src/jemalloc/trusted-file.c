// SPDX-License-Identifier: GPL-2.0-or-later
#include "trusted-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/regular-file.h"
#include "base/watch.h"
#include "ctprof/base/strbuf.h"
#include "debug-place.h"
#include "elf-names.h"

/* The finding of a file, as the value of a map. */
enum verdict {
	VERDICT_NONE, /* it is not known yet */
	VERDICT_LACKS,
	VERDICT_UNSURE,
};

/* A file is the same one if all of these are the same. */
struct identity {
	uint64_t device, inode, bytes;
	int64_t seconds, changed_seconds;
	uint32_t nanoseconds, changed_nanoseconds;
};

void trusted_files_done(struct trusted_files *files)
{
	strmap_done(&files->by_identity);
	fd_closep(&files->own_root_fd);
}

static int read_status(int fd, unsigned mask, struct statx *ret_status)
{
	int r;

	watch_enter();
	r = statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, mask, ret_status);
	watch_leave();
	return r < 0 ? -errno : 0;
}

/* With an access control list, the bits of the group are the most that anybody gets by it. */
static bool is_trusted(const struct statx *status)
{
	return S_ISREG(status->stx_mode) && !(status->stx_mode & (S_IWGRP | S_IWOTH)) &&
	       (status->stx_uid == 0 || status->stx_uid == geteuid());
}

static struct identity identity_of(const struct statx *status)
{
	return (struct identity){
	        .device = (uint64_t)status->stx_dev_major << 32 | status->stx_dev_minor,
	        .inode = status->stx_ino,
	        .bytes = status->stx_size,
	        .seconds = status->stx_mtime.tv_sec,
	        .nanoseconds = status->stx_mtime.tv_nsec,
	        .changed_seconds = status->stx_ctime.tv_sec,
	        .changed_nanoseconds = status->stx_ctime.tv_nsec,
	};
}

static enum verdict read_names(int path_fd, struct elf_names *ret_names)
{
	cleanup_(fd_closep) int fd = -1;
	int r;

	watch_enter();
	fd = regular_file_reopen(path_fd, FILE_SYSTEMS_LOCAL);
	watch_leave();
	r = fd < 0 ? fd : elf_names_read(fd, ret_names);
	/* No other file has debugging information of a file that is no ELF file. */
	if (r == -ENOEXEC)
		ret_names->has_table = true;
	else if (r < 0)
		return VERDICT_UNSURE;
	return ret_names->can_be_jemalloc ? VERDICT_UNSURE : VERDICT_LACKS;
}

/* Returns whether it is sure that the file at @path has none of the names: as a rule there is no such file. It has to lie
 * on the file system of the other one, which is known to be a local one. */
static bool lacks_debug_file(int root_fd, const char *path, const struct statx *other)
{
	cleanup_(fd_closep) int path_fd = regular_file_find_cached(root_fd, path);
	struct elf_names names;
	struct statx status;

	if (path_fd < 0)
		return path_fd == -ENOENT || path_fd == -ENOTDIR;
	return read_status(path_fd, STATX_BASIC_STATS, &status) == 0 && is_trusted(&status) &&
	       status.stx_dev_major == other->stx_dev_major &&
	       status.stx_dev_minor == other->stx_dev_minor &&
	       read_names(path_fd, &names) == VERDICT_LACKS;
}

static bool lacks_debug_files(int root_fd, const struct debug_wanted *wanted,
                              const struct statx *other)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	for (unsigned i = 0; i < DEBUG_PLACES; i++)
		if (debug_place_path(wanted, i, &path) &&
		    !lacks_debug_file(root_fd, strbuf_str(&path), other))
			return false;
	return true;
}

static bool is_same_directory(int fd, int other_fd)
{
	struct statx status, other;

	return read_status(fd, STATX_INO | STATX_MNT_ID, &status) == 0 &&
	       read_status(other_fd, STATX_INO | STATX_MNT_ID, &other) == 0 &&
	       (status.stx_mask & other.stx_mask & STATX_MNT_ID) &&
	       status.stx_mnt_id == other.stx_mnt_id && status.stx_ino == other.stx_ino;
}

/* Below the root directory of the process, and below our own. */
static bool lacks_debugging_information(struct trusted_files *files, int thread_fd,
                                        const struct mapped_file *mapped,
                                        const struct elf_names *names, const struct statx *status)
{
	const char *slash = memrchr(mapped->path.text, '/', mapped->path.len);
	cleanup_(strbuf_done) struct strbuf directory = STRBUF_INIT;
	struct debug_wanted wanted = {.build_id = names->build_id,
	                              .build_id_len = names->build_id_len,
	                              .link = names->link};
	cleanup_(fd_closep) int root_fd = -1;

	if (slash) {
		strbuf_add(&directory, mapped->path.text, (size_t)(slash - mapped->path.text));
		wanted.directory = strbuf_str(&directory);
	}
	if (files->own_root_fd < 0)
		files->own_root_fd = fd_open_path_at(AT_FDCWD, "/");
	root_fd = fd_open_path_at(thread_fd, "root");
	if (root_fd < 0 || files->own_root_fd < 0)
		return false;
	return lacks_debug_files(root_fd, &wanted, status) &&
	       (is_same_directory(root_fd, files->own_root_fd) ||
	        lacks_debug_files(files->own_root_fd, &wanted, status));
}

static enum verdict judge(struct trusted_files *files, int thread_fd,
                          const struct mapped_file *mapped, int path_fd, const struct statx *status)
{
	struct elf_names names;

	if (read_names(path_fd, &names) != VERDICT_LACKS)
		return VERDICT_UNSURE;
	return names.has_table ||
	                       lacks_debugging_information(files, thread_fd, mapped, &names, status)
	               ? VERDICT_LACKS
	               : VERDICT_UNSURE;
}

/* Opens the file that is mapped, also where it has been removed or lies on another mount. That takes
 * CAP_CHECKPOINT_RESTORE. */
static int find_mapping(uint32_t tgid, const struct mapped_file *mapped)
{
	char name[96];
	int fd;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, tgid,
	         mapped->start, mapped->end);
	watch_enter();
	fd = regular_file_find_link(AT_FDCWD, name);
	watch_leave();
	return fd;
}

bool trusted_file_lacks_jemalloc(struct trusted_files *files, uint32_t tgid, int thread_fd,
                                 const struct mapped_file *mapped)
{
	cleanup_(fd_closep) int path_fd = find_mapping(tgid, mapped);
	struct strmap_entry *entry;
	struct identity identity;
	struct statx status;

	if (path_fd < 0 || read_status(path_fd, STATX_BASIC_STATS, &status) < 0 ||
	    !is_trusted(&status))
		return false;
	identity = identity_of(&status);
	entry = strmap_add(&files->by_identity, (const char *)&identity, sizeof(identity));
	if ((enum verdict)(uintptr_t)entry->value == VERDICT_NONE)
		entry->value = (void *)(uintptr_t)judge(files, thread_fd, mapped, path_fd, &status);
	return (enum verdict)(uintptr_t)entry->value == VERDICT_LACKS;
}
