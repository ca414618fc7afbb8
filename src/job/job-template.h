/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-template - texts with fields, as con-duct has them: {field}, {field!C} with a conversion, {field:SPEC} with a
 * format, {field:SPEC!C}, and {{ and }} for braces. A value that is not known is "-".
 * Conversions: S a size in decimal units, T a time, P a percentage, D a date; E, N and X the value as it is.
 * SPEC is [<|>][WIDTH][.PRECISION][d|e|f|g|s]. */
#include <stdbool.h>

#include "base/scan.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "job/job-values.h"

/* The value of a field. */
struct job_template_field {
	bool is_known;
	bool is_text;
	const char *text; /* borrowed; it is made safe to print */
	double number;
	enum job_unit unit;
};

struct job_template {
	const char *text;
	/* Returns false if there is no field of this name. */
	bool (*find)(const void *context, struct span name, struct job_template_field *ret);
	const void *context;
	bool colors; /* con-duct's, by the conversion */
};

/* Returns 0, or -EINVAL with a phrase if the template is not valid. Asks for all fields; what they hold does not matter. */
must_check_ int job_template_check(const struct job_template *template, struct strbuf *reason);

/* Appends the text of a template that is valid. */
void job_template_add(const struct job_template *template, struct strbuf *out);
