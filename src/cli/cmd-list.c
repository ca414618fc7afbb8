// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/operand-open.h"
#include "base/strmap.h"
#include "cli/commands.h"
#include "command/options.h"
#include "command/pager.h"
#include "input/job-files.h"
#include "query/report-options.h"
#include "recorder/recording-list.h"
#include "runs/run-list.h"
#include "runs/run-where.h"

enum {
	OPT_FIELDS = 1,
	OPT_SORT,
	OPT_REVERSE,
	OPT_WHERE,
	OPT_FORMAT,
	OPT_COLOR,
	OPT_NO_PAGER,
	OPT_CSV_RAW
};

enum { MEMORY_MIB = 1024 };

static const struct cli_option options[] = {
        {OPT_FIELDS, 'F', "fields", "LIST", "fields behind the prefix: command,peak_rss,...",
         TAKES_WORDS(run_field_names)},
        {OPT_WHERE, 'e', "where", "EXPR", "only runs that meet it: 'peak_rss > 2GB'", TAKES(TEXT)},
        {OPT_SORT, 's', "sort-by", "LIST", "sort by these: peak_rss:desc,exit_code,...",
         TAKES_WORDS(run_field_names)},
        {OPT_REVERSE, 'r', "reverse", NULL, "the last one first", TAKES(NOTHING)},
        {OPT_FORMAT, 'f', "format", "FORMAT", "table (default), csv, ndjson, json, yaml, ...",
         TAKES_WORD(run_list_formats)},
        {OPT_CSV_RAW, 0, "csv-raw", NULL, "in csv, leave what looks like a formula as it is",
         TAKES(NOTHING)},
        {OPT_COLOR, 0, "color", "WHEN", "auto (default), always or never",
         TAKES_WORD(report_colors)},
        {OPT_NO_PAGER, 0, "no-pager", NULL, "leave what is taller than the terminal to it",
         TAKES(NOTHING)},
        {0},
};

static const char *const notes[] = {
        "csv and ndjson have raw numbers. pyout, summaries, json, json_pp and yaml are",
        "formats of con-duct ls, with its texts for numbers. A PATH is an info.json of",
        "con-duct or of 'ctprof duct', a directory with some, or a prefix. Without one it",
        "is the part of $DUCT_OUTPUT_PREFIX before the first '{', or .duct/logs/. Of the",
        "directory of a recording, a line for each hour has the load of the host.",
        NULL,
};

/* Names that the user has given, ended by NULL. */
struct names {
	const char **entries; /* owned, as their texts are */
	size_t count, capacity;
};

static void names_done(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free((void *)(uintptr_t)names->entries[i]);
	free(names->entries);
	*names = (struct names){0};
}

static void names_add(struct names *names, const char *text, size_t len)
{
	array_reserve(names->entries, names->capacity, names->count + 2);
	names->entries[names->count++] = mem_copy(text, len);
	names->entries[names->count] = NULL;
}

struct arguments {
	struct names fields, sort;
	struct run_order *orders;  /* owned; of the names of sort, which they borrow */
	struct run_where **wheres; /* owned */
	size_t where_count, where_capacity;
	enum run_list_format format;
	bool reverse, no_pager, csv_raw;
	int color;
};

static void arguments_done(struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->where_count; i++)
		run_where_freep(&arguments->wheres[i]);
	free(arguments->wheres);
	free(arguments->orders);
	names_done(&arguments->fields);
	names_done(&arguments->sort);
}

static int parse_names(const struct option_parser *parser, struct names *names)
{
	const char *rest = parser->value;

	for (;;) {
		size_t len = strcspn(rest, ",");

		if (len == 0)
			return options_error(parser, "'%s' has an empty name", parser->value);
		names_add(names, rest, len);
		if (rest[len] == '\0')
			return 0;
		rest += len + 1;
	}
}

static int parse_where(const struct option_parser *parser, struct arguments *ret)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct run_where *where = run_where_parse(parser->value, &reason);

	if (!where)
		return options_error(parser, "%s", strbuf_str(&reason));
	*array_add(ret->wheres, ret->where_count, ret->where_capacity) = where;
	return 0;
}

static int parse_one(const struct option_parser *parser, int id, struct arguments *ret)
{
	int r = 0;

	switch (id) {
	case OPT_FIELDS:
		return parse_names(parser, &ret->fields);
	case OPT_SORT:
		return parse_names(parser, &ret->sort);
	case OPT_WHERE:
		return parse_where(parser, ret);
	case OPT_REVERSE:
		ret->reverse = true;
		break;
	case OPT_FORMAT:
		r = options_choose(parser, run_list_formats);
		ret->format = (enum run_list_format)r;
		break;
	case OPT_COLOR:
		r = options_choose(parser, report_colors);
		ret->color = r;
		break;
	case OPT_NO_PAGER:
		ret->no_pager = true;
		break;
	case OPT_CSV_RAW:
		ret->csv_raw = true;
		break;
	}
	return r;
}

