/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* trust-open - opens a file whose contents decide what this process does. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Opens a regular file for reading, if nobody but this user and root decides what is in it, and which file it is: neither by its owner and
 * its permissions, nor by those of a directory that it lies in, nor by a link on the way (output-place.h, trust.h). For root it must
 * be on a local file system. A path that names a descriptor of this process, such as /dev/fd/3, is that file. Returns a
 * descriptor, or -errno with a phrase, which may be empty: -ENOENT if there is none. */
must_check_ int trust_open(const char *path, struct strbuf *reterr);
