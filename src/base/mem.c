// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
        __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#endif

/* Set by mem_limit(), once. */
static uint64_t limit_bytes;
static struct rlimit limit_before;

/* Set by mem_set_status(), once. */
static int exhausted_status = 1;

static struct mem_undo *_Atomic undo_list;

/* Returns the private writable memory, which RLIMIT_DATA limits, and the stack: the sixth number of /proc/self/statm. 0
 * if it cannot be read. */
static uint64_t data_bytes(void)
{
	uint64_t pages[6] = {0};
	char text[256], *at = text;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (len <= 0)
		return 0;
	text[len] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		pages[i] = strtoull(at, &at, 10);
	return pages[5] * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Returns whether the limit refused so many bytes. malloc(3) requests a little more from the kernel than its caller
 * does. */
static bool is_at_limit(uint64_t bytes)
{
	struct rlimit limit;
	uint64_t used = data_bytes();

	return limit_bytes > 0 && used > 0 && getrlimit(RLIMIT_DATA, &limit) == 0 &&
	       (bytes >= limit.rlim_cur || used + bytes + MIB > limit.rlim_cur);
}

/* Does the work of mem_exhausted() after an allocation of @bytes failed; the size shows whether the limit or a lack of
 * memory is the reason. */
noreturn_ static void exhausted_for(uint64_t bytes)
{
	static atomic_flag is_ending = ATOMIC_FLAG_INIT;
	char message[128];
	int len;

	/* Another thread is ending the program, and prints the reason. */
	while (atomic_flag_test_and_set(&is_ending))
		pause();
	for (struct mem_undo *undo = atomic_load(&undo_list); undo; undo = undo->next)
		undo->undo(undo);
	len = is_at_limit(bytes)
	              ? snprintf(message, sizeof(message),
	                         "ctprof: over a limit (see --read-limit): more than %" PRIu64
	                         " MiB of memory\n",
	                         limit_bytes / MIB)
	              : snprintf(message, sizeof(message), "ctprof: out of memory\n");
	if (len > 0 && write(STDERR_FILENO, message, (size_t)len) < 0)
		_exit(exhausted_status);
	_exit(exhausted_status);
}

void mem_exhausted(void)
{
	exhausted_for(0);
}

void mem_set_status(int status)
{
	exhausted_status = status;
}

void mem_stream_close(FILE *file, char *const *bytes)
{
	if (fclose(file) != 0 || !*bytes)
		mem_exhausted();
}

void mem_watch(void)
{
	errno = 0;
}

void mem_watch_end(void)
{
	if (errno == ENOMEM)
		mem_exhausted();
}

void mem_limit(uint64_t bytes)
{
#ifndef IS_SANITIZED
	uint64_t used = data_bytes(), total;
	struct rlimit limit;

	if (getrlimit(RLIMIT_DATA, &limit) < 0 ||
	    __builtin_add_overflow(bytes, used + MEM_LIMIT_EXTRA_BYTES, &total) ||
	    total >= limit.rlim_cur)
		return;
	limit_before = limit;
	limit.rlim_cur = (rlim_t)total;
	if (setrlimit(RLIMIT_DATA, &limit) == 0)
		limit_bytes = bytes;
#else
	(void)bytes;
#endif
}

void mem_limit_lift(pid_t child)
{
	if (limit_bytes > 0)
		(void)prlimit(child, RLIMIT_DATA, &limit_before, NULL);
}

void mem_undo_push(struct mem_undo *undo)
{
	undo->next = atomic_load(&undo_list);
	atomic_store(&undo_list, undo);
}

void mem_undo_pop(struct mem_undo *undo)
{
	struct mem_undo *at = atomic_load(&undo_list);

	if (at == undo) {
		atomic_store(&undo_list, undo->next);
		return;
	}
	while (at && at->next != undo)
		at = at->next;
	if (at)
		at->next = undo->next;
}

void *mem_calloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		exhausted_for((count ? count : 1) * (size ? size : 1));
	return p;
}

void *mem_realloc(void *old, size_t count, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(count, size, &bytes))
		mem_exhausted();
	p = realloc(old, bytes ? bytes : 1);
	if (!p)
		exhausted_for(bytes);
	return p;
}

void *mem_grow(void *old, size_t size, size_t wanted, size_t most, size_t *capacity)
{
	size_t room = *capacity > most / 2 ? most : 2 * *capacity;

	if (wanted > most)
		mem_exhausted();
	*capacity = wanted > room ? wanted : room;
	return mem_realloc(old, *capacity, size);
}

char *mem_copy(const void *bytes, size_t len)
{
	char *copy;

	if (len == SIZE_MAX)
		mem_exhausted();
	copy = mem_realloc(NULL, len + 1, 1);
	if (len > 0)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	return copy;
}

char *mem_copy_text(const char *text)
{
	return text ? mem_copy(text, strlen(text)) : NULL;
}

void mem_freep(void *pointer_to_pointer)
{
	void *p;

	memcpy(&p, pointer_to_pointer, sizeof(p));
	free(p);
}
