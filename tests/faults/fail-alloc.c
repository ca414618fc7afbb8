// SPDX-License-Identifier: GPL-2.0-or-later
/* fail-alloc - a library for LD_PRELOAD in which an allocation fails. Allocations are counted from the moment at which all
 * libraries are loaded, in all threads, and on in child processes.
 *
 *   FAIL_ALLOC_AT=N     the Nth allocation returns NULL with ENOMEM
 *   FAIL_ALLOC_FROM=N   so do all from the Nth on
 *   FAIL_ALLOC_IN=PART  only allocations of libraries are counted that have PART in the names of their files
 *   FAIL_ALLOC_COUNT=FILE   the number of allocations of the first process is written there at its exit
 *   FAIL_ALLOC_REACHED=FILE the largest number of an allocation in any of the processes, as an unsigned long in memory
 *
 * Without any of them it only makes the system call FAULT_BEGIN, which tells fault-call that the program itself begins. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fault-begin.h"

/* The C library's own allocator, under the names that it keeps for this. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong allocations;
static unsigned long fail_at, fail_from;
static const char *fail_in;
static bool started;
static pid_t first_process;
static atomic_ulong
        *reached; /* shared with the child processes and with FAIL_ALLOC_REACHED; NULL without it */

static unsigned long number_of(const char *variable)
{
	const char *text = getenv(variable);

	return text ? strtoul(text, NULL, 10) : 0;
}

static void share_reached(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	void *bytes = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, sizeof(*reached)) == 0)
		bytes = mmap(NULL, sizeof(*reached), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		abort();
	close(fd);
	reached = bytes;
}

__attribute__((constructor)) static void begin(void)
{
	fail_at = number_of("FAIL_ALLOC_AT");
	fail_from = number_of("FAIL_ALLOC_FROM");
	fail_in = getenv("FAIL_ALLOC_IN");
	first_process = getpid();
	if (getenv("FAIL_ALLOC_REACHED"))
		share_reached(getenv("FAIL_ALLOC_REACHED"));
	(void)syscall(FAULT_BEGIN);
	started = true;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAIL_ALLOC_COUNT");
	char text[24];
	int fd, len;

	started = false;
	if (!path || getpid() != first_process)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	len = snprintf(text, sizeof(text), "%lu\n", atomic_load(&allocations));
	if (fd >= 0 && write(fd, text, (size_t)len) == len)
		close(fd);
}

static bool is_of_library(const void *caller)
{
	static _Thread_local bool is_asking; /* dladdr(3) may allocate */
	Dl_info info;
	bool is_found;

	if (is_asking)
		return false;
	is_asking = true;
	is_found = dladdr(caller, &info) != 0 && info.dli_fname && strstr(info.dli_fname, fail_in);
	is_asking = false;
	return is_found;
}

static bool fails(const void *caller)
{
	unsigned long number;

	if (!started || (fail_in && !is_of_library(caller)))
		return false;
	number = atomic_fetch_add(&allocations, 1) + 1;
	if (reached && number > atomic_load(reached))
		atomic_store(reached, number);
	if (number != fail_at && (fail_from == 0 || number < fail_from))
		return false;
	errno = ENOMEM;
	return true;
}

/* The attributes that the headers give these functions let a compiler drop a check; nothing here relies on them. */
void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, bytes);
}

void *memalign(size_t alignment, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	void *p = memalign(alignment, size);

	if (!p)
		return ENOMEM;
	*ret = p;
	return 0;
}
