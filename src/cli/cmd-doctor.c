// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <string.h>

#include "base/error.h"
#include "cli/commands.h"
#include "command/options.h"
#include "command/pager.h"
#include "doctor/doctor-probe.h"
#include "doctor/report-doctor.h"
#include "query/report-options.h"

enum { OPT_ENABLE = 1, OPT_FORMAT, OPT_COLOR, OPT_NO_PAGER };

static const char *const formats[] = {"table", "json", NULL};

static const struct cli_option options[] = {
        {OPT_ENABLE, 0, "enable", NULL, "set kernel switches, and say how to undo it",
         TAKES(NOTHING)},
        {OPT_FORMAT, 'f', "format", "FORMAT", "table (default) or json", TAKES_WORD(formats)},
        {OPT_COLOR, 0, "color", "WHEN", "auto (default), always or never",
         TAKES_WORD(report_colors)},
        {OPT_NO_PAGER, 0, "no-pager", NULL, "leave what is taller than the terminal to it",
         TAKES(NOTHING)},
        {0},
};

static const char *const notes[] = {
        "Nothing is changed without --enable, and then only kernel.sched_schedstats and",
        "kernel.task_delayacct. The exit status is 0 where all is available and 3 where",
        "something is missing.",
        NULL,
};

struct arguments {
	bool enable, no_pager;
	int format, color;
};

static int parse(const struct command *command, int argc, char **argv, struct arguments *ret)
{
	struct option_parser parser;
	int id;

	options_init(&parser, command, argc, argv);
	while ((id = options_next(&parser)) > 0) {
		if (id == OPT_ENABLE)
			ret->enable = true;
		else if (id == OPT_FORMAT)
			ret->format = options_choose(&parser, formats);
		else if (id == OPT_COLOR)
			ret->color = options_choose(&parser, report_colors);
		else if (id == OPT_NO_PAGER)
			ret->no_pager = true;
		if (ret->format < 0 || ret->color < 0) {
			id = OPTIONS_ERROR;
			break;
		}
	}
	options_done(&parser);
	return id;
}

/* Returns EXIT_FAILED where a switch that is off stays so. */
static int enable(const struct doctor_findings *findings, struct report_doctor *report)
{
	int status = EXIT_DONE;

	for (unsigned t = 0; t < DOCTOR_TOGGLE_COUNT; t++) {
		int r;

		if (findings->toggles[t] != DOCTOR_SWITCH_OFF) {
			report->toggles[t] = findings->toggles[t] == DOCTOR_SWITCH_ON
			                             ? TOGGLE_WAS_ON
			                             : TOGGLE_NONE;
			continue;
		}
		r = doctor_toggle_enable((enum doctor_toggle)t);
		report->toggles[t] = r < 0 ? TOGGLE_FAILED : TOGGLE_SET;
		memcpy(report->old_values[t], findings->toggle_texts[t],
		       sizeof(report->old_values[t]));
		if (r == 0)
			continue;
		cli_error("%s cannot be switched on: %s%s", doctor_toggle_table[t].sysctl,
		          strerror(-r), error_is_denied(r) ? " (only root may)" : "");
		status = EXIT_FAILED;
	}
	return status;
}

/* Prints the undo commands of the report on standard error. */
static void say_undo(const struct report_doctor *report)
{
	for (unsigned t = 0; t < DOCTOR_TOGGLE_COUNT; t++)
		if (report->toggles[t] == TOGGLE_SET)
			cli_error("%s: switched on; to undo: sudo sysctl %s=%s",
			          doctor_toggle_table[t].sysctl, doctor_toggle_table[t].sysctl,
			          report->old_values[t]);
}

static int run(const struct command *command, int argc, char **argv)
{
	cleanup_(doctor_findings_done) struct doctor_findings findings = {0};
	cleanup_(doctor_verdict_done) struct doctor_verdict verdict = {0};
	struct report_doctor report = {.findings = &findings, .verdict = &verdict};
	struct arguments arguments = {0};
	struct pager pager;
	int id = parse(command, argc, argv, &arguments), status = EXIT_DONE, written;

	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	if (optind < argc)
		return cli_usage_error(command, "unexpected argument '%s'", argv[optind]);

	doctor_probe(&findings);
	if (arguments.enable) {
		/* A reader that has gone away must not take the undo with it. */
		signal(SIGPIPE, SIG_IGN);
		status = enable(&findings, &report);
		doctor_probe(&findings);
	}
	doctor_judge(&findings, &verdict);
	report.style = report_style(arguments.color);
	pager_start(&pager, !arguments.no_pager && arguments.format == 0);
	/* Commands are to be copied whole. */
	pager.breaks = true;
	if (arguments.format == 0)
		report_doctor(pager.file, &report);
	else
		report_doctor_json(pager.file, &report);
	written = pager_finish(&pager);
	if (written != EXIT_DONE)
		say_undo(&report);
	if (status != EXIT_DONE || written != EXIT_DONE)
		return status != EXIT_DONE ? status : written;
	return doctor_is_well(&verdict) ? EXIT_DONE : EXIT_MISSING;
}

static const char *const other_names[] = {"check", NULL};

const struct command command_doctor = {
        .name = "doctor",
        .summary = "Say what can be measured here, and how to get the rest",
        .other_names = other_names,
        .operands = NULL,
        .options = {options, NULL},
        .notes = notes,
        .run = run,
};
