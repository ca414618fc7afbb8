// SPDX-License-Identifier: GPL-2.0-or-later
/* The script's functions set variables of their caller: "words" to a list, "kind" to the kind of an argument. */
#include "base/text.h"
#include "command/options.h"
#include "completion.h"

static void add_words(struct strbuf *out, const struct cli_values *values)
{
	cleanup_(completion_words_done) struct completion_words words = {0};

	completion_words_init(&words, values);
	strbuf_add_str(out, "words=(");
	for (size_t i = 0; i < words.count; i++) {
		strbuf_add_str(out, i > 0 ? " " : "");
		text_add_shell_word(out, words.words[i].text);
	}
	strbuf_add_char(out, ')');
}

static void add_commands(struct strbuf *out, const struct command *const *commands)
{
	strbuf_add_str(out, "_ctprof_commands() {\n    words=(");
	for (const struct command *const *command = commands; *command; command++) {
		strbuf_add_str(out, command > commands ? " " : "");
		text_add_shell_word(out, (*command)->name);
	}
	strbuf_add_str(out, ")\n}\n\n");
}

static void add_shared(struct strbuf *out)
{
	for (enum cli_values_kind kind = 0; kind <= VALUES_SORT_KEYS; kind++) {
		struct cli_values values = {kind, NULL};

		if (!completion_is_shared(kind))
			continue;
		strbuf_addf(out, "_ctprof_%s() {\n    ", completion_kind_name(kind));
		add_words(out, &values);
		strbuf_add_str(out, "\n}\n\n");
	}
}

static void add_option_names(const struct cli_option *option, void *context)
{
	struct strbuf *out = context;

	if (option->letter)
		strbuf_addf(out, "-%c ", option->letter);
	strbuf_addf(out, "--%s ", option->name);
}

static void add_options(struct strbuf *out, const struct command *const *commands)
{
	const struct command none = {0};

	strbuf_add_str(out, "_ctprof_options() {\n    case $1 in\n    '') words=(");
	options_visit(&none, add_option_names, out);
	strbuf_add_str(out, ") ;;\n");
	for (; *commands; commands++) {
		const char *const *first = (*commands)->first_words;

		strbuf_addf(out, "    %s) operands=%u operand='%s' first=(", (*commands)->name,
		            completion_operand_count(*commands),
		            completion_kind_name((*commands)->operand_values.kind));
		for (const char *const *word = first; word && *word; word++) {
			strbuf_add_str(out, word > first ? " " : "");
			text_add_shell_word(out, *word);
		}
		strbuf_add_str(out, ") words=(");
		options_visit(*commands, add_option_names, out);
		strbuf_add_str(out, ") ;;\n");
	}
	strbuf_add_str(out, "    *) return 1 ;;\n    esac\n}\n\n");
}

struct arguments {
	struct strbuf *out;
	const char *command;
};

static void add_argument(const struct cli_option *option, void *context)
{
	const struct arguments *arguments = context;
	struct strbuf *out = arguments->out;
	enum cli_values_kind kind = option->values.kind;

	if (kind == VALUES_NOTHING)
		return;
	strbuf_add_str(out, "    ");
	if (option->letter)
		strbuf_addf(out, "'%s -%c' | ", arguments->command, option->letter);
	strbuf_addf(out, "'%s --%s') kind='%s'", arguments->command, option->name,
	            completion_kind_name(kind));
	if (completion_is_shared(kind)) {
		strbuf_addf(out, " && _ctprof_%s", completion_kind_name(kind));
	} else if (kind == VALUES_WORD || kind == VALUES_WORDS) {
		strbuf_add_char(out, ' ');
		add_words(out, &option->values);
	}
	strbuf_add_str(out, " ;;\n");
}

void completion_add_bash_tables(struct strbuf *out, const struct command *const *commands)
{
	struct arguments arguments = {out, NULL};

	add_commands(out, commands);
	add_shared(out);
	add_options(out, commands);
	strbuf_add_str(out, "_ctprof_argument() {\n    case \"$1 $2\" in\n");
	for (; *commands; commands++) {
		arguments.command = (*commands)->name;
		options_visit(*commands, add_argument, &arguments);
	}
	strbuf_add_str(out, "    *) return 1 ;;\n    esac\n}\n");
}
