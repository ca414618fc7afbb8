// SPDX-License-Identifier: GPL-2.0-or-later
/* The script has a function for each list of words, and one for each command that gives its arguments to _arguments. */
#include <string.h>

#include "base/text.h"
#include "command/options.h"
#include "completion.h"

struct printing {
	struct strbuf *out;
	const struct command *command;
};

static void add_pair(struct strbuf *out, const struct completion_word *word)
{
	strbuf_add_str(out, " \\\n        ");
	text_add_shell_word(out, word->text);
	strbuf_add_char(out, ' ');
	text_add_shell_word(out, word->description ? word->description : "");
}

static void add_list_function(struct strbuf *out, const char *name, const struct cli_values *values)
{
	cleanup_(completion_words_done) struct completion_words words = {0};

	completion_words_init(&words, values);
	strbuf_addf(out, "%s() {\n    _ctprof_offer %s", name, completion_kind_name(values->kind));
	for (size_t i = 0; i < words.count; i++)
		add_pair(out, &words.words[i]);
	strbuf_add_str(out, "\n}\n\n");
}

static void add_option_words(const struct cli_option *option, void *context)
{
	const struct printing *printing = context;
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	if (option->values.kind != VALUES_WORD && option->values.kind != VALUES_WORDS)
		return;
	strbuf_addf(&name, "_ctprof_%s_%s", printing->command->name, option->name);
	add_list_function(printing->out, strbuf_str(&name), &option->values);
}

/* A blank before a function's name keeps _arguments from giving it arguments. */
static void add_action(struct strbuf *out, const struct printing *printing,
                       const struct cli_values *values, const char *option)
{
	switch (values->kind) {
	case VALUES_NOTHING:
		break;
	case VALUES_TEXT:
	case VALUES_NUMBER:
		strbuf_add_char(out, ' ');
		break;
	case VALUES_FILE:
		strbuf_add_str(out, "_files");
		break;
	case VALUES_DIRECTORY:
		strbuf_add_str(out, "_files -/");
		break;
	case VALUES_SNAPSHOT:
		strbuf_add_str(out, "_files -g \"*.zst(-.)\"");
		break;
	case VALUES_WORD:
	case VALUES_WORDS:
		strbuf_addf(out, " _ctprof_%s_%s", printing->command->name, option);
		break;
	case VALUES_GROUP_KEY:
	case VALUES_GROUP_KEYS:
	case VALUES_METRICS:
	case VALUES_SECTIONS:
	case VALUES_SORT_KEYS:
	case VALUES_COMMANDS:
		strbuf_addf(out, " _ctprof_%s", completion_kind_name(values->kind));
		break;
	}
}

static void add_spec(const struct printing *printing, const struct cli_option *option, bool is_long)
{
	cleanup_(strbuf_done) struct strbuf spec = STRBUF_INIT;

	/* Either form excludes both afterwards. */
	if (option->letter)
		strbuf_addf(&spec, "(-%c --%s)", option->letter, option->name);
	if (is_long)
		strbuf_addf(&spec, "--%s%s", option->name, option->argument ? "=" : "");
	else
		strbuf_addf(&spec, "-%c%s", option->letter, option->argument ? "+" : "");
	strbuf_add_char(&spec, '[');
	completion_add_escaped(&spec, option->help, ":[]");
	strbuf_add_char(&spec, ']');
	if (option->argument) {
		strbuf_add_char(&spec, ':');
		/* In zsh, only a backslash before a colon is removed. */
		completion_add_escaped(&spec, option->argument, ":");
		strbuf_add_char(&spec, ':');
		add_action(&spec, printing, &option->values, option->name);
	}
	strbuf_add_str(printing->out, " \\\n        ");
	text_add_shell_word(printing->out, strbuf_str(&spec));
}

static void add_option(const struct cli_option *option, void *context)
{
	const struct printing *printing = context;

	if (option->letter)
		add_spec(printing, option, false);
	add_spec(printing, option, true);
}

/* Adds "(add query)", from which _arguments itself completes. */
static void add_first_words(struct strbuf *out, const struct command *command)
{
	strbuf_add_char(out, '(');
	for (const char *const *word = command->first_words; *word; word++) {
		strbuf_add_str(out, word > command->first_words ? " " : "");
		completion_add_escaped(out, *word, " ():");
	}
	strbuf_add_char(out, ')');
}

static void add_operands(const struct printing *printing)
{
	const char *word = printing->command->operands;

	for (unsigned i = 1; word && *word; i++) {
		size_t len = strcspn(word, " ");
		bool optional = word[0] == '[', repeated = word[len - 1] == '.';
		const char *name = word + optional;
		cleanup_(strbuf_done) struct strbuf spec = STRBUF_INIT;

		/* "[NAME]...": none or more */
		if (repeated)
			strbuf_add_char(&spec, '*');
		else
			strbuf_addf(&spec, "%u", i);
		strbuf_addf(&spec, ":%s%.*s:", optional && !repeated ? ":" : "",
		            (int)(optional ? strcspn(name, "]") : len), name);
		if (i == 1 && printing->command->first_words)
			add_first_words(&spec, printing->command);
		else
			add_action(&spec, printing, &printing->command->operand_values, "");
		strbuf_add_str(printing->out, " \\\n        ");
		text_add_shell_word(printing->out, strbuf_str(&spec));
		word += len;
		word += strspn(word, " ");
	}
}

static void add_command_list(struct strbuf *out, const struct command *const *commands)
{
	strbuf_add_str(out, "_ctprof_commands() {\n    local -a commands=(");
	for (; *commands; commands++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

		strbuf_addf(&text, "%s:%s", (*commands)->name, (*commands)->summary);
		strbuf_add_str(out, " \\\n        ");
		text_add_shell_word(out, strbuf_str(&text));
	}
	strbuf_add_str(out, ")\n    _describe -V command commands \"$@\"\n}\n\n");
}

void completion_add_zsh_tables(struct strbuf *out, const struct command *const *commands)
{
	const struct command none = {0};
	struct printing printing = {out, &none};

	add_command_list(out, commands);
	for (enum cli_values_kind kind = 0; kind <= VALUES_SORT_KEYS; kind++) {
		cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
		struct cli_values values = {kind, NULL};

		strbuf_addf(&name, "_ctprof_%s", completion_kind_name(kind));
		if (completion_is_shared(kind))
			add_list_function(out, strbuf_str(&name), &values);
	}
	for (const struct command *const *command = commands; *command; command++) {
		printing.command = *command;
		options_visit(*command, add_option_words, &printing);
		strbuf_addf(out, "_ctprof-%s() {\n    _arguments -s -S", (*command)->name);
		options_visit(*command, add_option, &printing);
		add_operands(&printing);
		strbuf_add_str(out, "\n}\n\n");
	}
	printing.command = &none;
	strbuf_add_str(out, "_ctprof_common_options() {\n    specs=(");
	options_visit(&none, add_option, &printing);
	strbuf_add_str(out, ")\n}\n");
}
