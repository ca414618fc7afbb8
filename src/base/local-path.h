/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* local-path - finds what lies at a path without asking a file system that need not answer. regular_file_open() walks over whatever is
 * mounted on the way: a directory on FUSE or NFS whose server is gone holds it up for ever. Here each mount is looked up in a table of
 * mounts before the walk enters it. */
#include "base/regular-file.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* A root directory, where paths begin, and the mountinfo whose mounts lie below it, as text; both borrowed. */
struct local_root {
	int fd;
	const struct strbuf *mounts;
	bool is_own; /* the root directory of ctprof, or a tree that its user names: it may be on any file system */
};

/* Reads a mountinfo, that of /proc/self or another process. Returns 0 or -errno. */
must_check_ int local_mounts_read(const char *name, struct strbuf *ret_mounts);

/* Returns an O_PATH descriptor of the regular file or the directory at @path below the root, which neither ".." nor an absolute path nor a symbolic
 * link leads out of. -EREMOTE if the root or anything that is mounted on the way is on a file system that is not known to be local, or
 * is in no line of the table; -EAGAIN if the kernel would have had to ask for a mount's root; or another -errno. */
must_check_ int local_path_find(const struct local_root *root, const char *path);

/* Opens the regular file there for reading. Returns as regular_file_open(), which it calls where all file systems are @allowed. */
must_check_ int local_path_open(const struct local_root *root, const char *path,
                                enum file_systems allowed);
