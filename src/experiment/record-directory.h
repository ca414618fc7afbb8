/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* record-directory - the directory of an experiment. A run executes commands from it, so no other user may write there. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

struct experiment;

#define EXPERIMENT_FILE "experiment.json"

/* Opens the directory for lookups. Returns the descriptor, or -errno with a sentence: -EPERM if it or its experiment.json belongs to
 * another user (root's may be used), or if other users may write to one of them;
 * -EACCES if the path leads through a link that base/output-place.h refuses. */
must_check_ int record_directory_open(const char *directory, struct strbuf *reterr);

/* Closes the directory, if one is open. */
void experiment_leave_directory(struct experiment *experiment);
