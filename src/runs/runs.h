/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* runs - many jobs and their fields: what each has, in which order they stand, and sums and maxima over them. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/strbuf.h"
#include "series/job-info.h"

enum run_form {
	RUN_FORM_text,
	RUN_FORM_bytes,
	RUN_FORM_seconds,
	RUN_FORM_percent,
	RUN_FORM_moment,
	RUN_FORM_code,
	RUN_FORM_number,
};
enum run_totals { RUN_TOTALS_none, RUN_TOTALS_peak, RUN_TOTALS_sum };

enum run_field_id {
#define RUN_FIELD(id_, ...) RUN_FIELD_##id_,
#include "run-fields.def"
	RUN_FIELD_COUNT
};

struct run_field {
	const char *name, *heading;
	enum run_form form;
	enum run_totals totals;
	const char *description;
};

extern const struct run_field run_fields[RUN_FIELD_COUNT];
/* The names, ended by NULL. */
extern const char *const run_field_names[];

/* Returns the field of that name, or NULL: a run may have others. */
const struct run_field *run_field_find(const char *name);

struct runs {
	struct job_info *entries; /* owned */
	size_t count, capacity;
};

/* Adds a run, which is moved and left empty, with its prefix and the fields that are computed. */
void runs_add(struct runs *runs, struct job_info *info, const char *prefix, size_t prefix_len);
/* For cleanup_(runs_done). */
void runs_done(struct runs *runs);

struct run_order {
	char *name; /* owned by the caller; NULL ends a list */
	bool descending;
};
/* Sorts by fields, the first one first, and by prefix in the end. Numbers are before texts, and runs without a value last, also
 * in descending order. Digits in texts count as numbers. */
void runs_sort(struct runs *runs, const struct run_order *orders);
void runs_reverse(struct runs *runs);

/* Returns whether any run has a value of that name: not null, and no empty text. */
bool runs_have(const struct runs *runs, const char *name);

/* Sum, mean and maximum of a field over the runs that have it as a number. */
struct run_total {
	size_t seen;
	double sum, mean, max;
};
struct run_total runs_total(const struct runs *runs, const char *name);
/* Returns how many have an exit code that is not 0. */
size_t runs_failed(const struct runs *runs);

/* Appends a number in the form of a field, as con-duct has it: "8.6 MB", "6.153 sec", "76.20%". */
void run_add_number(enum run_form form, double number, struct strbuf *out);
/* Appends a value so; "-" with the unit of the form for null, as con-duct has it. Raw bytes. @field may be NULL. */
void run_add_value(const struct run_field *field, const struct job_field *value,
                   struct strbuf *out);
