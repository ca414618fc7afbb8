/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* pcp-archive - windows as an archive of Performance Co-Pilot, by its library libpcp_import. Each metric is ctprof.NAME, whose instances
 * are the groups and whose values are the work of a second; there is one record at the end of each window, and a mark where windows do
 * not follow at once. ctprof.window.length has the windows' lengths. */
#include "fleet/window-rates.h"

/* The files of an archive: .0 has the values, .index times, and .meta the names. */
enum { PCP_ARCHIVE_FILES = 3 };
extern const char *const pcp_archive_suffixes[PCP_ARCHIVE_FILES];

struct pcp_archive;

/* Begins an archive whose files have the given name in @dir_fd, a directory that nobody but this user can enter, and that has no such
 * files. @wanted is borrowed. Returns NULL with a sentence. */
must_check_ struct pcp_archive *pcp_archive_new(int dir_fd, const char *name,
                                                const struct metric_set *wanted,
                                                struct strbuf *reterr);
struct window_writer *pcp_archive_writer(struct pcp_archive *archive);

/* Ends the files. Returns 0, or -EIO with a sentence. */
must_check_ int pcp_archive_end(struct pcp_archive *archive, struct strbuf *reterr);

/* For cleanup_(pcp_archive_freep). */
void pcp_archive_freep(struct pcp_archive **archive);
