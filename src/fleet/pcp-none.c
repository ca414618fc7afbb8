// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes the place of pcp-archive.c in a build without libpcp_import: nothing can be made, and the other functions are never called. */
#include <errno.h>

#include "fleet/pcp-archive.h"

const char *const pcp_archive_suffixes[PCP_ARCHIVE_FILES] = {".0", ".index", ".meta"};

struct pcp_archive *pcp_archive_new(unused_ int dir_fd, unused_ const char *name,
                                    unused_ const struct metric_set *wanted, struct strbuf *reterr)
{
	strbuf_add_str(reterr, "this ctprof was built without libpcp_import");
	return NULL;
}

struct window_writer *pcp_archive_writer(unused_ struct pcp_archive *archive)
{
	return NULL;
}

int pcp_archive_end(unused_ struct pcp_archive *archive, unused_ struct strbuf *reterr)
{
	return -EIO;
}

void pcp_archive_freep(unused_ struct pcp_archive **archive)
{
}
