// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording-write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "recording/frame.h"

enum {
	SECONDS_PER_HOUR = 3600,
	/* A limit of bytes is kept to this part, since whole files are removed. */
	PARTS_OF_LIMIT = 8,
	/* Tries for a name that no file has: recorders may begin several files in a second. */
	NAMES_MAX = 60,
};

/* A file of this directory can only be this user's or root's. Bytes that no recorder writes stay: readers pass over them. Returns 0, 1 if
 * the file is damaged, or -errno. */
static int cut_tail(int dir_fd, const char *name)
{
	cleanup_(fd_closep) int fd =
	        openat(dir_fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	uint64_t end = 0;
	int r;

	if (fd < 0)
		return -errno;
	r = frame_find_last_end(fd, &end);
	if (r == -EBADMSG)
		return 1;
	if (r < 0 || (off_t)end == lseek(fd, 0, SEEK_END))
		return r;
	r = frame_is_torn(fd, end);
	if (r <= 0)
		return r;
	if (end == 0)
		return unlinkat(dir_fd, name, 0) < 0 ? -errno : 0;
	return ftruncate(fd, (off_t)end) < 0 || fdatasync(fd) < 0 ? -errno : 0;
}

int recording_writer_open(struct recording_writer *writer, int dir_fd,
                          const struct recording_keep *keep)
{
	cleanup_(recording_files_done) struct recording_files files = {0};
	int r = recording_files_list(dir_fd, &files);

	*writer = RECORDING_WRITER_INIT;
	writer->dir_fd = dir_fd;
	writer->keep = *keep;
	if (r == 0 && files.count > 0)
		r = cut_tail(dir_fd, files.entries[files.count - 1].name);
	if (r > 0)
		memcpy(writer->damaged, files.entries[files.count - 1].name,
		       sizeof(writer->damaged));
	return r < 0 ? r : 0;
}

void recording_writer_end_file(struct recording_writer *writer)
{
	fd_closep(&writer->file_fd);
	writer->bytes = 0;
}

bool recording_writer_begins_file(struct recording_writer *writer, uint64_t begin_unix_s)
{
	uint64_t limit = writer->keep.bytes / PARTS_OF_LIMIT;

	if (fd_is_removed(writer->file_fd))
		recording_writer_end_file(writer);
	/* Also where the clock was set back. */
	if (begin_unix_s / SECONDS_PER_HOUR != writer->hour || (limit > 0 && writer->bytes > limit))
		recording_writer_end_file(writer);
	/* A file whose first window could not be written is empty. */
	return writer->file_fd < 0 || writer->bytes == 0 || writer->has_lost;
}

/* Makes a file that was not there. A name from the seconds behind is as good, since no window is found by it alone. */
static int make_file(struct recording_writer *writer, uint64_t unix_s)
{
	char name[RECORDING_NAME_BYTES];

	for (int i = 0; i < NAMES_MAX; i++) {
		if (!recording_name_make(unix_s + (uint64_t)i, name))
			return -EOVERFLOW;
		writer->file_fd = openat(
		        writer->dir_fd, name,
		        O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (writer->file_fd >= 0 || errno != EEXIST)
			break;
	}
	if (writer->file_fd < 0)
		return -errno;
	writer->hour = unix_s / SECONDS_PER_HOUR;
	writer->bytes = 0;
	return fsync(writer->dir_fd) < 0 && errno != EINVAL ? -errno : 0;
}

static int append(struct recording_writer *writer, const void *frame, size_t len)
{
	ssize_t written;
	int r = 0;

	do
		written = write(writer->file_fd, frame, len);
	while (written < 0 && errno == EINTR);
	if (written < 0)
		return -errno;
	/* The rest is tried for its reason. */
	if ((size_t)written < len)
		r = fd_write_all(writer->file_fd, (const char *)frame + written,
		                 len - (size_t)written);
	if (r == 0 && fdatasync(writer->file_fd) < 0)
		r = -errno;
	return r;
}

int recording_writer_append(struct recording_writer *writer, uint64_t begin_unix_s,
                            const void *frame, size_t len)
{
	int r = 0;

	if (writer->file_fd < 0) {
		/* Old files that stay keep no new one out. */
		writer->keep_error =
		        recording_keep_apply(&writer->keep, writer->dir_fd, begin_unix_s);
		r = make_file(writer, begin_unix_s);
	}
	if (r == 0)
		r = append(writer, frame, len);
	writer->has_lost = r < 0;
	if (r == 0)
		writer->bytes += len;
	/* A tail that cannot be cut is one that readers ignore, but nothing may follow it. */
	else if (writer->file_fd >= 0 && ftruncate(writer->file_fd, (off_t)writer->bytes) < 0)
		recording_writer_end_file(writer);
	return r;
}

void recording_writer_done(struct recording_writer *writer)
{
	fd_closep(&writer->file_fd);
}
