/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot-meta - the parts of a snapshot that are small enough for a tree: host, tallies, sched_ext, cost. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/snapshot/snapshot.h"
#include "snapshot-reference.h"

struct json_writer;

/* Append the JSON text of the value of the key "labels", "window", "host", "sources", "probe_summary", "parse_summary",
 * "taskstats_summary", "sched_ext", "cost". */
void snapshot_meta_add_labels(const struct snapshot_info *info, struct strbuf *out);
void snapshot_meta_add_window(const struct snapshot_info *info, struct strbuf *out);
void snapshot_meta_add_host(const struct snapshot_info *info, struct strbuf *out);
void snapshot_meta_add_sources(const struct snapshot_info *info, struct strbuf *out);
void snapshot_meta_add_probe_summary(const struct snapshot_info *info, struct strbuf *out);
void snapshot_meta_add_parse_summary(const struct snapshot_info *info, struct strbuf *out);
void snapshot_meta_add_taskstats_summary(const struct snapshot_info *info, struct strbuf *out);
void snapshot_meta_add_sched_ext(const struct snapshot_info *info, struct strbuf *out);
void snapshot_meta_add_cost(const struct snapshot_info *info, struct strbuf *out);

/* Writes the value of the key "settings". */
void snapshot_write_settings(struct json_writer *out, const struct settings *settings);

/* Read these parts. "taskstats_summary" is not read, since "sources" has all of it. Unknown keys are ignored. Return 0,
 * or -EBADMSG with a sentence appended to @reterr if a known key has a value of the wrong kind. */
must_check_ int snapshot_meta_read_labels(const struct strbuf *json, struct snapshot_info *info,
                                          struct strbuf *reterr);
must_check_ int snapshot_meta_read_window(const struct strbuf *json, struct snapshot_info *info,
                                          struct strbuf *reterr);
must_check_ int snapshot_meta_read_unchanged(const struct strbuf *json, struct snapshot_info *info,
                                             struct strbuf *reterr);
must_check_ int snapshot_meta_read_host(const struct strbuf *json, struct snapshot_info *info,
                                        struct strbuf *reterr);
must_check_ int snapshot_meta_read_sources(const struct strbuf *json, struct snapshot_info *info,
                                           struct strbuf *reterr);
must_check_ int snapshot_meta_read_probe_summary(const struct strbuf *json,
                                                 struct snapshot_info *info, struct strbuf *reterr);
must_check_ int snapshot_meta_read_parse_summary(const struct strbuf *json,
                                                 struct snapshot_info *info, struct strbuf *reterr);
must_check_ int snapshot_meta_read_sched_ext(const struct strbuf *json, struct snapshot_info *info,
                                             struct strbuf *reterr);
must_check_ int snapshot_meta_read_settings(const struct strbuf *json, struct snapshot_info *info,
                                            struct strbuf *reterr);
must_check_ int snapshot_meta_read_cost(const struct strbuf *json, struct snapshot_info *info,
                                        struct strbuf *reterr);

/* Reads "parse_summary" and "taskstats_summary" of ktstr ctprof. */
must_check_ int snapshot_meta_read_parse_reference(const struct strbuf *json,
                                                   struct reference_summary *summary,
                                                   struct strbuf *reterr);
must_check_ int snapshot_meta_read_taskstats_reference(const struct strbuf *json,
                                                       struct reference_summary *summary,
                                                       struct strbuf *reterr);
