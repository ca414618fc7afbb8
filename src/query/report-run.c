// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/text.h"
#include "choices.h"
#include "command/pager.h"
#include "ctprof/base/macro.h"
#include "exits-run.h"
#include "facts/cgroup-lost.h"
#include "host-tables-run.h"
#include "input/fd-source.h"
#include "input/interval.h"
#include "input/load.h"
#include "machine/report-machine.h"
#include "machine/report-openmetrics.h"
#include "overview/overview.h"
#include "query/explain-carried.h"
#include "query/explain-group.h"
#include "query/report-load.h"
#include "query/report-options.h"
#include "rollup-options.h"

static struct row_cpu_time cpu_time_of(const struct host *host)
{
	return (struct row_cpu_time){
	        .seen = host->seen[HOST_user_clock_ticks] && host->seen[HOST_system_clock_ticks],
	        .user_clock_ticks = host->numbers[HOST_user_clock_ticks],
	        .system_clock_ticks = host->numbers[HOST_system_clock_ticks],
	};
}

enum { OVERVIEW_WIDTH = 80 /* if the width of the terminal is unknown */ };

static void print_report(FILE *file, const struct report *report, enum report_format format)
{
	switch (format) {
	case FORMAT_TABLE:
	case FORMAT_MARKDOWN:
		report_table(file, report);
		break;
	case FORMAT_CSV:
		report_csv(file, report);
		break;
	case FORMAT_JSON:
		report_json(file, report);
		break;
	case FORMAT_NDJSON:
		report_ndjson(file, report);
		break;
	case FORMAT_PROMETHEUS:
	case FORMAT_OPENMETRICS:
		report_openmetrics(file, report, format == FORMAT_OPENMETRICS);
		break;
	}
}

/* CSV has no place for what is not a row. */
static void print_left_out(const struct report *report)
{
	cleanup_(strbuf_done) struct strbuf note = STRBUF_INIT;
	const struct row_set *set = report->rows;

	size_t left_out = report_left_out(report) + report_facts_left_out(report);

	if (report_is_swapped(report))
		cli_error("%s", report_swapped_note);
	for (unsigned side = 0; side < set->sides; side++) {
		strbuf_clear(&note);
		if (report_add_origin(&report->sides[side], &note))
			cli_error("%s", strbuf_str(&note));
	}
	if (left_out > 0)
		cli_error("%zu more row%s (--limit 0 shows all)", left_out,
		          left_out == 1 ? "" : "s");
	if (set->groups_left_out > 0)
		cli_error("%zu more group%s (--top 0 shows all)", set->groups_left_out,
		          set->groups_left_out == 1 ? "" : "s");
	for (unsigned side = 0; side < SIDE_MAX; side++)
		if (set->unmatched_count[side] > 0)
			cli_error("%zu group%s only in the %s and without rows",
			          set->unmatched_count[side],
			          set->unmatched_count[side] == 1 ? " is" : "s are",
			          side == SIDE_BASELINE ? "baseline" : "candidate");
}

/* The kernel gives a number to one cgroup only in a boot. Either side may have lost one if the candidate may be the earlier
 * one. */
static void find_lost_cgroups(struct load *loads, const struct row_options *rows)
{
	cgroup_table_find_lost(&loads[SIDE_BASELINE].cgroups, &loads[SIDE_CANDIDATE].cgroups);
	if (!rows->continues)
		cgroup_table_find_lost(&loads[SIDE_CANDIDATE].cgroups,
		                       &loads[SIDE_BASELINE].cgroups);
}

static void make_facts(const struct report_options *options, const struct load *loads,
                       unsigned count, const struct row_options *rows, struct fact_row_set *ret)
{
	struct fact_row_options fact_options = options->facts;
	struct fact_side sides[SIDE_MAX] = {{0}};

	for (unsigned i = 0; i < count; i++)
		sides[i] = (struct fact_side){
		        &loads[i].cgroups,
		        group_by_is_cgroup(&options->by) ? &loads[i].groups.names[0] : NULL,
		        &loads[i].smaps, &loads[i].info,
		        loads[i].wants_knobs ? &loads[i].knobs : NULL};
	fact_options.per = rows->per;
	fact_options.continues = rows->continues;
	/* Machines read a zero that is missing as one that was not seen. */
	fact_options.unchanged =
	        count == 1 ? options->format != FORMAT_TABLE && options->format != FORMAT_MARKDOWN
	                   : options->rows.unchanged;
	fact_rows_init(ret, sides, count, &fact_options);
}

