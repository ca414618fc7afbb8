/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-delays - the delays of groups and of the host as the kernel's tool getdelays prints those of one task: a line for each
 * kind of registry/delays.def. */
#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

/* Returns whether the measure is in that table: of a delay, or time on a CPU. */
bool report_is_of_delays(unsigned measure);

/* Prints the groups that have rows in the report, in their order, and before them the host. Errors are left in @file's error
 * flag. */
void report_print_delays(FILE *file, const struct report *report);
