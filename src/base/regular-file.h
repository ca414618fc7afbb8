/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* regular-file - opens files at paths that other processes influence: files that they have mapped, that lie below their
 * root directory, or that a file of theirs names. Opening a device or a FIFO can have an effect, and a file system that
 * another process serves may never answer. The path is therefore opened with O_PATH first, which calls neither a driver
 * nor the file system's open. Only if it leads to a regular file on a local file system is it opened for reading,
 * through /proc/self/fd, so that it cannot become another file in between. tests/lint/open.sh refuses other ways of
 * opening in the rooms that deal with such paths. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"

/* The file systems that a file may be on. */
enum file_systems {
	FILE_SYSTEMS_LOCAL, /* only file systems that are known to be local */
	/* these, and remote ones that only an administrator mounts: their files are stored, and reading one changes nothing */
	FILE_SYSTEMS_STORED,
	/* these, those of the kernel but for procfs, and remote ones that only an administrator mounts: no owner is made up there */
	FILE_SYSTEMS_ADMINISTERED,
	FILE_SYSTEMS_ALL, /* also those that may not answer, on the user's request */
};

enum file_system_kind {
	FILE_SYSTEM_UNKNOWN,
	FILE_SYSTEM_LOCAL,   /* served by this kernel from a local device or from memory */
	FILE_SYSTEM_STACKED, /* overlay: as local as its layers */
	FILE_SYSTEM_REMOTE,  /* any other: FUSE, NFS, 9p, CIFS, Ceph and unknown ones */
};

/* Returns the kind of a file system by its type as /proc/<pid>/mountinfo names it, such as "ext4" or "fuse.sshfs":
 * not UNKNOWN. @type need not end in NUL. */
enum file_system_kind file_system_kind_of_type(const char *type, size_t len);

/* Returns 0 if the open file, or O_PATH descriptor, is on a file system that is @allowed, -EREMOTE if it is not, or another -errno.
 * It may wait for ever for a server. */
must_check_ int file_system_check(int fd, enum file_systems allowed);

/* Opens the regular file at @path below @root_fd, which stands for the root directory: neither "..", nor an absolute
 * path, nor a symbolic link leads out of it, and links of /proc are not followed (openat2(2), Linux 5.6). The
 * descriptor is O_RDONLY, O_NONBLOCK, O_NOCTTY and O_CLOEXEC, and the caller's. Returns it; -EMEDIUMTYPE for anything
 * but a regular file, -EREMOTE for a file on a file system that is not @allowed, or another -errno. It may wait for
 * ever if a directory of the path is on a file system that does not answer: call it in a helper process. */
must_check_ int regular_file_open(int root_fd, const char *path, enum file_systems allowed);

/* Opens a path that only this user has chosen, from the directory @dir_fd on or from AT_FDCWD, and follows links: one of /proc, such
 * as /proc/<pid>/map_files/<range>, leads to a file by itself. Other processes influence only the target. */
must_check_ int regular_file_open_link(int dir_fd, const char *path, enum file_systems allowed);

/* Opens the regular file of this name in the directory, on any file system, and follows no link. */
must_check_ int regular_file_open_beside(int dir_fd, const char *name);

/* The two steps of both by themselves. The first returns an O_PATH descriptor or -errno; that of a path finds only what the kernel
 * has in memory, and never waits: -EAGAIN says that it would have had to, and -EINVAL is that of kernels before Linux
 * 5.12. The second opens what was found. */
must_check_ int regular_file_find_link(int dir_fd, const char *path);
must_check_ int regular_file_find_cached(int root_fd, const char *path);
/* The same for anything at the path: where it is on the mount of @root_fd, else -EXDEV; and on any mount, waiting as regular_file_open()
 * does. */
must_check_ int regular_file_find_on_mount(int root_fd, const char *path);
must_check_ int regular_file_find(int root_fd, const char *path);
must_check_ int regular_file_reopen(int path_fd, enum file_systems allowed);
