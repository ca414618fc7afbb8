// SPDX-License-Identifier: GPL-2.0-or-later
#include "trusted-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/regular-file.h"
#include "base/trust.h"
#include "base/watch.h"
#include "ctprof/base/strbuf.h"
#include "debug-place.h"
#include "elf-names.h"

/* ctprof reads no more of the names of a file by itself. */
enum { NAMES_BYTES_MAX = 32 << 20 };

/* The knowledge of a file by itself. The place of its debugging information depends on the process that asks. */
struct finding {
	bool is_sure; /* it has none of the names */
	struct elf_names names;
};

/* A file is the same one if all of these are the same. */
struct identity {
	uint64_t device, inode, bytes;
	int64_t seconds, changed_seconds;
	uint32_t nanoseconds, changed_nanoseconds;
};

void trusted_files_done(struct trusted_files *files)
{
	for (size_t i = 0; i < files->by_identity.count; i++)
		free(files->by_identity.entries[i].value);
	strmap_done(&files->by_identity);
	mount_table_done(&files->mounts);
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
	       trust_user(status->stx_uid);
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

/* Files of memfd_create(2) lie on a mount of the kernel's own, which is in no mountinfo and is there as long as the kernel: no other
 * file system can have its device number, which comes from the kernel and not from a server. */
static bool is_memory_file(struct trusted_files *files, const struct statx *status)
{
	if (!files->memory_tried) {
		cleanup_(fd_closep) int fd = memfd_create("ctprof", MFD_CLOEXEC);

		files->memory_tried = true;
		files->has_memory = fd >= 0 && read_status(fd, STATX_TYPE, &files->memory) == 0;
	}
	return files->has_memory && status->stx_dev_major == files->memory.stx_dev_major &&
	       status->stx_dev_minor == files->memory.stx_dev_minor;
}

/* A process may exchange the file in its memory for one on FUSE, whose server lies about owners and inodes, and need not answer, so
 * that this thread would wait for ever: in fstatfs(2), open(2) or read(2), not in statx(2) of what the kernel has. The file that is
 * open therefore tells its mount, which nobody can lie about and which stays as long as the descriptor does, and mountinfo tells the
 * file system. */
static bool is_on_local_mount(struct trusted_files *files,
                              const struct trusted_file_question *question,
                              const struct statx *status, struct mount_line *ret_mount)
{
	return (status->stx_mask & STATX_MNT_ID) &&
	       mount_table_find(&files->mounts, question->thread_fd, status->stx_mnt_id,
	                        question->until_ns, ret_mount) &&
	       ret_mount->kind == FILE_SYSTEM_LOCAL;
}

/* The file system is known, and not asked again. Returns whether it is sure that there is none of the names. */
static bool lacks_names(int path_fd, uint64_t until_ns, struct elf_names *ret_names)
{
	const struct elf_names_limits limits = {.bytes = NAMES_BYTES_MAX, .until_ns = until_ns};
	cleanup_(fd_closep) int fd = -1;
	int r;

	watch_enter();
	fd = regular_file_reopen(path_fd, FILE_SYSTEMS_ALL);
	watch_leave();
	r = fd < 0 ? fd : elf_names_read(fd, &limits, ret_names);
	/* No other file has debugging information of a file that is no ELF file. */
	if (r == -ENOEXEC)
		ret_names->has_table = true;
	else if (r < 0)
		return false;
	return !ret_names->can_be_jemalloc;
}

/* A file with debugging information, as far as jemalloc_debug_files finds it. */
enum debug_answer {
	DEBUG_UNSURE,
	DEBUG_NONE, /* there is none, or it has none of the names */
	DEBUG_SURE, /* it belongs to the program and has none of the names: no other one is looked for */
};

static bool has_build_id(const struct elf_names *names, const struct debug_wanted *wanted)
{
	return names->build_id_len == wanted->build_id_len &&
	       memcmp(names->build_id, wanted->build_id, wanted->build_id_len) == 0;
}

/* There is no file at @path as a rule. */
static enum debug_answer look_at_debug_file(struct trusted_files *files,
                                            const struct trusted_file_question *question,
                                            int root_fd, const struct debug_wanted *wanted,
                                            unsigned place, const char *path)
{
	cleanup_(fd_closep) int path_fd = regular_file_find_cached(root_fd, path);
	struct mount_line mount;
	struct elf_names names;
	struct statx status;

	if (path_fd < 0)
		return path_fd == -ENOENT || path_fd == -ENOTDIR ? DEBUG_NONE : DEBUG_UNSURE;
	if (read_status(path_fd, STATX_BASIC_STATS | STATX_MNT_ID, &status) < 0 ||
	    !is_trusted(&status) || !is_on_local_mount(files, question, &status, &mount) ||
	    !lacks_names(path_fd, question->until_ns, &names))
		return DEBUG_UNSURE;
	return place == DEBUG_PLACE_OF_BUILD_ID && has_build_id(&names, wanted) ? DEBUG_SURE
	                                                                        : DEBUG_NONE;
}

static enum debug_answer look_at_debug_files(struct trusted_files *files,
                                             const struct trusted_file_question *question,
                                             int root_fd, const struct debug_wanted *wanted)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	enum debug_answer answer = DEBUG_NONE;

	for (unsigned i = 0; i < DEBUG_PLACES && answer == DEBUG_NONE; i++)
		if (debug_place_path(wanted, i, &path))
			answer = look_at_debug_file(files, question, root_fd, wanted, i,
			                            strbuf_str(&path));
	return answer;
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
static bool lacks_debugging_information(struct trusted_files *files,
                                        const struct trusted_file_question *question,
                                        const struct elf_names *names)
{
	struct span mapped = question->mapped->path;
	const char *slash = memrchr(mapped.text, '/', mapped.len);
	cleanup_(strbuf_done) struct strbuf directory = STRBUF_INIT;
	struct debug_wanted wanted = {.build_id = names->build_id,
	                              .build_id_len = names->build_id_len,
	                              .link = names->link};
	cleanup_(fd_closep) int root_fd = -1;
	enum debug_answer answer;

	if (slash) {
		strbuf_add(&directory, mapped.text, (size_t)(slash - mapped.text));
		wanted.directory = strbuf_str(&directory);
	}
	if (files->own_root_fd < 0)
		files->own_root_fd = fd_open_path_at(AT_FDCWD, "/");
	root_fd = fd_open_path_at(question->thread_fd, "root");
	if (root_fd < 0 || files->own_root_fd < 0)
		return false;
	answer = look_at_debug_files(files, question, root_fd, &wanted);
	if (answer == DEBUG_NONE && !is_same_directory(root_fd, files->own_root_fd))
		answer = look_at_debug_files(files, question, files->own_root_fd, &wanted);
	return answer != DEBUG_UNSURE;
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

/* It is on the file system of the question, and not on one that has come to its place. */
static bool is_that_system(struct trusted_files *files,
                           const struct trusted_file_question *question, const struct statx *status)
{
	struct span line = question->mapped->file, word;
	struct mount_device device;
	struct mount_line mount;

	if (!scan_word(&line, &word) || !mount_device_parse(word, 16, &device))
		return false;
	if (is_memory_file(files, status))
		return device.major == status->stx_dev_major &&
		       device.minor == status->stx_dev_minor;
	return is_on_local_mount(files, question, status, &mount) &&
	       mount.device.major == device.major && mount.device.minor == device.minor;
}

/* Returns NULL for a file that is not one of these. Nothing is asked of the file system of one that is known. */
static const struct finding *find(struct trusted_files *files,
                                  const struct trusted_file_question *question)
{
	cleanup_(fd_closep) int path_fd = find_mapping(question->tgid, question->mapped);
	struct finding *finding;
	struct identity identity;
	struct statx status;

	if (path_fd < 0 || read_status(path_fd, STATX_BASIC_STATS | STATX_MNT_ID, &status) < 0 ||
	    status.stx_ino != question->mapped->inode || !is_trusted(&status))
		return NULL;
	identity = identity_of(&status);
	finding = strmap_get(&files->by_identity, (const char *)&identity, sizeof(identity));
	if (finding || !is_that_system(files, question, &status))
		return finding;
	finding = mem_calloc(1, sizeof(*finding));
	finding->is_sure = lacks_names(path_fd, question->until_ns, &finding->names);
	strmap_add(&files->by_identity, (const char *)&identity, sizeof(identity))->value = finding;
	return finding;
}

bool trusted_file_lacks_jemalloc(struct trusted_files *files,
                                 const struct trusted_file_question *question)
{
	const struct finding *finding = find(files, question);

	return finding && finding->is_sure &&
	       (finding->names.has_table ||
	        lacks_debugging_information(files, question, &finding->names));
}
