// SPDX-License-Identifier: GPL-2.0-or-later
#include "findings/findings.h"

#include "findings-format.h"

const char *const findings_formats[FINDINGS_FORMAT_COUNT + 1] = {
        "table", "csv", "json", "ndjson", "markdown", "junit", NULL};

void findings_print(FILE *file, const struct findings *findings, enum findings_format format)
{
	switch (format) {
	case FINDINGS_TABLE:
	case FINDINGS_MARKDOWN:
		findings_print_text(file, findings);
		break;
	case FINDINGS_CSV:
		findings_print_csv(file, findings);
		break;
	case FINDINGS_JSON:
	case FINDINGS_NDJSON:
		findings_print_json(file, findings, format == FINDINGS_NDJSON);
		break;
	case FINDINGS_JUNIT:
		findings_print_junit(file, findings);
		break;
	case FINDINGS_FORMAT_COUNT:
		break;
	}
}
