/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-load - the tables that a report's options ask of a snapshot. */
#include "input/load.h"
#include "query/report-options.h"

/* Makes the load of a path, which is borrowed as the options are. load_done() frees it. */
void report_load_init(struct load *load, const struct report_options *options, const char *path);