/* The runs that were found so far. */
struct finding {
	const struct arguments *arguments;
	struct runs runs;
	size_t files; /* that are an info.json by their name */
	size_t empty, old;
	struct names recordings;
	struct strmap paths;  /* of the files so far */
	struct names unknown; /* fields that no run has had yet */
	size_t read;          /* runs, also those that are not wanted */
	struct strbuf reason; /* why a directory cannot be listed */
	bool failed;          /* one of them cannot be read, and was reported */
};

static void finding_done(struct finding *finding)
{
	runs_done(&finding->runs);
	names_done(&finding->recordings);
	names_done(&finding->unknown);
	strmap_done(&finding->paths);
	strbuf_done(&finding->reason);
}

static bool is_wanted(const struct arguments *arguments, const struct job_info *info)
{
	for (size_t i = 0; i < arguments->where_count; i++)
		if (!run_where_holds(arguments->wheres[i], info))
			return false;
	return true;
}

static void add_unknown(void *context, const char *field)
{
	if (!run_field_find(field))
		names_add(context, field, strlen(field));
}

/* A name that no registry has and no run is misspelt. */
static void add_all_unknown(const struct names *names, struct names *unknown)
{
	for (size_t i = 0; i < names->count; i++)
		add_unknown(unknown, names->entries[i]);
}

/* Drops the names that the run has. */
static void forget_known(struct names *unknown, const struct job_info *info)
{
	size_t kept = 0;

	for (size_t i = 0; i < unknown->count; i++)
		if (job_info_find(info, unknown->entries[i]))
			free((char *)(uintptr_t)unknown->entries[i]);
		else
			unknown->entries[kept++] = unknown->entries[i];
	unknown->count = kept;
}

static void add_run(struct finding *finding, const char *path)
{
	cleanup_(job_info_done) struct job_info info = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct runs *runs = &finding->runs;
	uint32_t place;
	int r;

	finding->files++;
	/* A run may be named, and be in a directory that is named. */
	if (strmap_find(&finding->paths, path, strlen(path), &place))
		return;
	(void)strmap_add(&finding->paths, path, strlen(path));
	r = job_info_load(path, &info, &reason);
	if (r < 0) {
		cli_error("%s: %s", path, strbuf_str(&reason));
		finding->failed = true;
	} else if (r == JOB_INFO_EMPTY) {
		finding->empty++;
	} else if (r == JOB_INFO_OLD) {
		finding->old++;
	} else {
		runs_add(runs, &info, path, (size_t)job_prefix_len(path, job_end_info));
		finding->read++;
		forget_known(&finding->unknown, &runs->entries[runs->count - 1]);
		if (!is_wanted(finding->arguments, &runs->entries[runs->count - 1]))
			job_info_done(&runs->entries[--runs->count]);
	}
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lists the entries of a directory whose names begin with @begin, sorted. Hidden ones are meant only by a name that is hidden
 * itself. */
static int list_names(const char *directory, const char *begin, struct names *ret,
                      struct strbuf *reterr)
{
	cleanup_(fd_closep) int fd = operand_open(AT_FDCWD, directory, OPERAND_DIRECTORY, reterr);
	DIR *listing = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int r;

	if (!listing)
		return fd < 0 ? fd : -errno;
	/* The stream has it now. */
	fd = -1;
	while ((r = fd_next_entry(listing, &entry)) > 0)
		if (strncmp(entry->d_name, begin, strlen(begin)) == 0 &&
		    (entry->d_name[0] != '.' || begin[0] == '.'))
			names_add(ret, entry->d_name, strlen(entry->d_name));
	closedir(listing);
	if (ret->count > 1)
		qsort(ret->entries, ret->count, sizeof(ret->entries[0]), compare_names);
	return r;
}

static void make_path(const char *directory, const char *name, struct strbuf *out)
{
	if (strcmp(directory, ".") != 0)
		strbuf_addf(out, "%s%s", directory,
		            directory[strlen(directory) - 1] == '/' ? "" : "/");
	strbuf_add_str(out, name);
}

/* Adds the runs among the names. */
static void add_runs(struct finding *finding, const char *directory, const struct names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

		make_path(directory, names->entries[i], &path);
		if (job_prefix_len(names->entries[i], job_end_info) >= 0)
			add_run(finding, strbuf_str(&path));
	}
}

