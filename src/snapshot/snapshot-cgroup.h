/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot-cgroup - one cgroup of a snapshot: a member of "cgroup_stats" or "cgroup_v1_stats". */
#include "base/strmap.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/cgroup-stats.h"
#include "snapshot-value.h"
#include "json/json-write.h"

/* Writes the member: the readable form of its path as the key, then its values. Paths that are not UTF-8 have keys that
 * may collide; @keys, the writer's for this object, has those in use. */
void cgroup_write(struct json_writer *out, const struct cgroup_stats *stats, struct strmap *keys,
                  struct strbuf *scratch);

/* Writes a member that says that the cgroup is gone. */
void cgroup_write_gone(struct json_writer *out, const struct cgroup_stats *stats,
                       struct strmap *keys, struct strbuf *scratch);

/* Reads the member whose key is reader->key, into @stats; stats->is_v1 is the object that it is in. */
must_check_ int cgroup_read(struct value_reader *reader, bool is_v1, struct cgroup_stats *stats);
