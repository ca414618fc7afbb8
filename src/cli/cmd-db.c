// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "command/options.h"
#include "database/answer-print.h"
#include "database/arms-print.h"
#include "database/database.h"
#include "database/question.h"
#include "db-arms.h"
#include "db-check.h"
#include "db-options.h"
#include "db-shards.h"
#include "export/export-file.h"
#include "fleet/ddl.h"
#include "query/report-options.h"
#include "shards/shards-read.h"

enum action { ACTION_ADD, ACTION_CHECK, ACTION_QUERY, ACTION_DDL };
static const char *const actions[] = {"add", "check", "query", "ddl", NULL};

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

static int add_to_file(const struct db_arguments *arguments, char **paths, struct db_added *ret)
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
static int run_add(const struct db_arguments *arguments, char **paths)
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

static int ask(struct database *database, const struct db_arguments *arguments,
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

static void print_arms(FILE *file, const struct db_arguments *arguments, struct database *database,
                       const struct database_list *list, const struct arms_answer *answer)
{
	struct table_style style = report_style(0);

	if (arguments->format == DB_PRINT_CSV)
		arms_print_csv(file, database, list, answer, arguments->csv_raw);
	else if (arguments->format == DB_PRINT_NDJSON)
		arms_print_ndjson(file, database, list, answer);
	else
		arms_print_table(file, &style, database, list, answer, arguments->limit);
}

static void print_rows(FILE *file, const struct db_arguments *arguments, struct database *database,
                       const struct database_list *list, const struct reply *reply)
{
	const struct question *question = &arguments->question;
	struct table_style style = report_style(0);

	if (arguments->of_arms)
		print_arms(file, arguments, database, list, &reply->arms);
	else if (arguments->format == DB_PRINT_CSV)
		answer_print_csv(file, database, question, list, &reply->answer,
		                 arguments->csv_raw);
	else if (arguments->format == DB_PRINT_NDJSON)
		answer_print_ndjson(file, database, question, list, &reply->answer);
	else
		answer_print_table(file, &style, database, question, list, &reply->answer,
		                   arguments->limit);
}

/* Programs read rows. People read what these lack. */
static void note_unlike(const struct answer *answer)
{
	cleanup_(strbuf_done) struct strbuf note = STRBUF_INIT;

	answer_add_unlike(answer, &note);
	if (note.len > 0)
		cli_error("%s", strbuf_str(&note));
}

/* Prints all of it or nothing: names are read while it is made. */
static int print_answer(const struct db_arguments *arguments, struct database *database,
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
	if (!arguments->of_arms && arguments->format != DB_PRINT_TABLE)
		note_unlike(&reply->answer);
	fwrite(text, 1, len, stdout);
	return cli_finish_output(0);
}

static int run_query(const struct db_arguments *arguments)
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

static const unsigned question_uses[QUESTION_COUNT] = {
        [QUESTION_OUTLIERS] = DB_FOR_OUTLIERS,
        [QUESTION_MOVERS] = DB_FOR_MOVERS,
        [QUESTION_GROUP] = DB_FOR_GROUP,
};

static int start_query(const struct command *command, struct db_arguments *arguments, char **words,
                       int count)
{
	cleanup_(strbuf_done) struct strbuf keys = STRBUF_INIT;
	struct question *question = &arguments->question;
	int kind = count == 1 ? find_word(words[0], question_names) : -1;

	arguments->of_arms = count == 1 && strcmp(words[0], "arms") == 0;
	if (kind < 0 && !arguments->of_arms)
		return cli_usage_error(command, "query takes one of outliers, movers, group, arms");
	if (db_options_settle(command, arguments,
	                      arguments->of_arms ? DB_FOR_ARMS : question_uses[kind]) != 0)
		return EXIT_USAGE;
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

static int run_ddl(const struct command *command, const struct db_arguments *arguments,
                   char **words, int count)
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

static int run_check(const struct command *command, const struct db_arguments *arguments, int count)
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

static int run_action(const struct command *command, struct db_arguments *arguments, char **words,
                      int count)
{
	static const unsigned uses[] = {DB_FOR_ADD, DB_FOR_CHECK, DB_FOR_QUERY, DB_FOR_DDL};
	int action = count > 0 ? find_word(words[0], actions) : -1;

	if (action < 0)
		return cli_usage_error(command, "the first word is one of add, check, query, ddl");
	if (action != ACTION_QUERY && db_options_settle(command, arguments, uses[action]) != 0)
		return EXIT_USAGE;
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
	struct db_arguments arguments;
	int id = db_options_parse(command, argc, argv, &arguments), r;

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
        .first_words = actions,
        .operand_values = TAKES(SNAPSHOT),
        .options = {db_options, NULL},
        .notes = notes,
        .run = run,
};