/* A page has no width, no colour of a terminal, and is in UTF-8. */
static struct table_style style_of(const struct report_options *options)
{
	struct table_style style = {0};

	if (options->page)
		return style;
	style = report_style(options->color);
	if (options->overview && style.width == 0)
		style.width = OVERVIEW_WIDTH;
	style.wrap = options->wrap;
	style.markdown = options->format == FORMAT_MARKDOWN;
	style.color = style.color && !style.markdown;
	if (style.markdown)
		style.width = 0;
	return style;
}

/* @interval is what happened between the two, or NULL. */
static int make_report(const struct report_options *options, struct load *loads, unsigned count,
                       const struct load *interval, report_visitor *visit, void *context)
{
	const struct group_table *tables[SIDE_MAX] = {NULL};
	struct row_cpu_time cpu_times[SIDE_MAX];
	const struct host *hosts[SIDE_MAX] = {&loads[0].info.host, &loads[count - 1].info.host};
	struct row_options row_options = options->rows;
	bool with_exited = false;
	cleanup_(id_list_done) struct id_list first = {0}, last = {0};
	struct id_list *const ids[SIDE_MAX] = {&first, &last};
	cleanup_(row_set_done) struct row_set rows = {0};
	cleanup_(fact_rows_done) struct fact_row_set facts = {0};
	cleanup_(overview_done) struct overview overview = {0};
	struct report report = {.rows = &rows,
	                        .without_rows = options->without_rows,
	                        .settings_like = options->facts.settings_like,
	                        .host = options->host,
	                        .delays = options->delays,
	                        .facts = &facts,
	                        .facts_limit = options->facts_limit,
	                        .columns = options->columns,
	                        .sorted_by = options->sort.keys[0].measure,
	                        .explains = options->explains,
	                        .explains_by = options->by,
	                        .verbose = options->verbose,
	                        .limit = options->limit,
	                        .csv_raw = options->csv_raw,
	                        .style = style_of(options)};

	for (unsigned i = 0; i < count; i++) {
		tables[i] = &loads[i].groups;
		cpu_times[i] = cpu_time_of(&loads[i].info.host);
		report.sides[i] = (struct report_side){loads[i].path, &loads[i].info,
		                                       loads[i].file_bytes, &loads[i].knobs};
	}
	row_options.one_boot = count == SIDE_MAX && loads[0].info.kind == KIND_window &&
	                       choices_are_of_one_boot(hosts);
	if (options->overview)
		row_options.top_groups = 0;
	choices_note(&options->selection, hosts, count, interval != NULL, ids, &row_options);
	if (interval) {
		row_options.interval = &interval->groups;
		report.interval = &interval->info;
	}
	if (row_options.per == PER_COUNT)
		row_options.per = measure_per_default(loads[0].info.kind);
	if (count == SIDE_MAX && choices_are_of_one_boot(hosts) &&
	    loads[0].info.kind == KIND_lifetime) {
		row_options.continues =
		        loads[0].info.captured_boottime_ns > 0 &&
		        loads[0].info.captured_boottime_ns <= loads[1].info.captured_boottime_ns;
		find_lost_cgroups(loads, &row_options);
		with_exited = !options->explains && snapshot_has_all_threads(&loads[0].info) &&
		              snapshot_has_all_threads(&loads[1].info);
	}
	for (unsigned i = 0; count == SIDE_MAX && i < count; i++)
		group_table_complete(&loads[i].groups, tables[!i]);
	row_set_init(&rows, tables, count, with_exited ? cpu_times : NULL, &row_options);
	if (options->overview) {
		overview_init(&overview, &rows, options->with_own, options->sort.aspect,
		              options->sort.ascending);
		report.overview = &overview;
	}
	make_facts(options, loads, count, &row_options, &facts);
	return visit(&report, context);
}

