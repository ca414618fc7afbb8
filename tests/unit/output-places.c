// SPDX-License-Identifier: GPL-2.0-or-later
#include "output-places.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
#include "check.h"

int place_write_path(const char *path, const char *reason)
{
	cleanup_(output_done) struct output output = OUTPUT_INIT;
	int r = output_open(&output, path, OUTPUT_PRIVATE);

	if (r == 0)
		r = output.sink.write(&output.sink, "text", 4);
	if (r == 0)
		r = output_commit(&output);
	if (reason)
		assert_string_equal(output_reason(&output, r), reason);
	return r;
}

int place_write(const struct temp_tree *tree, const char *name)
{
	cleanup_(mem_freep) char *path = temp_tree_path(tree, name);

	return place_write_path(path, NULL);
}

void place_check_refused(const struct temp_tree *tree, const char *name, const char *reason)
{
	cleanup_(mem_freep) char *path = temp_tree_path(tree, name);

	assert_int_equal(place_write_path(path, reason), -EACCES);
}

void place_give(const struct temp_tree *tree, const char *name, uid_t uid)
{
	assert_int_equal(fchownat(tree->fd, name, uid, (gid_t)uid, AT_SYMLINK_NOFOLLOW), 0);
}

void place_make_link(const struct temp_tree *tree, const char *text, const char *name, uid_t uid)
{
	assert_int_equal(symlinkat(text, tree->fd, name), 0);
	place_give(tree, name, uid);
}

void place_make_fifo(const struct temp_tree *tree, const char *name, uid_t uid)
{
	assert_int_equal(mkfifoat(tree->fd, name, 0666), 0);
	place_give(tree, name, uid);
}

void place_make_file(const struct temp_tree *tree, const char *name, uid_t uid, mode_t mode)
{
	temp_tree_write_text(tree, name, "before");
	place_give(tree, name, uid);
	assert_int_equal(fchmodat(tree->fd, name, mode, 0), 0);
}

void place_make_dir(const struct temp_tree *tree, const char *name, uid_t uid, mode_t mode)
{
	temp_tree_make_dir(tree, name);
	place_give(tree, name, uid);
	assert_int_equal(fchmodat(tree->fd, name, mode, 0), 0);
}
