// SPDX-License-Identifier: GPL-2.0-or-later
#include "temp-tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/mem.h"
#include "check.h"

/* In memory, where there is room: trees of thousands of files take ten times as long on a disk. Some have programs in them. */
static const char *place_of_trees(void)
{
	static const char memory[] = "/dev/shm";
	const char *chosen = getenv("TMPDIR");
	struct statvfs status;

	if (chosen && chosen[0])
		return chosen;
	if (statvfs(memory, &status) == 0 && !(status.f_flag & (ST_NOEXEC | ST_RDONLY)) &&
	    (uint64_t)status.f_bavail * status.f_frsize >= UINT64_C(64) << 20 &&
	    access(memory, W_OK | X_OK) == 0)
		return memory;
	return "/tmp";
}

int temp_tree_setup(void **state)
{
	const char *parent = place_of_trees();
	struct temp_tree *tree = mem_calloc(1, sizeof(*tree));
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s/ctprof-unit-XXXXXX", parent);
	assert_non_null(mkdtemp(path.data));
	tree->path = path.data;
	tree->fd = open(tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(tree->fd >= 0);
	*state = tree;
	return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

static void remove_all(const char *path)
{
	enum { OPEN_DIRECTORIES = 16 };

	assert_int_equal(nftw(path, remove_entry, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS), 0);
}

int temp_tree_teardown(void **state)
{
	struct temp_tree *tree = *state;

	remove_all(tree->path);
	close(tree->fd);
	free(tree->path);
	free(tree);
	return 0;
}

char *temp_tree_path(const struct temp_tree *tree, const char *name)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s/%s", tree->path, name);
	return path.data;
}

static void make_dirs(const struct temp_tree *tree, const char *name, size_t len)
{
	for (size_t i = 1; i <= len; i++) {
		cleanup_(mem_freep) char *part = mem_copy(name, i);

		if (i == len || name[i] == '/')
			mkdirat(tree->fd, part, 0777);
	}
}

void temp_tree_make_dir(const struct temp_tree *tree, const char *name)
{
	make_dirs(tree, name, strlen(name));
}

void temp_tree_write(const struct temp_tree *tree, const char *name, const void *bytes, size_t len)
{
	const char *slash = strrchr(name, '/');
	int fd;

	if (slash)
		make_dirs(tree, name, (size_t)(slash - name));
	fd = openat(tree->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	assert_int_equal(close(fd), 0);
}

void temp_tree_write_text(const struct temp_tree *tree, const char *name, const char *text)
{
	temp_tree_write(tree, name, text, strlen(text));
}

void temp_tree_remove(const struct temp_tree *tree, const char *name)
{
	cleanup_(mem_freep) char *path = temp_tree_path(tree, name);

	remove_all(path);
}

size_t temp_tree_count(const struct temp_tree *tree, const char *name)
{
	cleanup_(mem_freep) char *path = temp_tree_path(tree, name);
	DIR *dir = opendir(path);
	size_t count = 0;

	assert_non_null(dir);
	for (const struct dirent *entry; (entry = readdir(dir));)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return count;
}

void temp_tree_assert_text(const struct temp_tree *tree, const char *name, const char *text)
{
	char *found = mem_calloc(1, strlen(text) + 2);
	int fd = openat(tree->fd, name, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, found, strlen(text) + 1), strlen(text));
	assert_string_equal(found, text);
	close(fd);
	free(found);
}

bool temp_tree_set_list(const struct temp_tree *tree, const char *name, bool is_for_new_files,
                        const struct temp_tree_list *list)
{
	/* The form is that of linux/posix_acl_xattr.h. */
	enum { VERSION = 2, USER_OBJ = 1, USER = 2, GROUP_OBJ = 4, MASK = 16, OTHER = 32 };
	const struct {
		uint32_t version;
		struct {
			uint16_t tag, permissions;
			uint32_t id;
		} entries[5];
	} value = {VERSION,
	           {{USER_OBJ, list->owner, UINT32_MAX},
	            {USER, list->user, list->uid},
	            {GROUP_OBJ, list->group, UINT32_MAX},
	            {MASK, list->mask, UINT32_MAX},
	            {OTHER, list->others, UINT32_MAX}}};
	char *path = temp_tree_path(tree, name);
	int r = setxattr(path,
	                 is_for_new_files ? "system.posix_acl_default" : "system.posix_acl_access",
	                 &value, sizeof(value), 0);

	free(path);
	return r == 0;
}
