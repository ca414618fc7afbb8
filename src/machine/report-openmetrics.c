// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/report-openmetrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/strmap.h"
#include "machine-value.h"

struct exposition {
	FILE *file;
	const struct report *report;
	bool openmetrics;
	struct strbuf name, text;
	uint32_t *numbers; /* by group: how many before it have the same labels; owned */
};

bool openmetrics_has(unsigned measure)
{
	if (measure_is_derived(measure))
		return true;
	switch (metric_table[measure].rule) {
	case RULE_SUM:
	case RULE_MAX:
	case RULE_MIN:
		return true;
	case RULE_RANGE:
	case RULE_MODE:
	case RULE_AFFINITY:
		break;
	}
	return false;
}

/* Returns the base unit, or NULL; @ret_suffix is the unit at the end of the metric's name, and @ret_divisor makes it of the value; 0: not known. */
static const char *base_unit(unsigned measure, const char **ret_suffix, double *ret_divisor,
                             uint64_t clock_ticks_per_second)
{
	*ret_divisor = 1;
	switch (measure_unit(measure)) {
	case UNIT_ns:
		*ret_suffix = "_ns";
		*ret_divisor = NS_PER_SECOND;
		return "seconds";
	case UNIT_us:
		*ret_suffix = "_us";
		*ret_divisor = 1e6;
		return "seconds";
	case UNIT_ticks:
		*ret_suffix = "_clock_ticks";
		*ret_divisor = (double)clock_ticks_per_second;
		return "seconds";
	case UNIT_bytes:
		*ret_suffix = "_bytes";
		return "bytes";
	case UNIT_percent:
		*ret_suffix = "_percent";
		*ret_divisor = 100;
		return "ratio";
	case UNIT_ratio:
		*ret_suffix = "_ratio";
		return "ratio";
	case UNIT_count:
		/* A name that ends in _count is a histogram's. */
		*ret_suffix = "_count";
		return NULL;
	case UNIT_none:
	case UNIT_percent_hundredths:
	case UNIT_COUNT:
		break;
	}
	*ret_suffix = "";
	return NULL;
}

static void add_unit(unsigned measure, enum measure_per per, struct strbuf *out)
{
	const char *suffix, *unit;
	double divisor;

	unit = base_unit(measure, &suffix, &divisor, 0);
	if (unit)
		strbuf_add_str(out, unit);
	if (per == PER_total || per == PER_COUNT || !measure_scales(measure))
		return;
	strbuf_addf(out, "%sper_", unit ? "_" : "");
	for (const char *at = measure_per_table[per].name; *at; at++)
		strbuf_add_char(out, *at == '-' ? '_' : *at);
}

void openmetrics_add_name(unsigned measure, enum measure_per per, struct strbuf *out)
{
	const char *name = measure_name(measure), *suffix, *unit;
	size_t len = strlen(name), suffix_len;
	double divisor;
	bool cut;

	unit = base_unit(measure, &suffix, &divisor, 0);
	suffix_len = strlen(suffix);
	cut = suffix_len > 0 && len > suffix_len && strcmp(name + len - suffix_len, suffix) == 0;
	strbuf_add_str(out, "ctprof_");
	strbuf_add(out, name, cut ? len - suffix_len : len);
	if (cut && !unit)
		strbuf_add_char(out, 's');
	if (unit || (per != PER_total && per != PER_COUNT && measure_scales(measure)))
		strbuf_add_char(out, '_');
	add_unit(measure, per, out);
}

static const char *description_of(unsigned measure)
{
	return measure_is_derived(measure) ? derived_table[measure_derived(measure)].description
	                                   : metric_table[measure].description;
}

static void add_help(const struct exposition *out, const char *text, struct strbuf *to)
{
	for (; *text; text++)
		if (*text == '\\' || (out->openmetrics && *text == '"'))
			strbuf_addf(to, "\\%c", *text);
		else
			strbuf_add_char(to, *text == '\n' ? ' ' : *text);
}

