/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* record-run - records windows into a directory until a signal ends it. */
#include <stdbool.h>

#include "capture/capture-series.h"
#include "recording/recording-keep.h"
#include "serve/serve.h"
#include "trigger/trigger.h"

struct record_options {
	const char *directory;
	struct capture_series_options series;
	struct recording_keep keep;
	struct trigger *triggers; /* owned; they are opened by the recorder */
	size_t trigger_count, trigger_capacity;
	const struct serve_address *serve;   /* where the newest window is served; NULL: nowhere */
	const struct report_options *served; /* its report; borrowed */
	bool status;                         /* nothing is recorded; for the caller */
};

/* Returns 0 after a signal, or -errno; errors are printed. A window that cannot be written is a gap, and ends nothing. */
must_check_ int record_run(const struct record_options *options);
