/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-states - how many threads of a cgroup of version 1 are in each state, as the kernel counts them: CGROUPSTATS_CMD_GET of
 * taskstats. Cgroups of version 2 have no such answer (EINVAL). */
#include <stdbool.h>

#include "ctprof/metric/cgroup-stats.h"

struct taskstats_client;

/* All zero: nothing was asked yet. */
struct cgroup_states {
	struct taskstats_client *client; /* owned */
	bool is_refused;                 /* there is nobody to ask */
};

/* Sets the values of the cgroup whose directory is @cgroup_fd (O_PATH), as far as they can be had. */
void cgroup_states_read(struct cgroup_states *states, int cgroup_fd, struct cgroup_stats *stats);

void cgroup_states_done(struct cgroup_states *states);
