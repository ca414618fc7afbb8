// SPDX-License-Identifier: GPL-2.0-or-later
#include "db-options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/scan.h"
#include "command/options.h"
#include "db-arms.h"
#include "query/report-lists.h"
#include "query/report-options.h"

enum {
	OPT_ARMS = 1,
	OPT_DB,
	OPT_EXPERIMENT,
	OPT_FORMAT,
	OPT_FROM,
	OPT_GROUP,
	OPT_GROUP_BY,
	OPT_LIMIT,
	OPT_MARGIN,
	OPT_METRIC,
	OPT_MIN_EFFECT,
	OPT_MIN_IMPACT,
	OPT_MIN_Z,
	OPT_QUIET,
	OPT_READ_LIMIT,
	OPT_REPAIR,
	OPT_RETRY,
	OPT_TO,
	OPT_CSV_RAW,
};

static const char *const formats[] = {"table", "csv", "ndjson", NULL};

const struct cli_option db_options[] = {
        {OPT_DB, 0, "db", "FILE", "fleet.db, or clickhouse://HOST:PORT,.../NAME", TAKES(FILE)},
        {OPT_GROUP_BY, 'g', "group-by", "KEYS", "add, query: a set of keys; add: repeatable",
         TAKES(GROUP_KEYS)},
        {OPT_GROUP, 0, "group", "NAME", "query: only this group", TAKES(TEXT)},
        {OPT_METRIC, 'm', "metric", "NAME", "query: only this metric", TAKES(TEXT)},
        {OPT_FROM, 0, "from", "TIME", "query: files that end from then on; movers: then",
         TAKES(TEXT)},
        {OPT_TO, 0, "to", "TIME", "query: files that end until then; movers: then", TAKES(TEXT)},
        {OPT_MIN_Z, 0, "min-z", "N", "outliers, arms: robust standard deviations (6)",
         TAKES(NUMBER)},
        {OPT_MIN_IMPACT, 0, "min-impact", "PERCENT", "outliers: share of a host's total (1)",
         TAKES(NUMBER)},
        {OPT_EXPERIMENT, 0, "experiment", "NAME", "arms: only windows of this experiment",
         TAKES(TEXT)},
        {OPT_ARMS, 0, "arms", "LABELS", "arms: these two, by default the only ones", TAKES(TEXT)},
        {OPT_MIN_EFFECT, 0, "min-effect", "PERCENT", "arms: the least that moved (1)",
         TAKES(NUMBER)},
        {OPT_MARGIN, 0, "margin", "PERCENT", "arms: what is the same (2)", TAKES(NUMBER)},
        {OPT_FORMAT, 'f', "format", "FORMAT", "query: table (default), csv, ndjson",
         TAKES_WORD(formats)},
        {OPT_CSV_RAW, 0, "csv-raw", NULL, "in csv, leave what looks like a formula as it is",
         TAKES(NOTHING)},
        {OPT_LIMIT, 0, "limit", "N", "query: hosts, or rows, of the table (20); 0: all",
         TAKES(NUMBER)},
        {OPT_READ_LIMIT, 0, "read-limit", "LIST", "caps on reading: bytes=16G,threads=4M,...",
         TAKES_WORDS(report_caps)},
        {OPT_REPAIR, 0, "repair", NULL, "check: forget files that lost facts", TAKES(NOTHING)},
        {OPT_RETRY, 0, "retry", "SECONDS", "add: ask a server for so long (60)", TAKES(NUMBER)},
        {OPT_QUIET, 'q', "quiet", NULL, "add: say nothing about what was added", TAKES(NOTHING)},
        {0},
};

