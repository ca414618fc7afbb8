// SPDX-License-Identifier: GPL-2.0-or-later
/* The whole command show: the first byte says whether the file is the input as it is or the input in a sound frame, the next ones
 * choose options, and the rest is the file. Whatever it holds, the command ends with a sound report or with a reason. */
#include "cli/commands.h"
#include "command-run.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	cleanup_(command_words_done) struct command_words words = {{NULL}, 0};
	cleanup_(command_file_done) struct command_file file;
	struct command_input input = {data, size};
	bool raw = command_next_byte(&input) == 'z';

	command_words_add(&words, "show");
	command_words_add_report(&words, &input, 1);
	command_file_init(&file, input, raw);
	command_words_add(&words, file.path);
	if (command_words_run(&command_show, &words, &out) == EXIT_DONE)
		command_check_report(&words, &out);
	return 0;
}
