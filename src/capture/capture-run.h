/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* capture-run - a capture in two steps: what takes long and has nothing to do with when the threads are read comes first. */
#include "cost.h"
#include "ctprof/capture.h"
#include "ctprof/thread-values.h"

/* Loads the program that reads threads, where it is wanted and works; else *ret_reader, which the caller frees, is NULL.
 * Returns 0, or -errno with a sentence where nothing else was wanted. */
must_check_ int capture_load(const struct capture_options *options,
                             struct thread_values_reader **ret_reader, struct strbuf *reterr);

/* As capture_run(). @reader, which may be NULL, is borrowed, and can be used again; @meter has begun. */
must_check_ int capture_run_loaded(const struct capture_options *options,
                                   struct thread_values_reader *reader,
                                   const struct cost_meter *meter, struct snapshot_writer *writer,
                                   struct snapshot_info *ret_info, struct strbuf *reterr);
