/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* run-asked - what a batch system was asked for, by its variables in the environment of a run, and how much of it was used. */
#include "series/job-info.h"

/* Sets the fields that are computed, as far as the run has what they need. */
void run_set_asked(struct job_info *info);
