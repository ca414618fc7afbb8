/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* output - a file that appears under its name whole or not at all. Commands write every file through it: only this user
 * and root decide which file is replaced, followed or opened, and with which permissions. */
#include <stdbool.h>
#include <sys/types.h>

#include "base/mem.h"
#include "base/signal-undo.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"

/* The permissions of a new file, before the umask applies. */
enum output_audience {
	OUTPUT_PRIVATE, /* 0600: snapshots and windows, which describe the programs of all users */
	OUTPUT_PUBLIC,  /* 0666: reports */
};

/* The steps by which output_commit_all() names a file. */
enum output_step {
	OUTPUT_UNNAMED,
	OUTPUT_ADDED,     /* nothing had the target's name before */
	OUTPUT_EXCHANGED, /* the file that had it has the temporary name */
	OUTPUT_KEPT,      /* has the target's name, which cannot be taken back */
};

struct output {
	struct byte_sink sink; /* where to write; must stay the first member */
	int fd;
	int dir_fd;
	bool linkable;  /* written without a name, and linked into place at the end */
	bool is_new;    /* nothing had the target's name */
	bool only_adds; /* the directory is append-only */
	bool in_place;  /* the target is no regular file (a pipe, /dev/full): written directly */
	bool keeps;     /* replaces a file of this user's, and gets these two from it: */
	mode_t mode;    /* its permission bits, at most 0777 */
	gid_t gid;      /* its group */
	enum output_step step;
	char *target;         /* last part of the path; NULL if it is written directly */
	char *temporary;      /* its name in the directory during the writing, or NULL */
	unsigned long bytes;  /* written so far */
	struct mem_undo undo; /* registered while there is a temporary name, and this one too: */
	struct signal_undo signal_undo;
	struct strbuf reason;
};

#define OUTPUT_INIT ((struct output){.fd = -1, .dir_fd = -1, .reason = STRBUF_INIT})

/* Prepares to write @path, "-" for standard output. The file is written without a name (O_TMPFILE), or under a
 * temporary one if the file system cannot do that, in the target's directory; an existing target is replaced on commit
 * and untouched until then. A signal that ends the program removes the temporary name. The directory is looked up once and held.
 * A new file has the permissions of @audience, and this user's ids. If it replaces a regular file that this user owns,
 * and that others cannot have put under that name, it gets that file's permission bits (0777) and, if the system lets
 * this user, its group; without the group, not the group's bits either. In a sticky directory others can have put the
 * file there, and it can only remove permissions. A file of another user passes nothing on. Replacing a file needs the
 * right to write it, and the rights of rename(2).
 * A target that is no regular file is written in place, and /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N are
 * the descriptor itself. A symbolic link is followed. A link, FIFO, device or socket of another user is refused in a
 * directory that others may write or exchange; output-place.h has the rule.
 * In an append-only directory (chattr +a, as statx(2) has it) only a new file can be written, on a file system with
 * O_TMPFILE; anything else is refused with EPERM, so that no temporary name stays behind.
 * Returns 0 or -errno; output_reason() has the words. */
must_check_ int output_open(struct output *output, const char *path, enum output_audience audience);

/* Does so for a path that begins in a directory, in which "-" is a name as others are. */
must_check_ int output_open_at(struct output *output, int dir_fd, const char *path,
                               enum output_audience audience);

/* Flushes to disk, puts the file in its place and flushes the directory. Returns 0 or -errno, -EEXIST if something got
 * the name meanwhile in an append-only directory. After an error the target is unchanged, and nothing is left beside
 * it, with one exception: if only the directory cannot be flushed, the new file is in its place, and output_reason()
 * says so. */
must_check_ int output_commit(struct output *output);

/* Does so for files that belong together: all take their names, or none. The files before are moved aside, and moved back
 * after an error. The words of the error name the files that are new and stay, because that fails or the file system cannot exchange names
 * (RENAME_EXCHANGE); a crash can leave such a state as well. Targets that are written in place are what they are. Sets @ret_failed to
 * the output that the error is of. */
must_check_ int output_commit_all(struct output *outputs, unsigned count, unsigned *ret_failed);

/* Returns the reason why output_open() or output_commit() returned @error, as a phrase to be behind the file's name.
 * Names of files in it may hold any bytes. Borrowed until output_done(). */
const char *output_reason(const struct output *output, int error);

/* Closes the file; one that was not committed is removed, also if running out of memory ends the program before. For
 * cleanup_(output_done). */
void output_done(struct output *output);
