/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* frame - finds the zstd frames of a file, one behind the other, by their block headers (RFC 8878). The last one of a file is
 * decompressed to see whether all of it was written. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Finds the end of the frame that begins at @offset by its headers alone: whether its bytes are right is not known. Returns 1, 0 if there is
 * no whole frame, or -errno. */
must_check_ int frame_find_headers(int fd, uint64_t offset, uint64_t *ret_end);

/* Finds the end of the frame that begins at @offset. Returns 1 and the offset behind it; 0 at the end of the file, and in a tail
 * that a write left torn: a part of a frame, or one whose bytes are wrong, and nothing follows; -EBADMSG if no frame begins there and
 * others follow; or -errno. */
must_check_ int frame_find_end(int fd, uint64_t offset, uint64_t *ret_end);

/* Finds the end of the last whole frame of those that follow one another from the begin of the file on. Returns 0 or -errno. */
must_check_ int frame_find_last_end(int fd, uint64_t *ret_end);

/* Returns 1 if what is at @offset, where no whole frame is, can be the begin of a write: a part of a frame, or zeros; 0, or -errno. */
must_check_ int frame_is_torn(int fd, uint64_t offset);

/* Appends why frame_find_end() returned -EBADMSG for @offset. */
void frame_explain_damage(uint64_t offset, struct strbuf *out);
