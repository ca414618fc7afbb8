// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ctprof/macro.h"
#include "load.h"
#include "pager.h"
#include "report-options.h"

struct table_style report_style(int color)
{
	enum { AUTO, ALWAYS };
	struct table_style style = {0};
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool terminal = isatty(STDOUT_FILENO);
	struct winsize size;

	style.color = color == ALWAYS ||
	              (color == AUTO && terminal && !(no_color && no_color[0] != '\0') &&
	               !(term && strcmp(term, "dumb") == 0));
	if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		style.width = size.ws_col;
	return style;
}

static struct row_cpu_time cpu_time_of(const struct host *host)
{
	return (struct row_cpu_time){
	        .seen = host->seen[HOST_user_clock_ticks] && host->seen[HOST_system_clock_ticks],
	        .user_clock_ticks = host->numbers[HOST_user_clock_ticks],
	        .system_clock_ticks = host->numbers[HOST_system_clock_ticks],
	};
}

static bool same_boot(const struct host *a, const struct host *b)
{
	const char *boot_a = host_text(a, HOST_boot_id), *boot_b = host_text(b, HOST_boot_id);

	return boot_a && boot_b && strcmp(boot_a, boot_b) == 0;
}

/* The CPU time of all threads of the host says something about the exited ones only where the snapshot has the
 * living ones: not in another pid namespace, not behind hidepid, not of one process. */
static bool has_all_threads(const struct snapshot_info *info)
{
	uint64_t total = info->host.numbers[HOST_total_threads];
	uint64_t walked = info->tally.threads + info->tally.threads_gone;

	/* Threads come and go between the count and the walk. */
	return info->host.seen[HOST_total_threads] && walked + walked / 50 + 10 >= total;
}

static void print_report(FILE *file, const struct report *report, enum report_format format)
{
	switch (format) {
	case FORMAT_TABLE:
		report_table(file, report);
		break;
	case FORMAT_CSV:
		report_csv(file, report);
		break;
	case FORMAT_JSON:
		report_json(file, report);
		break;
	}
}

/* CSV has no place for what is not a row. */
static void tell_left_out(const struct report *report)
{
	cleanup_(strbuf_done) struct strbuf note = STRBUF_INIT;
	const struct row_set *set = report->rows;

	size_t left_out = report_left_out(report) + report_facts_left_out(report);

	for (unsigned side = 0; side < set->sides; side++) {
		strbuf_clear(&note);
		if (report_add_origin(&report->sides[side], &note))
			cli_error("%s", strbuf_str(&note));
	}
	if (left_out > 0)
		cli_error("%zu more row%s (--limit 0 shows all)", left_out,
		          left_out == 1 ? "" : "s");
	for (unsigned side = 0; side < SIDE_MAX; side++)
		if (set->unmatched_count[side] > 0)
			cli_error("%zu group%s only in the %s and without rows",
			          set->unmatched_count[side],
			          set->unmatched_count[side] == 1 ? " is" : "s are",
			          side == SIDE_BASELINE ? "baseline" : "candidate");
}

static void make_facts(const struct report_options *options, const struct load *loads,
                       unsigned count, struct fact_row_set *ret)
{
	struct fact_row_options fact_options = options->facts;
	struct fact_side sides[SIDE_MAX] = {{0}};

	for (unsigned i = 0; i < count; i++)
		sides[i] = (struct fact_side){&loads[i].cgroups, &loads[i].smaps, &loads[i].info};
	/* Machines read a zero that is missing as one that was not seen. */
	fact_options.unchanged =
	        count == 1 ? options->format != FORMAT_TABLE : options->rows.unchanged;
	fact_rows_init(ret, sides, count, &fact_options);
}

