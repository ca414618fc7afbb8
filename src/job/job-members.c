// SPDX-License-Identifier: GPL-2.0-or-later
#include "job-members.h"

#include "base/mem.h"
#include "job/job-cgroup-left.h"

struct members_reading {
	struct job_reading base; /* must stay the first member */
	int proc_fd;
	struct job_cgroup *cgroup;
	enum job_smaps smaps;
	double pss;
	bool has_pss;
	struct job_result *result;
};

static void check(struct job_reading *self, uint32_t pid)
{
	const struct members_reading *reading = (struct members_reading *)self;
	const struct id_list one = {.ids = &pid, .count = 1};

	job_cgroup_check(reading->cgroup, reading->proc_fd, &one);
}

void job_members_check(struct job_reader *reader, struct job_cgroup *cgroup,
                       const struct id_list *pids)
{
	struct members_reading reading = {.base = {.kind = AVOIDS_ALL, .read = check},
	                                  .proc_fd = reader->proc_fd,
	                                  .cgroup = cgroup};

	job_reader_read(reader, &reading.base, pids);
}

static void add_pss(struct job_reading *self, uint32_t pid)
{
	struct members_reading *reading = (struct members_reading *)self;
	const struct id_list one = {.ids = &pid, .count = 1};
	double bytes = 0;

	if (!reading->has_pss)
		return;
	reading->has_pss = job_pss_read(reading->proc_fd, &one, reading->smaps, &bytes);
	reading->pss += bytes;
}

static void lose_pss(struct job_reading *self, uint32_t pid)
{
	(void)pid;
	((struct members_reading *)self)->has_pss = false;
}

bool job_members_pss(struct job_reader *reader, const struct id_list *pids, enum job_smaps smaps,
                     double *ret)
{
	struct members_reading reading = {.base = {AVOIDS_MEMORY, add_pss, lose_pss},
	                                  .proc_fd = reader->proc_fd,
	                                  .smaps = smaps,
	                                  .has_pss = true};

	job_reader_read(reader, &reading.base, pids);
	*ret = reading.pss;
	return reading.has_pss;
}

static struct job_live *new_left(struct job_result *result)
{
	return array_add(result->left, result->left_count, result->left_capacity);
}

static void add_left(struct job_reading *self, uint32_t pid)
{
	const struct members_reading *reading = (struct members_reading *)self;
	struct job_result *result = reading->result;
	struct job_live live;

	if (!job_live_read(reading->proc_fd, (pid_t)pid, &live))
		job_live_done(&live);
	else if (live.is_zombie)
		*array_add(result->zombies, result->zombie_count, result->zombie_capacity) = live;
	else
		*new_left(result) = live;
}

/* A process that stalls is there. */
static void add_stalled(struct job_reading *self, uint32_t pid)
{
	const struct members_reading *reading = (struct members_reading *)self;

	job_live_stalled(reading->proc_fd, (pid_t)pid, new_left(reading->result));
}

void job_members_left(struct job_reader *reader, const struct id_list *pids,
                      struct job_result *result)
{
	struct members_reading reading = {.base = {AVOIDS_ALL, add_left, add_stalled},
	                                  .proc_fd = reader->proc_fd,
	                                  .result = result};

	/* Without /proc a process is there, and no more is known of it. */
	for (size_t i = 0; reader->proc_fd < 0 && i < pids->count; i++)
		add_stalled(&reading.base, pids->ids[i]);
	if (reader->proc_fd >= 0)
		job_reader_read(reader, &reading.base, pids);
}
