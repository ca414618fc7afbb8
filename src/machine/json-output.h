/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* json-output - writes a report as JSON into a file, one row at a time, for there may be millions. */
#include <stdio.h>

#include "machine-value.h"
#include "report/report.h"
#include "json/json-write.h"

/* The buffer is written when it has more bytes. */
enum { JSON_OUTPUT_BYTES = 64 << 10 };

struct json_output {
	FILE *file;
	struct strbuf buffer;
	struct json_writer writer;
	struct machine_columns columns;
	struct machine_value value;
	struct strbuf scratch;
};

/* Writes a member of that name: the snapshot, its host, its missing values and the cost of the capture. */
void json_output_side(struct json_output *out, const char *name, const struct report_side *side);

/* Writes the member "between": the length of the window between two snapshots and its impossible values, or null without one. */
void json_output_between(struct json_output *out, const struct snapshot_info *interval);

/* Writes the member "also_differs". */
void json_output_differs(struct json_output *out, const struct report *report);

/* Writes the buffer into the file if it has more bytes than @at_least. */
void json_output_flush(struct json_output *out, size_t at_least);

/* Writes a text of the user, which may have any bytes, as a value. */
void json_output_text(struct json_output *out, const char *text);
