// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/fd-source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/operand-open.h"

int fd_source_read(struct byte_source *self, void *buffer, size_t size, size_t *ret_len)
{
	struct fd_source *source = (struct fd_source *)self;
	ssize_t len;

	do
		len = read(source->fd, buffer, size);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return -errno;
	source->bytes += (uint64_t)len;
	if (source->copy)
		strbuf_add(source->copy, buffer, (size_t)len);
	*ret_len = (size_t)len;
	return 0;
}

static bool is_standard_input(const char *path)
{
	return strcmp(path, "-") == 0;
}

int fd_source_open(struct fd_source *source, const char *path, struct strbuf *reterr)
{
	int r;

	if (!is_standard_input(path)) {
		r = operand_open(AT_FDCWD, path, OPERAND_FILE | OPERAND_DIRECTORY | OPERAND_STREAM,
		                 reterr);
	} else {
		r = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
		if (r < 0) {
			r = -errno;
			strbuf_add_str(reterr, strerror(-r));
		}
	}
	if (r < 0)
		return r;
	source->fd = r;
	return 0;
}

static bool find_same(const char *a, const char *b, struct stat *ret_status)
{
	struct stat other;

	return (is_standard_input(a) ? fstat(STDIN_FILENO, ret_status) : stat(a, ret_status)) ==
	               0 &&
	       (is_standard_input(b) ? fstat(STDIN_FILENO, &other) : stat(b, &other)) == 0 &&
	       ret_status->st_dev == other.st_dev && ret_status->st_ino == other.st_ino;
}

bool fd_source_is_same(const char *a, const char *b)
{
	struct stat status;

	return strcmp(a, b) == 0 || find_same(a, b, &status);
}

bool fd_source_is_one_stream(const char *a, const char *b)
{
	struct stat status;

	if (is_standard_input(a) && is_standard_input(b))
		return true;
	return find_same(a, b, &status) && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

bool fd_source_keep(const struct fd_source *source, struct fd_source *ret_kept)
{
	struct fd_source kept = FD_SOURCE_INIT;

	kept.begin = lseek(source->fd, 0, SEEK_CUR);
	if (kept.begin < 0 || fstat(source->fd, &kept.status) < 0 || !S_ISREG(kept.status.st_mode))
		return false;
	/* It has the position of the other one as well: only one of them is read at a time. */
	kept.fd = fcntl(source->fd, F_DUPFD_CLOEXEC, 0);
	if (kept.fd < 0)
		return false;
	*ret_kept = kept;
	return true;
}

bool fd_source_is_kept(const struct fd_source *source)
{
	return S_ISREG(source->status.st_mode);
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool fd_source_rewind(struct fd_source *kept)
{
	struct stat status;

	return fstat(kept->fd, &status) == 0 && status.st_size == kept->status.st_size &&
	       is_same_time(&status.st_mtim, &kept->status.st_mtim) &&
	       lseek(kept->fd, kept->begin, SEEK_SET) == kept->begin;
}

void fd_source_done(struct fd_source *source)
{
	fd_closep(&source->fd);
}
