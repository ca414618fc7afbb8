/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-gpu - the GPUs of the host, as nvidia-smi prints them: an inventory, without any use over time. */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* nvidia-smi while it runs. */
struct duct_gpu {
	pid_t pid; /* 0: it was not started */
	int fd;    /* its standard output */
};

#define DUCT_GPU_INIT ((struct duct_gpu){.fd = -1})

/* Starts nvidia-smi of PATH, if there is one, in a process group of its own: it answers while the command runs. To be called
 * before job_run(), which leaves children from before alone, and with the signals that the program was started with. */
void duct_gpu_start(struct duct_gpu *gpu);

/* Waits for the answer for at most so many milliseconds, and appends it to @out as con-duct writes it. Returns 1; 0 if there is
 * no nvidia-smi; or -errno with a phrase: it failed, took too long (-ETIMEDOUT), or its table has another form. */
must_check_ int duct_gpu_finish(struct duct_gpu *gpu, unsigned wait_ms, struct strbuf *out,
                                struct strbuf *reterr);

/* Ends nvidia-smi if it runs; for cleanup_(duct_gpu_done). */
void duct_gpu_done(struct duct_gpu *gpu);

/* Appends a table of nvidia-smi as JSON: an object for each line behind the first one. Returns false, and appends nothing, if a line
 * has too few columns. */
must_check_ bool duct_gpu_parse(const char *text, size_t len, struct strbuf *out);
