// SPDX-License-Identifier: GPL-2.0-or-later
#include "ab/ab-answer.h"

#include <stdlib.h>

#include "base/mem.h"

void ab_answer_done(struct ab_answer *answer)
{
	for (size_t i = 0; i < answer->count; i++)
		free(answer->words[i]);
	free(answer->words);
	ab_options_done(&answer->options);
	*answer = (struct ab_answer){0};
}

void ab_answer_add(struct ab_answer *answer, const char *name, const char *value)
{
	cleanup_(strbuf_done) struct strbuf word = STRBUF_INIT;

	strbuf_addf(&word, "--%s%s%s", name, value ? "=" : "", value ? value : "");
	*array_add(answer->words, answer->count, answer->capacity) = mem_copy(word.data, word.len);
}

int ab_answer_parse(struct ab_answer *answer)
{
	static const struct command command = {.name = "ab",
	                                       .options = {ab_report_option_table, NULL}};
	static char name[] = "ab";
	cleanup_(mem_freep) char **argv = mem_calloc(answer->count + 2, sizeof(argv[0]));

	argv[0] = name;
	for (size_t i = 0; i < answer->count; i++)
		argv[1 + i] = answer->words[i];
	ab_options_init(&answer->options);
	return ab_options_parse(&answer->options, &command, (int)answer->count + 1, argv) ==
	                       OPTIONS_END
	               ? 0
	               : -1;
}

int ab_answer_print(const struct ab_answer *answer, const char *directory, int dir_fd)
{
	cleanup_(trial_done) struct trial trial = {0};

	mem_limit(answer->options.limits.memory);
	if (ab_load_open_directory(&trial, directory, dir_fd) < 0)
		return EXIT_FAILED;
	trial_find_blocks(&trial);
	return ab_run(&answer->options, &trial);
}
