/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* synthetic-host - a large host that never was: services, user sessions, pods of containers and kernel threads, and
 * the processes in them. Everything follows from the numbers of the plan, the same everywhere; nothing is kept. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/metric/sample.h"

enum { SYNTHETIC_CPUS = 64 };

struct synthetic_plan {
	uint64_t threads;
	uint64_t seed;
	uint64_t
	        step; /* when: what came, went and was replaced differs between even and odd ones */
	uint64_t
	        names; /* process names to choose from, a few of them much more often than the others */
	uint64_t cgroups; /* to have processes in; containers of a pod are one each */
};

/* A process, if it is there at this step. */
struct synthetic_process {
	uint64_t number; /* from 0 on, the same at every step */
	uint64_t cgroup; /* its number */
	uint64_t name;   /* its number */
	uint64_t life;   /* grows when the process is replaced by a new one */
	uint64_t threads;
	bool is_kernel; /* a thread of the kernel */
	bool is_there;
};

/* splitmix64: well spread, and the same everywhere. */
uint64_t synthetic_mix(uint64_t x);

void synthetic_process_init(struct synthetic_process *process, const struct synthetic_plan *plan,
                            uint64_t number);

/* Sets all that says who the process's thread @index is, but ids and times. */
void synthetic_thread_name(const struct synthetic_plan *plan,
                           const struct synthetic_process *process, uint64_t index,
                           struct thread_sample *sample);
