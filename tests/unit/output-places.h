/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* output-places - output files in the directories of a test. Files of two users are made by root only. */
#include <sys/types.h>

#include "temp-tree.h"

enum { OTHER = 65534, GROUP = 7 };

/* Write "text" to an output file. Return 0 or -errno, whose reason must be @reason unless it is NULL. */
int place_write_path(const char *path, const char *reason);
int place_write(const struct temp_tree *tree, const char *name);

/* The file is refused with -EACCES, for this reason; NULL: any. */
void place_check_refused(const struct temp_tree *tree, const char *name, const char *reason);

/* Gives the file to a user and the group of that number. */
void place_give(const struct temp_tree *tree, const char *name, uid_t uid);

/* Make files and directories of a user. */
void place_make_link(const struct temp_tree *tree, const char *text, const char *name, uid_t uid);
void place_make_fifo(const struct temp_tree *tree, const char *name, uid_t uid);
void place_make_file(const struct temp_tree *tree, const char *name, uid_t uid, mode_t mode);
void place_make_dir(const struct temp_tree *tree, const char *name, uid_t uid, mode_t mode);