/* Prints trees of directories: for two lifetime snapshots of one boot, those of the window between, @interval. */
static int print_rollup(FILE *file, const struct report_options *options, const struct load *loads,
                        unsigned count, const struct load *interval)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	struct report report = {.verbose = options->verbose,
	                        .csv_raw = options->csv_raw,
	                        .style = report_style(options->color)};

	if (report.style.width == 0)
		report.style.width = OVERVIEW_WIDTH;
	report.style.wrap = options->wrap;
	report.style.markdown = options->format == FORMAT_MARKDOWN;
	report.style.color = report.style.color && !report.style.markdown;
	if (report.style.markdown)
		report.style.width = 0;
	for (unsigned i = 0; i < count; i++)
		report.sides[i] = (struct report_side){loads[i].path, &loads[i].info,
		                                       loads[i].file_bytes, NULL};
	if (interval) {
		for (unsigned i = 0; i < count; i++) {
			const char *slash = strrchr(loads[i].path, '/');

			strbuf_addf(&path, "%s%s", i > 0 ? ".." : "",
			            slash ? slash + 1 : loads[i].path);
		}
		report.sides[0] = (struct report_side){strbuf_str(&path), &interval->info, 0, NULL};
	}
	return rollup_print(file, options, interval ? interval : loads, interval ? 1 : count,
	                    &report);
}

static int visit_rollup(const struct report_options *options, const struct load *loads,
                        unsigned count, const struct load *interval)
{
	struct pager pager;
	int r, status;

	pager_start(&pager, !options->no_pager && options->format == FORMAT_TABLE);
	r = print_rollup(pager.file, options, loads, count, interval);
	status = pager_finish(&pager);
	return r < 0 ? EXIT_FAILED : status;
}

static int visit_table(const struct report_options *options, const struct load *load)
{
	const struct table_style style = report_style(options->color);

	return options->exits ? exits_visit(options, load, &style)
	                      : host_tables_visit(options, load, &style);
}

static bool has_path(const struct group_by *by)
{
	for (unsigned i = 0; i < by->count; i++)
		if (group_key_is_path(by->keys[i]))
			return true;
	return false;
}

/* One line for each section that was asked for in vain. */
static void warn_of_omitted(const struct report_options *options)
{
	cleanup_(strbuf_done) struct strbuf by = STRBUF_INIT;

	report_add_group_by(&options->by, &by);
	if (options->by.flatten_count > 0 && !has_path(&options->by))
		cli_error("--cgroup-flatten has no effect under --group-by %s", strbuf_str(&by));
	for (unsigned i = 0; i < SECTION_COUNT; i++)
		if (options->omitted[i])
			cli_error(
			        "section '%s' requires --group-by %s; omitted under --group-by %s",
			        section_table[i].name, group_key_table[GROUP_KEY_cgroup].name,
			        strbuf_str(&by));
}

static const char *name_of(const struct load *load)
{
	return strcmp(load->path, "-") == 0 ? "standard input" : load->path;
}

static bool is_like(const char *glob, const char *name)
{
	return glob_match_name(glob, name, strlen(name));
}

/* Returns whether a snapshot has a setting that is asked for; one that could not be read counts. */
static bool has_setting(const char *glob, const struct load *loads, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct settings *settings = &loads[i].info.settings;

		for (size_t k = 0; k < settings->count; k++)
			if (is_like(glob, settings->entries[k].name))
				return true;
		for (size_t k = 0; k < settings->denied_count; k++)
			if (is_like(glob, settings->denied[k]))
				return true;
	}
	return false;
}

static bool has_settings(const struct report_options *options, const struct load *loads,
                         unsigned count)
{
	const char *glob = options->facts.settings_like;

	for (unsigned i = 0; glob && i < count; i++)
		if (!loads[i].info.settings.seen) {
			cli_error("%s has no settings", name_of(&loads[i]));
			return false;
		}
	if (!glob || has_setting(glob, loads, count))
		return true;
	cli_error("no setting is like '%s'", glob);
	return false;
}

