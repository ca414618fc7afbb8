/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* temp-tree - a directory for one test, under $TMPDIR, or in memory, or else under /tmp, that is gone afterwards. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct temp_tree {
	char *path;
	int fd;
};

/* For cmocka_unit_test_setup_teardown(): *state is the tree. */
int temp_tree_setup(void **state);
int temp_tree_teardown(void **state);

/* @name below the tree; the caller frees it. */
char *temp_tree_path(const struct temp_tree *tree, const char *name);

/* Writes a file; directories on the way to it are made. */
void temp_tree_write(const struct temp_tree *tree, const char *name, const void *bytes, size_t len);
void temp_tree_write_text(const struct temp_tree *tree, const char *name, const char *text);
void temp_tree_make_dir(const struct temp_tree *tree, const char *name);

/* The permissions of an access control list: 4 to read, 2 to write, 1 to execute or search. */
struct temp_tree_list {
	uint16_t owner, user, group, mask, others;
	uint32_t uid; /* of the user */
};

/* Gives a file the list, or a directory the one for new files in it. "." is the tree. Returns false if the file system has no such
 * lists. */
bool temp_tree_set_list(const struct temp_tree *tree, const char *name, bool is_for_new_files,
                        const struct temp_tree_list *list);

/* Removes a file, or a directory and all that is in it. */
void temp_tree_remove(const struct temp_tree *tree, const char *name);

/* Returns the number of entries in a directory of the tree; "." for the tree itself. */
size_t temp_tree_count(const struct temp_tree *tree, const char *name);

/* A file is there and has just this text. */
void temp_tree_assert_text(const struct temp_tree *tree, const char *name, const char *text);