static void make_report(FILE *file, const struct report_options *options, const struct load *loads,
                        unsigned count)
{
	const struct group_table *tables[SIDE_MAX] = {NULL};
	struct row_cpu_time cpu_times[SIDE_MAX];
	const struct host *hosts[SIDE_MAX] = {&loads[0].info.host, &loads[count - 1].info.host};
	struct row_options row_options = options->rows;
	bool with_exited = false;
	cleanup_(row_set_done) struct row_set rows = {0};
	cleanup_(fact_rows_done) struct fact_row_set facts = {0};
	struct report report = {.rows = &rows,
	                        .without_rows = options->without_rows,
	                        .facts = &facts,
	                        .facts_limit = options->facts_limit,
	                        .group_key = options->group_key,
	                        .normalised = !options->literal,
	                        .limit = options->limit,
	                        .style = report_style(options->color)};

	report.style.wrap = options->wrap;
	for (unsigned i = 0; i < count; i++) {
		tables[i] = &loads[i].groups;
		cpu_times[i] = cpu_time_of(&loads[i].info.host);
		report.sides[i] =
		        (struct report_side){loads[i].path, &loads[i].info, loads[i].file_bytes};
	}
	if (count == SIDE_MAX && same_boot(hosts[0], hosts[1])) {
		row_options.continues =
		        loads[0].info.captured_boottime_ns > 0 &&
		        loads[0].info.captured_boottime_ns <= loads[1].info.captured_boottime_ns;
		with_exited = has_all_threads(&loads[0].info) && has_all_threads(&loads[1].info);
	}
	row_set_init(&rows, tables, count, with_exited ? cpu_times : NULL, &row_options);
	make_facts(options, loads, count, &facts);
	print_report(file, &report, options->format);
	if (options->format == FORMAT_CSV)
		tell_left_out(&report);
}

static void load_init(struct load *load, const struct report_options *options, const char *path)
{
	load->path = path;
	load->limits = &options->limits;
	group_table_init(&load->groups, options->group_key, options->literal);
	cgroup_table_init(&load->cgroups);
	smaps_table_init(&load->smaps, options->literal);
	for (unsigned i = 0; i < SECTION_COUNT; i++) {
		enum section_subject subject = section_table[i].subject;

		load->wants_cgroups = load->wants_cgroups ||
		                      (options->facts.sections[i] && subject == SUBJECT_CGROUPS);
		load->wants_smaps = load->wants_smaps ||
		                    (options->facts.sections[i] && subject == SUBJECT_PROCESSES);
	}
}

/* One line for each section that was asked for in vain. */
static void warn_of_omitted(const struct report_options *options)
{
	for (unsigned i = 0; i < SECTION_COUNT; i++)
		if (options->omitted[i])
			cli_error(
			        "section '%s' requires --group-by %s; omitted under --group-by %s",
			        section_table[i].name, group_key_table[GROUP_KEY_cgroup].name,
			        group_key_table[options->group_key].name);
}

static int run(const struct report_options *options, char **paths, unsigned count)
{
	struct load loads[SIDE_MAX] = {{0}};
	int status = EXIT_DONE;

	for (unsigned i = 0; i < count; i++)
		load_init(&loads[i], options, paths[i]);
	load_run(loads, count);
	for (unsigned i = 0; i < count; i++)
		if (loads[i].result < 0) {
			cli_error("%s: %s",
			          strcmp(paths[i], "-") == 0 ? "standard input" : paths[i],
			          strbuf_str(&loads[i].error));
			status = EXIT_FAILED;
		}
	if (status == EXIT_DONE) {
		struct pager pager;

		pager_start(&pager, !options->no_pager && options->format == FORMAT_TABLE);
		make_report(pager.file, options, loads, count);
		status = pager_finish(&pager);
	}
	for (unsigned i = 0; i < count; i++)
		load_done(&loads[i]);
	return status;
}

int report_command(const struct command *command, int argc, char **argv, unsigned count)
{
	struct report_options options;
	char **paths;
	int id;

	report_options_init(&options);
	id = report_options_parse(&options, command, argc, argv);
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	paths = argv + optind;
	if (argc - optind != (int)count)
		return cli_usage_error(command, "%s needed, not %d",
		                       count == 1 ? "one snapshot is" : "two snapshots are",
		                       argc - optind);
	if (count == SIDE_MAX && strcmp(paths[0], "-") == 0 && strcmp(paths[1], "-") == 0)
		return cli_usage_error(command, "only one snapshot can be standard input");
	warn_of_omitted(&options);
	return run(&options, paths, count);
}
