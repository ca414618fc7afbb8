/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-members - readings of the processes of a job that may be held up, by a job_reader. */
#include "job/job-cgroup.h"
#include "job/job-reader.h"
#include "job/job-run.h"

/* Does job_cgroup_check() for all but those that stall. */
void job_members_check(struct job_reader *reader, struct job_cgroup *cgroup,
                       const struct id_list *pids);

/* Does job_pss_read(). Returns false also if one stalls. */
must_check_ bool job_members_pss(struct job_reader *reader, const struct id_list *pids,
                                 enum job_smaps smaps, double *ret);

/* Adds those that go on to result->left. */
void job_members_left(struct job_reader *reader, const struct id_list *pids,
                      struct job_result *result);
