// SPDX-License-Identifier: GPL-2.0-or-later
/* Links and FIFOs that were made in directories that others may write, or moved there. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "output-places.h"
#include "temp-tree.h"

/* Waits until a move is no part of a file's making. */
static void await_age(void)
{
	struct timespec before, now;

	assert_int_equal(clock_gettime(CLOCK_REALTIME, &before), 0);
	do {
		assert_int_equal(usleep(50000), 0);
		assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
	} while ((now.tv_sec - before.tv_sec) * 1000 + (now.tv_nsec - before.tv_nsec) / 1000000 <
	         1100);
}

/* A directory "dir" that others may write, beside "far", which links of it lead to. */
struct shared {
	struct temp_tree tree;
	int fifo_fd; /* -1: the system does not let this user make such a directory */
};

static void make_shared(const struct temp_tree *tree, const char *name, mode_t mode,
                        struct shared *ret)
{
	const struct temp_tree *shared = &ret->tree;

	temp_tree_make_dir(tree, name);
	ret->tree.path = temp_tree_path(tree, name);
	ret->tree.fd = openat(tree->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ret->fifo_fd = -1;
	temp_tree_write_text(shared, "far/file", "before");
	place_make_dir(shared, "dir", geteuid(), mode);
	/* A group of others. */
	if (fchownat(shared->fd, "dir", (uid_t)-1, GROUP, 0) < 0 && mode == 01775)
		return;
	assert_int_equal(fchmodat(shared->fd, "dir", mode, 0), 0);
	assert_int_equal(symlinkat("../far/file", shared->fd, "dir/link"), 0);
	assert_int_equal(symlinkat("../far", shared->fd, "dir/far"), 0);
	assert_int_equal(mkfifoat(shared->fd, "dir/fifo", 0600), 0);
	assert_int_equal(mkfifoat(shared->fd, "dir/old-fifo", 0600), 0);
	assert_int_equal(place_write(shared, "dir/link"), 0);
	temp_tree_assert_text(shared, "far/file", "text");
	assert_int_equal(place_write(shared, "dir/far/new"), 0);
	ret->fifo_fd = openat(shared->fd, "dir/fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static void check_fifo(const struct shared *shared)
{
	char text[8] = "";

	assert_int_equal(place_write(&shared->tree, "dir/fifo"), 0);
	assert_int_equal(read(shared->fifo_fd, text, sizeof(text)), 4);
}

static void check_moved(const struct temp_tree *tree)
{
	int fd;

	temp_tree_write_text(tree, "far/file", "before");
	assert_int_equal(renameat(tree->fd, "dir/link", tree->fd, "dir/moved-link"), 0);
	assert_int_equal(renameat(tree->fd, "dir/far", tree->fd, "dir/moved-far"), 0);
	assert_int_equal(renameat(tree->fd, "dir/old-fifo", tree->fd, "dir/moved-fifo"), 0);
	assert_int_equal(place_write(tree, "dir/moved-link"), -EACCES);
	assert_int_equal(place_write(tree, "dir/moved-far/another"), -EACCES);
	assert_int_equal(place_write(tree, "dir/moved-fifo"), -EACCES);
	temp_tree_assert_text(tree, "far/file", "before");
	assert_int_equal(mkfifoat(tree->fd, "dir/all", 0600), 0);
	assert_int_equal(fchmodat(tree->fd, "dir/all", 0622, 0), 0);
	fd = openat(tree->fd, "dir/all", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(place_write(tree, "dir/all"), -EACCES);
	close(fd);
}

/* This user has made a link and a FIFO there: they are followed and written. One with another name may have been moved there out of
 * a directory of somebody's, and all who may write a FIFO set its times. */
static void test_place_own_in_shared(void **state)
{
	static const mode_t modes[] = {01777, 0777, 01775};
	static const char *const names[] = {"sticky", "open", "group"};
	struct shared shared[ARRAY_SIZE(modes)];

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		make_shared(*state, names[i], modes[i], &shared[i]);
	for (unsigned twice = 0; twice < 2; twice++) {
		for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
			if (shared[i].fifo_fd >= 0)
				check_fifo(&shared[i]);
		if (twice == 0)
			await_age();
	}
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (shared[i].fifo_fd >= 0) {
			check_moved(&shared[i].tree);
			close(shared[i].fifo_fd);
		}
		close(shared[i].tree.fd);
		free(shared[i].tree.path);
	}
}

/* Somebody moves a link and a FIFO of root's out of a directory of his into a sticky one. */
static void test_place_moved(void **state)
{
	static const char *const names[] = {"link", "fifo"};
	const struct temp_tree *tree = *state;

	if (geteuid() != 0)
		skip();
	temp_tree_write_text(tree, "far/file", "before");
	place_make_dir(tree, "shared", 0, 01777);
	place_make_dir(tree, "theirs", OTHER, 0755);
	place_make_link(tree, "../far/file", "theirs/link", 0);
	assert_int_equal(mkfifoat(tree->fd, "theirs/fifo", 0600), 0);
	assert_int_equal(fchmod(tree->fd, 0755), 0);
	await_age();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int result = 0;

		if (fork() == 0) {
			cleanup_(mem_freep) char *from = temp_tree_path(tree, "theirs");
			cleanup_(mem_freep) char *to = temp_tree_path(tree, "shared");
			int from_fd = open(from, O_PATH), to_fd = open(to, O_PATH);

			_exit(setresuid(OTHER, OTHER, OTHER) == 0 &&
			                      renameat(from_fd, names[i], to_fd, names[i]) == 0
			              ? 0
			              : 1);
		}
		assert_true(wait(&result) > 0);
		assert_int_equal(result, 0);
	}
	place_check_refused(
	        tree, "shared/link",
	        "'link' is a symbolic link of user 0 in a directory that others may write; "
	        "name what it leads to");
	place_check_refused(tree, "shared/fifo",
	                    "'fifo' is a FIFO of user 0 in a directory that others may write; "
	                    "open it in the shell, and name /dev/fd/N");
	temp_tree_assert_text(tree, "far/file", "before");
}
#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_place_own_in_shared),
	        in_tree(test_place_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
