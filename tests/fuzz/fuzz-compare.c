// SPDX-License-Identifier: GPL-2.0-or-later
/* The whole command compare: the first bytes choose options, and the rest is the JSON of two files with a zero byte between
 * them. Whatever they hold, the command ends with a sound report or with a reason. */
#include "cli/commands.h"
#include "command-run.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	cleanup_(command_words_done) struct command_words words = {{NULL}, 0};
	cleanup_(command_file_done) struct command_file baseline, candidate;
	struct command_input input = {data, size}, first;

	command_words_add(&words, "compare");
	command_words_add_report(&words, &input, 2);
	first = command_next_part(&input);
	command_file_init(&baseline, first, false);
	/* One file alone is compared with itself. */
	command_file_init(&candidate, input.size > 0 ? input : first, false);
	command_words_add(&words, baseline.path);
	command_words_add(&words, candidate.path);
	if (command_words_run(&command_compare, &words, &out) == EXIT_DONE)
		command_check_report(&words, &out);
	return 0;
}
