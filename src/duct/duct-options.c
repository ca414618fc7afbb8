// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command/options.h"
#include "duct/duct-log.h"
#include "duct/duct-summary.h"

enum {
	OPT_LOG_LEVEL = 1,
	OPT_QUIET,
	OPT_PREFIX,
	OPT_SUMMARY_FORMAT,
	OPT_COLORS,
	OPT_CLOBBER,
	OPT_SAMPLE,
	OPT_REPORT,
	OPT_FAIL_TIME,
	OPT_CAPTURE,
	OPT_SHOW,
	OPT_RECORDS,
	OPT_MESSAGE,
	OPT_MODE,
	OPT_SMAPS,
	OPT_PTY,
};

static const char *const streams[] = {"all", "none", "stdout", "stderr", NULL};
static const char *const records[] = {"all", "system-summary", "processes-samples", NULL};
static const char *const modes[] = {"new-session", "current-session", NULL};
static const char *const smaps[] = {"auto", "all", "off", NULL};

const char duct_default_prefix[] = ".duct/logs/{datetime}-{pid}_";

const struct cli_option duct_options[] = {
        {OPT_PREFIX, 'p', "output-prefix", "PREFIX", "names of files, with {datetime} and {pid}",
         TAKES(FILE)},
        {OPT_SAMPLE, 0, "sample-interval", "SECONDS", "the longest time between samples (1)",
         TAKES(NUMBER)},
        {OPT_SAMPLE, 0, "s-i", "SECONDS", "the same", TAKES(NUMBER)},
        {OPT_REPORT, 0, "report-interval", "SECONDS", "the time of a record (60)", TAKES(NUMBER)},
        {OPT_REPORT, 0, "r-i", "SECONDS", "the same", TAKES(NUMBER)},
        {OPT_FAIL_TIME, 0, "fail-time", "SECONDS", "remove files of a failure sooner than this (3)",
         TAKES(NUMBER)},
        {OPT_FAIL_TIME, 0, "f-t", "SECONDS", "the same", TAKES(NUMBER)},
        {OPT_CAPTURE, 'c', "capture-outputs", "WHICH",
         "streams into files: all, none, stdout, stderr", TAKES_WORD(streams)},
        {OPT_SHOW, 'o', "outputs", "WHICH", "streams that are shown: the same words",
         TAKES_WORD(streams)},
        {OPT_RECORDS, 't', "record-types", "WHICH", "all, system-summary or processes-samples",
         TAKES_WORD(records)},
        {OPT_MESSAGE, 'm', "message", "TEXT", "a note for info.json", TAKES(TEXT)},
        {OPT_MODE, 0, "mode", "MODE", "new-session (default) or current-session",
         TAKES_WORD(modes)},
        {OPT_SMAPS, 0, "smaps", "WHICH", "PSS of processes: auto (not huge), all, off",
         TAKES_WORD(smaps)},
        {OPT_PTY, 0, "pty", NULL, "the command prints to a terminal, in one stream",
         TAKES(NOTHING)},
        {OPT_CLOBBER, 0, "clobber", NULL, "overwrite files that are there", TAKES(NOTHING)},
        {OPT_SUMMARY_FORMAT, 0, "summary-format", "TEXT", "the summary by fields: '{peak_rss!S}'",
         TAKES(TEXT)},
        {OPT_COLORS, 0, "colors", NULL, "colours in the summary", TAKES(NOTHING)},
        {OPT_LOG_LEVEL, 'l', "log-level", "LEVEL", "NONE, CRITICAL, ERROR, WARNING, INFO, DEBUG",
         TAKES_WORD(duct_level_names)},
        {OPT_QUIET, 'q', "quiet", NULL, "no messages at all, as --log-level NONE", TAKES(NOTHING)},
        {0},
};

static bool parse_seconds(const char *text, double least, double *ret)
{
	const double most = 1e8;
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end != '\0' || !isfinite(number) || number < least || number > most)
		return false;
	*ret = number;
	return true;
}

static const double interval_least = 0.001, fail_time_least = -1e8;

static int set_seconds(const struct option_parser *parser, double least, double *ret)
{
	if (parse_seconds(parser->value, least, ret))
		return 0;
	return options_error(parser, "'%s' is not a number of seconds%s", parser->value,
	                     least > 0 ? " from 0.001 on" : "");
}

static bool find_word(const char *const *words, const char *word, int *ret)
{
	for (int i = 0; words[i]; i++)
		if (strcasecmp(words[i], word) == 0) {
			*ret = i;
			return true;
		}
	return false;
}

static int set_template(const struct option_parser *parser, const char **ret)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	*ret = parser->value;
	if (duct_summary_check(parser->value, &reason) == 0)
		return 0;
	return options_error(parser, "%s", strbuf_str(&reason));
}

static int set_level(const struct option_parser *parser, enum duct_level *ret)
{
	int level = 0;

	if (!find_word(duct_level_names, parser->value, &level))
		level = options_choose(parser, duct_level_names);
	*ret = (enum duct_level)level;
	return level;
}