/* The words that have a use for an option; the others would ignore it. An option without a row here is for all. */
static const unsigned option_uses[] = {
        [OPT_ARMS] = DB_FOR_ARMS,
        [OPT_EXPERIMENT] = DB_FOR_ARMS,
        [OPT_FORMAT] = DB_FOR_QUERY,
        [OPT_FROM] = DB_FOR_QUERY,
        [OPT_GROUP] = DB_FOR_QUERY,
        [OPT_GROUP_BY] = DB_FOR_ADD | DB_FOR_QUERY,
        [OPT_LIMIT] = DB_FOR_QUERY,
        [OPT_MARGIN] = DB_FOR_ARMS,
        [OPT_METRIC] = DB_FOR_QUERY,
        [OPT_MIN_EFFECT] = DB_FOR_ARMS,
        [OPT_MIN_IMPACT] = DB_FOR_OUTLIERS,
        [OPT_MIN_Z] = DB_FOR_OUTLIERS | DB_FOR_ARMS,
        [OPT_REPAIR] = DB_FOR_CHECK,
        [OPT_RETRY] = DB_FOR_ADD | DB_FOR_CHECK,
        [OPT_TO] = DB_FOR_QUERY,
        [OPT_CSV_RAW] = DB_FOR_QUERY,
};

static void add_uses(unsigned uses, struct strbuf *out)
{
	static const struct {
		unsigned uses;
		const char *name;
	} names[] = {
	        {DB_FOR_ADD, "add"},         {DB_FOR_CHECK, "check"},
	        {DB_FOR_QUERY, "query"},     {DB_FOR_OUTLIERS, "query outliers"},
	        {DB_FOR_ARMS, "query arms"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if ((uses & names[i].uses) != names[i].uses)
			continue;
		strbuf_addf(out, "%s%s", out->len > 0 ? " and " : "", names[i].name);
		uses &= ~names[i].uses;
	}
}

int db_options_settle(const struct command *command, const struct db_arguments *arguments,
                      unsigned use)
{
	cleanup_(strbuf_done) struct strbuf uses = STRBUF_INIT;

	for (const struct cli_option *option = db_options; option->name; option++) {
		size_t id = (size_t)option->id;

		if (!(arguments->given >> id & 1) || id >= ARRAY_SIZE(option_uses) ||
		    option_uses[id] == 0 || (option_uses[id] & use) != 0)
			continue;
		add_uses(option_uses[id], &uses);
		return cli_usage_error(command, "--%s is for %s", option->name, strbuf_str(&uses));
	}
	return 0;
}

static int parse_time(const struct option_parser *parser, uint64_t *ret_ns)
{
	const char *text = parser->value, *end;
	struct tm broken = {0};
	uint64_t seconds;

	if (scan_u64(text, strlen(text), &seconds) && seconds <= INT64_MAX / NS_PER_SECOND) {
		*ret_ns = seconds * NS_PER_SECOND;
		return 0;
	}
	end = strptime(text, "%Y-%m-%d %H:%M:%S", &broken);
	if (!end || *end != '\0' || timegm(&broken) < 0)
		return options_error(parser,
		                     "'%s' is neither seconds since 1970 nor as "
		                     "2026-01-31 12:00:00",
		                     text);
	*ret_ns = (uint64_t)timegm(&broken) * NS_PER_SECOND;
	return 0;
}

static int parse_number(const struct option_parser *parser, double *ret)
{
	char *end;

	errno = 0;
	*ret = strtod(parser->value, &end);
	if (end == parser->value || *end != '\0' || errno != 0 || !isfinite(*ret) || *ret < 0)
		return options_error(parser, "'%s' is no number from 0 on", parser->value);
	return 0;
}

/* A URL may have a password in it, and is not printed. */
static int parse_database(const struct option_parser *parser, struct db_arguments *ret)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	ret->path = parser->value;
	shards_address_done(&ret->address);
	if (shards_is_address(ret->path) &&
	    shards_address_parse(ret->path, &ret->address, &reason) < 0)
		return options_error(parser, "%s", strbuf_str(&reason));
	return 0;
}

