// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/report-options.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/scan.h"
#include "ctprof/base/strbuf.h"
#include "exits-run.h"
#include "host-tables-run.h"
#include "machine/report-openmetrics.h"
#include "measure/repeats.h"
#include "overview/aspect.h"
#include "query/selection-options.h"
#include "report-conditions.h"
#include "report-option-table.h"
#include "report/report-delays.h"
#include "rollup-options.h"

/* Tables below the first one must not bury it, nor may one group bury the other ones. */
enum { TABLE_LIMIT = 15, FACTS_LIMIT = 5, TOP_LIMIT = 5 };

void report_options_init(struct report_options *options, unsigned sides)
{
	*options = (struct report_options){.sides = sides,
	                                   .by = group_by_key(GROUP_KEY_pcomm, false),
	                                   .limits = snapshot_default_limits,
	                                   .rows.per = PER_COUNT,
	                                   .limit = TABLE_LIMIT,
	                                   .sort.aspect = ASPECT_COUNT,
	                                   .display = &display_table[0]};
	options->rows.renamed = true;
	memset(options->rows.measures, true, sizeof(options->rows.measures));
}

void report_options_done(struct report_options *options)
{
	for (size_t i = 0; i < options->condition_count; i++)
		where_free(options->conditions[i]);
	free(options->conditions);
	free(options->flatten);
	free(options->explains);
	selection_done(&options->selection);
}

static int parse_flatten(const struct option_parser *parser, struct report_options *options)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	if (!glob_check(parser->value, &reason))
		return options_error(parser, "'%s': %s", parser->value, strbuf_str(&reason));
	if (parser->value[0] != '/' && strncmp(parser->value, "**", 2) != 0)
		return options_error(parser, "'%s': paths of cgroups begin with '/'",
		                     parser->value);
	*array_add(options->flatten, options->by.flatten_count, options->flatten_capacity) =
	        parser->value;
	options->by.flatten = options->flatten;
	return 0;
}

struct filters {
	bool metrics_given;
	bool sections_given;
	bool metrics[MEASURE_COUNT];
	bool sections[SECTION_COUNT];
};

/* "GROUP" or "GROUP:METRIC". Names of groups have colons too, so only what is like a metric is taken for one. */
static int parse_explain(const struct option_parser *parser, struct report_options *options)
{
	char *colon;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	bool any = false;

	free(options->explains);
	options->explains = mem_copy_text(parser->value);
	options->explained_metric = NULL;
	colon = strrchr(options->explains, ':');
	if (!colon || !glob_check(colon + 1, &reason))
		return 0;
	for (unsigned i = 0; i < MEASURE_COUNT && !any; i++)
		any = glob_match_name(colon + 1, measure_name(i), strlen(measure_name(i)));
	if (!any)
		return 0;
	*colon = '\0';
	options->explained_metric = colon + 1;
	return 0;
}

/* Lists the metric that --explain names instead of those of --metrics. */
static void choose_explained(struct report_options *options, struct filters *filters)
{
	if (!options->explained_metric)
		return;
	filters->metrics_given = true;
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		filters->metrics[i] = glob_match_name(options->explained_metric, measure_name(i),
		                                      strlen(measure_name(i)));
	/* All threads make a row, whether they moved or not. */
	options->rows.unchanged = true;
}

/* Returns whether the format is for people, so that long lists are cut. */
static bool is_for_people(const struct report_options *options)
{
	return options->format == FORMAT_TABLE || options->format == FORMAT_MARKDOWN;
}

/* Lists the metrics of delays; a table of them has the group that waited longest first. */
static void choose_delays(struct report_options *options, struct filters *filters)
{
	if (!options->delays)
		return;
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		filters->metrics[i] =
		        report_is_of_delays(i) && (!filters->metrics_given || filters->metrics[i]);
	filters->metrics_given = true;
	if (options->rows.sort_key_count > 0 || !is_for_people(options))
		return;
	options->sort.keys[0] =
	        (struct row_sort_key){.measure = METRIC_COUNT + DERIVED_total_offcpu_delay_ns};
	options->sort.count = options->rows.sort_key_count = 1;
}

static int parse_own_option(const struct option_parser *parser, int id,
                            struct report_options *options)
{
	static const enum row_order show_order_values[] = {ORDER_IMPACT, ORDER_DELTA, ORDER_NAME};
	int chosen = 0;

