// SPDX-License-Identifier: GPL-2.0-or-later
#include "work-marks.h"

#include <errno.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* A process that is stopped in the middle of something must not stop the other one. */
enum { TRIES = 1000 };

struct work_marks *work_marks_new(void)
{
	struct work_marks *marks = mmap(NULL, sizeof(*marks), PROT_READ | PROT_WRITE,
	                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return marks == MAP_FAILED ? NULL : marks;
}

void work_marks_freep(struct work_marks **marks)
{
	if (*marks)
		munmap(*marks, sizeof(**marks));
	*marks = NULL;
}

/* Keeps the other process from reading, or from setting a mark. Returns false if that is in the middle of it for too long. */
static bool begin(struct work_marks *marks)
{
	bool is_busy = true;

	for (unsigned i = 0; is_busy && i < TRIES; i++) {
		is_busy = atomic_exchange(&marks->is_busy, true);
		if (is_busy)
			sched_yield();
	}
	return !is_busy;
}

static void end(struct work_marks *marks, bool has_begun)
{
	if (has_begun)
		atomic_store(&marks->is_busy, false);
}

ssize_t work_marks_read(struct work_marks *marks, enum work_mark next, int fd, void *bytes,
                        size_t size)
{
	ssize_t len = -1;
	bool has_begun;

	if (!marks)
		return read(fd, bytes, size);
	has_begun = begin(marks);
	if (next < WORK_MARK_COUNT && atomic_load(&marks->is_set[next]) &&
	    work_marks_left(marks, next) < size)
		size = work_marks_left(marks, next);
	errno = EAGAIN;
	if (size > 0)
		len = read(fd, bytes, size);
	if (len > 0)
		atomic_fetch_add(&marks->read_bytes, (uint64_t)len);
	end(marks, has_begun);
	return len;
}

void work_marks_set(struct work_marks *marks, enum work_mark mark, int fd)
{
	bool has_begun = begin(marks);
	int waiting = 0;

	if (fd >= 0)
		(void)ioctl(fd, FIONREAD, &waiting);
	atomic_store(&marks->printed_bytes[mark],
	             fd < 0 ? 0 : atomic_load(&marks->read_bytes) + (uint64_t)waiting);
	atomic_store(&marks->is_set[mark], true);
	end(marks, has_begun);
}

uint64_t work_marks_left(const struct work_marks *marks, enum work_mark mark)
{
	uint64_t printed = atomic_load(&marks->printed_bytes[mark]);
	uint64_t read_bytes = atomic_load(&marks->read_bytes);

	return printed > read_bytes ? printed - read_bytes : 0;
}