/* Adds the runs of each directory among the names. One that cannot be listed is none. */
static void add_runs_below(struct finding *finding, const char *directory,
                           const struct names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		cleanup_(names_done) struct names inner = {0};
		cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT, reason = STRBUF_INIT;

		make_path(directory, names->entries[i], &path);
		if (list_names(strbuf_str(&path), "", &inner, &reason) == 0)
			add_runs(finding, strbuf_str(&path), &inner);
	}
}

/* Adds the runs of a directory whose names begin with @begin; if there are none, those in directories with such a name, since a
 * prefix may end with a slash. */
static int add_directory(struct finding *finding, const char *directory, const char *begin)
{
	cleanup_(names_done) struct names names = {0};
	size_t before = finding->files;
	int r = list_names(directory, begin, &names, &finding->reason);

	if (r < 0)
		return r;
	add_runs(finding, directory, &names);
	if (finding->files == before)
		add_runs_below(finding, directory, &names);
	return 0;
}

static int add_prefix(struct finding *finding, const char *prefix)
{
	const char *slash = strrchr(prefix, '/');
	cleanup_(strbuf_done) struct strbuf directory = STRBUF_INIT;

	if (slash)
		strbuf_add(&directory, prefix, (size_t)(slash + 1 - prefix));
	else
		strbuf_add_str(&directory, ".");
	return add_directory(finding, strbuf_str(&directory), slash ? slash + 1 : prefix);
}

/* Adds the runs of one argument: each kind of file has a branch here. A file of another name is left out, so that a pattern of
 * the shell can name all files of a directory. */
static void add_argument(struct finding *finding, const char *path)
{
	size_t before = finding->files;
	struct stat status;
	const char *reason;
	int r = stat(path, &status) < 0 ? -errno : 0;
	bool is_directory = r == 0 && S_ISDIR(status.st_mode);
	int is_recording = is_directory ? recording_list_is(path, &finding->reason) : 0;

	if (is_recording > 0) {
		names_add(&finding->recordings, path, strlen(path));
		return;
	}
	if (is_recording < 0) {
		r = is_recording;
	} else if (is_directory) {
		r = add_directory(finding, path, "");
	} else if (job_prefix_len(path, job_end_info) >= 0) {
		add_run(finding, path);
		r = 0;
	} else if (r == 0) {
		return;
	} else if (r == -ENOENT || r == -ENOTDIR) {
		r = add_prefix(finding, path);
	}
	if (r == 0 && finding->files > before)
		return;
	reason = finding->reason.len > 0 ? strbuf_str(&finding->reason) : strerror(-r);
	cli_error("%s: %s", path, r < 0 ? reason : "no info.json and no recording is there");
	strbuf_clear(&finding->reason);
	finding->failed = true;
}

/* Returns the prefix of con-duct's files, without what differs from run to run, which the caller frees. */
static char *default_prefix(void)
{
	const char *prefix = getenv("DUCT_OUTPUT_PREFIX");

	if (!prefix || prefix[0] == '\0')
		prefix = ".duct/logs/";
	return mem_copy(prefix, strcspn(prefix, "{"));
}

static void note_left_out(const struct finding *finding)
{
	if (finding->empty > 0)
		cli_error("%zu info.json without content %s left out: the job goes on, or its "
		          "monitor was killed",
		          finding->empty, finding->empty == 1 ? "is" : "are");
	if (finding->old > 0)
		cli_error("%zu info.json of a schema before 0.2.0 %s left out", finding->old,
		          finding->old == 1 ? "is" : "are");
}

static int refuse_name(const struct command *command, const char *name)
{
	const char *nearest = cli_nearest(name, run_field_names);

	return cli_usage_error(command, "no run has a field '%s'%s%s%s", name,
	                       nearest ? "; did you mean '" : "", nearest ? nearest : "",
	                       nearest ? "'?" : "");
}

/* The prefix comes first by itself. */
static void remove_prefix(struct names *names)
{
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++) {
		if (strcmp(names->entries[i], "prefix") == 0)
			free((void *)(uintptr_t)names->entries[i]);
		else
			names->entries[count++] = names->entries[i];
	}
	names->count = count;
	if (names->entries)
		names->entries[count] = NULL;
}

/* Splits the directions from the names that they are behind, and ends the list. */
static void make_orders(struct arguments *arguments)
{
	struct names *names = &arguments->sort;

	arguments->orders = mem_calloc(names->count + 1, sizeof(arguments->orders[0]));
	for (size_t i = 0; i < names->count; i++) {
		char *name = (char *)(uintptr_t)names->entries[i], *colon = strrchr(name, ':');

		arguments->orders[i].name = name;
		if (!colon || (strcmp(colon, ":asc") != 0 && strcmp(colon, ":desc") != 0))
			continue;
		arguments->orders[i].descending = strcmp(colon, ":desc") == 0;
		*colon = '\0';
	}
}