	if (cycle_has_option(id))
		return cycle_parse(parser, id, &options->cycles);
	switch (id) {
	case OPT_ORDER:
		chosen = options_choose(parser, report_orders);
		options->rows.order = (enum row_order)chosen;
		break;
	case OPT_CYCLE_FORMAT:
		chosen = options_choose(parser, cycle_formats);
		options->format = (enum report_format)chosen;
		break;
	case OPT_SHOW_ORDER:
		chosen = options_choose(parser, report_show_orders);
		if (chosen >= 0)
			options->rows.order = show_order_values[chosen];
		break;
	case OPT_DISPLAY:
		chosen = options_choose(parser, report_displays);
		if (chosen >= 0)
			options->display = &display_table[chosen];
		break;
	case OPT_MIN_DELTA:
		return condition_min_delta(parser, options);
	case OPT_MIN_PERCENT:
		return condition_min_percent(parser, options);
	case OPT_NO_RENAMES:
		options->rows.renamed = false;
		break;
	case OPT_HOST:
		options->host = options->list = true;
		break;
	case OPT_SHOW_EXITS:
		options->exits = options->list = true;
		break;
	case OPT_SHOW_CPUS:
		options->cpus = options->list = true;
		break;
	case OPT_MEMORY:
		options->memory = options->list = true;
		break;
	case OPT_CONTAINERS:
		options->containers = options->list = true;
		break;
	case OPT_DELAYS:
		options->delays = options->list = true;
		break;
	case OPT_BLOCKS_BY:
	case OPT_FAIL_IF:
	case OPT_FAIL_UNLESS_SAME:
		return options_error(parser, "this option is for arms: A=GLOB B=GLOB");
	case OPT_UNCHANGED:
		options->rows.unchanged = true;
		break;
	}
	return chosen;
}

/* Shows the section of settings and nothing else. */
static int parse_settings(const struct option_parser *parser, struct report_options *options,
                          struct filters *filters)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	if (!glob_check(parser->value, &reason))
		return options_error(parser, "'%s': %s", parser->value, strbuf_str(&reason));
	options->list = true;
	options->facts.settings_like = parser->value;
	filters->sections_given = true;
	for (unsigned i = 0; i < SECTION_COUNT; i++)
		filters->sections[i] = i == SECTION_settings;
	return 0;
}

/* Reads "delta", which ranks rows and not groups, metrics, or a column of the overview. */
static int parse_sort_by(const struct option_parser *parser, struct report_options *options)
{
	bool by_delta = strcmp(parser->value, report_orders[ORDER_DELTA]) == 0;
	int r = 0;

	if (by_delta && options->sides == 1)
		return options_error(parser, "one snapshot has no delta; compare has it");
	options->sort = (struct sort_keys){.aspect = ASPECT_COUNT};
	if (by_delta)
		options->rows.order = ORDER_DELTA;
	else
		r = list_sort_keys(parser, &options->sort);
	options->list = options->list || options->sort.aspect == ASPECT_COUNT;
	options->rows.sort_key_count = options->sort.count;
	return r;
}

static int parse_list(const struct option_parser *parser, int id, struct report_options *options,
                      struct filters *filters)
{
	switch (id) {
	case OPT_GROUP_BY:
		return list_group_keys(parser, &options->by);
	case OPT_CGROUP_FLATTEN:
		return parse_flatten(parser, options);
	case OPT_SECTIONS:
		return list_sections(parser, &filters->sections_given, filters->sections);
	case OPT_METRICS:
		return list_metrics(parser, &filters->metrics_given, filters->metrics);
	case OPT_SETTINGS:
		return parse_settings(parser, options, filters);
	case OPT_SELECTION + SELECTION_PID:
	case OPT_SELECTION + SELECTION_TGID:
	case OPT_SELECTION + SELECTION_COMM:
	case OPT_SELECTION + SELECTION_CGROUP:
		return selection_parse(parser, id - OPT_SELECTION, &options->selection);
	case OPT_WHERE:
		return condition_where(parser, options);
	case OPT_SORT_BY:
		return parse_sort_by(parser, options);
	case OPT_COLUMNS:
		return list_columns(parser, options->sides, &options->columns);
	case OPT_EXPLAIN:
		return parse_explain(parser, options);
	case OPT_READ_LIMIT:
		return list_read_limits(parser, &options->limits);
	case OPT_ROLLUP:
		return rollup_parse(parser, options);
	case OPT_TREE:
		rollup_choose_parent(options);
		return 0;
	}
	return parse_own_option(parser, id, options);
}

