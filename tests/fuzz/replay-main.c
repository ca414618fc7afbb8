// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a fuzz target over the files named and over every file of the directories named, so that the
 * seeds are a test for every compiler. A run without inputs fails: it would have tested nothing. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

static void close_directory(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

static void fail(const char *path)
{
	perror(path);
	exit(1);
}

static void run_file(const char *path)
{
	cleanup_(close_file) FILE *file = fopen(path, "rbe");
	cleanup_(strbuf_done) struct strbuf content = STRBUF_INIT;
	char block[4096];
	size_t len;
	uint8_t *exact;

	if (!file)
		fail(path);
	while ((len = fread(block, 1, sizeof(block), file)) > 0)
		strbuf_add(&content, block, len);
	if (ferror(file))
		fail(path);

	/* A copy without room behind it, so that a sanitizer sees every read too many. */
	exact = malloc(content.len > 0 ? content.len : 1);
	if (!exact)
		fail(path);
	for (size_t i = 0; i < content.len; i++)
		exact[i] = (uint8_t)content.data[i];
	LLVMFuzzerTestOneInput(exact, content.len);
	free(exact);
}

static size_t run_directory(const char *path, DIR *directory)
{
	const struct dirent *entry;
	size_t count = 0;

	while ((entry = readdir(directory))) {
		cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

		if (entry->d_name[0] == '.')
			continue;
		strbuf_addf(&name, "%s/%s", path, entry->d_name);
		run_file(strbuf_str(&name));
		count++;
	}
	return count;
}

int main(int argc, char **argv)
{
	size_t count = 0;

	for (int i = 1; i < argc; i++) {
		cleanup_(close_directory) DIR *directory = opendir(argv[i]);

		if (directory) {
			count += run_directory(argv[i], directory);
		} else {
			run_file(argv[i]);
			count++;
		}
	}
	printf("%zu inputs\n", count);
	return count > 0 ? 0 : 1;
}
