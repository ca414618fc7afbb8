/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* findings - prints the answers of an experiment: for people, for programs, and for CI. */
#include <stdio.h>

#include "base/table.h"
#include "effect/effect.h"
#include "effect/gate.h"
#include "effect/settings-seen.h"

enum findings_format {
	FINDINGS_TABLE,
	FINDINGS_CSV,
	FINDINGS_JSON,
	FINDINGS_NDJSON,
	FINDINGS_MARKDOWN,
	FINDINGS_JUNIT,
	FINDINGS_FORMAT_COUNT
};
extern const char *const findings_formats[FINDINGS_FORMAT_COUNT + 1]; /* ended by NULL */

/* The result of a gate for one comparison. */
struct gate_finding {
	const struct gate *gate;
	size_t comparison;
	enum gate_result result;
	char *reason; /* safe to print; owned by the caller */
};

struct findings {
	const struct trial *trial;
	const struct unit_table *table;       /* of the report */
	const struct comparison *comparisons; /* all arms against the first one */
	size_t count;
	const struct settings_seen *settings;
	const struct gate_finding *gates;
	size_t gate_count;
	bool verbose;
	bool csv_raw; /* in csv, texts that a spreadsheet runs are left as they are */
	size_t limit; /* rows that moved, in a table; 0: all */
	struct table_style style;
};

/* Prints all of it. Errors are left in @file's error flag. */
void findings_print(FILE *file, const struct findings *findings, enum findings_format format);
