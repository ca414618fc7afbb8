// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/frame-source.h"

#include <errno.h>
#include <unistd.h>

#include "ctprof/base/macro.h"

enum {
	/* Text for each compressed byte, and for the frame. Zstandard compresses rows to a tenth or a thirtieth, and blanks to
	 * a ten-thousandth. */
	TEXT_OF_BYTE = 1024,
	TEXT_OF_FRAME = 64 << 10,
};

static int read_some(struct byte_source *self, void *buffer, size_t size, size_t *ret_len)
{
	struct frame_source *source = (struct frame_source *)self;
	uint64_t left = source->end - source->offset;
	ssize_t len;

	if (size > left)
		size = (size_t)left;
	do
		len = pread(source->fd, buffer, size, (off_t)source->offset);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return -errno;
	source->offset += (uint64_t)len;
	*ret_len = (size_t)len;
	return 0;
}

struct frame_source frame_source_make(int fd, uint64_t begin, uint64_t end)
{
	return (struct frame_source){{read_some}, fd, begin, end};
}

struct snapshot_limits frame_limits(const struct snapshot_limits *limits, uint64_t len)
{
	uint64_t bytes = saturating_add(saturating_multiply(len, TEXT_OF_BYTE), TEXT_OF_FRAME);
	struct snapshot_limits of_frame = *limits;

	if (bytes < of_frame.bytes)
		of_frame.bytes = bytes;
	return of_frame;
}
