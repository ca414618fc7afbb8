// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "bpf/task-record.h"
#include "kept-program.h"
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

static struct kept_program_source source_of(const struct task_record_constants *constants)
{
	struct kept_program_source source = {
	        .name = "task_record",
	        .constants = constants,
	        .constants_bytes = sizeof(*constants),
	        .variables_bytes = sizeof(*((struct task_record_bpf *)NULL)->bss),
	};

	source.object = task_record_bpf__elf_bytes(&source.object_bytes);
	return source;
}

static void destroy_kept(void *program)
{
	kept_program_done(program);
	free(program);
}

int task_record_load_kept(const struct task_record_constants *constants,
                          struct task_record_program *ret_program)
{
	const struct kept_program_source source = source_of(constants);
	struct kept_program program, *owned;
	struct task_record_bpf__bss *variables;
	int r = kept_program_load(&source, &program);

	if (r < 0)
		return r;
	owned = mem_calloc(1, sizeof(*owned));
	*owned = program;
	variables = program.variables;
	*ret_program = (struct task_record_program){
	        .control = &variables->control,
	        .program_fd = program.program_fd,
	        .link_fd = program.link_fd,
	        .skeleton = owned,
	        .destroy = destroy_kept,
	};
	return 0;
}

int task_record_load_libbpf(const struct task_record_constants *constants, bool keep,
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
	if (r >= 0 && keep) {
		const struct kept_program_source source = source_of(constants);

		kept_program_keep(&source, skeleton->obj, skeleton->progs.task_record);
	}
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
