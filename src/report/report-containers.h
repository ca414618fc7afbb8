/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-containers - the table of containers, with the columns of docker stats. */
#include <stdio.h>

#include "facts/container-table.h"
#include "report/report.h"

/* Prints the containers, that with the most CPU time and then memory first, as table, Markdown or, with @csv, in numbers with
 * cAdvisor's beside docker's. Errors are left in @file's error flag. */
void report_print_containers(FILE *file, const struct report *report,
                             const struct container_table *containers, bool csv);
