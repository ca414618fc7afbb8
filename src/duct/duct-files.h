/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-files - the four files of a run, whose names are a prefix and a fixed word. */
#include <stdbool.h>

#include "base/output-place.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

enum duct_file_id {
	DUCT_STDOUT, /* what the command printed */
	DUCT_STDERR,
	DUCT_USAGE, /* the records */
	DUCT_INFO,  /* the host, and the summary of the run */
	DUCT_FILE_COUNT,
};

struct duct_file {
	char *path; /* as it is printed; owned */
	struct output_place place;
	int fd;      /* for appending; below 0: this run does not use the file */
	bool is_new; /* this run has made it */
};

struct duct_files {
	char *prefix; /* owned */
	int dir_fd; /* O_PATH: the directory of all files; below 0: the working directory, or not looked up */
	bool needs_own_place; /* root, and the default directory: it must be one that only root can write */
	struct duct_file files[DUCT_FILE_COUNT];
};

/* Sets the names. @files is zeroed or done. */
void duct_files_init(struct duct_files *files, const char *prefix);

/* Makes the directories of the prefix and the files: not stdout and stderr if @wanted says so. With @clobber files that are there
 * are emptied. The directory is looked up once and held. Only this user and root decide which files these are; output-place.h has the
 * rule. Returns 0; -EEXIST with the names of files that are there; or -errno with a sentence. After an error nothing is left that
 * this call has made, but directories. */
must_check_ int duct_files_open(struct duct_files *files, const bool wanted[DUCT_FILE_COUNT],
                                bool clobber, struct strbuf *reterr);

/* Opens a file once more, for reading. Returns a descriptor or -errno. */
must_check_ int duct_file_open_reader(const struct duct_file *file);

/* Appends whole lines by one write(2). A part that the disk took is removed again. Returns 0 or -errno. */
must_check_ int duct_file_append(const struct duct_file *file, const struct strbuf *text);

/* Puts a text in place of the file, whole or not at all. Returns 0, or -errno with a phrase. */
must_check_ int duct_file_replace(const struct duct_file *file, const struct strbuf *text,
                                  struct strbuf *reterr);

/* Removes the files that this run has made, if they still have their names. */
void duct_files_remove(struct duct_files *files);

/* For cleanup_(duct_files_done). */
void duct_files_done(struct duct_files *files);