/* Prints the recordings behind the jobs. Returns whether all could be read. */
static bool print_recordings(FILE *file, const struct arguments *arguments,
                             const struct names *recordings, const struct table_style *style)
{
	bool all = true;

	if (recordings->count > 0)
		recording_list_print_head(file, arguments->format);
	for (size_t i = 0; i < recordings->count; i++) {
		if (i > 0 && run_list_is_table(arguments->format))
			fputc('\n', file);
		all = recording_list_print(file, recordings->entries[i], arguments->format,
		                           style) == 0 &&
		      all;
	}
	return all;
}

static int print(struct arguments *arguments, struct finding *finding)
{
	struct table_style style = report_style(arguments->color);
	struct pager pager;
	int status;

	if (arguments->sort.count > 0)
		runs_sort(&finding->runs, arguments->orders);
	if (arguments->reverse)
		runs_reverse(&finding->runs);
	remove_prefix(&arguments->fields);
	/* Nothing is below the headings of an empty table. */
	pager_start(&pager, !arguments->no_pager && run_list_is_table(arguments->format));
	if (finding->runs.count > 0 ||
	    (!run_list_is_table(arguments->format) && finding->recordings.count == 0))
		run_list_print(pager.file, &finding->runs, arguments->format,
		               arguments->fields.entries, &style, arguments->csv_raw);
	if (!print_recordings(pager.file, arguments, &finding->recordings, &style))
		finding->failed = true;
	status = pager_finish(&pager);
	return status == EXIT_DONE && finding->failed ? EXIT_FAILED : status;
}

/* A recording has no fields, and in the formats for programs its rows are others than those of jobs. */
static int check_recordings(const struct command *command, const struct arguments *arguments,
                            const struct finding *finding)
{
	if (finding->recordings.count == 0)
		return EXIT_DONE;
	if (arguments->fields.count > 0 || arguments->sort.count > 0 ||
	    arguments->where_count > 0 || arguments->reverse)
		return cli_usage_error(command,
		                       "%s is a recording: --fields, --where, --sort-by "
		                       "and --reverse are for jobs",
		                       finding->recordings.entries[0]);
	if (!recording_list_has(arguments->format))
		return cli_usage_error(command,
		                       "%s is a recording: its formats are table, "
		                       "markdown, csv and ndjson",
		                       finding->recordings.entries[0]);
	if (finding->files > 0 && !run_list_is_table(arguments->format))
		return cli_usage_error(command, "jobs and recordings have different rows: list "
		                                "them one by one");
	return EXIT_DONE;
}

static int list(const struct command *command, struct arguments *arguments, char **paths)
{
	cleanup_(finding_done) struct finding finding = {.arguments = arguments,
	                                                 .paths = STRMAP_INIT};
	cleanup_(mem_freep) char *prefix = default_prefix();
	int status;

	for (size_t i = 0; i < arguments->where_count; i++)
		run_where_visit_fields(arguments->wheres[i], add_unknown, &finding.unknown);
	add_all_unknown(&arguments->fields, &finding.unknown);
	add_all_unknown(&arguments->sort, &finding.unknown);
	if (!*paths)
		add_argument(&finding, prefix);
	for (; *paths; paths++)
		add_argument(&finding, *paths);
	status = check_recordings(command, arguments, &finding);
	if (status != EXIT_DONE)
		return status;
	if (finding.files == 0 && finding.recordings.count == 0) {
		if (!finding.failed)
			cli_error("none of the files is an info.json");
		return EXIT_FAILED;
	}
	note_left_out(&finding);
	if (finding.read > 0 && finding.unknown.count > 0)
		return refuse_name(command, finding.unknown.entries[0]);
	if (finding.read > 0 && finding.runs.count == 0)
		cli_error("none of %zu run%s meets the conditions", finding.read,
		          finding.read == 1 ? "" : "s");
	return print(arguments, &finding);
}

static int run(const struct command *command, int argc, char **argv)
{
	cleanup_(arguments_done) struct arguments arguments = {0};
	struct option_parser parser;
	int id, r = 0;

	options_init(&parser, command, argc, argv);
	while (r >= 0 && (id = options_next(&parser)) > 0)
		r = parse_one(&parser, id, &arguments);
	options_done(&parser);
	if (r < 0 || id == OPTIONS_ERROR)
		return EXIT_USAGE;
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	make_orders(&arguments);
	mem_limit((uint64_t)MEMORY_MIB << 20);
	return list(command, &arguments, argv + optind);
}

static const char *const other_names[] = {"ls", NULL};

const struct command command_list = {
        .name = "list",
        .summary = "List jobs and what they used, or a recording by hours",
        .other_names = other_names,
        .operands = "[PATH]...",
        .operand_values = TAKES(FILE),
        .options = {options, NULL},
        .notes = notes,
        .run = run,
};
