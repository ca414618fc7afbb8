// SPDX-License-Identifier: GPL-2.0-or-later
#include "host-tables-run.h"

#include "command/pager.h"
#include "report/report-containers.h"
#include "report/report-host-tables.h"

enum { HOST_TABLES_WIDTH = 80 };

int host_tables_settle(const struct report_options *options, const struct command *command)
{
	const char *name = options->cpus ? "--cpus" : options->memory ? "--memory" : "--containers";
	int r = 0, given = options->cpus + options->memory + options->containers;

	if (given == 0)
		return 0;
	if (given > 1 || options->rollup.given || options->delays || options->host ||
	    options->exits || options->rollup.metrics_given)
		r = cli_usage_error(
		        command, "%s is a table of its own, without other ones and metrics", name);
	else if (options->rollup.other)
		r = cli_usage_error(command, "%s has no use for --%s", name, options->rollup.other);
	else if (options->format != FORMAT_TABLE && options->format != FORMAT_MARKDOWN &&
	         options->format != FORMAT_CSV)
		r = cli_usage_error(
		        command,
		        "%s has the formats table, markdown and csv; the format json has "
		        "the numbers %s",
		        name,
		        options->containers ? "of cgroups with --group-by cgroup"
		                            : "in the host beside the rows");
	return r == 0 ? 0 : -1;
}

int host_tables_visit(const struct report_options *options, const struct load *load,
                      const struct table_style *style)
{
	struct pager pager;
	struct report report = {.verbose = options->verbose,
	                        .csv_raw = options->csv_raw,
	                        .sides = {{load->path, &load->info, load->file_bytes, NULL}},
	                        .style = *style};
	struct row_set set = {.sides = 1};
	bool csv = options->format == FORMAT_CSV, has = true;
	int status;

	set.frames[SIDE_BASELINE] = derive_frame_of(&load->info);
	report.rows = &set;
	report.style.width = report.style.width > 0 ? report.style.width : HOST_TABLES_WIDTH;
	report.style.wrap = options->wrap;
	report.style.markdown = options->format == FORMAT_MARKDOWN;
	if (report.style.markdown) {
		report.style.width = 0;
		report.style.color = false;
	}
	pager_start(&pager, !options->no_pager && options->format == FORMAT_TABLE);
	if (options->containers)
		report_print_containers(pager.file, &report, &load->containers, csv);
	else
		has = options->cpus ? report_print_cpus(pager.file, &report, csv)
		                    : report_print_memory(pager.file, &report, csv);
	status = pager_finish(&pager);
	if (has)
		return status;
	cli_error("%s has no such numbers of the host: it is of an earlier version, or of a "
	          "recording",
	          load->path);
	return EXIT_FAILED;
}
