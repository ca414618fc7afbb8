// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording-sums.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/regular-file.h"
#include "ctprof/base/hash.h"
#include "recording/recording-name.h"

enum {
	SKIPPABLE = 0x184D2A5C, /* the magic number of the skippable frame */
	WORDS = 9,
	HEAD_BYTES = 8 + WORDS * 8,
	MARK_BYTES = 64,    /* at each end of the windows */
	ENTRIES_MAX = 8192, /* more than an hour can have */
	FRAME_BYTES_MAX = 1 << 26,
};

/* The words of a head. */
enum word { KIND, BEGIN, END, BEGIN_UNIX, END_UNIX, LEN, FRAME_HASH, MARK, HEAD_HASH };

/* Finds damage, and is the same in each process. */
static uint64_t hash(const void *bytes, size_t len)
{
	static const struct hash_seed seed = {
	        {UINT64_C(0x6374707266737573), UINT64_C(0x6d732e7a73740001)}};

	return hash_bytes(&seed, bytes, len);
}

static bool read_at(int fd, uint64_t offset, void *buffer, size_t len)
{
	size_t have = 0;

	while (have < len) {
		ssize_t n = pread(fd, (char *)buffer + have, len - have, (off_t)(offset + have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return true;
}

/* A frame ends with the checksum of its contents. */
static bool find_mark(const struct recording_sums *sums, uint64_t begin, uint64_t end,
                      uint64_t *ret)
{
	char bytes[2 * MARK_BYTES];

	if (end < begin + MARK_BYTES || !read_at(sums->file_fd, begin, bytes, MARK_BYTES) ||
	    !read_at(sums->file_fd, end - MARK_BYTES, bytes + MARK_BYTES, MARK_BYTES))
		return false;
	*ret = hash(bytes, sizeof(bytes));
	return true;
}

static void write_head(const struct recording_sum *sum, char head[HEAD_BYTES])
{
	uint32_t start[2] = {htole32(SKIPPABLE), htole32(WORDS * 8)};
	uint64_t words[WORDS] = {
	        [KIND] = sum->is_merged,
	        [BEGIN] = sum->begin,
	        [END] = sum->end,
	        [BEGIN_UNIX] = sum->begin_unix_ns,
	        [END_UNIX] = sum->end_unix_ns,
	        [LEN] = sum->len,
	        [FRAME_HASH] = sum->hash,
	        [MARK] = sum->mark,
	};

	for (unsigned i = 0; i < WORDS; i++)
		words[i] = htole64(words[i]);
	words[HEAD_HASH] = htole64(hash(words, HEAD_HASH * sizeof(words[0])));
	memcpy(head, start, sizeof(start));
	memcpy(head + sizeof(start), words, sizeof(words));
}

/* A sum that is longer than its windows saves nothing, and one from a stranger may be a hole of any length. */
static bool is_short(const struct recording_sum *sum)
{
	return sum->end > sum->begin && sum->len <= sum->end - sum->begin &&
	       sum->len <= FRAME_BYTES_MAX;
}

/* Reads the head at an offset. Returns false if there is no whole sum. */
static bool read_head(const struct recording_sums *sums, uint64_t at, uint64_t size,
                      struct recording_sum *ret)
{
	char head[HEAD_BYTES], again[HEAD_BYTES];
	uint64_t words[WORDS];

	if (!read_at(sums->fd, at, head, sizeof(head)))
		return false;
	memcpy(words, head + HEAD_BYTES - sizeof(words), sizeof(words));
	*ret = (struct recording_sum){.is_merged = words[KIND] != 0,
	                              .begin = le64toh(words[BEGIN]),
	                              .end = le64toh(words[END]),
	                              .begin_unix_ns = le64toh(words[BEGIN_UNIX]),
	                              .end_unix_ns = le64toh(words[END_UNIX]),
	                              .at = at + HEAD_BYTES,
	                              .len = le64toh(words[LEN]),
	                              .hash = le64toh(words[FRAME_HASH]),
	                              .mark = le64toh(words[MARK])};
	write_head(ret, again);
	return memcmp(head, again, sizeof(head)) == 0 && is_short(ret) && ret->at <= size &&
	       ret->len <= size - ret->at;
}

static void add_entry(struct recording_sums *sums, const struct recording_sum *sum)
{
	*array_add(sums->entries, sums->count, sums->capacity) = *sum;
	sums->size = sum->at + sum->len;
}

/* Reads the heads of all whole sums. */
static void read_heads(struct recording_sums *sums)
{
	struct recording_sum sum;
	struct stat status;

	if (fstat(sums->fd, &status) < 0)
		return;
	while (sums->count < ENTRIES_MAX &&
	       read_head(sums, sums->size, (uint64_t)status.st_size, &sum))
		add_entry(sums, &sum);
	if (sums->may_add && sums->size < (uint64_t)status.st_size)
		sums->may_add = ftruncate(sums->fd, (off_t)sums->size) == 0;
}

static bool is_private(const struct stat *status, uid_t owner)
{
	return status->st_uid == owner && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Opens the file if it is as safe as that of the recording. With @flags other than O_RDONLY the directory is this user's alone. Returns -1
 * with errno otherwise. */
static int open_beside(int dir_fd, const char *name, uid_t owner, int flags)
{
	struct stat status;
	int fd;

	if (flags == O_RDONLY)
		fd = regular_file_open_beside(dir_fd, name);
	else
		fd = openat(dir_fd, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && is_private(&status, owner))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* Another process that adds sums is not waited for. */
static bool try_lock(int fd)
{
	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

void recording_sums_open(struct recording_sums *sums, int dir_fd, const char *name, int file_fd)
{
	struct stat dir, file;
	bool is_own;

	*sums = RECORDING_SUMS_INIT;
	if (fstat(dir_fd, &dir) < 0 || fstat(file_fd, &file) < 0 ||
	    !recording_name_of_sums(name, sums->name))
		return;
	sums->dir_fd = dir_fd;
	sums->file_fd = file_fd;
	is_own = is_private(&dir, geteuid()) && is_private(&file, geteuid());
	if (is_own)
		sums->fd = open_beside(dir_fd, sums->name, geteuid(), O_RDWR | O_APPEND);
	sums->may_add = sums->fd >= 0 ? try_lock(sums->fd) : is_own && errno == ENOENT;
	if (sums->fd < 0 && !sums->may_add)
		sums->fd = open_beside(dir_fd, sums->name, file.st_uid, O_RDONLY);
	if (sums->fd >= 0)
		read_heads(sums);
}

/* The first sum makes the file. */
static bool has_file(struct recording_sums *sums)
{
	if (sums->fd < 0) {
		sums->fd = open_beside(sums->dir_fd, sums->name, geteuid(),
		                       O_RDWR | O_APPEND | O_CREAT | O_EXCL);
		sums->may_add = try_lock(sums->fd);
	}
	return sums->may_add;
}

const struct recording_sum *recording_sums_find(const struct recording_sums *sums, uint64_t begin,
                                                bool is_merged)
{
	uint64_t mark;

	/* The last one, if one before was damaged. */
	for (size_t i = sums->count; i-- > 0;) {
		const struct recording_sum *sum = &sums->entries[i];

		if (sum->begin == begin && sum->is_merged == is_merged &&
		    find_mark(sums, begin, sum->end, &mark) && mark == sum->mark)
			return sum;
	}
	return NULL;
}

static bool read_frame(const struct recording_sums *sums, const struct recording_sum *sum,
                       struct memory_stream *ret)
{
	char *bytes = strbuf_reserve(&ret->bytes, (size_t)sum->len);

	if (!read_at(sums->fd, sum->at, bytes, (size_t)sum->len) ||
	    hash(bytes, (size_t)sum->len) != sum->hash)
		return false;
	ret->bytes.len = (size_t)sum->len;
	return true;
}

bool recording_sums_read(struct recording_sums *sums, const struct recording_sum *sum,
                         struct memory_stream *ret)
{
	if (read_frame(sums, sum, ret))
		return true;
	/* Others would be read and dropped one by one. */
	sums->count = 0;
	return false;
}

bool recording_sums_add(struct recording_sums *sums, struct recording_sum sum,
                        const struct strbuf *frame)
{
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;
	char head[HEAD_BYTES];

	sum.len = frame->len;
	if (!sums->may_add || sums->count >= ENTRIES_MAX || !is_short(&sum) ||
	    !find_mark(sums, sum.begin, sum.end, &sum.mark) || !has_file(sums))
		return false;
	sum.at = sums->size + HEAD_BYTES;
	sum.hash = hash(frame->data, frame->len);
	write_head(&sum, head);
	strbuf_add(&bytes, head, sizeof(head));
	strbuf_add(&bytes, frame->data, frame->len);
	if (fd_write_all(sums->fd, bytes.data, bytes.len) < 0) {
		/* No further one is tried, since the disk may be full. */
		sums->may_add = false;
		(void)!ftruncate(sums->fd, (off_t)sums->size);
		return false;
	}
	add_entry(sums, &sum);
	return true;
}

void recording_sums_done(struct recording_sums *sums)
{
	fd_closep(&sums->fd);
	free(sums->entries);
	*sums = RECORDING_SUMS_INIT;
}
