// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "bpf/task-record.h"
#include "task-record-program.h"
#include <task-record.light.h> /* made by the build from task-record.bpf.c */

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
