/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* completion - makes the tables for the completion of bash, zsh and fish: commands, options, and the words that an
 * argument can be. The functions that read them are in packaging/completion/. */
#include <stddef.h>
#include <stdio.h>

#include "command/command.h"
#include "ctprof/base/strbuf.h"

struct completion_word {
	const char *text;        /* borrowed, as the next */
	const char *description; /* NULL if it has none */
};

struct completion_words {
	struct completion_word *words; /* owned */
	size_t count, capacity;
};

/* Lists the words that an argument, or an entry of it, can be; none if it is not from a list. @ret_words is zeroed or
 * done. */
void completion_words_init(struct completion_words *ret_words, const struct cli_values *values);

/* For cleanup_(completion_words_done). */
void completion_words_done(struct completion_words *words);

/* Returns whether the words of a kind come from the registry: they are printed once and not for each option. */
bool completion_is_shared(enum cli_values_kind kind);

/* Returns the name of a kind in the scripts. */
const char *completion_kind_name(enum cli_values_kind kind);

/* Returns how many operands a command has. */
unsigned completion_operand_count(const struct command *command);

/* Appends a word for fish, within single quotes if that is needed. Other shells have text_add_shell_word(). */
void completion_add_fish(struct strbuf *out, const char *word);

/* Appends text with a backslash before each of @special and before a backslash. */
void completion_add_escaped(struct strbuf *out, const char *text, const char *special);

/* Append a shell's tables for @commands, which end with NULL. */
void completion_add_bash_tables(struct strbuf *out, const struct command *const *commands);
void completion_add_zsh_tables(struct strbuf *out, const struct command *const *commands);
void completion_add_fish_tables(struct strbuf *out, const struct command *const *commands);

/* Copies the script @template to @file with the tables of the shell ("bash", "zsh" or "fish") in place of its line
 * "# @TABLES@". Returns 0, -EINVAL if there is no such shell or line, or another -errno. */
must_check_ int completion_print(FILE *file, FILE *template, const char *shell,
                                 const struct command *const *commands);