static int parse_number(const struct option_parser *parser, int id, struct duct_arguments *ret)
{
	if (id == OPT_SAMPLE)
		return set_seconds(parser, interval_least, &ret->sample);
	if (id == OPT_REPORT)
		return set_seconds(parser, interval_least, &ret->report);
	return set_seconds(parser, fail_time_least, &ret->fail_time);
}

static int parse_word(const struct option_parser *parser, int id, struct duct_arguments *ret)
{
	int word;

	if (id == OPT_CAPTURE || id == OPT_SHOW) {
		word = options_choose(parser, streams);
		*(id == OPT_CAPTURE ? &ret->capture : &ret->show) = (enum duct_streams)word;
	} else if (id == OPT_RECORDS) {
		word = options_choose(parser, records);
		ret->records = (enum duct_records)word;
	} else if (id == OPT_MODE) {
		word = options_choose(parser, modes);
		ret->current_session = word == 1;
	} else {
		word = options_choose(parser, smaps);
		ret->smaps = (enum job_smaps)word;
	}
	return word;
}

static int parse_one(const struct option_parser *parser, int id, struct duct_arguments *ret)
{
	switch (id) {
	case OPT_PREFIX:
		ret->prefix = parser->value;
		break;
	case OPT_MESSAGE:
		ret->message = parser->value;
		break;
	case OPT_SUMMARY_FORMAT:
		return set_template(parser, &ret->summary_format);
	case OPT_COLORS:
		ret->colors = true;
		break;
	case OPT_PTY:
		ret->pty = true;
		break;
	case OPT_CLOBBER:
		ret->clobber = true;
		break;
	case OPT_LOG_LEVEL:
		return set_level(parser, &ret->level);
	case OPT_QUIET:
		ret->level = DUCT_NONE;
		break;
	case OPT_SAMPLE:
	case OPT_REPORT:
	case OPT_FAIL_TIME:
		return parse_number(parser, id, ret);
	default:
		return parse_word(parser, id, ret);
	}
	return 0;
}

int duct_arguments_parse(struct duct_arguments *arguments, const struct command *command, int argc,
                         char **argv)
{
	struct option_parser parser;
	int id, r = 0;

	options_init(&parser, command, argc, argv);
	while (r >= 0 && (id = options_next(&parser)) > 0)
		r = parse_one(&parser, id, arguments);
	options_done(&parser);
	return r < 0 ? OPTIONS_ERROR : id;
}

static int seconds_of(const struct command *command, const char *name, double least, double *ret)
{
	const char *value = getenv(name);

	if (!value || parse_seconds(value, least, ret))
		return 0;
	return cli_usage_error(command, "%s: '%s' is not a number of seconds%s", name, value,
	                       least > 0 ? " from 0.001 on" : "");
}

static int word_of(const struct command *command, const char *name, const char *const *words,
                   int *ret)
{
	const char *value = getenv(name);

	if (!value || find_word(words, value, ret))
		return 0;
	return cli_usage_error(command, "%s: there is no '%s'", name, value);
}

static int template_of(const struct command *command, const char **ret)
{
	const char *value = getenv("DUCT_SUMMARY_FORMAT");
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	if (!value)
		return 0;
	*ret = value;
	if (duct_summary_check(value, &reason) == 0)
		return 0;
	return cli_usage_error(command, "DUCT_SUMMARY_FORMAT: %s", strbuf_str(&reason));
}

static const char *text_of(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value ? value : otherwise;
}

int duct_arguments_init(struct duct_arguments *arguments, const struct command *command)
{
	int level = DUCT_INFO_LEVEL, capture = DUCT_STREAMS_ALL, r;

	*arguments = (struct duct_arguments){
	        .prefix = text_of("DUCT_OUTPUT_PREFIX", duct_default_prefix),
	        .summary_format = duct_summary_default,
	        .message = text_of("DUCT_MESSAGE", ""),
	        .colors = text_of("DUCT_COLORS", "")[0] != '\0',
	        .sample = 1,
	        .report = 60,
	        .fail_time = 3,
	};
	r = template_of(command, &arguments->summary_format);
	if (r == 0)
		r = seconds_of(command, "DUCT_SAMPLE_INTERVAL", interval_least, &arguments->sample);
	if (r == 0)
		r = seconds_of(command, "DUCT_REPORT_INTERVAL", interval_least, &arguments->report);
	if (r == 0)
		r = seconds_of(command, "DUCT_FAIL_TIME", fail_time_least, &arguments->fail_time);
	if (r == 0)
		r = word_of(command, "DUCT_LOG_LEVEL", duct_level_names, &level);
	if (r == 0)
		r = word_of(command, "DUCT_CAPTURE_OUTPUTS", streams, &capture);
	arguments->level = (enum duct_level)level;
	arguments->capture = (enum duct_streams)capture;
	return r;
}
