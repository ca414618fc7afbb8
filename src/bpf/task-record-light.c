// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "bpf/task-record.h"
#include "task-record-program.h"
/* The build makes this file from bpf/task-record.bpf.c; it does not follow our rules. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wpointer-arith"
#include <task-record.light.h>
#pragma GCC diagnostic pop

static void destroy(void *skeleton)
{
	task_record_light__destroy(skeleton);
}

int task_record_load_light(const struct task_record_constants *constants,
                           struct task_record_program *ret_program)
{
	struct task_record_light *skeleton = task_record_light__open();
	int r;

	if (!skeleton)
		return -ENOMEM;
	skeleton->rodata->constants = *constants;
	r = task_record_light__load(skeleton);
	if (r >= 0)
		r = task_record_light__attach(skeleton);
	if (r < 0) {
		task_record_light__destroy(skeleton);
		return r;
	}
	*ret_program = (struct task_record_program){
	        .control = &skeleton->bss->control,
	        .program_fd = skeleton->progs.task_record.prog_fd,
	        .link_fd = skeleton->links.task_record_fd,
	        .skeleton = skeleton,
	        .destroy = destroy,
	};
	return 0;
}
