// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/frame.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "compression/zstd-stream.h"
#include "recording/frame-source.h"

enum {
	MAGIC = 0xFD2FB528, /* of a frame */
	MAGIC_BYTES = 4,
	BLOCK_HEADER_BYTES = 3,
	BLOCK_BYTES_MAX = 128 << 10,
	CHECKSUM_BYTES = 4,
	/* Compressors make blocks of 128 KiB of text. Files can have any number of blocks that are empty, or one byte many times. */
	SHORT_BYTES = 64,
	SHORT_BLOCKS_MAX = 1 << 16,
	/* A torn tail is part of one window: longer ones, and those of more blocks, are damage. */
	TAIL_BYTES_MAX = 256 << 20,
	TAIL_BLOCKS_MAX = 1 << 18,
	/* A frame of more text for each of its bytes is not decompressed to its end. */
	TEXT_OF_BYTE = 1024,
	TEXT_BYTES_MIN = 16 << 20,
};

/* Limits the blocks that are looked at: those shorter than @bytes. */
struct block_limit {
	uint32_t bytes, left;
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

/* Finds the end of the frame at @offset. Returns 1, 0 if there is no whole frame, or -errno. */
static int walk(int fd, uint64_t offset, struct block_limit *limit, uint64_t *ret_end)
{
	unsigned char start[MAGIC_BYTES + 1], block[BLOCK_HEADER_BYTES], last;
	int r = read_at(fd, offset, start, sizeof(start));
	uint32_t header;

	if (r <= 0 || little_endian(start, MAGIC_BYTES) != MAGIC)
		return r < 0 ? r : 0;
	offset += MAGIC_BYTES + header_len(start[MAGIC_BYTES]);
	do {
		uint32_t size, stored;

		r = read_at(fd, offset, block, sizeof(block));
		if (r <= 0)
			return r;
		header = little_endian(block, BLOCK_HEADER_BYTES);
		size = header >> 3;
		if ((header >> 1 & 3) == BLOCK_RESERVED || size > BLOCK_BYTES_MAX)
			return 0;
		stored = (header >> 1 & 3) == BLOCK_RUN ? 1 : size;
		if (stored < limit->bytes && limit->left == 0)
			return 0;
		limit->left -= stored < limit->bytes;
		offset += BLOCK_HEADER_BYTES + stored;
	} while (!(header & 1));
	if (start[MAGIC_BYTES] >> 2 & 1)
		offset += CHECKSUM_BYTES;
	r = read_at(fd, offset - 1, &last, 1);
	if (r > 0)
		*ret_end = offset;
	return r;
}

/* Looks for a whole frame in @bytes, which are at @offset. Returns 1, 0 or -errno. */
static int find_frame(int fd, uint64_t offset, const unsigned char *bytes, size_t len,
                      struct block_limit *limit)
{
	static const unsigned char magic[MAGIC_BYTES] = {0x28, 0xB5, 0x2F, 0xFD};
	const unsigned char *at = bytes;
	int r = 0;

	while (r == 0 && limit->left > 0 &&
	       (at = memmem(at, len - (size_t)(at - bytes), magic, sizeof(magic)))) {
		uint64_t end;

		/* One that ends at once counts as well. */
		limit->left--;
		r = walk(fd, offset + (uint64_t)(at - bytes), limit, &end);
		at++;
	}
	return limit->left == 0 ? 1 : r;
}

/* Returns 1 if no torn tail begins at @offset, where no whole frame is: one is behind it, or it is too long; 0, or -errno. */
static int is_followed(int fd, uint64_t offset)
{
	enum { CHUNK = 16 << 10 };
	unsigned char bytes[CHUNK + MAGIC_BYTES - 1];
	struct block_limit limit = {UINT32_MAX, TAIL_BLOCKS_MAX};
	uint64_t begin = offset;
	size_t len = CHUNK;
	int r = 0;

	for (; r == 0 && len == CHUNK; offset += CHUNK) {
		ssize_t n = pread(fd, bytes, sizeof(bytes), (off_t)offset);

		if (n < 0)
			return errno == EINTR ? is_followed(fd, begin) : -errno;
		len = n < CHUNK ? (size_t)n : CHUNK;
		r = find_frame(fd, offset, bytes, (size_t)n, &limit);
		if (offset - begin > TAIL_BYTES_MAX)
			r = 1;
	}
	return r;
}

int frame_find_headers(int fd, uint64_t offset, uint64_t *ret_end)
{
	struct block_limit limit = {SHORT_BYTES, SHORT_BLOCKS_MAX};

	return walk(fd, offset, &limit, ret_end);
}

/* Returns 1 if the bytes of the frame are those that were compressed, as far as they are looked at; 0, or -errno. */
static int decodes(int fd, uint64_t begin, uint64_t end)
{
	struct frame_source source = frame_source_make(fd, begin, end);
	struct zstd_decompressor *zstd = zstd_decompressor_new(&source.source);
	struct byte_source *text = zstd_decompressor_source(zstd);
	uint64_t left = saturating_multiply(end - begin, TEXT_OF_BYTE);
	char bytes[32 << 10];
	size_t len = 1;
	int r = 0;

	if (left < TEXT_BYTES_MIN)
		left = TEXT_BYTES_MIN;
	while (r == 0 && len > 0 && left >= sizeof(bytes)) {
		r = text->read(text, bytes, sizeof(bytes), &len);
		left -= sizeof(bytes);
	}
	zstd_decompressor_free(zstd);
	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	return 1;
}

/* Finds the end of a frame whose bytes are known to be on disk: a frame was appended behind it, or it is the last one and decodes. A power
 * failure may leave the length of the last frame, and zeros in place of its last bytes. Returns 1, 0, or -errno. */
static int find_written(int fd, uint64_t offset, uint64_t *ret_end)
{
	unsigned char behind[MAGIC_BYTES];
	uint64_t end = 0;
	int r = frame_find_headers(fd, offset, &end);

	if (r <= 0)
		return r;
	r = read_at(fd, end, behind, sizeof(behind));
	if (r == 0 || (r > 0 && little_endian(behind, MAGIC_BYTES) != MAGIC))
		r = decodes(fd, offset, end);
	if (r > 0)
		*ret_end = end;
	return r;
}

int frame_find_end(int fd, uint64_t offset, uint64_t *ret_end)
{
	int r = find_written(fd, offset, ret_end);

	if (r != 0)
		return r;
	/* The torn frame itself may have zeros behind it, which are empty blocks. */
	r = is_followed(fd, offset + 1);
	if (r <= 0)
		return r;
	/* A recorder may have written there meanwhile. */
	r = find_written(fd, offset, ret_end);
	return r == 0 ? -EBADMSG : r;
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

int frame_is_torn(int fd, uint64_t offset)
{
	unsigned char start[MAGIC_BYTES] = {0};
	ssize_t n = pread(fd, start, sizeof(start), (off_t)offset);
	uint32_t mask = n < MAGIC_BYTES ? (1U << 8 * (n > 0 ? (unsigned)n : 0)) - 1 : UINT32_MAX;
	uint32_t value = little_endian(start, MAGIC_BYTES);

	if (n < 0)
		return -errno;
	return value == 0 || value == (MAGIC & mask);
}

void frame_explain_damage(uint64_t offset, struct strbuf *out)
{
	strbuf_addf(out, "damaged: the bytes from %llu on are no window",
	            (unsigned long long)offset);
}
