// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
#include "cli/commands.h"
#include "command/options.h"
#include "fleet/merge.h"
#include "input/recording-operand.h"
#include "input/snapshot-file.h"
#include "window-output.h"

static const char *const notes[] = {
        "Each window is of another host. 'show -g host,pcomm OUT' groups by host as well;",
        "without that key the hosts are added up. A merged window can be merged again.",
        "An existing FILE is only replaced by a whole window.",
        NULL,
};

/* A file as it was at its first reading. */
struct input {
	const char *path; /* borrowed */
	char digest[SHA256_HEX_BYTES];
};

struct inputs {
	struct input *files; /* owned */
	size_t count;
	const struct snapshot_limits *limits;
};

/* A pipe would be empty at the second reading. */
static int check_regular(const char *path)
{
	struct stat st;

	if (recording_operand_is(path) > 0)
		return 0;
	/* A directory that cannot be opened has its error when it is read. */
	if (strcmp(path, "-") == 0 ||
	    (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) {
		cli_error("%s: merge reads its files twice, and needs regular ones", path);
		return -EINVAL;
	}
	return 0;
}

static int survey(struct merge *merge, struct inputs *inputs, struct input *input)
{
	cleanup_(snapshot_file_done) struct snapshot_file file = SNAPSHOT_FILE_INIT;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = check_regular(input->path);

	if (r < 0)
		return r;
	r = snapshot_file_open(&file, input->path, inputs->limits);
	if (r == 0)
		r = snapshot_file_read(&file, inputs->limits, merge_survey(merge), &info);
	if (r < 0) {
		cli_error("%s: %s", input->path, snapshot_file_reason(&file, r));
		return r;
	}
	memcpy(input->digest, file.digest, sizeof(input->digest));
	r = merge_add(merge, input->path, &info, &reason);
	if (r < 0)
		cli_error("%s", strbuf_str(&reason));
	return r;
}

static int copy_rows(struct merge *merge, const struct inputs *inputs, size_t number,
                     bool *ret_said)
{
	cleanup_(snapshot_file_done) struct snapshot_file file = SNAPSHOT_FILE_INIT;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	const struct input *input = &inputs->files[number];
	int r = snapshot_file_open(&file, input->path, inputs->limits);

	if (r == 0 && memcmp(file.digest, input->digest, sizeof(file.digest)) != 0)
		r = -ESTALE;
	if (r == 0)
		r = snapshot_file_read(&file, inputs->limits, merge_rows(merge, number), &info);
	*ret_said = r == -EBADMSG || r == -E2BIG || r == -ESTALE || r == -ENOENT;
	if (*ret_said)
		cli_error("%s: %s", input->path, snapshot_file_reason(&file, r));
	return r;
}

static int write_out(struct merge *merge, const struct inputs *inputs,
                     const struct window_output *out)
{
	cleanup_(output_done) struct output output = OUTPUT_INIT;
	/* Done before its sink is. */
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer = NULL;
	bool said = false;
	int r = output_open(&output, out->path, OUTPUT_PRIVATE);

	if (r == 0) {
		writer = snapshot_writer_new(&output.sink, SNAPSHOT_ZSTD_LEVEL);
		r = merge_begin(merge, writer);
	}
	for (size_t i = 0; r == 0 && i < inputs->count; i++)
		r = copy_rows(merge, inputs, i, &said);
	if (r == 0)
		r = merge_end(merge);
	if (r == 0)
		r = output_commit(&output);
	if (r < 0 && !said)
		cli_error("%s: %s", strcmp(out->path, "-") == 0 ? "standard output" : out->path,
		          output_reason(&output, r));
	return r;
}

static int merge_files(const struct window_output *out, char **paths, size_t count)
{
	cleanup_(merge_freep) struct merge *merge = merge_new();
	struct inputs inputs = {.files = mem_calloc(count, sizeof(inputs.files[0])),
	                        .count = count,
	                        .limits = &out->limits};
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++) {
		inputs.files[i].path = paths[i];
		r = survey(merge, &inputs, &inputs.files[i]);
	}
	if (r == 0)
		r = write_out(merge, &inputs, out);
	if (r == 0 && !out->quiet && isatty(STDERR_FILENO)) {
		const struct snapshot_info *info = merge_info(merge);

		cli_error("merged %llu threads of %llu host%s",
		          (unsigned long long)info->tally.threads,
		          (unsigned long long)info->host.numbers[HOST_hosts],
		          info->host.numbers[HOST_hosts] == 1 ? "" : "s");
	}
	free(inputs.files);
	return r;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct window_output out;
	int id = window_output_parse(command, argc, argv, &out);

	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	if (optind == argc)
		return cli_usage_error(command, "a window is needed");
	if (window_output_check(command, out.path) != 0)
		return EXIT_USAGE;
	mem_limit(out.limits.memory);
	if (merge_files(&out, argv + optind, (size_t)(argc - optind)) < 0)
		return EXIT_FAILED;
	return EXIT_DONE;
}

static const char *const other_names[] = {"combine", "fold", NULL};

const struct command command_merge = {
        .name = "merge",
        .summary = "Put windows of many hosts into one",
        .other_names = other_names,
        .operands = "WINDOW...",
        .operand_values = TAKES(SNAPSHOT),
        .options = {window_output_options, NULL},
        .notes = notes,
        .run = run,
};
