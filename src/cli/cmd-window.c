// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
#include "cli/commands.h"
#include "command/options.h"
#include "input/fd-source.h"
#include "input/recording-operand.h"
#include "window-note.h"
#include "window-output.h"
#include "window/window.h"

static const char *const notes[] = {
        "Both are lifetime snapshots of one boot. The work of threads that ended between",
        "them is not known: 'ctprof capture --window' listens to their ends. The window",
        "of DIR@RANGE, a range of a recording, is the sum of the windows there.",
        "An existing FILE is only replaced by a whole window.",
        NULL,
};

static const char *name_of(const char *path, const char *standard)
{
	return strcmp(path, "-") == 0 ? standard : path;
}

static int open_input(struct fd_source *source, const char *path, struct window_input *ret_input)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = fd_source_open(source, path, &reason);

	*ret_input = (struct window_input){&source->source, name_of(path, "standard input")};
	if (r < 0)
		cli_error("%s: %s", path, strbuf_str(&reason));
	return r;
}

/* A source of the window to be written. */
struct window_maker {
	int (*make)(struct window_maker *self, struct snapshot_writer *writer,
	            struct snapshot_info *info, struct strbuf *reterr);
};

static int write_out(const struct window_output *out, struct window_maker *maker,
                     struct snapshot_info *info)
{
	cleanup_(output_done) struct output output = OUTPUT_INIT;
	/* Done before its sink is. */
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer = NULL;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = output_open(&output, out->path, OUTPUT_PRIVATE);

	if (r == 0) {
		writer = snapshot_writer_new(&output.sink, SNAPSHOT_ZSTD_LEVEL);
		r = maker->make(maker, writer, info, &reason);
	}
	if (r == 0)
		r = output_commit(&output);
	if (r < 0 && reason.len > 0)
		cli_error("%s", strbuf_str(&reason));
	else if (r < 0)
		cli_error("%s: %s", name_of(out->path, "standard output"),
		          output_reason(&output, r));
	return r;
}

struct joiner {
	struct window_maker maker; /* must stay the first member */
	struct window_options window;
};

static int join(struct window_maker *self, struct snapshot_writer *writer,
                struct snapshot_info *info, struct strbuf *reterr)
{
	return window_make(&((struct joiner *)self)->window, writer, info, reterr);
}

static int make_of_two(const struct window_output *out, char **paths, struct snapshot_info *info)
{
	cleanup_(fd_source_done) struct fd_source first = FD_SOURCE_INIT, last = FD_SOURCE_INIT;
	struct joiner joiner = {{join}, {.limits = &out->limits}};
	int r = open_input(&first, paths[0], &joiner.window.first);

	if (r == 0)
		r = open_input(&last, paths[1], &joiner.window.last);
	return r < 0 ? r : write_out(out, &joiner.maker, info);
}

struct adder {
	struct window_maker maker; /* must stay the first member */
	struct recording_operand operand;
	const char *text;
	const struct snapshot_limits *limits;
};

static int add_up(struct window_maker *self, struct snapshot_writer *writer,
                  struct snapshot_info *info, struct strbuf *reterr)
{
	struct adder *adder = (struct adder *)self;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = recording_operand_write(&adder->operand, adder->limits, writer, info, &reason);

	if (reason.len > 0)
		strbuf_addf(reterr, "%s: %s", adder->text, strbuf_str(&reason));
	return r;
}

static int open_range(struct recording_operand *operand, const char *text)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = recording_operand_open(operand, text, &reason);

	if (r > 0)
		return 0;
	if (r == 0)
		r = access(text, F_OK) < 0 ? -errno : -EINVAL;
	cli_error("%s: %s", text, reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
	return r;
}

static int make_of_range(const struct window_output *out, const char *text,
                         struct snapshot_info *info)
{
	struct adder adder = {{add_up}, RECORDING_OPERAND_INIT, text, &out->limits};
	int r = open_range(&adder.operand, text);

	if (r == 0)
		r = write_out(out, &adder.maker, info);
	recording_operand_done(&adder.operand);
	return r;
}

static bool is_one_snapshot(const char *path)
{
	return recording_operand_is(path) == 0 &&
	       (strcmp(path, "-") == 0 || access(path, F_OK) == 0);
}

static int run(const struct command *command, int argc, char **argv)
{
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	struct window_output out;
	int id = window_output_parse(command, argc, argv, &out), given = argc - optind;

	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	if (given != 2 && (given != 1 || is_one_snapshot(argv[optind])))
		return cli_usage_error(
		        command, "two snapshots are needed, or a range of a recording, not %d",
		        given);
	if (given == 2 &&
	    (recording_operand_is(argv[optind]) > 0 || recording_operand_is(argv[optind + 1]) > 0))
		return cli_usage_error(command, "the window of a recording has one operand, such "
		                                "as DIR@10:00..10:05");
	if (given == 2 && fd_source_is_one_stream(argv[optind], argv[optind + 1]))
		return cli_usage_error(
		        command,
		        "only one snapshot can come from standard input, or from one pipe");
	if (window_output_check(command, out.path) != 0)
		return EXIT_USAGE;
	mem_limit(out.limits.memory);
	if ((given == 1 ? make_of_range(&out, argv[optind], &info)
	                : make_of_two(&out, argv + optind, &info)) < 0)
		return EXIT_FAILED;
	if (!out.quiet && isatty(STDERR_FILENO))
		window_note_contents(&info);
	return EXIT_DONE;
}

static const char *const other_names[] = {"interval", "join", NULL};

const struct command command_window = {
        .name = "window",
        .summary = "Make a snapshot of what happened between two",
        .other_names = other_names,
        .operands = "FIRST LAST | DIR@RANGE",
        .operand_values = TAKES(SNAPSHOT),
        .options = {window_output_options, NULL},
        .notes = notes,
        .run = run,
};
