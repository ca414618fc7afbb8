// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-output.h"

#include <string.h>
#include <unistd.h>

#include "query/report-lists.h"

enum { OPT_OUTPUT = 1, OPT_READ_LIMIT, OPT_QUIET };

const struct cli_option window_output_options[] = {
        {OPT_OUTPUT, 'o', "output", "FILE", "write the window to FILE, - for standard output",
         TAKES(FILE)},
        {OPT_READ_LIMIT, 0, "read-limit", "LIST", "caps on reading: bytes=16G,threads=4M,...",
         TAKES_WORDS(report_caps)},
        {OPT_QUIET, 'q', "quiet", NULL, "say nothing about what the window holds", TAKES(NOTHING)},
        {0},
};

int window_output_parse(const struct command *command, int argc, char **argv,
                        struct window_output *ret)
{
	struct option_parser parser;
	int id, r = 0;

	*ret = (struct window_output){.limits = snapshot_default_limits};
	options_init(&parser, command, argc, argv);
	while (r >= 0 && (id = options_next(&parser)) > 0)
		switch (id) {
		case OPT_OUTPUT:
			ret->path = parser.value;
			break;
		case OPT_READ_LIMIT:
			r = list_read_limits(&parser, &ret->limits);
			break;
		case OPT_QUIET:
			ret->quiet = true;
			break;
		}
	options_done(&parser);
	return r < 0 ? OPTIONS_ERROR : id;
}

int window_output_check(const struct command *command, const char *path)
{
	if (!path || path[0] == '\0')
		return cli_usage_error(command, "--output is missing");
	if (strcmp(path, "-") == 0 && isatty(STDOUT_FILENO))
		return cli_usage_error(command, "a snapshot is not written to a terminal");
	return 0;
}
