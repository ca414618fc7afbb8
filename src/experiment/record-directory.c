// SPDX-License-Identifier: GPL-2.0-or-later
#include "record-directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "experiment/record.h"

/* Returns 0, -EEXIST if there is a file in it, or another -errno. */
static int check_empty(int dir_fd)
{
	cleanup_(fd_closep) int fd = fd_open_dir_at(dir_fd, ".");
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int r = 0;

	if (!dir)
		return fd < 0 ? fd : -errno;
	/* The stream has it now. */
	fd = -1;
	while (r == 0 && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = -EEXIST;
	closedir(dir);
	return r;
}

/* A group with the number of its user is that user's own, as pam_umask(8) has it. */
static bool others_may_write(const struct stat *status)
{
	bool own_group = status->st_gid == getegid() && getegid() == geteuid();

	return (status->st_mode & S_IWOTH) != 0 || ((status->st_mode & S_IWGRP) != 0 && !own_group);
}

/* Checks the directory, or a file in it if @name is not empty. */
static int check_owner(int dir_fd, const char *name, struct strbuf *reterr)
{
	struct stat status;

	if (fstatat(dir_fd, name, &status, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) < 0) {
		int error = errno;

		strbuf_add_str(reterr, strerror(error));
		return -error;
	}
	if (status.st_uid != geteuid() && status.st_uid != 0)
		strbuf_addf(reterr, "it belongs to user %u", (unsigned)status.st_uid);
	else if (!S_ISLNK(status.st_mode) && others_may_write(&status))
		strbuf_add_str(reterr, "other users may write there");
	else
		return 0;
	return -EPERM;
}

int record_directory_open(const char *directory, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	int fd = fd_open_path_at(AT_FDCWD, directory), r = fd;
	bool is_file = false;

	if (fd < 0)
		strbuf_add_str(&phrase, strerror(-fd));
	else
		r = check_owner(fd, "", &phrase);
	if (r >= 0) {
		is_file = true;
		r = check_owner(fd, EXPERIMENT_FILE, &phrase);
		/* There is none before the first unit. */
		r = r == -ENOENT ? 0 : r;
	}
	if (r >= 0)
		return fd;
	strbuf_addf(reterr, "%s%s: %s", directory, is_file ? "/" EXPERIMENT_FILE : "",
	            strbuf_str(&phrase));
	fd_closep(&fd);
	return r;
}

int experiment_make_directory(struct experiment *experiment, struct strbuf *reterr)
{
	const char *directory = experiment->directory;
	int r = mkdir(directory, 0700) == 0 ? 0 : -errno;
	cleanup_(fd_closep) int fd = -1;

	if (r < 0 && r != -EEXIST) {
		strbuf_addf(reterr, "%s: %s", directory, strerror(-r));
		return r;
	}
	fd = record_directory_open(directory, reterr);
	if (fd < 0)
		return fd;
	/* Also one that somebody has put in the place of the new one. */
	r = check_empty(fd);
	if (r < 0) {
		strbuf_addf(reterr, "%s: %s", directory,
		            r == -EEXIST ? "it is there and is no empty directory" : strerror(-r));
		return r;
	}
	fd_closep(&experiment->dir_fd);
	experiment->dir_fd = fd;
	fd = -1;
	return 0;
}

/* Removes it by its own parent, and by its name there: a path may lead to another directory by now. */
void experiment_drop_directory(const struct experiment *experiment)
{
	const char *directory = experiment->directory;
	size_t end = strlen(directory), begin;
	cleanup_(mem_freep) char *name = NULL;
	cleanup_(fd_closep) int parent_fd = fd_open_path_at(experiment->dir_fd, "..");

	while (end > 0 && directory[end - 1] == '/')
		end--;
	for (begin = end; begin > 0 && directory[begin - 1] != '/'; begin--)
		;
	name = mem_copy(directory + begin, end - begin);
	if (parent_fd >= 0)
		(void)unlinkat(parent_fd, name, AT_REMOVEDIR);
}
