/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-summary - the summary of a run: con-duct's execution_summary, and ctprof's own numbers behind it under keys ctprof_.... */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "duct/duct-json.h"
#include "duct/duct-recorder.h"
#include "job/job-run.h"

enum { DUCT_KEY_BYTES = 48, DUCT_SUMMARY_MAX = 80 };

/* A member of the object. */
struct duct_value {
	char key[DUCT_KEY_BYTES];
	bool is_known, is_text;
	const char *text; /* borrowed */
	double number;
	enum job_unit unit;
};

struct duct_summary {
	struct duct_value values[DUCT_SUMMARY_MAX];
	unsigned count;
};

/* A run, besides its job. Texts are borrowed. */
struct duct_run_facts {
	const char *command, *prefix, *working_directory;
	struct duct_recorded recorded;
};

/* Makes the summary of a job; @result is NULL for one of which nothing is known, which has the keys alone. The texts are
 * borrowed from both. */
void duct_summary_make(struct duct_summary *summary, const struct duct_run_facts *facts,
                       const struct job_result *result);

/* Writes the object. */
void duct_summary_add(const struct duct_summary *summary, struct duct_json *json);

/* Checks a template, whose fields are the keys. Returns 0, or -EINVAL with a phrase. */
must_check_ int duct_summary_check(const char *template, struct strbuf *reason);

/* Appends the text of a template that is valid. */
void duct_summary_format(const struct duct_summary *summary, const char *template, bool colors,
                         struct strbuf *out);

/* con-duct's own template. */
extern const char duct_summary_default[];