static bool has_selected(const struct report_options *options, const struct load *loads,
                         unsigned count)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (selection_is_all(&options->selection))
		return true;
	for (unsigned i = 0; i < count; i++)
		if (loads[i].selected > 0)
			return true;
	selection_add_text(&options->selection, &text);
	cli_error("no thread of %s%s%s fits: %s", name_of(&loads[0]), count > 1 ? " and " : "",
	          count > 1 ? name_of(&loads[1]) : "", strbuf_str(&text));
	return false;
}

/* Returns whether both sides are one file, and failed for one reason. */
static bool is_same_failure(const struct load *a, const struct load *b)
{
	return a->result == b->result && fd_source_is_same(a->path, b->path) &&
	       strcmp(strbuf_str(&a->error), strbuf_str(&b->error)) == 0;
}

/* Returns whether both are windows or both lifetime snapshots; else prints an error. */
static bool kinds_agree(const struct load *loads, unsigned count)
{
	bool first = loads[0].info.kind == KIND_window;
	const struct load *window = &loads[!first], *lifetime = &loads[first];

	if (count == 1 || loads[0].info.kind == loads[1].info.kind)
		return true;
	cli_error("%s is a window, %s a lifetime snapshot: 'ctprof window' makes a window of two "
	          "lifetime snapshots of one boot",
	          name_of(window), name_of(lifetime));
	return false;
}

/* Loads what happened between the two, where they are one interval. Returns the exit status. */
static int find_interval(struct load loads[SIDE_MAX], struct load *interval, bool *ret_found)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = interval_is_between(loads) ? interval_load(loads, interval, &reason) : 0;

	*ret_found = r > 0;
	if (r >= 0)
		return EXIT_DONE;
	cli_error("%s", reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
	return EXIT_FAILED;
}

/* Loads the threads of the group that is explained on the side where it has another name. Returns the exit status. */
static int find_carried(const struct report_options *options, struct load *loads, unsigned count,
                        struct strbuf *ret_label)
{
	const struct host *const hosts[SIDE_MAX] = {&loads[0].info.host,
	                                            &loads[count - 1].info.host};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r;

