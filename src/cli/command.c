// SPDX-License-Identifier: GPL-2.0-or-later
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "ctprof/strbuf.h"
#include "ctprof/text.h"

const struct command *const command_table[] = {
        &command_capture,     &command_show,   &command_compare,
        &command_metric_list, &command_doctor, NULL,
};
_Static_assert(ARRAY_SIZE(command_table) <= COMMANDS_MAX + 1, "COMMANDS_MAX is too small");

/* Messages quote file names and arguments, which may hold anything. */
printf_(1, 0) static void print_line(const char *format, va_list args)
{
	cleanup_(strbuf_done) struct strbuf raw = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	strbuf_vaddf(&raw, format, args);
	strbuf_add_str(&line, "ctprof: ");
	text_add_escaped(&line, strbuf_str(&raw), raw.len);
	fprintf(stderr, "%s\n", strbuf_str(&line));
}

void cli_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(format, args);
	va_end(args);
}

int cli_usage_error(const struct command *command, const char *format, ...)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_vaddf(&text, format, args);
	va_end(args);
	cli_error("%s%s%s (see 'ctprof %s%s--help')", command ? command->name : "",
	          command ? ": " : "", strbuf_str(&text), command ? command->name : "",
	          command ? " " : "");
	return EXIT_USAGE;
}

int cli_finish_output(void)
{
	errno = 0;
	if (ferror(stdout) | (fclose(stdout) != 0)) {
		cli_error("standard output: %s", errno ? strerror(errno) : "write error");
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

/* Edit distance with swaps of neighbours, by the usual table of which three rows are kept. */
static size_t distance(const char *a, const char *b)
{
	enum { WORD_MAX = 64 };
	size_t rows[3][WORD_MAX + 1], a_len = strlen(a), b_len = strlen(b);

	if (a_len > WORD_MAX || b_len > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3],
		       *two_above = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);

			best = above[j] + 1 < best ? above[j] + 1 : best;
			best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    two_above[j - 2] + 1 < best)
				best = two_above[j - 2] + 1;
			row[j] = best;
		}
	}
	return rows[a_len % 3][b_len];
}

const char *cli_nearest(const char *word, const char *const *names)
{
	const char *nearest = NULL;
	size_t best = strlen(word) / 2 + 1;

	for (; *names; names++) {
		size_t here = distance(word, *names);

		if (here < best) {
			best = here;
			nearest = *names;
		}
	}
	return nearest;
}
