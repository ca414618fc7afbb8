/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* recording-list - prints what a recording has: a line for each hour with the load of the host, gaps with their reasons, and what
 * triggered dense windows. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/table.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "runs/run-list.h"

/* Returns 1 if a directory has files of a recording, or its lock, else 0, or -errno if it cannot be read. The reason is empty where
 * strerror() has it. */
must_check_ int recording_list_is(const char *path, struct strbuf *reterr);

/* Returns whether a recording can be printed so: a table, Markdown, CSV and NDJSON. */
bool recording_list_has(enum run_list_format format);

/* Prints the first line of CSV, and nothing in other formats. */
void recording_list_print_head(FILE *file, enum run_list_format format);

/* Reads the recording and prints it. Returns 0, or -errno with the error printed and nothing else. */
must_check_ int recording_list_print(FILE *file, const char *path, enum run_list_format format,
                                     const struct table_style *style);

/* Appends @before and the time from one moment to another: "from 2026-11-28 16:16:18 to 16:16:24 UTC". */
void recording_list_add_span(const char *before, uint64_t begin_unix_ns, uint64_t end_unix_ns,
                             struct strbuf *out);

/* Appends a size for people: "41.6 KiB". */
void recording_list_add_size(uint64_t bytes, struct strbuf *out);