static int parse_patience(const struct option_parser *parser, uint64_t *ret_ns)
{
	uint64_t seconds;

	if (!scan_u64(parser->value, strlen(parser->value), &seconds))
		return options_error(parser, "'%s' is no number of seconds", parser->value);
	*ret_ns = saturating_multiply(seconds, NS_PER_SECOND);
	return 0;
}

static int parse_limit(const struct option_parser *parser, uint64_t *ret)
{
	if (!scan_u64(parser->value, strlen(parser->value), ret))
		return options_error(parser, "'%s' is no number of rows", parser->value);
	return 0;
}

static int parse_metric(const struct option_parser *parser, const char **ret)
{
	enum metric_id metric;

	if (!metric_find(parser->value, strlen(parser->value), &metric))
		return options_error(parser,
		                     "unknown metric '%s'; 'ctprof metric-list' has the names",
		                     parser->value);
	if (!fleet_has_metric(metric) || metric_table[metric].rule != RULE_SUM)
		return options_error(parser, "'%s': only metrics with the rule sum are asked about",
		                     parser->value);
	*ret = parser->value;
	return 0;
}

static int set_option(const struct option_parser *parser, int id, struct db_arguments *ret)
{
	int r = 0;

	switch (id) {
	case OPT_DB:
		return parse_database(parser, ret);
	case OPT_GROUP_BY:
		return export_add_keys(parser, &ret->plan);
	case OPT_GROUP:
		ret->question.filter.group_name = parser->value;
		break;
	case OPT_METRIC:
		return parse_metric(parser, &ret->question.filter.metric);
	case OPT_FROM:
		return parse_time(parser, &ret->question.from_unix_ns);
	case OPT_TO:
		return parse_time(parser, &ret->question.to_unix_ns);
	case OPT_MIN_Z:
		return parse_number(parser, &ret->question.least_z);
	case OPT_MIN_IMPACT:
		r = parse_number(parser, &ret->question.least_impact);
		ret->question.least_impact /= 100;
		return r;
	case OPT_EXPERIMENT:
		ret->arms.experiment = parser->value;
		break;
	case OPT_ARMS:
		ret->arm_names = parser->value;
		return db_arms_check(parser);
	case OPT_MIN_EFFECT:
		r = parse_number(parser, &ret->arms.least_effect);
		ret->arms.least_effect /= 100;
		return r;
	case OPT_MARGIN:
		return db_arms_parse_margin(parser, &ret->arms.margin);
	case OPT_FORMAT:
		return ret->format = options_choose(parser, formats);
	case OPT_LIMIT:
		return parse_limit(parser, &ret->limit);
	case OPT_READ_LIMIT:
		return list_read_limits(parser, &ret->plan.limits);
	case OPT_RETRY:
		return parse_patience(parser, &ret->patience_ns);
	case OPT_REPAIR:
		ret->repairs = true;
		break;
	case OPT_QUIET:
		ret->quiet = true;
		break;
	case OPT_CSV_RAW:
		ret->csv_raw = true;
		break;
	}
	return r;
}

int db_options_parse(const struct command *command, int argc, char **argv, struct db_arguments *ret)
{
	struct option_parser parser;
	int id, r = 0;

	*ret = (struct db_arguments){
	        .path = "fleet.db",
	        .patience_ns = 60 * NS_PER_SECOND,
	        .limit = 20,
	        .arms = DB_ARMS_INIT,
	        .question = {.to_unix_ns = UINT64_MAX, .least_z = 6, .least_impact = 0.01}};
	export_plan_init(&ret->plan);
	/* Groups of hosts are compared with one another. */
	ret->plan.whole_hosts = true;
	options_init(&parser, command, argc, argv);
	while (r >= 0 && (id = options_next(&parser)) > 0) {
		ret->given |= 1U << id;
		r = set_option(&parser, id, ret);
	}
	options_done(&parser);
	return r < 0 ? OPTIONS_ERROR : id;
}
