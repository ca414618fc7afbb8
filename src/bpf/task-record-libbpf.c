// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <errno.h>

#include "bpf/task-record.h"
#include "task-record-program.h"
#include <task-record.skel.h> /* made by the build from task-record.bpf.c */

static void destroy(void *skeleton)
{
	task_record_bpf__destroy(skeleton);
}

static int load(struct task_record_bpf *skeleton)
{
	int r = task_record_bpf__load(skeleton);

	if (r < 0)
		return r;
	/* libbpf continues after it failed to map them. */
	return skeleton->bss ? task_record_bpf__attach(skeleton) : -EIO;
}

int task_record_load_libbpf(const struct task_record_constants *constants,
                            struct task_record_program *ret_program)
{
	struct task_record_bpf *skeleton;
	int r;

	errno = 0;
	skeleton = task_record_bpf__open();
	if (!skeleton)
		return errno ? -errno : -ENOMEM;
	skeleton->rodata->constants = *constants;
	r = load(skeleton);
	if (r < 0) {
		task_record_bpf__destroy(skeleton);
		return r;
	}
	*ret_program = (struct task_record_program){
	        .control = &skeleton->bss->control,
	        .program_fd = bpf_program__fd(skeleton->progs.task_record),
	        .link_fd = bpf_link__fd(skeleton->links.task_record),
	        .skeleton = skeleton,
	        .destroy = destroy,
	};
	return 0;
}
