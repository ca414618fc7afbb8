/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-files - finds and reads the files of a job (info.json, usage.jsonl), whose names are a prefix and a fixed end. */
#include <stdbool.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "input/fd-source.h"
#include "series/job-info.h"

/* The ends of the names; the second one of the records is of con-duct before 0.18. */
extern const char job_end_info[], job_end_usage[], job_end_usage_old[];

/* Returns the length of @path without this end, or -1 if it does not end so. */
long job_prefix_len(const char *path, const char *end);

/* Reads an info.json, only if it is a regular file. Returns 0 or a job_info_outcome; or -errno or -EBADMSG, with a phrase in
 * @reterr. */
must_check_ int job_info_load(const char *path, struct job_info *info, struct strbuf *reterr);

/* Opens the records of a job by the name of their file, of its info.json, of a directory with both, by their prefix, or by "-" for
 * standard input. @ret_path is the name of the file then, and @info the description beside it, if there is one that can be read.
 * Returns 0, or -1 with a message on standard error. */
must_check_ int job_usage_open(const char *path, struct fd_source *source, struct strbuf *ret_path,
                               struct job_info *info);
