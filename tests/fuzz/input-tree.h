/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* input-tree - a directory tree that an input describes. */
#include "command-run.h"

/* Unpacks an input below an open, empty directory: parts that end with a zero byte, each the path of a file in a first line and
 * the file's bytes behind it, or, as "PATH -> TARGET", a symbolic link. A part is left out if its path is not a plain relative one,
 * a link leads out of the tree to devices or to /proc, or another part has its path. */
void input_tree_unpack(int directory, struct command_input input);

/* Removes everything below an open directory. */
void input_tree_clear(int directory);
