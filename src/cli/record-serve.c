// SPDX-License-Identifier: GPL-2.0-or-later
#include "record-serve.h"

#include <getopt.h>

#include "command/options.h"

static const struct cli_option format_options[] = {
        {OPT_SHOW_FORMAT, 'f', "format", "FORMAT", "", TAKES_WORD(report_show_formats)},
        {0},
};

void record_serve_init(struct record_serve *serve)
{
	static char format[] = "--format=prometheus", name[] = "record";

	*serve = (struct record_serve){.arguments = {name, format}, .argument_count = 2};
	report_options_init(&serve->report, 1);
}

void record_serve_done(struct record_serve *serve)
{
	report_options_done(&serve->report);
}

int record_serve_add(struct record_serve *serve, const struct option_parser *parser)
{
	static char group_by[] = "-g", metrics[] = "-m", top[] = "-t";
	char letter = parser->current->letter;

	if (serve->argument_count + 2 > RECORD_SERVE_ARGUMENTS)
		return options_error(parser, "it is given too often");
	serve->arguments[serve->argument_count++] = letter == 'g'   ? group_by
	                                            : letter == 'm' ? metrics
	                                                            : top;
	serve->arguments[serve->argument_count++] = (char *)parser->value;
	return 0;
}

static int check_address(struct record_serve *serve, const struct command *command)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	if (!serve_address_parse(serve->address, &serve->where, &reason))
		return cli_usage_error(command, "--serve: %s", strbuf_str(&reason));
	if (!serve->where.is_loopback && !serve->to_network)
		return cli_usage_error(command,
		                       "--serve: other hosts could read '%s', which "
		                       "--serve-network allows",
		                       serve->address);
	return 0;
}

int record_serve_settle(struct record_serve *serve, const struct command *command,
                        struct record_options *ret)
{
	const struct command show = {.name = command->name,
	                             .summary = command->summary,
	                             .options = {report_option_table, format_options}};
	int operand = optind, r;

	if (!serve->address && (serve->to_network || serve->argument_count > 2))
		return cli_usage_error(command, "%s for --serve",
		                       serve->to_network ? "--serve-network is"
		                                         : "--group-by, --metrics and --top are");
	if (!serve->address)
		return 0;
	r = check_address(serve, command);
	if (r != 0)
		return r;
	r = report_options_parse(&serve->report, &show, serve->argument_count, serve->arguments);
	optind = operand;
	if (r != OPTIONS_END)
		return EXIT_USAGE;
	ret->serve = &serve->where;
	ret->served = &serve->report;
	return 0;
}
