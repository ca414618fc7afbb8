/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* task-record-store - keeps the records of a pass by their kind. */
#include <sys/types.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "bpf/task-record.h"

struct task_record_place {
	uint64_t process_born_boottime_ns;
	uint32_t tgid;
	uint32_t tid; /* 0: the leader, which comes first */
	uint32_t index;
};

struct task_record_store {
	/* All arrays are owned. */
	struct task_record *threads;
	struct process_record *processes;
	struct task_record_text *names;
	struct cpu_mask *cpus;
	uint32_t *order;
	struct task_record_place *places;
	size_t thread_count, thread_capacity;
	size_t process_count, process_capacity;
	size_t name_count, name_capacity;
	size_t cpus_count, cpus_capacity;
	size_t place_capacity, order_capacity;

	struct strmap cpus_by_words; /* to 1 + the index */
	struct cpu_mask online;      /* empty: not known */
	uint32_t current_cpus;
	struct task_record_name name_parts; /* of the next thread, if it has any */
	bool has_name;
};

/* Removes all records. @online may be empty if it is not known. */
void task_record_store_clear(struct task_record_store *store, const struct cpu_mask *online);
void task_record_store_done(struct task_record_store *store);

/* Adds records, one behind another, in memory that is aligned to 8 bytes. Returns how many bytes of it were whole
 * records, or -EBADMSG if they are not records. */
must_check_ ssize_t task_record_store_add(struct task_record_store *store, const char *bytes,
                                          size_t len);

/* Sorts all records and lends them to @pass. */
void task_record_store_finish(struct task_record_store *store, struct task_record_pass *pass);

/* Returns the data that the kernel keeps, by the last pass. */
uint32_t task_record_kept(const struct task_record_reader *reader);
