/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* thread-end-program - the BPF program of thread-end.bpf.c in the kernel, and the two ways to load it: as in
 * task-record-program.h. */
#include <stdint.h>

#include "ctprof/base/macro.h"

struct thread_end_program {
	const uint64_t *lost; /* ends for which the ring had no room; in the program's own memory */
	const uint64_t *begun, *ended; /* threads of the wanted cgroup; the same */
	int ring_fd;
	void *skeleton; /* owned */
	void (*destroy)(void *skeleton);
};

/* Both load and attach the program, and return 0 or -errno. */
must_check_ int thread_end_load_light(uint64_t wanted_cgroup,
                                      struct thread_end_program *ret_program);
must_check_ int thread_end_load_libbpf(uint64_t wanted_cgroup,
                                       struct thread_end_program *ret_program);
