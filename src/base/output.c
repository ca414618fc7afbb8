// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctprof/fd.h"
#include "ctprof/mem.h"

enum { NAME_TRIES = 32 };

static int output_write(struct byte_sink *sink, const void *bytes, size_t len)
{
	struct output *output = (struct output *)sink;
	int r = fd_write_all(output->fd, bytes, len);

	if (r == 0)
		output->bytes += len;
	return r;
}

/* A fresh name beside the target, such as ".before.zst.3f2a91c07d18". */
static char *temporary_name(const struct output *output)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	unsigned char random[6];

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		memset(random, 0, sizeof(random));
	/* Leave room for the suffix where the target's name is as long as names may be. */
	strbuf_addf(&name, ".%.200s.", output->target);
	for (size_t i = 0; i < sizeof(random); i++)
		strbuf_addf(&name, "%02x", random[i]);
	return mem_copy(strbuf_str(&name), name.len);
}

/* Makes the file, or the name of the open file, that goes by a fresh temporary name. Returns 0 or -errno. */
typedef int name_function(struct output *output, const char *name);

static int with_temporary_name(struct output *output, name_function *make)
{
	int r = -EEXIST;

	for (int i = 0; i < NAME_TRIES && r == -EEXIST; i++) {
		output->temporary = temporary_name(output);
		r = make(output, output->temporary);
		if (r < 0) {
			free(output->temporary);
			output->temporary = NULL;
		}
	}
	return r;
}

static int create_file(struct output *output, const char *name)
{
	output->fd = openat(output->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return output->fd < 0 ? -errno : 0;
}

/* linkat(2) does not replace, so a file without a name gets a temporary one first. */
static int link_file(struct output *output, const char *name)
{
	char proc_path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];

	snprintf(proc_path, sizeof(proc_path), "/proc/self/fd/%d", output->fd);
	if (linkat(AT_FDCWD, proc_path, output->dir_fd, name, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	return 0;
}

static int open_temporary(struct output *output)
{
	/* Without /proc an open file cannot be given a name. */
	if (access("/proc/self/fd", X_OK) < 0)
		return with_temporary_name(output, create_file);
	output->fd = openat(output->dir_fd, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	if (output->fd >= 0) {
		output->linkable = true;
		return 0;
	}
	/* EISDIR: the kernel or the file system does not know O_TMPFILE. */
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -errno;
	return with_temporary_name(output, create_file);
}

/* A symbolic link is followed, so that what it points at is replaced and not the link itself. */
static int open_directory(struct output *output, const char *path)
{
	cleanup_(mem_freep) char *resolved = realpath(path, NULL);
	const char *whole = resolved ? resolved : path;
	const char *slash = strrchr(whole, '/');
	cleanup_(mem_freep) char *dir = slash ? mem_copy(whole, (size_t)(slash - whole) + 1) : NULL;

	output->target = mem_copy(slash ? slash + 1 : whole, strlen(slash ? slash + 1 : whole));
	output->dir_fd = open(dir ? dir : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return output->dir_fd < 0 ? -errno : 0;
}

int output_open(struct output *output, const char *path)
{
	struct stat status;
	int r;

	*output = OUTPUT_INIT;
	output->sink.write = output_write;
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
		output->in_place = true;
		output->fd = dup(STDOUT_FILENO);
		return output->fd < 0 ? -errno : 0;
	}
	if (path[0] == '\0')
		return -ENOENT;
	if (stat(path, &status) == 0) {
		if (S_ISDIR(status.st_mode))
			return -EISDIR;
		if (!S_ISREG(status.st_mode)) {
			output->in_place = true;
			output->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
			return output->fd < 0 ? -errno : 0;
		}
		/* Replacing is not a way around a file's own permissions. */
		if (access(path, W_OK) < 0)
			return -errno;
	} else if (errno != ENOENT) {
		return -errno;
	} else if (lstat(path, &status) == 0) {
		/* A link that points nowhere is neither replaced nor followed. */
		return -ENOENT;
	}
	r = open_directory(output, path);
	if (r < 0)
		return r;
	if (output->target[0] == '\0')
		return -EISDIR;
	return open_temporary(output);
}

int output_commit(struct output *output)
{
	struct stat old;
	int r = 0;

	if (output->in_place) {
		int fd = output->fd;

		output->fd = -1;
		/* Some file systems report a failed write only here. */
		return close(fd) < 0 ? -errno : 0;
	}
	/* A replaced file keeps its permissions. */
	if (fstatat(output->dir_fd, output->target, &old, 0) == 0 &&
	    fchmod(output->fd, old.st_mode & 07777) < 0)
		return -errno;
	if (fsync(output->fd) < 0)
		return -errno;
	if (output->linkable)
		r = with_temporary_name(output, link_file);
	if (r < 0)
		return r;
	if (renameat(output->dir_fd, output->temporary, output->dir_fd, output->target) < 0)
		return -errno;
	free(output->temporary);
	output->temporary = NULL;
	return 0;
}

void output_done(struct output *output)
{
	if (output->temporary)
		unlinkat(output->dir_fd, output->temporary, 0);
	free(output->temporary);
	free(output->target);
	fd_closep(&output->fd);
	fd_closep(&output->dir_fd);
	*output = OUTPUT_INIT;
}
