// SPDX-License-Identifier: GPL-2.0-or-later
#include "settings-job.h"

#include <fcntl.h>

#include "base/fd.h"
#include "base/own-names.h"
#include "base/worker.h"
#include "settings/settings-read.h"

static void *run(void *context)
{
	struct settings_job *job = context;

	settings_read(job->proc_fd, job->sys_fd, true, job->anonymous, &job->settings);
	return NULL;
}

void settings_job_start(struct settings_job *job, bool anonymous)
{
	job->anonymous = anonymous;
	job->proc_fd = fd_open_path_at(AT_FDCWD, "/proc");
	job->sys_fd = fd_open_path_at(AT_FDCWD, "/sys");
	job->is_running = job->proc_fd >= 0 &&
	                  worker_start(&job->thread, run, job, own_names[OWN_NAME_settings]);
}

bool settings_job_get(struct settings_job *job, struct settings *ret_settings)
{
	if (!job->is_running)
		return false;
	pthread_join(job->thread, NULL);
	job->is_running = false;
	*ret_settings = job->settings;
	job->settings = (struct settings){0};
	return true;
}

void settings_job_done(struct settings_job *job)
{
	if (job->is_running)
		pthread_join(job->thread, NULL);
	job->is_running = false;
	settings_done(&job->settings);
	fd_closep(&job->sys_fd);
	fd_closep(&job->proc_fd);
}
