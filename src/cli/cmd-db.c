// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/scan.h"
#include "cli/commands.h"
#include "command/options.h"
#include "database/answer-print.h"
#include "database/arms-print.h"
#include "database/database.h"
#include "database/question.h"
#include "db-arms.h"
#include "db-check.h"
#include "db-shards.h"
#include "export/export-file.h"
#include "fleet/ddl.h"
#include "query/report-lists.h"
#include "query/report-options.h"
#include "shards/shards-read.h"

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

enum action { ACTION_ADD, ACTION_CHECK, ACTION_QUERY, ACTION_DDL };
static const char *const actions[] = {"add", "check", "query", "ddl", NULL};
enum { PRINT_TABLE, PRINT_CSV, PRINT_NDJSON };
static const char *const formats[] = {"table", "csv", "ndjson", NULL};

static const struct cli_option options[] = {
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

static const char *const notes[] = {
        "add SNAPSHOT...              add facts, those that are not there yet",
        "check                        find files of which a server has lost facts",
        "query outliers               hosts that differ most from their fleet",
        "query movers                 series that moved most --from one time --to another",
        "query group                  one --group on all hosts",
        "query arms                   what arm B of an experiment changed, over hosts",
        "ddl sqlite|clickhouse|duckdb print the tables",
        "A TIME is seconds since 1970, or '2026-01-31 12:00:00' (UTC).",
        NULL,
};

struct arguments {
	struct export_plan plan;
	struct question question;
	/* The question arms: what others do not have. */
	bool of_arms;
	struct arm_question arms;
	const char *arm_names;
	const char *path;
	struct shards_address address; /* no servers: the path is a file; owned */
	uint64_t patience_ns;
	int format;
	uint64_t limit;
	bool quiet, csv_raw, repairs;
};

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
static int parse_database(const struct option_parser *parser, struct arguments *ret)
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

static int set_option(const struct option_parser *parser, int id, struct arguments *ret)
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

static int parse(const struct command *command, int argc, char **argv, struct arguments *ret)
{
	struct option_parser parser;
	int id, r = 0;

	*ret = (struct arguments){
	        .path = "fleet.db",
	        .patience_ns = 60 * NS_PER_SECOND,
	        .limit = 20,
	        .arms = DB_ARMS_INIT,
	        .question = {.to_unix_ns = UINT64_MAX, .least_z = 6, .least_impact = 0.01}};
	export_plan_init(&ret->plan);
	/* Groups of hosts are compared with one another. */
	ret->plan.whole_hosts = true;
	options_init(&parser, command, argc, argv);
	while (r >= 0 && (id = options_next(&parser)) > 0)
		r = set_option(&parser, id, ret);
	options_done(&parser);
	return r < 0 ? OPTIONS_ERROR : id;
}

static struct database *open_database(const char *path, enum database_use use)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct database *database = database_open(path, use, &reason);

	if (!database)
		cli_error("%s: %s", path, strbuf_str(&reason));
	return database;
}

static struct database *open_servers(const struct shards_address *address)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct database *database = shards_open(address, &reason);

	if (!database)
		cli_error("%s", strbuf_str(&reason));
	return database;
}

/* Leaves the sets of keys in the plan that the database does not have of the file yet. */
static int find_missing(struct database *database, const struct snapshot_file *file,
                        struct export_plan *plan)
{
	unsigned count = 0;

	for (unsigned i = 0; i < plan->key_count; i++) {
		cleanup_(strbuf_done) struct strbuf keys = STRBUF_INIT;
		bool has = false;
		int r;

		fleet_add_keys(&plan->keys[i], &keys);
		r = database_has(database, file->digest, (struct span){strbuf_str(&keys), keys.len},
		                 &has);
		if (r < 0)
			return r;
		if (!has)
			plan->keys[count++] = plan->keys[i];
	}
	plan->key_count = count;
	return 0;
}

/* Adds one file, whole or not at all. Returns 1 if there was something to add, 0, or -errno. */
static int add_file(struct database *database, const struct export_plan *all, const char *path)
{
	cleanup_(snapshot_file_done) struct snapshot_file file = SNAPSHOT_FILE_INIT;
	struct export_plan plan = *all;
	bool of_database = true;
	int r = snapshot_file_open(&file, path, &all->limits);

	if (r < 0) {
		cli_error("%s: %s", path, snapshot_file_reason(&file, r));
		return r;
	}
	r = database_begin(database);
	if (r == 0)
		r = find_missing(database, &file, &plan);
	if (r == 0 && plan.key_count > 0) {
		r = export_groups(&plan, &file, database_sink(database));
		of_database = r == 0 || (r == -EIO && file.error.len == 0);
	}
	if (r == 0)
		r = database_commit(database);
	if (r == 0)
		return plan.key_count > 0;
	if (of_database)
		cli_error("%s: the database: %s", path, database_reason(database));
	else
		cli_error("%s: %s", path, snapshot_file_reason(&file, r));
	database_cancel(database);
	return r;
}

