/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* recording-rows - what a recording has, as rows for programs: a row for each hour, each gap and each trigger, in raw numbers. A value
 * that some windows of the hour lack is empty in CSV, and null in NDJSON. The last one names the amounts that lack some threads. */
#include <stdio.h>

#include "recording/recording-survey.h"

void recording_rows_csv_head(FILE *file);
void recording_rows_csv(FILE *file, const char *path, const struct recording_survey *survey);
void recording_rows_ndjson(FILE *file, const char *path, const struct recording_survey *survey);

/* Appends why there is no window in a gap, fit for a terminal. */
void recording_rows_add_reason(const struct recording_gap *gap, struct strbuf *out);
