/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* operand-open - opens what the user names to be read, or what has a name in a directory that the user names. Others may have put links,
 * devices and FIFOs there, and may exchange them at any time. The path is walked once with O_PATH, and what was found there is looked
 * at before it is opened (output-place.h). Commands open operands in no other way: tests/lint/open.sh refuses them. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* The kinds of files that may be opened. */
enum operand_kind {
	OPERAND_FILE = 1,      /* regular files */
	OPERAND_DIRECTORY = 2, /* directories */
	OPERAND_STREAM =
	        4, /* pipes, terminals and other devices: opening a FIFO waits for its writer */
};

/* Opens @path, from the directory @dir_fd on if it is relative, for reading. @kinds is of enum operand_kind. A path that names
 * a descriptor of this process, such as /dev/stdin or /dev/fd/3, is that one. Returns a descriptor, or -errno with a phrase:
 * -EMEDIUMTYPE for another kind, -EACCES for what others may have put there. */
must_check_ int operand_open(int dir_fd, const char *path, unsigned kinds, struct strbuf *reterr);
