// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ctprof/base/strbuf.h"

enum { LONG_ONLY = 256, ID_HELP = 1000, ID_VERSION };

/* The options of every command. */
static const struct cli_option common_options[] = {
        {ID_HELP, 'h', "help", NULL, "print this help", TAKES(NOTHING)},
        {ID_VERSION, 0, "version", NULL, "print the version", TAKES(NOTHING)},
        {0},
};

void options_visit(const struct command *command, option_visitor *visit, void *context)
{
	for (size_t t = 0; t <= COMMAND_OPTION_TABLES; t++) {
		const struct cli_option *option =
		        t < COMMAND_OPTION_TABLES ? command->options[t] : common_options;

		for (; option && option->name; option++)
			visit(option, context);
	}
}

struct building {
	struct option *long_options;
	size_t count, capacity;
	struct strbuf letters;
};

static void build_option(const struct cli_option *option, void *context)
{
	struct building *building = context;
	struct option *entry;

	array_reserve(building->long_options, building->capacity, building->count + 2);
	entry = &building->long_options[building->count++];
	*entry = (struct option){option->name, option->argument ? required_argument : no_argument,
	                         NULL, LONG_ONLY + option->id};
	entry[1] = (struct option){0};
	if (option->letter) {
		strbuf_add_char(&building->letters, option->letter);
		if (option->argument)
			strbuf_add_char(&building->letters, ':');
	}
}

void options_init(struct option_parser *parser, const struct command *command, int argc,
                  char **argv)
{
	struct building building = {0};

	/* Options end at the first operand. */
	if (command->launches)
		strbuf_add_char(&building.letters, '+');
	/* With a colon first, getopt_long() returns ':' for a missing argument and '?' for an unknown option. */
	strbuf_add_char(&building.letters, ':');
	options_visit(command, build_option, &building);
	*parser = (struct option_parser){.command = command, .argc = argc, .argv = argv};
	parser->long_options = building.long_options;
	parser->letters = building.letters.data;
	opterr = 0;
	optind = 0;
}

void options_done(struct option_parser *parser)
{
	free(parser->long_options);
	free(parser->letters);
	*parser = (struct option_parser){0};
}

struct search {
	int value; /* as getopt_long returned it */
	const struct cli_option *found;
};

static void match_option(const struct cli_option *option, void *context)
{
	struct search *search = context;

	/* Other names of an option are behind the one that messages use. */
	if (!search->found && (search->value == LONG_ONLY + option->id ||
	                       (option->letter && search->value == option->letter)))
		search->found = option;
}

struct name_list {
	const char *names[64];
	size_t count;
};

static void list_name(const struct cli_option *option, void *context)
{
	struct name_list *list = context;

	if (list->count + 1 < ARRAY_SIZE(list->names))
		list->names[list->count++] = option->name;
}

static int report_unknown(const struct option_parser *parser)
{
	const char *word = optopt ? NULL : parser->argv[optind - 1];
	struct name_list list = {{NULL}, 0};
	const char *nearest, *equals;
	cleanup_(mem_freep) char *name = NULL;
	int r;

	if (!word) {
		if (optopt >= LONG_ONLY)
			r = cli_usage_error(parser->command, "option '%s' takes no argument",
			                    parser->argv[optind - 1]);
		else
			r = cli_usage_error(parser->command, "unknown option '-%c'", optopt);
		(void)r;
		return OPTIONS_ERROR;
	}
	equals = strchr(word, '=');
	name = mem_copy(word, equals ? (size_t)(equals - word) : strlen(word));
	options_visit(parser->command, list_name, &list);
	nearest = cli_nearest(name + strspn(name, "-"), list.names);
	if (nearest)
		r = cli_usage_error(parser->command, "unknown option '%s'; did you mean '--%s'?",
		                    name, nearest);
	else
		r = cli_usage_error(parser->command, "unknown or ambiguous option '%s'", name);
	(void)r;
	return OPTIONS_ERROR;
}

int options_next(struct option_parser *parser)
{
	struct search search = {0};
	int r;

	search.value = getopt_long(parser->argc, parser->argv, parser->letters,
	                           parser->long_options, NULL);
	if (search.value == -1)
		return OPTIONS_END;
	if (search.value == '?')
		return report_unknown(parser);
	if (search.value == ':') {
		r = cli_usage_error(parser->command, "option '%s' needs an argument",
		                    parser->argv[optind - 1]);
		(void)r;
		return OPTIONS_ERROR;
	}
	options_visit(parser->command, match_option, &search);
	parser->current = search.found;
	parser->value = optarg;
	if (search.found->id == ID_HELP)
		return OPTIONS_HELP;
	if (search.found->id == ID_VERSION)
		return OPTIONS_VERSION;
	return search.found->id;
}

static void print_option(const struct cli_option *option, void *context)
{
	enum { HELP_COLUMN = 28 };
	FILE *file = context;
	char left[80];
	int len;

	len = snprintf(left, sizeof(left), "  %c%c%s --%s%s%s", option->letter ? '-' : ' ',
	               option->letter ? option->letter : ' ', option->letter ? "," : " ",
	               option->name, option->argument ? " " : "",
	               option->argument ? option->argument : "");
	fprintf(file, "%-*s%s%s\n", HELP_COLUMN, left, len >= HELP_COLUMN ? " " : "", option->help);
}

static void print_help(FILE *file, const struct command *command)
{
	bool is_question = command->summary[strlen(command->summary) - 1] == '?';

	fprintf(file, "Usage: ctprof %s [OPTIONS]%s%s\n%s%s\n\n", command->name,
	        command->operands ? " " : "", command->operands ? command->operands : "",
	        command->summary, is_question ? "" : ".");
	options_visit(command, print_option, file);
	for (const char *const *note = command->notes; note && *note; note++)
		fprintf(file, "%s%s\n", note == command->notes ? "\n" : "", *note);
}

int options_answer(const struct command *command, int id)
{
	if (id == OPTIONS_HELP)
		print_help(stdout, command);
	else
		puts("ctprof " CTPROF_VERSION);
	return cli_finish_output(0);
}

int options_error(const struct option_parser *parser, const char *format, ...)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	va_list args;
	int r;

	va_start(args, format);
	strbuf_vaddf(&text, format, args);
	va_end(args);
	r = cli_usage_error(parser->command, "--%s: %s", parser->current->name, strbuf_str(&text));
	(void)r;
	return -1;
}

int options_choose(const struct option_parser *parser, const char *const *words)
{
	cleanup_(strbuf_done) struct strbuf list = STRBUF_INIT;

	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], parser->value) == 0)
			return i;
		strbuf_addf(&list, "%s%s", i > 0 ? ", " : "", words[i]);
	}
	return options_error(parser, "'%s' is not one of %s", parser->value, strbuf_str(&list));
}
