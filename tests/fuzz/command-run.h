/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* command-run - runs a command of ctprof within a fuzz target, and checks what holds for every run of it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/command.h"
#include "ctprof/base/strbuf.h"

/* The input, from which options are chosen by leading bytes. */
struct command_input {
	const uint8_t *data;
	size_t size;
};

/* The next byte, or 0 at the end. */
uint8_t command_next_byte(struct command_input *input);

/* Cuts off what stands before the next zero byte, or all of the rest. */
struct command_input command_next_part(struct command_input *input);

enum { COMMAND_WORDS_MAX = 64 };

/* The words of a command line; owned. */
struct command_words {
	char *words[COMMAND_WORDS_MAX + 1];
	int count;
};

void command_words_add(struct command_words *words, const char *word);
void command_words_done(struct command_words *words);

/* The options that show (one side) and compare (two sides) take: the first 24 bytes of the input choose them. */
void command_words_add_report(struct command_words *words, struct command_input *input,
                              unsigned sides);

/* A file in memory, which can be opened by its path. */
struct command_file {
	int fd;
	char path[64];
};

/* A file that holds a part of an input: as it is, or, where @raw is false, compressed as one zstd frame. */
void command_file_init(struct command_file *file, struct command_input part, bool raw);
void command_file_done(struct command_file *file);

/* Runs it. Returns its exit status; its standard output is in @out. Ends the process where the status is none that the command
 * has, where a failure has no reason on standard error, where standard error is not made of lines that are safe to print, or where a
 * failure left something on standard output. */
int command_words_run(const struct command *command, struct command_words *words,
                      struct strbuf *out);

/* Ends the process where a report is not sound in the format that the words ask for: one that a terminal could take for more
 * than text, or one that no reader of its format takes. */
void command_check_report(const struct command_words *words, const struct strbuf *out);
