// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroup/cgroup-states.h"

#include <errno.h>

#include "base/fd.h"
#include "taskstats/taskstats.h"

static void set(struct cgroup_stats *stats, enum cgroup_value_id id, uint64_t number)
{
	if (number <= INT64_MAX)
		fact_set_number(&stats->values[id], (int64_t)number);
}

void cgroup_states_read(struct cgroup_states *states, int cgroup_fd, struct cgroup_stats *stats)
{
	struct taskstats_cgroup counted;
	cleanup_(fd_closep) int fd = -1;
	int r;

	if (states->is_refused)
		return;
	if (!states->client && taskstats_open(&states->client) < 0) {
		states->is_refused = true;
		return;
	}
	/* The kernel takes no descriptor that only names the directory. */
	fd = fd_open_dir_at(cgroup_fd, ".");
	if (fd < 0)
		return;
	r = taskstats_ask_cgroup(states->client, fd, &counted);
	/* A late answer is not waited for again. */
	states->is_refused = r == -ETIMEDOUT || r == -EOPNOTSUPP || r == -EPERM;
	if (r < 0)
		return;
	set(stats, CGROUP_VALUE_threads_v1_running, counted.running);
	set(stats, CGROUP_VALUE_threads_v1_sleeping, counted.sleeping);
	set(stats, CGROUP_VALUE_threads_v1_stopped, counted.stopped);
	set(stats, CGROUP_VALUE_threads_v1_uninterruptible, counted.uninterruptible);
	set(stats, CGROUP_VALUE_threads_v1_io_wait, counted.io_wait);
}

void cgroup_states_done(struct cgroup_states *states)
{
	taskstats_freep(&states->client);
}
