// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/stack.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "base/mem.h"

/* A multiple of what any command uses: no frame is larger than 100 KiB. */
enum { STACK_BYTES = 512 << 10, PIECE_BYTES = 16 << 10 };

/* Uses the next @bytes of the stack. */
static __attribute__((noinline)) void use(size_t bytes)
{
	volatile char piece[PIECE_BYTES];

	piece[0] = piece[PIECE_BYTES / 2] = 0;
	if (bytes > PIECE_BYTES)
		use(bytes - PIECE_BYTES);
	/* The call above is no jump, which would use this piece again. */
	piece[0] = 1;
}

void stack_reserve(void)
{
	size_t bytes = STACK_BYTES;
	struct rlimit limit;
	void *room;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur / 2 < bytes)
		bytes = limit.rlim_cur / 2;
	/* The kernel has no error for a stack. */
	room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		mem_exhausted();
	munmap(room, bytes);
	use(bytes);
}
