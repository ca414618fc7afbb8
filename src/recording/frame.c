// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/frame.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

enum {
	MAGIC = 0xFD2FB528, /* of a frame */
	MAGIC_BYTES = 4,
	BLOCK_HEADER_BYTES = 3,
	BLOCK_BYTES_MAX = 128 << 10,
	CHECKSUM_BYTES = 4,
};

enum block_type { BLOCK_RAW, BLOCK_RUN, BLOCK_COMPRESSED, BLOCK_RESERVED };

/* Reads at an offset. Returns 1, 0 if the file ends before, or -errno. */
static int read_at(int fd, uint64_t offset, void *buffer, size_t len)
{
	size_t have = 0;

	while (have < len) {
		ssize_t n = pread(fd, (char *)buffer + have, len - have, (off_t)(offset + have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		have += (size_t)n;
	}
	return 1;
}

static uint32_t little_endian(const unsigned char *bytes, unsigned count)
{
	uint32_t value = 0;

	while (count-- > 0)
		value = value << 8 | bytes[count];
	return value;
}

/* Returns the length of the rest of the frame's header, from its first byte. */
static unsigned header_len(unsigned char descriptor)
{
	static const unsigned dictionary[] = {0, 1, 2, 4}, content[] = {0, 2, 4, 8};
	bool is_single = descriptor >> 5 & 1;
	unsigned size = content[descriptor >> 6];

	if (is_single && size == 0)
		size = 1;
	return 1U + (is_single ? 0U : 1U) + dictionary[descriptor & 3] + size;
}

int frame_find_end(int fd, uint64_t offset, uint64_t *ret_end)
{
	unsigned char start[MAGIC_BYTES + 1], block[BLOCK_HEADER_BYTES], last;
	int r = read_at(fd, offset, start, sizeof(start));
	uint32_t header;

	if (r <= 0 || little_endian(start, MAGIC_BYTES) != MAGIC)
		return r < 0 ? r : 0;
	offset += MAGIC_BYTES + header_len(start[MAGIC_BYTES]);
	do {
		uint32_t size;

		r = read_at(fd, offset, block, sizeof(block));
		if (r <= 0)
			return r;
		header = little_endian(block, BLOCK_HEADER_BYTES);
		size = header >> 3;
		if ((header >> 1 & 3) == BLOCK_RESERVED || size > BLOCK_BYTES_MAX)
			return 0;
		offset += BLOCK_HEADER_BYTES + ((header >> 1 & 3) == BLOCK_RUN ? 1 : size);
	} while (!(header & 1));
	if (start[MAGIC_BYTES] >> 2 & 1)
		offset += CHECKSUM_BYTES;
	r = read_at(fd, offset - 1, &last, 1);
	if (r > 0)
		*ret_end = offset;
	return r;
}

int frame_find_last_end(int fd, uint64_t *ret_end)
{
	uint64_t end = 0;
	int r;

	do
		r = frame_find_end(fd, end, &end);
	while (r > 0);
	if (r == 0)
		*ret_end = end;
	return r;
}
