// SPDX-License-Identifier: GPL-2.0-or-later
/* The whole command capture with a /proc, a /sys and a cgroup hierarchy that somebody else made: the first bytes choose options, and
 * the rest is a tree (see input-tree.h) with the directories proc, sys and cgroup. Whatever is in it, the command ends with a snapshot
 * that show prints, or with a reason and nothing written. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "cli/commands.h"
#include "command-run.h"
#include "fuzz.h"
#include "input-tree.h"

static const char *const roots[] = {"proc", "sys", "cgroup"};

static void add_root(struct command_words *words, const char *tree, const char *root)
{
	cleanup_(strbuf_done) struct strbuf word = STRBUF_INIT;

	strbuf_addf(&word, "--%s-root=%s/%s", root, tree, root);
	command_words_add(words, strbuf_str(&word));
}

static void add_options(struct command_words *words, struct command_input *input, const char *tree)
{
	static const char *const smaps[] = {"--smaps=auto", "--smaps=all", "--smaps=off"};
	uint8_t flags = command_next_byte(input);

	command_words_add(words, "capture");
	command_words_add(words, smaps[flags % ARRAY_SIZE(smaps)]);
	if (flags & 4)
		command_words_add(words, "--anonymous");
	if (flags & 8)
		command_words_add(words, "--quiet");
	for (unsigned i = 0; i < ARRAY_SIZE(roots); i++)
		if (i == 0 || !(flags & 16))
			add_root(words, tree, roots[i]);
	command_words_add(words, "--output=-");
}

static void check_snapshot(const struct strbuf *snapshot)
{
	static const char *const shown[] = {"show", "--format=json", "--group-by=all"};
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	cleanup_(command_words_done) struct command_words words = {{NULL}, 0};
	cleanup_(command_file_done) struct command_file file;
	struct command_input part = {(const uint8_t *)snapshot->data, snapshot->len};

	for (unsigned i = 0; i < ARRAY_SIZE(shown); i++)
		command_words_add(&words, shown[i]);
	command_file_init(&file, part, true);
	command_words_add(&words, file.path);
	require(command_words_run(&command_show, &words, &out) == EXIT_DONE,
	        "a snapshot can be shown");
}

static void run(const char *tree, int directory, struct command_input input)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;
	cleanup_(command_words_done) struct command_words words = {{NULL}, 0};

	add_options(&words, &input, tree);
	for (unsigned i = 0; i < ARRAY_SIZE(roots); i++)
		(void)!mkdirat(directory, roots[i], 0700);
	input_tree_unpack(directory, input);
	if (command_words_run(&command_capture, &words, &out) == EXIT_DONE)
		check_snapshot(&out);
	input_tree_clear(directory);
}

/* In memory where there is such a file system. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char shared[] = "/dev/shm/ctprof-fuzz-XXXXXX", plain[] = "/tmp/ctprof-fuzz-XXXXXX";
	const char *tree = mkdtemp(shared) ? shared : mkdtemp(plain);
	cleanup_(fd_closep) int directory = -1;

	require(tree != NULL, "a directory for the tree");
	directory = open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	require(directory >= 0, "a directory for the tree");
	run(tree, directory, (struct command_input){data, size});
	require(rmdir(tree) == 0, "the tree is removed");
	return 0;
}