/* A sum over a group falls when its processes end, so that no family is a counter. */
static void print_family(struct exposition *out, const char *name, const char *unit,
                         const char *help, bool is_percent)
{
	strbuf_clear(&out->text);
	add_help(out, help, &out->text);
	if (is_percent)
		strbuf_add_str(&out->text, "; as a ratio: 1 is 100 %");
	fprintf(out->file, "# HELP %s %s\n# TYPE %s gauge\n", name, strbuf_str(&out->text), name);
	if (out->openmetrics && unit[0] != '\0')
		fprintf(out->file, "# UNIT %s %s\n", name, unit);
}

static void add_label_value(const char *text, struct strbuf *to)
{
	strbuf_add_char(to, '"');
	for (; *text; text++)
		if (*text == '\n')
			strbuf_add_str(to, "\\n");
		else if (*text == '\\' || *text == '"')
			strbuf_addf(to, "\\%c", *text);
		else
			strbuf_add_char(to, *text);
	strbuf_add_char(to, '"');
}

/* Numbers the groups whose labels are those of another one, such as processes that had one id after the other. */
static void number_groups(struct exposition *out)
{
	const struct row_set *set = out->report->rows;
	cleanup_(strmap_done) struct strmap first = STRMAP_INIT;
	uint32_t *last;

	out->numbers = mem_calloc(set->group_count + 1, sizeof(out->numbers[0]));
	last = mem_calloc(set->group_count + 1, sizeof(last[0]));
	for (size_t i = 0; i < set->group_count; i++) {
		uint32_t place;

		strbuf_clear(&out->text);
		for (unsigned key = 0; key < set->by.count; key++)
			add_label_value(set->groups[i].parts[key] ? set->groups[i].parts[key] : "",
			                &out->text);
		strmap_add(&first, strbuf_str(&out->text), out->text.len);
		if (!strmap_find(&first, strbuf_str(&out->text), out->text.len, &place))
			continue;
		out->numbers[i] = last[place]++;
	}
	free(last);
}

static void add_sample(struct exposition *out, const struct row_group *group, struct quantity value)
{
	const struct group_by *by = &out->report->rows->by;
	uint32_t number;

	strbuf_clear(&out->text);
	for (unsigned key = 0; group && key < by->count; key++) {
		strbuf_addf(&out->text, "%c%s=", key == 0 ? '{' : ',',
		            group_key_table[by->keys[key]].column);
		add_label_value(group->parts[key], &out->text);
	}
	number = group ? out->numbers[group - out->report->rows->groups] : 0;
	if (number > 0)
		strbuf_addf(&out->text, ",number=\"%u\"", number + 1);
	if (group)
		strbuf_add_char(&out->text, '}');
	strbuf_add_char(&out->text, ' ');
	machine_add_number(value, &out->text);
	strbuf_add_char(&out->text, '\n');
}

static void print_sample(struct exposition *out, const struct row_group *group,
                         struct quantity value)
{
	add_sample(out, group, value);
	fprintf(out->file, "%s%s", strbuf_str(&out->name), strbuf_str(&out->text));
}

/* Prints samples of the family @name that have a mark, given without names, as a family beside it with the same labels. */
static void print_marked(struct exposition *out, const struct strbuf *name,
                         const struct strbuf *samples, const char *suffix, const char *text)
{
	cleanup_(strbuf_done) struct strbuf help = STRBUF_INIT;
	const char *line = strbuf_str(samples), *end;

	if (samples->len == 0)
		return;
	strbuf_addf(&help, "1 where %s %s", strbuf_str(name), text);
	strbuf_clear(&out->name);
	strbuf_addf(&out->name, "%s%s", strbuf_str(name), suffix);
	print_family(out, strbuf_str(&out->name), "", strbuf_str(&help), false);
	for (; (end = strchr(line, '\n')); line = end + 1)
		fprintf(out->file, "%s%.*s\n", strbuf_str(&out->name), (int)(end - line), line);
}

/* A quantity in the base unit; none if the length of a clock tick is not known. */
static struct quantity in_base_unit(const struct row_view *view)
{
	struct quantity value = view->values[0];
	const char *suffix;
	double divisor;

	(void)base_unit(view->measure, &suffix, &divisor, view->clock_ticks_per_second);
	if (value.kind == QUANTITY_NONE || !(divisor > 0))
		return (struct quantity){0};
	return divisor > 1 ? quantity_real(quantity_double(value) / divisor) : value;
}

