/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* serve - starts the process that serves the newest window, and gives it each frame of the recording. Nothing here waits for it once it
 * has begun: a frame that comes while it is busy is not given to it, and it gets a whole one next. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "query/report-options.h"
#include "serve/serve-address.h"

struct serve;

/* Listens at the address, and starts the process, before the caller has threads. The options are those of the report, and stay as they
 * are; they are for Prometheus. Appends the address with its port to @ret_where. Returns 0 or -errno, with a sentence. */
must_check_ int serve_start(const struct serve_address *address,
                            const struct report_options *options, struct serve **ret,
                            struct strbuf *ret_where, struct strbuf *reterr);

/* Returns whether the next frame has to be a whole one to be of use. */
bool serve_wants_whole(struct serve *serve);

/* Gives a frame to the process, or leaves it out. Returns 0; or once -EPIPE, if the process has ended. */
must_check_ int serve_give(struct serve *serve, bool is_whole, const void *frame, size_t len);

/* Ends the process. */
void serve_freep(struct serve **serve);
