// SPDX-License-Identifier: GPL-2.0-or-later
/* The time for files and their table have limits. The process is a directory with a mountinfo of its own,
 * where the only file system is FUSE. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "check.h"
#include "jemalloc/jemalloc-files.h"
#include "temp-tree.h"

static enum probe_tag find(struct jemalloc_files *files, const struct temp_tree *tree,
                           uint64_t inode, const char *path)
{
	struct mapping_process process;
	struct mapped_file mapped = {.inode = inode};
	char text[8192];
	int len = snprintf(text, sizeof(text), "7ff:7ffff %ju ", (uintmax_t)inode);

	snprintf(text + len, sizeof(text) - (size_t)len, "%s", path);
	mapped.file = (struct span){text, strlen(text)};
	mapped.path = (struct span){text + len, strlen(text + len)};
	mapping_process_init(&process, 1, 1, tree->fd);
	return jemalloc_files_find(files, &process, &mapped)->tag;
}

static void write_mounts(const struct temp_tree *tree)
{
	temp_tree_write_text(tree, "mountinfo",
	                     "28 27 2047:524287 / /a rw - fuse.sshfs server rw\n");
}

/* Mounts are read in the time of all files. Nothing is kept for want of time. */
static void no_time_for_mounts(void **state)
{
	const struct temp_tree *tree = *state;
	const uint64_t long_ns = 100 * NS_PER_SECOND;
	struct jemalloc_files files;

	write_mounts(tree);
	jemalloc_files_init(&files, FILE_SYSTEMS_LOCAL);
	jemalloc_files_limit(&files, long_ns, 0);
	assert_int_equal(find(&files, tree, 5, "/a/b"), PROBE_TAG_budget);
	jemalloc_files_limit(&files, long_ns, long_ns);
	assert_int_equal(find(&files, tree, 5, "/a/b"), PROBE_TAG_remote_file_system);
	jemalloc_files_limit(&files, long_ns, 0);
	assert_int_equal(find(&files, tree, 5, "/a/b"), PROBE_TAG_remote_file_system);
	assert_int_equal(find(&files, tree, 6, "/a/c"), PROBE_TAG_budget);
	jemalloc_files_limit(&files, 0, long_ns);
	assert_int_equal(find(&files, tree, 6, "/a/c"), PROBE_TAG_budget);
	jemalloc_files_done(&files);
}

/* The time of several readings of maps is added up. */
static void time_is_added_up(void **state)
{
	struct jemalloc_files files;
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC), since_ns = now_ns - NS_PER_SECOND;

	(void)state;
	jemalloc_files_init(&files, FILE_SYSTEMS_LOCAL);
	jemalloc_files_limit(&files, 100 * NS_PER_SECOND, 0);
	assert_true(jemalloc_files_spend(&files, &since_ns));
	assert_true(since_ns >= now_ns);
	assert_true(jemalloc_files_until_ns(&files, now_ns) <= now_ns + 99 * NS_PER_SECOND);
	since_ns -= 99 * NS_PER_SECOND;
	assert_false(jemalloc_files_spend(&files, &since_ns));
	assert_int_equal(jemalloc_files_until_ns(&files, now_ns), now_ns);
	jemalloc_files_limit(&files, NS_PER_SECOND, 0);
	assert_int_equal(jemalloc_files_until_ns(&files, now_ns), now_ns + NS_PER_SECOND);
	jemalloc_files_done(&files);
}

/* Adds files until there is no room. Returns their number. */
static size_t fill(struct jemalloc_files *files, const struct temp_tree *tree, uint64_t first,
                   const char *path)
{
	size_t count = 0;

	while (find(files, tree, first + count, path) == PROBE_TAG_remote_file_system)
		count++;
	assert_int_equal(find(files, tree, first + count, path), PROBE_TAG_budget);
	return count;
}

/* The table ends with many files, and with long names. If there was no room, only files that a reading has used stay for the next one. */
static void table_is_full(void **state)
{
	const struct temp_tree *tree = *state;
	const uint64_t long_ns = 1000 * NS_PER_SECOND;
	struct jemalloc_files files;
	char path[4000];
	size_t count;

	memset(path, '/', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	write_mounts(tree);
	jemalloc_files_init(&files, FILE_SYSTEMS_LOCAL);
	jemalloc_files_limit(&files, long_ns, long_ns);
	count = fill(&files, tree, 1, path);
	assert_true(count >= JEMALLOC_NAMES_BYTES_MAX / 4200);
	assert_true(count <= JEMALLOC_NAMES_BYTES_MAX / 4000);
	assert_int_equal(find(&files, tree, 1, path), PROBE_TAG_remote_file_system);

	jemalloc_files_limit(&files, long_ns, long_ns);
	assert_int_equal(files.by_name.count, count);
	assert_int_equal(find(&files, tree, 1, path), PROBE_TAG_remote_file_system);
	assert_int_equal(find(&files, tree, count + 1, path), PROBE_TAG_budget);
	jemalloc_files_limit(&files, long_ns, long_ns);
	assert_int_equal(files.by_name.count, 1);
	assert_int_equal(fill(&files, tree, 2, "/a"), JEMALLOC_FILES_MAX - 1);
	jemalloc_files_limit(&files, long_ns, long_ns);
	assert_int_equal(files.by_name.count, JEMALLOC_FILES_MAX - 1);
	jemalloc_files_done(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(time_is_added_up),
	        cmocka_unit_test_setup_teardown(table_is_full, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(no_time_for_mounts, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
