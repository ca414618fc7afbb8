// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/watch.h"

/* Two pages: one read gets nearly every file of a thread, and one more finds the end. */
enum { READ_CHUNK = 8192, LIST_CHUNK = 32768, LINK_CHUNK = 256 };

static const uint64_t no_end_ns = UINT64_MAX;

static bool is_over(uint64_t until_ns)
{
	return until_ns != no_end_ns && clock_now_ns(CLOCK_MONOTONIC) >= until_ns;
}

/* With @whole, a read that leaves room has reached the end. */
static int read_all(int fd, struct strbuf *out, size_t max_bytes, bool whole, uint64_t until_ns)
{
	for (;;) {
		char *space = strbuf_reserve(out, READ_CHUNK);
		ssize_t len;

		if (is_over(until_ns))
			return -ETIME;
		watch_enter();
		len = read(fd, space, READ_CHUNK);
		watch_leave();
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return -errno;
		if (len == 0)
			return 0;
		out->len += (size_t)len;
		out->data[out->len] = '\0';
		if (out->len > max_bytes)
			return -EFBIG;
		if (whole && len < READ_CHUNK)
			return 0;
	}
}

int fd_open_file_at(int dir_fd, const char *name)
{
	int fd;

	watch_enter();
	fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	watch_leave();
	return fd < 0 ? -errno : fd;
}

static int open_and_read(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes,
                         bool whole, uint64_t until_ns)
{
	cleanup_(fd_closep) int fd = fd_open_file_at(dir_fd, name);

	strbuf_clear(out);
	return fd < 0 ? fd : read_all(fd, out, max_bytes, whole, until_ns);
}

int fd_read_all(int fd, struct strbuf *out, size_t max_bytes)
{
	strbuf_clear(out);
	return read_all(fd, out, max_bytes, false, no_end_ns);
}

int fd_read_all_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes)
{
	return open_and_read(dir_fd, name, out, max_bytes, false, no_end_ns);
}

int fd_read_all_until(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes,
                      uint64_t until_ns)
{
	return open_and_read(dir_fd, name, out, max_bytes, false, until_ns);
}

int fd_read_record_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes)
{
	return open_and_read(dir_fd, name, out, max_bytes, true, no_end_ns);
}

int fd_read_begin_at(int dir_fd, const char *name, char *bytes, size_t max_bytes, size_t *ret_len)
{
	cleanup_(fd_closep) int fd = fd_open_file_at(dir_fd, name);
	ssize_t len;

	if (fd < 0)
		return fd;
	do {
		watch_enter();
		len = read(fd, bytes, max_bytes);
		watch_leave();
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		return -errno;
	*ret_len = (size_t)len;
	return 0;
}

/* A full buffer may lack the end of the link. */
int fd_read_link_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes)
{
	for (size_t room = LINK_CHUNK;; room *= 2) {
		ssize_t len;
		char *space;

		strbuf_clear(out);
		space = strbuf_reserve(out, room);
		watch_enter();
		len = readlinkat(dir_fd, name, space, room);
		watch_leave();
		if (len < 0)
			return -errno;
		if ((size_t)len < room) {
			out->len = (size_t)len;
			out->data[out->len] = '\0';
			return out->len > max_bytes ? -EFBIG : 0;
		}
		if (room > max_bytes)
			return -EFBIG;
	}
}

static int open_at(int dir_fd, const char *name, int flags)
{
	int fd;

	watch_enter();
	fd = openat(dir_fd, name, flags | O_DIRECTORY | O_CLOEXEC);
	watch_leave();
	return fd < 0 ? -errno : fd;
}

int fd_open_path_at(int dir_fd, const char *name)
{
	return open_at(dir_fd, name, O_PATH);
}

int fd_open_dir_at(int dir_fd, const char *name)
{
	return open_at(dir_fd, name, O_RDONLY);
}

static void add_id(struct id_list *list, const char *name)
{
	uint64_t id;

	/* No kernel writes 007, and it would be read as 7 a second time. */
	if (name[0] == '0' || !scan_u64(name, strlen(name), &id) || id > UINT32_MAX)
		return;
	*array_add(list->ids, list->count, list->capacity) = (uint32_t)id;
}

int id_compare(const void *a, const void *b)
{
	uint32_t id_a = *(const uint32_t *)a, id_b = *(const uint32_t *)b;

	return (id_a > id_b) - (id_a < id_b);
}

/* The kernel nearly always lists ids in rising order; other file systems do not. */
static void sort_ids(struct id_list *list)
{
	for (size_t i = 1; i < list->count; i++)
		if (list->ids[i - 1] > list->ids[i]) {
			qsort(list->ids, list->count, sizeof(list->ids[0]), id_compare);
			return;
		}
}

int fd_check_empty(int dir_fd)
{
	cleanup_(fd_closep) int fd = fd_open_dir_at(dir_fd, ".");
	_Alignas(struct dirent64) char entries[4096];
	ssize_t len = -1;

	while (fd >= 0 && (len = getdents64(fd, entries, sizeof(entries))) > 0)
		for (ssize_t at = 0; at < len;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
				return -EEXIST;
			at += entry->d_reclen;
		}
	return fd < 0 ? fd : len < 0 ? -errno : 0;
}

int fd_list_ids(int dir_fd, struct id_list *list, struct strbuf *scratch)
{
	int r = 0;

	list->count = 0;
	strbuf_clear(scratch);
	for (;;) {
		char *buffer = strbuf_reserve(scratch, LIST_CHUNK);
		ssize_t len;

		watch_enter();
		len = getdents64(dir_fd, buffer, LIST_CHUNK);
		watch_leave();
		if (len < 0)
			r = -errno;
		if (len <= 0)
			break;
		for (ssize_t at = 0; at < len;) {
			const struct dirent64 *entry = (const void *)(buffer + at);

			add_id(list, entry->d_name);
			at += entry->d_reclen;
		}
	}
	sort_ids(list);
	return r;
}

int fd_next_entry(DIR *dir, const struct dirent **ret_entry)
{
	errno = 0;
	*ret_entry = readdir(dir);
	return *ret_entry ? 1 : -errno;
}

void id_list_done(struct id_list *list)
{
	free(list->ids);
	*list = (struct id_list){0};
}

int fd_write_all(int fd, const void *bytes, size_t len)
{
	while (len > 0) {
		ssize_t written = write(fd, bytes, len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		bytes = (const char *)bytes + written;
		len -= (size_t)written;
	}
	return 0;
}

int fd_await_input(int fd, uint64_t until_ns)
{
	struct pollfd input = {.fd = fd, .events = POLLIN};
	uint64_t now_ns;
	int r = -EINTR;

	while (r == -EINTR && (now_ns = clock_now_ns(CLOCK_MONOTONIC)) < until_ns) {
		uint64_t left_ms = (until_ns - now_ns) / NS_PER_MS + 1;

		r = poll(&input, 1, left_ms < INT_MAX ? (int)left_ms : INT_MAX);
		r = r < 0 ? -errno : r;
	}
	if (r > 0)
		return 0;
	return r == 0 || r == -EINTR ? -ETIME : r;
}

bool fd_is_removed(int fd)
{
	struct stat status;

	return fd >= 0 && fstat(fd, &status) == 0 && status.st_nlink == 0;
}

void fd_closep(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

void fd_closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}
