// SPDX-License-Identifier: GPL-2.0-or-later
/* The whole command window: the input is the JSON of two files with a zero byte between them. Whatever they hold, the command ends
 * with a window that show prints, or with a reason and nothing written. */
#include <string.h>

#include "cli/commands.h"
#include "command-run.h"
#include "fuzz.h"

static void check_window(const struct strbuf *window)
{
	static const char *const shown[] = {"show", "--format", "ndjson"};
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	cleanup_(command_words_done) struct command_words words = {{NULL}, 0};
	cleanup_(command_file_done) struct command_file file;

	for (unsigned i = 0; i < ARRAY_SIZE(shown); i++)
		command_words_add(&words, shown[i]);
	command_file_init(&file, (struct command_input){(const uint8_t *)window->data, window->len},
	                  true);
	command_words_add(&words, file.path);
	require(command_words_run(&command_show, &words, &out) == EXIT_DONE,
	        "a window can be shown");
	command_check_report(&words, &out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	cleanup_(command_words_done) struct command_words words = {{NULL}, 0};
	cleanup_(command_file_done) struct command_file first, last;
	struct command_input input = {data, size};

	command_file_init(&first, command_next_part(&input), false);
	command_file_init(&last, input, false);
	command_words_add(&words, "window");
	command_words_add(&words, "--read-limit=bytes=4M,threads=2000");
	command_words_add(&words, "--output=-");
	command_words_add(&words, first.path);
	command_words_add(&words, last.path);
	if (command_words_run(&command_window, &words, &out) == EXIT_DONE)
		check_window(&out);
	return 0;
}
