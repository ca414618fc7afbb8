/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot-row-write - writes one thread of a snapshot as JSON. */
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/sample.h"
#include "json/json-write.h"

struct thread_row_writer {
	enum source_outcome rules[SOURCE_COUNT]; /* of the host; a row has the exceptions */
	struct json_member_key keys[METRIC_COUNT];
	struct json_member_key tgid, host, boot_id, pcomm, comm, cgroup, cgroup_v1, cgroups_v1, exe,
	        cwd, title, wchan, syscall, uid, ppid, pgrp, session, start_time, process_start,
	        read_boottime, jemalloc_boottime;
	/* The last list of CPUs, and its JSON: neighbours mostly have the same. */
	struct cpu_mask cpus;
	struct strbuf cpus_json;
	struct strbuf scratch;
};

void thread_row_writer_init(struct thread_row_writer *rows);
void thread_row_writer_done(struct thread_row_writer *rows);

/* Writes the thread as one object. Allocates nothing once a row of its size was written. */
void thread_row_write(struct thread_row_writer *rows, struct json_writer *out,
                      const struct thread_sample *sample);

/* Does so for a row of what changed: see row_find_changes(). */
void thread_row_write_changes(struct thread_row_writer *rows, struct json_writer *out,
                              const struct thread_sample *changes);
