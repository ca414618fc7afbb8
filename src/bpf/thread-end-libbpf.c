// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <errno.h>

#include "thread-end-program.h"
#include <thread-end.skel.h> /* made by the build from thread-end.bpf.c */

static void destroy(void *skeleton)
{
	thread_end_bpf__destroy(skeleton);
}

static int load(struct thread_end_bpf *skeleton)
{
	int r = thread_end_bpf__load(skeleton);

	if (r < 0)
		return r;
	/* libbpf continues after it failed to map them. */
	return skeleton->bss ? thread_end_bpf__attach(skeleton) : -EIO;
}

int thread_end_load_libbpf(uint64_t wanted_cgroup, struct thread_end_program *ret_program)
{
	struct thread_end_bpf *skeleton;
	int r;

	errno = 0;
	skeleton = thread_end_bpf__open();
	if (!skeleton)
		return errno ? -errno : -ENOMEM;
	skeleton->rodata->wanted_cgroup = wanted_cgroup;
	r = load(skeleton);
	if (r < 0) {
		thread_end_bpf__destroy(skeleton);
		return r;
	}
	*ret_program = (struct thread_end_program){
	        .lost = (const uint64_t *)&skeleton->bss->lost,
	        .begun = (const uint64_t *)&skeleton->bss->begun,
	        .ended = (const uint64_t *)&skeleton->bss->ended,
	        .ring_fd = bpf_map__fd(skeleton->maps.ring),
	        .skeleton = skeleton,
	        .destroy = destroy,
	};
	return 0;
}