static int parse_option(const struct option_parser *parser, int id, struct report_options *options,
                        struct filters *filters)
{
	int chosen = 0;

	switch (id) {
	case OPT_NO_THREAD_NORMALIZE:
		options->by.literal_names = true;
		break;
	case OPT_NO_CG_NORMALIZE:
		options->by.literal_cgroups = true;
		break;
	case OPT_TOP:
		return list_limit(parser, &options->rows.top_groups);
	case OPT_LIMIT:
		options->limit_given = true;
		return list_limit(parser, &options->limit);
	case OPT_PER:
		chosen = options_choose(parser, report_pers);
		options->rows.per = (enum measure_per)chosen;
		break;
	case OPT_SPREAD:
		options->spread = true;
		break;
	case OPT_ROWS_FORMAT:
	case OPT_SHOW_FORMAT:
		chosen = options_choose(parser, id == OPT_ROWS_FORMAT ? report_formats
		                                                      : report_show_formats);
		options->format = (enum report_format)chosen;
		break;
	case OPT_CSV_RAW:
		options->csv_raw = true;
		break;
	case OPT_COLOR:
		chosen = options_choose(parser, report_colors);
		options->color = chosen;
		break;
	case OPT_WRAP:
		options->wrap = true;
		break;
	case OPT_NO_PAGER:
		options->no_pager = true;
		break;
	case OPT_LONG:
		options->list = true;
		break;
	case OPT_ALL_METRICS:
		options->all_metrics = true;
		break;
	case OPT_VERBOSE:
		options->verbose = true;
		break;
	case OPT_SELF:
		options->with_own = true;
		break;
	default:
		return parse_list(parser, id, options, filters);
	}
	return chosen;
}

static bool is_for_prometheus(const struct report_options *options)
{
	return options->format == FORMAT_PROMETHEUS || options->format == FORMAT_OPENMETRICS;
}

/* Returns whether the option is about rows or columns that only the list of metrics has. */
static bool gives_list(int id)
{
	static const int about_rows[] = {
	        OPT_SECTIONS, OPT_METRICS,   OPT_WHERE,       OPT_PER,     OPT_SPREAD,
	        OPT_EXPLAIN,  OPT_WRAP,      OPT_UNCHANGED,   OPT_ORDER,   OPT_SHOW_ORDER,
	        OPT_DISPLAY,  OPT_MIN_DELTA, OPT_MIN_PERCENT, OPT_COLUMNS, OPT_ALL_METRICS,
	};

	for (size_t i = 0; i < ARRAY_SIZE(about_rows); i++)
		if (about_rows[i] == id)
			return true;
	return false;
}

/* Sets which sections are shown besides threads' metrics, and how many rows they have. */
static void choose_facts(struct report_options *options, const struct filters *filters)
{
	bool named = false, threads = false;

	for (unsigned i = 0; i < SECTION_COUNT; i++) {
		enum section_subject subject = section_table[i].subject;
		bool wanted = !options->overview && filters->sections[i] && !options->explains &&
		              (filters->sections_given || !filters->metrics_given) &&
		              (filters->sections_given || !is_for_people(options) ||
		               !section_table[i].only_asked);

		/* They are a thousand rows of which few matter; those that differ are few. */
		if (i == SECTION_settings && options->sides == 1)
			wanted = wanted && filters->sections_given;
		if (subject == SUBJECT_THREADS) {
			threads = threads || filters->sections[i];
			continue;
		}
		named = named || (wanted && filters->sections_given);
		options->facts.sections[i] =
		        wanted && (subject != SUBJECT_CGROUPS || group_by_is_cgroup(&options->by));
		options->omitted[i] =
		        wanted && filters->sections_given && !options->facts.sections[i];
	}
	options->without_rows = !threads;
	options->facts_limit =
	        options->facts.settings_like && !options->limit_given ? 0 : options->limit;
	if (is_for_people(options) && !options->limit_given && !named)
		options->facts_limit = FACTS_LIMIT;
}

