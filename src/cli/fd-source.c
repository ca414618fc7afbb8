// SPDX-License-Identifier: GPL-2.0-or-later
#include "fd-source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

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
	*ret_len = (size_t)len;
	return 0;
}

int fd_source_open(struct fd_source *source, const char *path)
{
	source->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO)
	                                    : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return source->fd < 0 ? -errno : 0;
}

void fd_source_done(struct fd_source *source)
{
	fd_closep(&source->fd);
}
