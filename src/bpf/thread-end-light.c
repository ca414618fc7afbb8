// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "thread-end-program.h"
/* The build makes this file from bpf/thread-end.bpf.c; it does not follow our rules. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wpointer-arith"
#include <thread-end.light.h>
#pragma GCC diagnostic pop

static void destroy(void *skeleton)
{
	thread_end_light__destroy(skeleton);
}

int thread_end_load_light(struct thread_end_program *ret_program)
{
	struct thread_end_light *skeleton = thread_end_light__open();
	int r;

	if (!skeleton)
		return -ENOMEM;
	r = thread_end_light__load(skeleton);
	if (r >= 0)
		r = thread_end_light__attach(skeleton);
	if (r < 0) {
		thread_end_light__destroy(skeleton);
		return r;
	}
	*ret_program = (struct thread_end_program){
	        .lost = (const uint64_t *)&skeleton->bss->lost,
	        .ring_fd = skeleton->maps.ring.map_fd,
	        .skeleton = skeleton,
	        .destroy = destroy,
	};
	return 0;
}
