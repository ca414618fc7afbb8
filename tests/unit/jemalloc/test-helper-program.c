// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs that are started as helper processes, and the descriptors and rights that they get. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "jemalloc/helper-program.h"
#include "temp-tree.h"

enum { SOMEBODY = 12345, SOME_GROUP = 54321 };

static const char name[] = "ctprof-jemalloc";

static int find(const struct temp_tree *tree, mode_t own_mode)
{
	const struct stat own = {
	        .st_uid = geteuid(), .st_gid = getegid(), .st_mode = S_IFREG | own_mode};
	int fd = helper_program_find(tree->path, &own), r = fd < 0 ? fd : 0;

	fd_closep(&fd);
	return r;
}

static void test_modes(void **state)
{
	const struct temp_tree *tree = *state;

	assert_int_equal(find(tree, 0755), -ENOPKG);
	temp_tree_write_text(tree, name, "");
	assert_int_equal(fchmodat(tree->fd, name, 0755, 0), 0);
	assert_int_equal(find(tree, 0755), 0);
	/* Others can write the program. */
	assert_int_equal(fchmodat(tree->fd, name, 0757, 0), 0);
	assert_int_equal(find(tree, 0777), -ENOPKG);
	/* A group can write it, which can or cannot write the program that runs. */
	assert_int_equal(fchmodat(tree->fd, name, 0775, 0), 0);
	assert_int_equal(find(tree, 0755), -ENOPKG);
	assert_int_equal(find(tree, 0775), 0);
	assert_int_equal(fchmodat(tree->fd, name, 04755, 0), 0);
	assert_int_equal(find(tree, 0755), -ENOPKG);
	assert_int_equal(fchmodat(tree->fd, name, 0755, 0), 0);
	/* Others can write the directory, and exchange the program. */
	assert_int_equal(fchmod(tree->fd, 01777), 0);
	assert_int_equal(find(tree, 0777), -ENOPKG);
	assert_int_equal(fchmod(tree->fd, 0770), 0);
	assert_int_equal(find(tree, 0755), -ENOPKG);
	assert_int_equal(fchmod(tree->fd, 0755), 0);
	assert_int_equal(find(tree, 0755), 0);
}

static void test_kinds(void **state)
{
	const struct temp_tree *tree = *state;

	assert_int_equal(symlinkat("/bin/true", tree->fd, name), 0);
	assert_int_equal(find(tree, 0755), -ENOPKG);
	temp_tree_remove(tree, name);
	temp_tree_make_dir(tree, name);
	assert_int_equal(find(tree, 0755), -ENOPKG);
}

static void test_owners(void **state)
{
	const struct temp_tree *tree = *state;
	const struct stat somebodys = {.st_uid = SOMEBODY, .st_mode = S_IFREG | 0755};
	int fd;

	if (geteuid() != 0)
		skip();
	temp_tree_write_text(tree, name, "");
	assert_int_equal(fchmodat(tree->fd, name, 0775, 0), 0);
	assert_int_equal(fchownat(tree->fd, name, 0, SOME_GROUP, 0), 0);
	assert_int_equal(find(tree, 0775), -ENOPKG);
	/* Root's program runs, and another user's lies beside it. */
	assert_int_equal(fchmodat(tree->fd, name, 0755, 0), 0);
	assert_int_equal(fchownat(tree->fd, name, SOMEBODY, 0, 0), 0);
	assert_int_equal(find(tree, 0755), -ENOPKG);
	/* That user's own runs. */
	fd = helper_program_find(tree->path, &somebodys);
	assert_true(fd >= 0);
	fd_closep(&fd);
	/* The directory is another user's. */
	assert_int_equal(fchownat(tree->fd, name, 0, 0, 0), 0);
	assert_int_equal(fchown(tree->fd, SOMEBODY, 0), 0);
	assert_int_equal(find(tree, 0755), -ENOPKG);
	assert_int_equal(fchown(tree->fd, 0, 0), 0);
	assert_int_equal(find(tree, 0755), 0);
}

static size_t count_descriptors(const char *path)
{
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;
	cleanup_(id_list_done) struct id_list list = {0};
	cleanup_(fd_closep) int fd = fd_open_dir_at(AT_FDCWD, path);

	assert_int_equal(fd_list_ids(fd, &list, &scratch), 0);
	return list.count;
}

/* The helper has the socket and /dev/null, whatever this process has open, and whether it closes that on exec or not. It ends when the
 * socket is closed. Descriptor 0 is not counted, as its name is no positive number. */
static void test_start(void **state)
{
	cleanup_(fd_closep) int kept = open("/", O_PATH), null = open("/dev/null", O_RDWR);
	size_t before = count_descriptors("/proc/self/fd");
	char path[64];
	int socket, status;
	pid_t pid;

	(void)state;
	if (!CTPROF_HAS_JEMALLOC) {
		assert_int_equal(helper_program_start(HELPER_FOR_MEMORY, -1, &pid, &socket),
		                 -ENOPKG);
		return;
	}
	assert_true(kept >= 0 && null >= 0);
	for (int purpose = 0; purpose < HELPER_PURPOSES; purpose++) {
		assert_int_equal(
		        helper_program_start((enum helper_purpose)purpose, -1, &pid, &socket), 0);
		snprintf(path, sizeof(path), "/proc/%d/fd", pid);
		/* Waits until it has closed its program's. */
		for (int i = 0; i < 60000 && count_descriptors(path) != HELPER_SOCKET; i++)
			usleep(1000);
		assert_int_equal(count_descriptors(path), HELPER_SOCKET);
		close(socket);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		assert_int_equal(count_descriptors("/proc/self/fd"), before);
	}
}

#define IN_TREE(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        IN_TREE(test_modes),
	        IN_TREE(test_kinds),
	        IN_TREE(test_owners),
	        cmocka_unit_test(test_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
