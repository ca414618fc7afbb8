// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "thread-end-program.h"
#include <thread-end.light.h> /* made by the build from thread-end.bpf.c */

static void destroy(void *skeleton)
{
	thread_end_light__destroy(skeleton);
}

int thread_end_load_light(uint64_t wanted_cgroup, struct thread_end_program *ret_program)
{
	struct thread_end_light *skeleton = thread_end_light__open();
	int r;

	if (!skeleton)
		return -ENOMEM;
	skeleton->rodata->wanted_cgroup = wanted_cgroup;
	r = thread_end_light__load(skeleton);
	if (r >= 0)
		r = thread_end_light__attach(skeleton);
	if (r < 0) {
		thread_end_light__destroy(skeleton);
		return r;
	}
	*ret_program = (struct thread_end_program){
	        .lost = (const uint64_t *)&skeleton->bss->lost,
	        .begun = (const uint64_t *)&skeleton->bss->begun,
	        .ended = (const uint64_t *)&skeleton->bss->ended,
	        .ring_fd = skeleton->maps.ring.map_fd,
	        .skeleton = skeleton,
	        .destroy = destroy,
	};
	return 0;
}
