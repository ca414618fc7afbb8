// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/command.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/edit-distance.h"
#include "base/text.h"
#include "ctprof/base/strbuf.h"

/* Returns the width of the terminal, or SIZE_MAX if standard error is no terminal or very narrow. */
static size_t width_of_errors(void)
{
	enum { READABLE = 20 };
	struct winsize size;

	return isatty(STDERR_FILENO) && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 &&
	                       size.ws_col >= READABLE
	               ? size.ws_col
	               : SIZE_MAX;
}

/* Messages quote file names and arguments, which may hold anything. */
printf_(1, 0) static void print_line(const char *format, va_list args)
{
	cleanup_(strbuf_done) struct strbuf raw = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	strbuf_vaddf(&raw, format, args);
	strbuf_add_str(&line, "ctprof: ");
	text_add_escaped(&line, strbuf_str(&raw), raw.len);
	text_print_folded(stderr, strbuf_str(&line), line.len, width_of_errors());
	putc('\n', stderr);
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

int cli_finish_output(int error)
{
	errno = 0;
	if (ferror(stdout) | (fclose(stdout) != 0)) {
		if (error == 0)
			error = errno;
		cli_error("standard output: %s", error ? strerror(error) : "write error");
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

const char *cli_nearest(const char *word, const char *const *names)
{
	const char *nearest = NULL;
	size_t best = strlen(word) / 2 + 1;

	for (; *names; names++) {
		size_t here = edit_distance(word, strlen(word), *names, strlen(*names));

		if (here < best) {
			best = here;
			nearest = *names;
		}
	}
	return nearest;
}
