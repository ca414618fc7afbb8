// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/frame-source.h"

#include <errno.h>
#include <unistd.h>

#include "compression/zstd-stream.h"
#include "ctprof/base/macro.h"

/* Rows have 3 to 30 bytes of text for each compressed one, and a thousand where thousands of threads have the same long paths. Blanks have
 * 12,000. */
enum { TEXT_OF_BYTE = 1024 };

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

void frame_budget_done(struct frame_budget *budget)
{
	budget->spare = zstd_decompressor_free(budget->spare);
}

struct snapshot_limits frame_limits(struct frame_budget *budget,
                                    const struct snapshot_limits *limits, uint64_t len)
{
	struct snapshot_limits of_frame = *limits;
	uint64_t most, left;

	saturating_add_to(&budget->compressed, len);
	most = saturating_multiply(budget->compressed, TEXT_OF_BYTE);
	if (most < limits->bytes)
		most = limits->bytes;
	left = most > budget->text ? most - budget->text : 0;
	if (left < of_frame.bytes)
		of_frame.bytes = left;
	of_frame.read_bytes = &budget->text;
	of_frame.spare = &budget->spare;
	return of_frame;
}
