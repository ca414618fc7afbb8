/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* trust - whether only this user and root decide about a file. All code asks here: tests/lint/trust.sh refuses other comparisons of
 * owners.
 * The kernel shows an owner who is another one in three places. In a user namespace every user whom the namespace does not map has
 * the same overflow id (/proc/sys/kernel/overflowuid). In procfs the files of a process that may not be dumped are root's. And a
 * server of FUSE reports what it likes. */
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Returns whether it is this user, or root: never the overflow id of a user namespace that maps not all users. */
bool trust_user(uid_t uid);

/* Returns whether it is this user. */
bool trust_is_own_user(uid_t uid);

/* Returns whether the owner of the open file, or O_PATH descriptor, is one that the kernel vouches for: on local file systems, but for root not on those
 * that root's tools have mounted for a user (mount-maker.h), on those that only administrators mount, on that of the root directory, and on
 * those of the kernel itself. In procfs, for the files of processes that run as this user or root
 * by all their ids. */
bool trust_shows_owner(int fd);

/* Returns whether others may give a name in the directory to a file of any owner, which they may move there from a directory of theirs.
 * The sticky bit does not forbid that. The root directory of this process has no other owner than root. */
bool trust_others_may_add(int dir_fd, const struct stat *status);

/* Returns whether others may choose which file has a name in the directory: they may add one to it, or exchange a directory above it, and so
 * the directory for another one of the same user. True as well if a directory above cannot be examined. */
bool trust_others_may_choose(int dir_fd, const struct stat *status);

/* Returns whether this user has made the link or the FIFO @fd, whose status is @status, in the directory where others may choose files:
 * it belongs to this user, and nobody has moved it later than a second after it was made. (Whoever waits for it is as fast as that, by
 * any clock.) Both keep the time of their content from their making on, a FIFO from its last writer, and a move sets the time of
 * change alone. The directory must be one that @dir_status shows to be this user's or root's, and nobody else may write the FIFO, or
 * exchange a directory above, which sets no time of the file. */
bool trust_was_made_there(int dir_fd, const struct stat *dir_status, int fd,
                          const struct stat *status);

/* Returns whether the kernel follows the symbolic link @status in the directory @dir_status for this user where fs.protected_symlinks is
 * set: in a sticky directory that all may write, only links of this user or of the directory's owner. */
bool trust_follows_link(const struct stat *dir_status, const struct stat *status);

/* Returns whether others may lead this user to the file or O_PATH descriptor @fd, whose status is @status: opening and reading it has no
 * effect, because it is a regular file or a directory that is stored somewhere. Files of procfs and others of the kernel are not. */
bool trust_is_stored(int fd, const struct stat *status);

/* Appends who else may write the directory in which others may add a file or exchange one, and what forbids that, in parentheses. */
void trust_add_reason(int dir_fd, const struct stat *status, struct strbuf *out);

/* Checks the directory and all above it, which are found by "..": nobody else may add a file to it, or exchange it or one of those
 * above, where the entries of a sticky directory are their owners'. Returns 0, -EPERM with a phrase, or another -errno. */
must_check_ int trust_check_directory(int dir_fd, struct strbuf *reterr);

/* Checks the file or directory @fd: it is no symbolic link, belongs to this user or root, and nobody else may write it. The check of its directory
 * says whether others may have given it its name. Returns 0, -EPERM with a phrase, or another -errno. */
must_check_ int trust_check_file(int fd, struct strbuf *reterr);
