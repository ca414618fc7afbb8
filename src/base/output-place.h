/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* output-place - finds the place that a path names, for writing, while others may change names. Each directory of the
 * path is opened once and held, and each further name is looked up through its descriptor. No name is looked up
 * twice. */
#include <stdbool.h>
#include <sys/stat.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

struct output_place {
	/* Set before: links and FIFOs that this user has made in a directory where others may choose files are used. For places to write to, and
	 * not for files that decide what a program does. */
	bool uses_own;
	/* Set before: finds what is to be read. A link that others may have put there is followed as far as it may lead, see below. */
	bool reads;
	int descriptor; /* the path names this descriptor of the process, as /dev/fd/3 does; else -1 */
	int dir_fd;     /* O_PATH: the directory that the last name is in */
	char *name;     /* the last name of the path; owned */
	int target_fd;      /* O_PATH: the file of that name; -1: there is none */
	struct stat dir;    /* of dir_fd */
	struct stat target; /* of target_fd */
};

#define OUTPUT_PLACE_INIT ((struct output_place){.descriptor = -1, .dir_fd = -1, .target_fd = -1})
#define OUTPUT_PLACE_INIT_OWN \
	((struct output_place){.uses_own = true, .descriptor = -1, .dir_fd = -1, .target_fd = -1})

#define OUTPUT_PLACE_INIT_READ  \
	((struct output_place){ \
	        .uses_own = true, .reads = true, .descriptor = -1, .dir_fd = -1, .target_fd = -1})

/* Finds the place, from the directory @dir_fd on if the path is relative. @place is OUTPUT_PLACE_INIT or OUTPUT_PLACE_INIT_OWN before.
 * On success either @descriptor, or @dir_fd and @name are set. The target, if there is one, is no directory and no symbolic link.
 * In a directory where others may choose files (trust.h) no symbolic link is followed, whoever owns it: others may have moved it
 * there, or exchanged a directory above. A FIFO, a device or a socket there is refused as well, but for /dev/null, zero and full, and
 * with @uses_own for links and FIFOs that this user has made there.
 * With @reads the target may be a directory, and is one if the path ends in a slash. Links that others may have put there are followed,
 * but for those that the kernel does not follow in sticky directories (trust_follows_link()). Behind such a link, the target must be
 * a file or directory that is stored (trust_is_stored()): neither a device, a FIFO nor a file of the kernel's, no descriptor of this
 * process, and no link of procfs is followed.
 * Returns 0; -EACCES if the rule above refuses something, with a phrase in @reterr that names it; or -errno: -ENOENT
 * for a dangling link, -EISDIR for a directory, -ELOOP after 40 links. */
must_check_ int output_place_find(struct output_place *place, int dir_fd, const char *path,
                                  struct strbuf *reterr);

/* Finds a directory, or the place where it can be made, by the same rules: the target is a directory, and -ENOTDIR
 * is in the place of -EISDIR. @name is never empty, but may be "." or "..". @descriptor stays -1. */
must_check_ int output_place_find_directory(struct output_place *place, int dir_fd,
                                            const char *path, struct strbuf *reterr);

/* Opens the target itself, through /proc/self/fd, and checks that it is the same file. Without /proc it is opened by
 * its name, and only in a directory that nobody else may write. @flags are those of open(2). Returns a descriptor or
 * -errno, -ESTALE if something else has the name now. */
must_check_ int output_place_reopen(const struct output_place *place, int flags);

/* Returns whether the target is a regular file of this user, and has its name from this user or root: others can
 * neither rename files in the directory or directories above, nor move one of this user's files into it, nor have made a link to one
 * in it. */
bool output_place_is_own(const struct output_place *place);

/* Returns the permissions of a new file, @mode, without those that a file of this user's in a sticky directory lacks.
 * The existing file grants none, since others may have moved any file of this user's there from a directory of
 * theirs. */
mode_t output_place_narrow(const struct output_place *place, mode_t mode);

/* For cleanup_(output_place_done). */
void output_place_done(struct output_place *place);
