// SPDX-License-Identifier: GPL-2.0-or-later
/* The script has a function that prints lists of words with their descriptions, and a line "complete" for each command
 * and option. */
#include "command/options.h"
#include "completion.h"

struct printing {
	struct strbuf *out;
	const struct command *command;
};

static void add_words(struct strbuf *out, const char *command, const char *name,
                      const struct cli_values *values)
{
	cleanup_(completion_words_done) struct completion_words words = {0};

	completion_words_init(&words, values);
	strbuf_addf(out, "        case '%s%s%s'\n            printf '%%s\\t%%s\\n'", command,
	            *command ? " " : "", name);
	for (size_t i = 0; i < words.count; i++) {
		strbuf_add_str(out, " \\\n                ");
		completion_add_fish(out, words.words[i].text);
		strbuf_add_char(out, ' ');
		completion_add_fish(out,
		                    words.words[i].description ? words.words[i].description : "");
	}
	strbuf_add_char(out, '\n');
}

static void add_option_words(const struct cli_option *option, void *context)
{
	const struct printing *printing = context;

	if (option->values.kind == VALUES_WORD || option->values.kind == VALUES_WORDS)
		add_words(printing->out, printing->command->name, option->name, &option->values);
}

static void add_word_function(struct strbuf *out, const struct command *const *commands)
{
	strbuf_add_str(out, "function __ctprof_words\n    switch \"$argv\"\n");
	for (enum cli_values_kind kind = 0; kind <= VALUES_SORT_KEYS; kind++) {
		struct cli_values values = {kind, NULL};

		if (completion_is_shared(kind))
			add_words(out, "", completion_kind_name(kind), &values);
	}
	for (; *commands; commands++) {
		struct printing printing = {out, *commands};

		options_visit(*commands, add_option_words, &printing);
	}
	strbuf_add_str(out, "    end\nend\n\n");
}

/* Adds the action of an argument: a function that prints the words gets the letter of the option. */
static void add_argument(struct strbuf *out, const struct printing *printing,
                         const struct cli_option *option)
{
	enum cli_values_kind kind = option->values.kind;
	char letter[] = {option->letter ? option->letter : '-', '\0'};

	switch (kind) {
	case VALUES_NOTHING:
		break;
	case VALUES_TEXT:
	case VALUES_NUMBER:
		strbuf_add_str(out, " -x");
		break;
	case VALUES_FILE:
		strbuf_add_str(out, " -r -F");
		break;
	case VALUES_DIRECTORY:
		strbuf_addf(out, " -x -a '(__ctprof_directories %s)'", letter);
		break;
	case VALUES_SNAPSHOT:
		strbuf_add_str(out, " -x -k -a '(__ctprof_snapshots)'");
		break;
	case VALUES_WORD:
		strbuf_addf(out, " -x -k -a '(__ctprof_words %s %s)'", printing->command->name,
		            option->name);
		break;
	case VALUES_WORDS:
		strbuf_addf(out, " -x -k -a '(__ctprof_list %s %s %s)'", letter,
		            printing->command->name, option->name);
		break;
	case VALUES_GROUP_KEY:
		strbuf_addf(out, " -x -k -a '(__ctprof_words %s)'", completion_kind_name(kind));
		break;
	case VALUES_GROUP_KEYS:
	case VALUES_METRICS:
	case VALUES_SECTIONS:
	case VALUES_SORT_KEYS:
	case VALUES_COMMANDS:
		strbuf_addf(out, " -x -k -a '(__ctprof_list %s %s)'", letter,
		            completion_kind_name(kind));
		break;
	}
}

static void add_option(const struct cli_option *option, void *context)
{
	const struct printing *printing = context;
	struct strbuf *out = printing->out;

	strbuf_addf(out, "complete -c ctprof -n '__ctprof_has_command %s'",
	            printing->command->name);
	if (option->letter)
		strbuf_addf(out, " -s %c", option->letter);
	strbuf_addf(out, " -l %s", option->name);
	add_argument(out, printing, option);
	strbuf_add_str(out, " -d ");
	completion_add_fish(out, option->help);
	strbuf_add_char(out, '\n');
}

/* Adds a line's condition: whether one of the words of the first operand is there, or with @none, whether none is. */
static void add_first_condition(struct strbuf *out, const struct command *command, bool none)
{
	if (!command->first_words)
		return;
	strbuf_addf(out, "; and %s__fish_seen_subcommand_from", none ? "not " : "");
	for (const char *const *word = command->first_words; *word; word++)
		strbuf_addf(out, " %s", *word);
}

static void add_first_words(struct strbuf *out, const struct command *command)
{
	if (!command->first_words)
		return;
	strbuf_addf(out, "complete -c ctprof -n '__ctprof_has_command %s", command->name);
	add_first_condition(out, command, true);
	strbuf_add_str(out, "' -k -a '");
	for (const char *const *word = command->first_words; *word; word++)
		strbuf_addf(out, "%s%s", word > command->first_words ? " " : "", *word);
	strbuf_add_str(out, "'\n");
}

/* Adds what the operands of a command are completed with. */
static void add_operands(struct strbuf *out, const struct command *command,
                         const struct command *const *commands)
{
	add_first_words(out, command);
	if (command->operand_values.kind == VALUES_SNAPSHOT) {
		strbuf_addf(out, "complete -c ctprof -n '__ctprof_has_command %s", command->name);
		add_first_condition(out, command, false);
		strbuf_add_str(out, "' -k -a '(__ctprof_snapshots)'\n");
	}
	if (command->operand_values.kind != VALUES_COMMANDS)
		return;
	for (; *commands; commands++) {
		strbuf_addf(out, "complete -c ctprof -n '__ctprof_has_command %s' -k -a %s -d ",
		            command->name, (*commands)->name);
		completion_add_fish(out, (*commands)->summary);
		strbuf_add_char(out, '\n');
	}
}

/* Adds an option of ctprof itself, without a command. */
static void add_common_option(const struct cli_option *option, void *context)
{
	struct strbuf *out = context;

	strbuf_add_str(out, "complete -c ctprof -n __ctprof_has_no_command");
	if (option->letter)
		strbuf_addf(out, " -s %c", option->letter);
	strbuf_addf(out, " -l %s -d ", option->name);
	completion_add_fish(out, option->help);
	strbuf_add_char(out, '\n');
}

void completion_add_fish_tables(struct strbuf *out, const struct command *const *commands)
{
	const struct command none = {0};

	add_word_function(out, commands);
	strbuf_add_str(out, "complete -c ctprof -f\n");
	options_visit(&none, add_common_option, out);
	for (const struct command *const *command = commands; *command; command++) {
		strbuf_addf(out, "complete -c ctprof -n __ctprof_has_no_command -k -a %s -d ",
		            (*command)->name);
		completion_add_fish(out, (*command)->summary);
		strbuf_add_char(out, '\n');
	}
	for (const struct command *const *command = commands; *command; command++) {
		struct printing printing = {out, *command};

		add_operands(out, *command, commands);
		options_visit(*command, add_option, &printing);
	}
}
