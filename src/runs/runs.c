// SPDX-License-Identifier: GPL-2.0-or-later
#include "runs/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "run-asked.h"

const struct run_field run_fields[RUN_FIELD_COUNT] = {
#define RUN_FIELD(id_, heading_, form_, totals_, description_) \
	[RUN_FIELD_##id_] = {#id_, heading_, RUN_FORM_##form_, RUN_TOTALS_##totals_, description_},
#include "run-fields.def"
};

/* The summary of ctprof duct has the numbers of a job that con-duct does not have with "ctprof_" in front. */
enum { RUN_FORM_s = RUN_FORM_seconds, RUN_FORM_count = RUN_FORM_number };
static const struct run_field own_fields[] = {
#define JOB_VALUE(id_, unit_, description_)                                                \
	{"ctprof_" #id_, "ctprof_" #id_, (enum run_form)RUN_FORM_##unit_, RUN_TOTALS_peak, \
	 description_},
#include "job.def"
};

const char *const run_field_names[] = {
#define RUN_FIELD(id_, ...) #id_,
#include "run-fields.def"
        NULL,
};

const struct run_field *run_field_find(const char *name)
{
	for (size_t i = 0; i < RUN_FIELD_COUNT; i++)
		if (strcmp(run_fields[i].name, name) == 0)
			return &run_fields[i];
	for (size_t i = 0; i < ARRAY_SIZE(own_fields); i++)
		if (strcmp(own_fields[i].name, name) == 0)
			return &own_fields[i];
	return NULL;
}

void runs_add(struct runs *runs, struct job_info *info, const char *prefix, size_t prefix_len)
{
	cleanup_(mem_freep) char *text = mem_copy(prefix, prefix_len);

	job_info_set_text(info, run_fields[RUN_FIELD_prefix].name, text);
	run_set_asked(info);
	*array_add(runs->entries, runs->count, runs->capacity) = *info;
	*info = (struct job_info){0};
}

void runs_done(struct runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		job_info_done(&runs->entries[i]);
	free(runs->entries);
	*runs = (struct runs){0};
}

enum rank { RANK_NUMBER, RANK_TEXT, RANK_OTHER, RANK_MISSING };

static enum rank rank_of(const struct job_field *value)
{
	if (!value || value->kind == JOB_FIELD_NULL ||
	    (value->kind == JOB_FIELD_TEXT && value->text[0] == '\0'))
		return RANK_MISSING;
	if (value->kind == JOB_FIELD_TEXT)
		return RANK_TEXT;
	return value->kind == JOB_FIELD_JSON ? RANK_OTHER : RANK_NUMBER;
}

/* Compares numbers of any length, which may have zeros in front. Moves behind them. */
static int compare_digits(const char **a, const char **b)
{
	size_t a_len, b_len;
	int order;

	*a += strspn(*a, "0");
	*b += strspn(*b, "0");
	a_len = strspn(*a, "0123456789");
	b_len = strspn(*b, "0123456789");
	order = a_len != b_len ? (a_len < b_len ? -1 : 1) : memcmp(*a, *b, a_len);
	*a += a_len;
	*b += b_len;
	return order;
}

static int compare_texts(const char *a, const char *b)
{
	int order;

	for (;;) {
		if (char_is_digit(*a) && char_is_digit(*b)) {
			order = compare_digits(&a, &b);
			if (order != 0)
				return order;
			continue;
		}
		/* A number is before any other text. */
		if (char_is_digit(*a) != char_is_digit(*b) && *a != '\0' && *b != '\0')
			return char_is_digit(*a) ? -1 : 1;
		if (*a != *b || *a == '\0')
			return (unsigned char)*a - (unsigned char)*b;
		a++;
		b++;
	}
}

static int compare_values(const struct job_field *a, const struct job_field *b, bool descending)
{
	enum rank rank = rank_of(a), other = rank_of(b);
	int order;

	if (rank == RANK_MISSING || other == RANK_MISSING)
		return (rank == RANK_MISSING) - (other == RANK_MISSING);
	if (rank != other)
		order = rank < other ? -1 : 1;
	else if (rank == RANK_NUMBER)
		order = a->number < b->number ? -1 : a->number > b->number;
	else
		order = compare_texts(a->text, b->text);
	return descending ? -order : order;
}

static int compare_by(const struct job_info *a, const struct job_info *b, const char *name,
                      bool descending)
{
	return compare_values(job_info_find(a, name), job_info_find(b, name), descending);
}

static int compare_runs(const void *a, const void *b, void *context)
{
	const struct run_order *by = context;
	int order = 0;

	for (; by->name && order == 0; by++)
		order = compare_by(a, b, by->name, by->descending);
	return order != 0 ? order : compare_by(a, b, run_fields[RUN_FIELD_prefix].name, false);
}

void runs_sort(struct runs *runs, const struct run_order *orders)
{
	/* qsort_r(3) passes it on to a function that changes nothing. */
	if (runs->count > 1)
		qsort_r(runs->entries, runs->count, sizeof(runs->entries[0]), compare_runs,
		        (void *)(uintptr_t)orders);
}

void runs_reverse(struct runs *runs)
{
	for (size_t i = 0, k = runs->count; i + 1 < k; i++) {
		struct job_info swapped = runs->entries[i];

		runs->entries[i] = runs->entries[--k];
		runs->entries[k] = swapped;
	}
}

bool runs_have(const struct runs *runs, const char *name)
{
	for (size_t i = 0; i < runs->count; i++)
		if (rank_of(job_info_find(&runs->entries[i], name)) != RANK_MISSING)
			return true;
	return false;
}

struct run_total runs_total(const struct runs *runs, const char *name)
{
	struct run_total total = {0, 0, NAN, NAN};

	for (size_t i = 0; i < runs->count; i++) {
		double number = job_info_number(&runs->entries[i], name);

		if (isnan(number))
			continue;
		total.seen++;
		total.sum += number;
		total.max = total.seen == 1 ? number : fmax(total.max, number);
	}
	if (total.seen > 0)
		total.mean = total.sum / (double)total.seen;
	return total;
}

size_t runs_failed(const struct runs *runs)
{
	size_t failed = 0;

	for (size_t i = 0; i < runs->count; i++) {
		double code = job_info_number(&runs->entries[i], "exit_code");

		failed += !isnan(code) && code != 0;
	}
	return failed;
}

/* Decimal units, and no carry: 999,999 is 1000.0 kB. */
static void add_size(double bytes, struct strbuf *out)
{
	static const char *const names[] = {"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"};
	double size = fabs(bytes), unit = 1000;
	size_t step = 0;

	if (size < unit) {
		strbuf_addf(out, size == 1 ? "%.0f Byte" : "%.0f Bytes", trunc(bytes));
		return;
	}
	for (; size / unit >= 1000 && step + 1 < ARRAY_SIZE(names); step++)
		unit *= 1000;
	strbuf_addf(out, "%.1f %s", bytes / unit, names[step]);
}

void run_add_number(enum run_form form, double number, struct strbuf *out)
{
	switch (form) {
	case RUN_FORM_bytes:
		add_size(number, out);
		break;
	case RUN_FORM_seconds:
		strbuf_addf(out, "%.3f sec", number);
		break;
	case RUN_FORM_percent:
		strbuf_addf(out, "%.2f%%", number);
		break;
	case RUN_FORM_moment:
		strbuf_addf(out, "%.2f", number);
		break;
	case RUN_FORM_code:
	case RUN_FORM_number:
	case RUN_FORM_text:
		strbuf_addf(out, "%.17g", number);
		break;
	}
}

void run_add_value(const struct run_field *field, const struct job_field *value, struct strbuf *out)
{
	enum run_form form = field ? field->form : RUN_FORM_text;

	if (value->kind == JOB_FIELD_NULL)
		strbuf_add_str(out, form == RUN_FORM_seconds   ? "- sec"
		                    : form == RUN_FORM_percent ? "-%"
		                                               : "-");
	else if (value->kind == JOB_FIELD_NUMBER && form != RUN_FORM_text &&
	         form != RUN_FORM_number && form != RUN_FORM_code)
		run_add_number(form, value->number, out);
	else
		strbuf_add_str(out, value->text);
}
