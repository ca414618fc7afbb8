/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* registry-print - prints the texts that the build makes from the registry: the body of a manual page, a JSON
 * Schema. */
#include <stdio.h>

/* Prints the sections of ctprof-metrics(7) about metrics, derived metrics and their legends, in scdoc's
 * syntax. Errors are left in @file's error flag. */
void registry_print_man(FILE *file);

/* Prints the tags of ctprof-snapshot(5), also in scdoc's syntax. */
void registry_print_tags(FILE *file);

/* Prints the numbers of ctprof-run(1) and their sources, also in scdoc's syntax. */
void registry_print_job(FILE *file);

/* Prints the series of ctprof-plot(1) and the fields of ctprof-list(1), also in scdoc's syntax. */
void registry_print_series(FILE *file);
void registry_print_fields(FILE *file);

/* Prints the JSON Schema (draft 2020-12) of the snapshots that this version writes. Errors are left in
 * @file's error flag. */
void registry_print_schema(FILE *file);

/* Prints the columns of ctprof-export(1), in scdoc's syntax. */
void registry_print_fleet(FILE *file);

/* Prints the JSON Schema of one line of `ctprof export --format ndjson`. */
void registry_print_fleet_schema(FILE *file);
