/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* serve-window - the newest window of a recording, made of the frames of its file as they are written. */
#include <stdbool.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"
#include "ctprof/snapshot/snapshot.h"
#include "query/report-options.h"
#include "window/window-sum.h"

enum serve_format { SERVE_PROMETHEUS, SERVE_OPENMETRICS, SERVE_FORMAT_COUNT };

/* It ends with its process. */
struct serve_window {
	const struct report_options *options; /* of the report; borrowed */
	struct window_sum *sum;               /* what the next frame may depend on; owned */
	struct snapshot_info facts;           /* the same, of a window that was printed */
	bool is_new;                          /* the sum is a window that was not printed */
};

/* Takes the next frame: a whole one, or what changed since the last one that was taken. Returns 0 or -errno; then only a whole one
 * can be taken. */
must_check_ int serve_window_add(struct serve_window *window, struct byte_source *frame);

/* Prints a window that is new, once, in both formats; @ret_texts are empty. Returns whether it is printed. */
must_check_ bool serve_window_print(struct serve_window *window,
                                    struct strbuf ret_texts[static SERVE_FORMAT_COUNT]);
