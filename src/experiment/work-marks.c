// SPDX-License-Identifier: GPL-2.0-or-later
#include "work-marks.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* A reader that is stopped in the middle of a read must not stop the other process. */
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

ssize_t work_marks_read(struct work_marks *marks, int fd, void *bytes, size_t size)
{
	ssize_t len;

	if (!marks)
		return read(fd, bytes, size);
	atomic_fetch_add(&marks->turn, 1);
	len = read(fd, bytes, size);
	if (len > 0)
		atomic_fetch_add(&marks->read_bytes, (uint64_t)len);
	atomic_fetch_add(&marks->turn, 1);
	return len;
}

/* Returns whether nothing was read meanwhile, so that no byte is in both numbers or in none. */
static bool count_printed(const struct work_marks *marks, int fd, uint64_t *ret)
{
	uint64_t turn = atomic_load(&marks->turn);
	uint64_t read_bytes = atomic_load(&marks->read_bytes);
	int waiting = 0;

	(void)ioctl(fd, FIONREAD, &waiting);
	*ret = read_bytes + (uint64_t)waiting;
	return turn % 2 == 0 && atomic_load(&marks->turn) == turn;
}

void work_marks_set(struct work_marks *marks, enum work_mark mark, int fd)
{
	uint64_t printed = 0;

	for (unsigned i = 0; fd >= 0 && i < TRIES && !count_printed(marks, fd, &printed); i++)
		sched_yield();
	atomic_store(&marks->printed_bytes[mark], printed);
}

uint64_t work_marks_left(const struct work_marks *marks, enum work_mark mark)
{
	uint64_t printed = atomic_load(&marks->printed_bytes[mark]);
	uint64_t read_bytes = atomic_load(&marks->read_bytes);

	return printed > read_bytes ? printed - read_bytes : 0;
}