/* Columns, and the measures whose distribution some of them are about. */
static void choose_columns(struct report_options *options)
{
	bool sorted = options->rows.sort_key_count > 0;
	bool of_processes = group_by_has(&options->by, GROUP_KEY_pid) && !options->explains;

	/* A thread is a distribution of one. */
	options->spread = options->spread && !options->explains;
	if (options->columns.count == 0 && is_for_people(options)) {
		column_list_default(&options->columns, options->sides, options->display,
		                    options->spread, of_processes);
		if (sorted)
			column_list_add(&options->columns, COLUMN_SORTED);
	} else if (options->columns.count == 0) {
		column_list_machine(&options->columns, options->sides, options->spread,
		                    of_processes);
	} else {
		for (unsigned i = COLUMN_p50; options->spread && i <= COLUMN_variation; i++)
			if (!column_list_has(&options->columns, (enum report_column)i))
				column_list_add(&options->columns, (enum report_column)i);
	}
	/* The error of a rate is one for each thread, divided by its time. */
	if (column_list_has(&options->columns, COLUMN_error)) {
		rate_list_add(&options->window_rates, METRIC_thread_count);
		rate_list_add(&options->lifetime_rates, METRIC_thread_count);
	}
	for (unsigned i = 0; i < options->columns.count; i++)
		options->spread = options->spread ||
		                  column_is_spread((enum report_column)options->columns.columns[i]);
	for (unsigned i = 0; options->spread && i < MEASURE_COUNT; i++)
		if (options->rows.measures[i] && !measure_is_label(i))
			options->spread_measures[options->spread_count++] = (uint16_t)i;
}

/* Tables leave out what says the same as something else, unless it is asked for. */
static bool is_wanted(const struct report_options *options, const struct filters *filters,
                      unsigned measure)
{
	bool asked = filters->metrics_given || filters->sections_given || !is_for_people(options);

	for (size_t i = 0; i < options->rows.sort_key_count; i++)
		asked = asked || options->sort.keys[i].measure == measure;
	return filters->metrics[measure] && filters->sections[measure_section(measure)] &&
	       (asked || !section_table[measure_section(measure)].only_asked);
}

/* A measure that repeats another is always listed by its name or a glob, and in a section that --sections names. */
static bool is_listed_once(const struct report_options *options, const struct filters *filters,
                           unsigned measure)
{
	const struct repeat_desc *repeat = measure_repeat(measure);
	enum metric_section section = measure_section(measure);

	for (size_t i = 0; i < options->rows.sort_key_count; i++)
		if (options->sort.keys[i].measure == measure)
			return false;
	return repeat && !options->all_metrics && !filters->metrics_given &&
	       is_for_people(options) &&
	       (!section_table[section].only_asked || measure_section(repeat->of[0]) == section);
}

/* In windows every counter has a rate, and impacts go by them. In lifetime snapshots some derived metrics do. */
static void choose_rates(struct report_options *options)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		if (!metric_has_rate((enum metric_id)i))
			continue;
		rate_list_add(&options->window_rates, (enum metric_id)i);
		if (options->rows.per == PER_second)
			rate_list_add(&options->lifetime_rates, (enum metric_id)i);
	}
	for (unsigned i = 0; i < DERIVED_COUNT; i++)
		for (size_t k = 0; k < derived_table[i].input_count; k++)
			if (basis_is_of_rates(derived_table[i].basis) &&
			    options->rows.measures[METRIC_COUNT + i])
				rate_list_add(&options->lifetime_rates, derived_table[i].inputs[k]);
}

static void choose_rows(struct report_options *options, const struct filters *filters)
{
	for (unsigned i = 0; i < MEASURE_COUNT; i++) {
		options->rows.measures[i] = !options->overview && is_wanted(options, filters, i);
		options->rows.once[i] = is_listed_once(options, filters, i);
	}
	/* The overview has other keys. */
	if (options->overview)
		options->rows.sort_key_count = 0;
	choose_rates(options);
	if (!options->limit_given && !is_for_people(options))
		options->limit = 0;
	else if (!options->limit_given && options->rows.top_groups > 0)
		options->limit = options->overview ? options->rows.top_groups : TOP_LIMIT;
	options->rows.limit = options->delays ? 0 : options->limit;
	options->rows.visible = is_for_people(options);
	options->rows.late = !is_for_people(options) && !is_for_prometheus(options);
	if (is_for_prometheus(options) && options->rows.top_groups == 0)
		options->rows.top_groups = OPENMETRICS_TOP;
	for (unsigned side = 0; side < SIDE_MAX; side++)
		options->rows.one_sided[side] = options->explains != NULL;
	options->rows.sort_keys = options->sort.keys;
	options->rows.conditions = (const struct where *const *)options->conditions;
	options->rows.condition_count = options->condition_count;
	options->facts.conditions = options->rows.conditions;
	options->facts.condition_count = options->condition_count;
}

