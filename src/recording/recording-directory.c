// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording-directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/output-place.h"
#include "base/regular-file.h"
#include "base/trust.h"

/* Also in listings of people, who are to see what it is. */
#define LOCK_NAME "recorder.lock"

/* Returns 0 or -errno, with a phrase that may be empty. */
static int find_or_make(struct output_place *place, const char *path, bool *ret_made,
                        struct strbuf *phrase)
{
	int r = output_place_find_directory(place, AT_FDCWD, path, phrase);

	if (r < 0 || place->target_fd >= 0)
		return r;
	if (mkdirat(place->dir_fd, place->name, 0700) < 0)
		return -errno;
	*ret_made = true;
	place->target_fd =
	        openat(place->dir_fd, place->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return place->target_fd < 0 ? -errno : 0;
}

int recording_directory_make(const char *path, struct strbuf *reterr)
{
	cleanup_(output_place_done) struct output_place place = OUTPUT_PLACE_INIT_OWN;
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	bool made = false;
	int r = find_or_make(&place, path, &made, &phrase);

	if (r == 0)
		r = trust_check_file(place.target_fd, &phrase);
	/* A directory above that others may exchange would let them choose whose old files are removed. */
	if (r == 0)
		r = trust_check_directory(place.target_fd, &phrase);
	/* Through the descriptor, which is of no other directory than the one that was checked. */
	if (r == 0)
		r = fd_open_dir_at(place.target_fd, ".");
	if (r < 0 && made)
		unlinkat(place.dir_fd, place.name, AT_REMOVEDIR);
	if (r < 0)
		strbuf_addf(reterr, "%s: %s", path,
		            phrase.len > 0 ? strbuf_str(&phrase) : strerror(-r));
	return r;
}

static struct flock whole_file(void)
{
	return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

int recording_lock(int dir_fd, uint64_t since_unix_ns)
{
	cleanup_(fd_closep) int fd = openat(
	        dir_fd, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	const struct timespec since = {(time_t)(since_unix_ns / NS_PER_SECOND),
	                               (long)(since_unix_ns % NS_PER_SECOND)};
	struct flock lock = whole_file();
	struct stat status;
	int kept;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	/* The question for its owner opens nothing but files. */
	if (!S_ISREG(status.st_mode))
		return -EMEDIUMTYPE;
	if (fcntl(fd, F_SETLK, &lock) < 0)
		return errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
	/* A file without a time is a lock as well: the disk may be full. */
	(void)futimens(fd, (struct timespec[]){since, since});
	kept = fd;
	fd = -1;
	return kept;
}

int recording_lock_owner(int dir_fd, struct recording_owner *ret)
{
	cleanup_(fd_closep) int fd = regular_file_open_beside(dir_fd, LOCK_NAME);
	struct flock lock = whole_file();
	struct stat status;

	*ret = (struct recording_owner){0};
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (fcntl(fd, F_GETLK, &lock) < 0)
		return -errno;
	/* The kernel has 0 for a process that this pid namespace does not have, and -1 on some network file systems. */
	if (lock.l_type == F_UNLCK)
		return 0;
	ret->pid = lock.l_pid > 0 ? lock.l_pid : -1;
	if (fstat(fd, &status) == 0 && status.st_mtim.tv_sec > 0)
		ret->since_unix_ns = (uint64_t)status.st_mtim.tv_sec * NS_PER_SECOND +
		                     (uint64_t)status.st_mtim.tv_nsec;
	return 0;
}

/* Returns 0 or -errno. A file that the recorder has just removed is none. */
static int add_file(int dir_fd, const char *name, struct recording_files *list)
{
	struct recording_file file = {0};
	char sums[RECORDING_NAME_BYTES];
	struct stat status;

	if (!recording_name_parse(name, &file.begin_unix_s))
		return 0;
	if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(status.st_mode))
		return 0;
	memcpy(file.name, name, strlen(name) + 1);
	file.bytes = (uint64_t)status.st_size;
	if (recording_name_of_sums(name, sums) &&
	    fstatat(dir_fd, sums, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
		file.sums_bytes = (uint64_t)status.st_size;
	*array_add(list->entries, list->count, list->capacity) = file;
	return 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct recording_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int recording_files_list(int dir_fd, struct recording_files *list)
{
	cleanup_(fd_closep) int fd = fd_open_dir_at(dir_fd, ".");
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int r;

	if (!dir)
		return fd < 0 ? fd : -errno;
	/* The stream has it now. */
	fd = -1;
	while ((r = fd_next_entry(dir, &entry)) > 0) {
		r = add_file(dir_fd, entry->d_name, list);
		if (r < 0)
			break;
	}
	closedir(dir);
	if (r < 0)
		return r;
	if (list->count > 0)
		qsort(list->entries, list->count, sizeof(list->entries[0]), compare_files);
	return 0;
}

void recording_files_done(struct recording_files *list)
{
	free(list->entries);
	*list = (struct recording_files){0};
}
