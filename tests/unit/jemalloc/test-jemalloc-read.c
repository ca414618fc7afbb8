// SPDX-License-Identifier: GPL-2.0-or-later
/* A process is read without its reader as long as all that it has mapped is known to lack jemalloc. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "check.h"
#include "jemalloc/jemalloc-read.h"
#include "jemalloc/made-elf.h"
#include "temp-tree.h"

struct child {
	pid_t pid;
	int process_fd;
	int say_fd, hear_fd; /* a byte into it: map the file; a byte from it: done */
};

/* Maps a file as code whenever a byte comes. */
static void live(int hear_fd, int say_fd, int file_fd)
{
	char byte;

	while (read(hear_fd, &byte, 1) == 1) {
		(void)mmap(NULL, STRINGS_AT, PROT_READ | PROT_EXEC, MAP_PRIVATE, file_fd, 0);
		if (write(say_fd, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void start(struct child *child, int file_fd)
{
	int down[2], up[2];
	char name[32];

	assert_int_equal(pipe2(down, O_CLOEXEC), 0);
	assert_int_equal(pipe2(up, O_CLOEXEC), 0);
	child->pid = fork();
	assert_true(child->pid >= 0);
	if (child->pid == 0) {
		close(down[1]);
		close(up[0]);
		live(down[0], up[1], file_fd);
	}
	close(down[0]);
	close(up[1]);
	child->say_fd = down[1];
	child->hear_fd = up[0];
	snprintf(name, sizeof(name), "/proc/%d", child->pid);
	child->process_fd = fd_open_path_at(AT_FDCWD, name);
	assert_true(child->process_fd >= 0);
}

static void let_it_map(const struct child *child)
{
	char byte = 'm';

	assert_int_equal(write(child->say_fd, &byte, 1), 1);
	assert_int_equal(read(child->hear_fd, &byte, 1), 1);
}

static void end(struct child *child)
{
	fd_closep(&child->say_fd);
	fd_closep(&child->hear_fd);
	fd_closep(&child->process_fd);
	waitpid(child->pid, NULL, 0);
}

/* Since Linux 6.11 maps says which files have code. */
static bool kernel_says_code(const struct child *child)
{
	cleanup_(fd_closep) int fd = fd_open_file_at(child->process_fd, "maps");
	struct maps_query query = {.fd = fd};
	struct mapped_file mapped;

	return maps_query_next(&query, &mapped) > 0;
}

static void test_known(void **state)
{
	const struct temp_tree *tree = *state;
	const char bytes[STRINGS_AT] = "no program";
	cleanup_(fd_closep) int file_fd = -1;
	struct jemalloc_files files, others;
	struct jemalloc_reader owner, walker;
	struct child child;
	struct id_list threads = {0};
	uint32_t tgid;

	temp_tree_write(tree, "mapped", bytes, sizeof(bytes));
	file_fd = openat(tree->fd, "mapped", O_RDONLY | O_CLOEXEC);
	start(&child, file_fd);
	if (!CTPROF_HAS_JEMALLOC || !kernel_says_code(&child)) {
		end(&child);
		skip();
	}
	tgid = (uint32_t)child.pid;
	threads = (struct id_list){.ids = &tgid, .count = 1};
	jemalloc_files_init(&files, FILE_SYSTEMS_ALL);
	jemalloc_files_init(&others, FILE_SYSTEMS_ALL);
	jemalloc_reader_init(&owner, JEMALLOC_MODE_AUTO, true, &files);
	jemalloc_reader_init(&walker, JEMALLOC_MODE_OFF, true, NULL);
	walker.rule = OUTCOME_read;

	assert_false(jemalloc_read_known(&walker, &files, child.process_fd, tgid));
	jemalloc_read_process(&owner, child.process_fd, tgid, &threads, NULL);
	assert_int_equal(owner.tag, PROBE_TAG_jemalloc_not_found);
	assert_true(jemalloc_read_known(&walker, &files, child.process_fd, tgid));
	assert_int_equal(walker.tag, PROBE_TAG_jemalloc_not_found);
	assert_int_equal(walker.summary.tgids_walked, 1);
	assert_false(jemalloc_read_known(&walker, &others, child.process_fd, tgid));

	let_it_map(&child);
	assert_false(jemalloc_read_known(&walker, &files, child.process_fd, tgid));
	jemalloc_read_process(&owner, child.process_fd, tgid, &threads, NULL);
	assert_true(jemalloc_read_known(&walker, &files, child.process_fd, tgid));
	assert_int_equal(walker.summary.tgids_walked, 2);

	end(&child);
	jemalloc_reader_done(&walker);
	jemalloc_reader_done(&owner);
	jemalloc_files_done(&others);
	jemalloc_files_done(&files);
}

/* Once the time is used up, no mapping is looked at, and no text is read. */
static void test_no_time(void **state)
{
	struct jemalloc_files files;
	struct jemalloc_reader owner, walker;
	struct child child;
	struct id_list threads = {0};
	uint32_t tgid;

	(void)state;
	if (!CTPROF_HAS_JEMALLOC)
		skip();
	start(&child, -1);
	tgid = (uint32_t)child.pid;
	threads = (struct id_list){.ids = &tgid, .count = 1};
	jemalloc_files_init(&files, FILE_SYSTEMS_ALL);
	jemalloc_reader_init(&owner, JEMALLOC_MODE_AUTO, true, &files);
	jemalloc_reader_init(&walker, JEMALLOC_MODE_OFF, true, NULL);
	walker.rule = OUTCOME_read;

	jemalloc_files_limit(&files, 0, NS_PER_SECOND);
	assert_true(jemalloc_read_known(&walker, &files, child.process_fd, tgid));
	assert_int_equal(walker.tag, PROBE_TAG_budget);
	jemalloc_read_process(&owner, child.process_fd, tgid, &threads, NULL);
	assert_int_equal(owner.tag, PROBE_TAG_budget);
	assert_int_equal(owner.text.len, 0);
	assert_int_equal(files.by_name.count, 0);
	jemalloc_files_limit(&files, 100 * NS_PER_SECOND, 100 * NS_PER_SECOND);
	jemalloc_read_process(&owner, child.process_fd, tgid, &threads, NULL);
	assert_int_not_equal(owner.tag, PROBE_TAG_budget);
	assert_true(files.by_name.count > 0);
	assert_true(files.used_ns > files.looked_ns);

	end(&child);
	jemalloc_reader_done(&walker);
	jemalloc_reader_done(&owner);
	jemalloc_files_done(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_no_time),
	        cmocka_unit_test_setup_teardown(test_known, temp_tree_setup, temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