	if (!options->explains || count != SIDE_MAX ||
	    (loads[0].info.kind == KIND_window && !choices_are_of_one_boot(hosts)))
		return EXIT_DONE;
	r = explain_carried(options, loads, ret_label, &reason);
	if (r >= 0)
		return EXIT_DONE;
	cli_error("%s", reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
	return EXIT_FAILED;
}

int report_visit(const struct report_options *options, char **paths, unsigned count,
                 report_visitor *visit, void *context)
{
	cleanup_(strbuf_done) struct strbuf carried = STRBUF_INIT;
	struct load loads[SIDE_MAX] = {{0}}, interval = {0};
	bool is_interval = false;
	int status = EXIT_DONE;

	for (unsigned i = 0; i < count; i++) {
		report_load_init(&loads[i], options, paths[i]);
		loads[i].is_read_again = count == SIDE_MAX || options->explains;
	}
	mem_limit(options->limits.memory);
	load_run(loads, count);
	for (unsigned i = 0; i < count; i++)
		if (loads[i].result < 0) {
			if (i == 0 || !is_same_failure(&loads[0], &loads[i]))
				cli_error("%s: %s", name_of(&loads[i]),
				          strbuf_str(&loads[i].error));
			status = EXIT_FAILED;
		}
	if (status == EXIT_DONE && !kinds_agree(loads, count))
		status = EXIT_FAILED;
	if (status == EXIT_DONE &&
	    (!has_selected(options, loads, count) || !explain_has_group(options, loads, count) ||
	     !has_settings(options, loads, count)))
		status = EXIT_FAILED;
	if (status == EXIT_DONE)
		status = find_carried(options, loads, count, &carried);
	report_load_init(&interval, options, paths[count - 1]);
	/* A process has its last name in the window. */
	interval.filter.label = loads[count - 1].filter.label;
	if (status == EXIT_DONE && count == SIDE_MAX)
		status = find_interval(loads, &interval, &is_interval);
	if (status == EXIT_DONE &&
	    (options->exits || options->cpus || options->memory || options->containers))
		status = visit_table(options, loads);
	else if (status == EXIT_DONE && options->rollup.given)
		status = visit_rollup(options, loads, count, is_interval ? &interval : NULL);
	else if (status == EXIT_DONE)
		status = make_report(options, loads, count, is_interval ? &interval : NULL, visit,
		                     context);
	load_done(&interval);
	for (unsigned i = 0; i < count; i++)
		load_done(&loads[i]);
	return status;
}

int report_visit_sum(const struct report_options *options, struct window_sum *sum,
                     report_visitor *visit, void *context, struct snapshot_info *ret_info)
{
	cleanup_(load_filler_freep) struct load_filler *filler = NULL;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	struct load load = {0};
	int r, status = EXIT_FAILED;

	report_load_init(&load, options, "");
	filler = load_filler_new(&load);
	r = window_sum_write(sum, load_filler_writer(filler), &info);
	if (r == 0) {
		load_filler_finish(filler, &info);
		status = make_report(options, &load, 1, NULL, visit, context);
	} else {
		cli_error("%s", strerror(-r));
	}
	*ret_info = load.info;
	load.info = (struct snapshot_info){0};
	load_done(&load);
	return status;
}

int report_visit_source(const struct report_options *options, const char *name,
                        struct byte_source *source, struct strbuf *reterr, report_visitor *visit,
                        void *context)
{
	struct load load = {0};
	int r;

	report_load_init(&load, options, name);
	r = load_source(&load, source);
	if (r < 0)
		strbuf_add_str(reterr, strbuf_str(&load.error));
	else if (make_report(options, &load, 1, NULL, visit, context) != EXIT_DONE)
		r = -EIO;
	load_done(&load);
	return r;
}

static int print_visited(const struct report *report, void *context)
{
	const struct report_options *options = context;
	struct pager pager;

	pager_start(&pager, !options->no_pager && options->format == FORMAT_TABLE);
	print_report(pager.file, report, options->format);
	if (!report->settings_like &&
	    (options->format == FORMAT_CSV || options->format == FORMAT_NDJSON))
		print_left_out(report);
	return pager_finish(&pager);
}

struct printing {
	FILE *file;
	enum report_format format;
};

static int print_on(const struct report *report, void *context)
{
	const struct printing *printing = context;

	print_report(printing->file, report, printing->format);
	return EXIT_DONE;
}

int report_print_written(const struct report_options *options, report_writer *write, void *context,
                         FILE *file)
{
	cleanup_(load_filler_freep) struct load_filler *filler = NULL;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct printing printing = {file, options->format};
	struct load load = {0};
	int r, status = EXIT_DONE;

	report_load_init(&load, options, "this host");
	filler = load_filler_new(&load);
	r = write(load_filler_writer(filler), &info, &reason, context);
	if (r < 0) {
		cli_error("%s", reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
		status = EXIT_FAILED;
	} else {
		load_filler_finish(filler, &info);
		if (options->rollup.given)
			print_rollup(file, options, &load, 1, NULL);
		else
			status = make_report(options, &load, 1, NULL, print_on, &printing);
	}
	load_done(&load);
	return status;
}

static int run_checked(struct report_options *options, const struct command *command, char **paths,
                       int given)
{
	unsigned count = options->sides;

	if (given != (int)count)
		return cli_usage_error(command, "%s needed, not %d",
		                       count == 1 ? "one snapshot is" : "two snapshots are", given);
	if (count == SIDE_MAX && fd_source_is_one_stream(paths[0], paths[1]))
		return cli_usage_error(
		        command,
		        "only one snapshot can come from standard input, or from one pipe");
	warn_of_omitted(options);
	return report_visit(options, paths, count, print_visited, options);
}

int report_command(const struct command *command, int argc, char **argv, unsigned count)
{
	cleanup_(report_options_done) struct report_options options;
	int id;

	report_options_init(&options, count);
	id = report_options_parse(&options, command, argc, argv);
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	return run_checked(&options, command, argv + optind, argc - optind);
}