static int add_to_file(const struct arguments *arguments, char **paths, struct db_added *ret)
{
	cleanup_(database_freep) struct database *database =
	        open_database(arguments->path, DATABASE_ADD);

	*ret = (struct db_added){0};
	if (!database)
		return -EIO;
	for (; *paths; paths++) {
		int r = add_file(database, &arguments->plan, *paths);

		ret->added += r > 0;
		ret->there += r == 0;
		ret->failed += r < 0;
	}
	return 0;
}

/* A file that cannot be read does not keep others out. */
static int run_add(const struct arguments *arguments, char **paths)
{
	struct db_added added;
	int r;

	if (arguments->address.count > 0)
		r = db_shards_add(&arguments->address, &arguments->plan, arguments->patience_ns,
		                  paths, &added);
	else
		r = add_to_file(arguments, paths, &added);
	if (r < 0)
		return EXIT_FAILED;
	if (!arguments->quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "%s: %zu file%s added, %zu there already, %zu failed\n",
		        arguments->path, added.added, added.added == 1 ? "" : "s", added.there,
		        added.failed);
	return added.failed == 0 ? EXIT_DONE : EXIT_FAILED;
}

struct reply {
	struct answer answer;
	struct arms_answer arms; /* of_arms */
};

static void reply_done(struct reply *reply)
{
	answer_done(&reply->answer);
	arms_answer_done(&reply->arms);
}

static int ask(struct database *database, const struct arguments *arguments,
               const struct database_list *list, struct reply *ret, struct strbuf *reterr)
{
	const struct question *question = &arguments->question;
	cleanup_(mem_freep) char *names = NULL;
	struct arm_question arms = arguments->arms;

	if (!arguments->of_arms)
		return question_ask(database, question, list, &ret->answer, reterr);
	arms.filter = question->filter;
	arms.from_unix_ns = question->from_unix_ns;
	arms.to_unix_ns = question->to_unix_ns;
	arms.least_z = question->least_z;
	if (arguments->arm_names)
		db_arms_split(arguments->arm_names, &names, &arms);
	return arms_ask(database, &arms, list, &ret->arms, reterr);
}

static void print_arms(FILE *file, const struct arguments *arguments, struct database *database,
                       const struct database_list *list, const struct arms_answer *answer)
{
	struct table_style style = report_style(0);

	if (arguments->format == PRINT_CSV)
		arms_print_csv(file, database, list, answer, arguments->csv_raw);
	else if (arguments->format == PRINT_NDJSON)
		arms_print_ndjson(file, database, list, answer);
	else
		arms_print_table(file, &style, database, list, answer, arguments->limit);
}

static void print_rows(FILE *file, const struct arguments *arguments, struct database *database,
                       const struct database_list *list, const struct reply *reply)
{
	const struct question *question = &arguments->question;
	struct table_style style = report_style(0);

	if (arguments->of_arms)
		print_arms(file, arguments, database, list, &reply->arms);
	else if (arguments->format == PRINT_CSV)
		answer_print_csv(file, database, question, list, &reply->answer,
		                 arguments->csv_raw);
	else if (arguments->format == PRINT_NDJSON)
		answer_print_ndjson(file, database, question, list, &reply->answer);
	else
		answer_print_table(file, &style, database, question, list, &reply->answer,
		                   arguments->limit);
}

/* Prints all of it or nothing: names are read while it is made. */
static int print_answer(const struct arguments *arguments, struct database *database,
                        const struct database_list *list, const struct reply *reply)
{
	cleanup_(mem_freep) char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	if (!file)
		mem_exhausted();
	print_rows(file, arguments, database, list, reply);
	mem_stream_close(file, &text);
	if (database_reason(database)[0] != '\0') {
		cli_error("%s: %s", arguments->path, database_reason(database));
		return EXIT_FAILED;
	}
	fwrite(text, 1, len, stdout);
	return cli_finish_output(0);
}