static void begin_family(struct exposition *out, const struct row_view *view)
{
	cleanup_(strbuf_done) struct strbuf unit = STRBUF_INIT;

	strbuf_clear(&out->name);
	openmetrics_add_name(view->measure, view->per, &out->name);
	add_unit(view->measure, view->per, &unit);
	print_family(out, strbuf_str(&out->name), strbuf_str(&unit), description_of(view->measure),
	             measure_unit(view->measure) == UNIT_percent);
}

/* Prints the family of a measure of which rows are there: from @first on, those with the same measure. */
static void print_measure(struct exposition *out, const size_t *order, size_t count)
{
	const struct row_set *set = out->report->rows;
	cleanup_(strbuf_done) struct strbuf partial = STRBUF_INIT, before = STRBUF_INIT,
	                                    name = STRBUF_INIT;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const struct row *row = &set->rows[order[i]];
		const struct row_group *group = &set->groups[row->group];
		struct quantity value;
		struct row_view view;

		if (group->exited)
			continue;
		row_view(set, group, row->measure, &view);
		value = in_base_unit(&view);
		if (value.kind == QUANTITY_NONE)
			continue;
		if (!any)
			begin_family(out, &view);
		any = true;
		print_sample(out, group, value);
		add_sample(out, group, quantity_integer(1));
		if (report_is_partial(&view, SIDE_BASELINE))
			strbuf_add(&partial, out->text.data, out->text.len);
		if (view.began_before[SIDE_BASELINE] > 0)
			strbuf_add(&before, out->text.data, out->text.len);
	}
	strbuf_copy(&name, &out->name);
	print_marked(out, &name, &partial, "_partial", "lacks some of the group's threads");
	print_marked(out, &name, &before, "_began_before",
	             "has waits that began before the window");
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct row_set *set = context;
	const size_t *first = a, *second = b;
	uint16_t measure = set->rows[*first].measure, other = set->rows[*second].measure;

	if (measure != other)
		return measure < other ? -1 : 1;
	return *first < *second ? -1 : 1;
}

static void print_rows(struct exposition *out)
{
	struct row_set *set = out->report->rows;
	cleanup_(mem_freep) size_t *order = mem_calloc(set->row_count + 1, sizeof(*order));
	size_t count = 0, end;

	for (size_t i = 0; i < set->row_count; i++)
		if (openmetrics_has(set->rows[i].measure))
			order[count++] = i;
	if (count > 0)
		qsort_r(order, count, sizeof(*order), compare_rows, set);
	for (size_t i = 0; i < count && !ferror(out->file); i = end) {
		for (end = i + 1;
		     end < count && set->rows[order[end]].measure == set->rows[order[i]].measure;)
			end++;
		print_measure(out, order + i, end - i);
	}
}

static void print_alone(struct exposition *out, const char *name, const char *unit,
                        const char *help, struct quantity value)
{
	print_family(out, name, unit, help, false);
	strbuf_clear(&out->name);
	strbuf_add_str(&out->name, name);
	print_sample(out, NULL, value);
}

void report_openmetrics(FILE *file, const struct report *report, bool openmetrics)
{
	struct exposition out = {.file = file, .report = report, .openmetrics = openmetrics};
	const struct snapshot_info *info = report->sides[0].info;
	const struct row_set *set = report->rows;

	if (info->captured_at_unix_ns > 0)
		print_alone(&out, "ctprof_snapshot_timestamp_seconds", "seconds",
		            "time of the snapshot since the epoch",
		            quantity_real((double)info->captured_at_unix_ns / NS_PER_SECOND));
	if (set->frames[0].kind == KIND_window && set->frames[0].length_ns > 0)
		print_alone(&out, "ctprof_window_seconds", "seconds", "length of the window",
		            quantity_real((double)set->frames[0].length_ns / NS_PER_SECOND));
	print_alone(&out, "ctprof_groups_left_out", "", "groups behind the limit of --top",
	            quantity_integer((__int128)set->groups_left_out));
	number_groups(&out);
	print_rows(&out);
	if (openmetrics)
		fputs("# EOF\n", file);
	free(out.numbers);
	strbuf_done(&out.name);
	strbuf_done(&out.text);
}