/* Returns whether two options together leave no row. */
static bool has_nothing_in_common(const struct report_options *options,
                                  const struct filters *filters)
{
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		if (options->rows.measures[i])
			return false;
	return (filters->metrics_given && filters->sections_given && !options->without_rows) ||
	       options->explains;
}

/* Returns whether the list of metrics is to be sorted by an aspect that is a sum of metrics. */
static bool sorts_by_sum(const struct report_options *options)
{
	return !options->overview && options->sort.aspect < ASPECT_COUNT && options->sort.count > 1;
}

static struct filters no_filters(void)
{
	struct filters filters;

	memset(&filters, true, sizeof(filters));
	filters.metrics_given = filters.sections_given = false;
	return filters;
}

/* The table of delays has its own columns. */
static int settle_delays(const struct report_options *options, const struct command *command)
{
	int r = 0;

	if (options->delays && is_for_people(options) && options->rollup.metrics_given)
		r = cli_usage_error(command,
		                    "the table of --delays has no use for --metrics; other "
		                    "formats have the metrics by name");
	return r == 0 ? 0 : -1;
}

static void finish(struct report_options *options, const struct filters *filters)
{
	choose_rows(options, filters);
	choose_facts(options, filters);
	choose_columns(options);
}

void report_options_finish_overview(struct report_options *options)
{
	struct filters filters = no_filters();

	options->overview = true;
	finish(options, &filters);
}

int report_options_parse(struct report_options *options, const struct command *command, int argc,
                         char **argv)
{
	struct option_parser parser;
	struct filters filters = no_filters();
	int id;

	options_init(&parser, command, argc, argv);
	while ((id = options_next(&parser)) > 0) {
		options->list = options->list || gives_list(id);
		rollup_note(options, id, parser.current->name);
		if (parse_option(&parser, id, options, &filters) < 0) {
			id = OPTIONS_ERROR;
			break;
		}
	}
	options_done(&parser);
	options->rollup.metrics_given = filters.metrics_given;
	options->list = options->list || options->rollup.given;
	options->overview = !options->list && is_for_people(options);
	choose_explained(options, &filters);
	choose_delays(options, &filters);
	finish(options, &filters);
	if (id == OPTIONS_END && is_for_prometheus(options) &&
	    options->rows.top_groups > OPENMETRICS_TOP_MAX) {
		int r = cli_usage_error(command, "no more than %d groups are for Prometheus",
		                        OPENMETRICS_TOP_MAX);

		(void)r;
		return OPTIONS_ERROR;
	}
	if (id == OPTIONS_END &&
	    (exits_settle(options, command) < 0 || host_tables_settle(options, command) < 0 ||
	     settle_delays(options, command) < 0))
		return OPTIONS_ERROR;
	if (id == OPTIONS_END && rollup_settle(options, command) < 0)
		return OPTIONS_ERROR;
	if (id == OPTIONS_END && options->host && !is_for_people(options)) {
		int r = cli_usage_error(command, "--host is a page for people; the format json has "
		                                 "the host beside the rows");

		(void)r;
		return OPTIONS_ERROR;
	}
	if (id == OPTIONS_END && sorts_by_sum(options)) {
		int r = cli_usage_error(command,
		                        "--sort-by: '%s' is the sum of two metrics, which only the "
		                        "overview has; name '%s' or '%s'",
		                        aspect_table[options->sort.aspect].name,
		                        measure_name(options->sort.keys[0].measure),
		                        measure_name(options->sort.keys[1].measure));

		(void)r;
		return OPTIONS_ERROR;
	}
	if (id == OPTIONS_END && has_nothing_in_common(options, &filters)) {
		int r = cli_usage_error(command, "the options leave no metric of threads to list");

		(void)r;
		return OPTIONS_ERROR;
	}
	return id;
}
