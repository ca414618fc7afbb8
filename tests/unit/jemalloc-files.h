/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* jemalloc-files - files with a jemalloc, or nearly, which the tests build with the compiler of the build. */
#include <stdbool.h>

#include "jemalloc/jemalloc-inspect.h"
#include "temp-tree.h"

/* Runs a command of the shell, in the tree's directory, with CC and SOURCES set. Returns whether it succeeded. */
bool jemalloc_files_try(const struct temp_tree *tree, const char *format, ...) printf_(2, 3);
/* The same, where it has to succeed. */
void jemalloc_files_run(const struct temp_tree *tree, const char *format, ...) printf_(2, 3);

/* Opens a file of the tree, or by an absolute path. */
int jemalloc_files_open(const struct temp_tree *tree, const char *name);

/* Looks into a file without a helper process. */
struct jemalloc_object jemalloc_files_look(const struct temp_tree *tree, const char *name,
                                           unsigned machine,
                                           struct jemalloc_debug_files *debug_files);

/* The offsets of the object are what the program of the tree says when it runs with these arguments. */
void jemalloc_files_assert_true(const struct temp_tree *tree, const struct jemalloc_object *object,
                                const char *program);
