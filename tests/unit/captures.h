/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* captures - a capture of a tree, and what its snapshot says when it is read back. */
#include "capture/capture.h"
#include "snapshots.h"
#include "temp-tree.h"

struct captured {
	int result;
	struct snapshot_info info; /* as the capture itself had it */
	struct strbuf error;
	struct snapshot_copy copy; /* as the file has it; only where result is 0 */
};

/* Captures with these options; captured_done() it in any case. */
void captured_run(struct captured *captured, const struct capture_options *options);
/* Captures the tree as a /proc. Checks that the counts and the rows agree. */
void captured_tree(struct captured *captured, const struct temp_tree *tree);
void captured_done(struct captured *captured);
