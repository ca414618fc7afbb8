/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* settings-job - reads the settings of this host in a thread of its own, while the BPF program is loaded: on a small host each takes
 * some milliseconds. */
#include <pthread.h>

#include "ctprof/settings/settings.h"

struct settings_job {
	bool is_running;
	pthread_t thread;
	int proc_fd, sys_fd;
	bool anonymous;
	struct settings settings;
};

#define SETTINGS_JOB_INIT ((struct settings_job){.proc_fd = -1, .sys_fd = -1})

/* Begins to read, if there is a thread to be had. @job stays where it is until settings_job_done(). */
void settings_job_start(struct settings_job *job, bool anonymous);

/* Waits for the end, and moves what was read to @ret_settings. Returns false where nothing was begun. */
must_check_ bool settings_job_get(struct settings_job *job, struct settings *ret_settings);

/* Waits for the end. For cleanup_(settings_job_done). */
void settings_job_done(struct settings_job *job);