static int run_query(const struct arguments *arguments)
{
	cleanup_(database_freep) struct database *database =
	        arguments->address.count > 0 ? open_servers(&arguments->address)
	                                     : open_database(arguments->path, DATABASE_READ);
	cleanup_(database_list_done) struct database_list list = {0};
	cleanup_(reply_done) struct reply reply = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r;

	if (!database)
		return EXIT_FAILED;
	r = database_list(database, &list);
	if (r == 0)
		r = ask(database, arguments, &list, &reply, &reason);
	if (r < 0) {
		cli_error("%s: %s", arguments->path,
		          reason.len > 0 ? strbuf_str(&reason) : database_reason(database));
		return EXIT_FAILED;
	}
	return print_answer(arguments, database, &list, &reply);
}

static int find_word(const char *word, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	return -1;
}

static int start_query(const struct command *command, struct arguments *arguments, char **words,
                       int count)
{
	cleanup_(strbuf_done) struct strbuf keys = STRBUF_INIT;
	struct question *question = &arguments->question;
	int kind = count == 1 ? find_word(words[0], question_names) : -1;

	arguments->of_arms = count == 1 && strcmp(words[0], "arms") == 0;
	if (kind < 0 && !arguments->of_arms)
		return cli_usage_error(command, "query takes one of outliers, movers, group, arms");
	if (!arguments->of_arms)
		question->kind = (enum question_kind)kind;
	if (question->kind == QUESTION_MOVERS &&
	    (question->from_unix_ns == 0 || question->to_unix_ns == UINT64_MAX))
		return cli_usage_error(command, "query movers needs --from and --to");
	if (question->from_unix_ns > question->to_unix_ns)
		return cli_usage_error(command, "--from is later than --to");
	if (question->kind == QUESTION_GROUP && !question->filter.group_name)
		return cli_usage_error(command, "query group needs --group");
	if (arguments->plan.keys_given && arguments->plan.key_count > 1)
		return cli_usage_error(command, "query takes one set of keys");
	if (arguments->plan.keys_given) {
		fleet_add_keys(&arguments->plan.keys[0], &keys);
		question->filter.group_key = strbuf_str(&keys);
	} else if (question->kind != QUESTION_GROUP) {
		/* Each thread is in one row of each set. */
		question->filter.group_key = group_key_table[GROUP_KEY_pcomm].name;
	}
	mem_limit(arguments->plan.limits.memory);
	return run_query(arguments);
}

static int run_ddl(const struct command *command, const struct arguments *arguments, char **words,
                   int count)
{
	const char *database = arguments->address.database;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	int engine = count == 1 ? find_word(words[0], ddl_engine_names) : -1;

	if (engine < 0)
		return cli_usage_error(command, "ddl takes one of sqlite, clickhouse, duckdb");
	ddl_add((enum ddl_engine)engine, database ? database : DDL_DATABASE, &text);
	fputs(strbuf_str(&text), stdout);
	return cli_finish_output(0);
}

static int run_check(const struct command *command, const struct arguments *arguments, int count)
{
	if (count > 0)
		return cli_usage_error(command, "check takes no words");
	if (arguments->repairs && arguments->address.count == 0)
		return cli_usage_error(command,
		                       "--repair is for servers: a damaged file is removed, and "
		                       "made again from the snapshots");
	mem_limit(arguments->plan.limits.memory);
	if (arguments->address.count == 0)
		return db_check_file(arguments->path);
	return db_check_servers(&arguments->address, arguments->repairs, arguments->patience_ns);
}

static int run_action(const struct command *command, struct arguments *arguments, char **words,
                      int count)
{
	int action = count > 0 ? find_word(words[0], actions) : -1;

	if (action < 0)
		return cli_usage_error(command, "the first word is one of add, check, query, ddl");
	if (action == ACTION_DDL)
		return run_ddl(command, arguments, words + 1, count - 1);
	if (action == ACTION_QUERY)
		return start_query(command, arguments, words + 1, count - 1);
	if (action == ACTION_CHECK)
		return run_check(command, arguments, count - 1);
	if (count == 1)
		return cli_usage_error(command, "add needs a snapshot");
	mem_limit(arguments->plan.limits.memory);
	return run_add(arguments, words + 1);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments;
	int id = parse(command, argc, argv, &arguments), r;

	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		r = options_answer(command, id);
	else if (id == OPTIONS_ERROR)
		r = EXIT_USAGE;
	else
		r = run_action(command, &arguments, argv + optind, argc - optind);
	shards_address_done(&arguments.address);
	return r;
}

static const char *const other_names[] = {"database", "sql", "sqlite", "fleet", NULL};

const struct command command_db = {
        .name = "db",
        .summary = "Keep facts of many hosts, and ask about them",
        .other_names = other_names,
        .operands = "add|check|query|ddl WORD...",
        .operand_values = TAKES(SNAPSHOT),
        .options = {options, NULL},
        .notes = notes,
        .run = run,
};
