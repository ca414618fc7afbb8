/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-values - the numbers of a job: the rows of registry/job.def. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/strbuf.h"

enum job_source {
#define JOB_SOURCE(id_, ...) JOB_SOURCE_##id_,
#include "job.def"
	JOB_SOURCE_COUNT,
};

enum job_value_id {
#define JOB_VALUE(id_, ...) JOB_##id_,
#include "job.def"
	JOB_VALUE_COUNT,
};

enum job_unit { JOB_UNIT_s, JOB_UNIT_bytes, JOB_UNIT_count, JOB_UNIT_percent };

struct job_source_desc {
	const char *name;
	const char *description;
};
extern const struct job_source_desc job_source_table[JOB_SOURCE_COUNT];

struct job_value_desc {
	const char *name;
	enum job_unit unit;
	const char *description;
};
extern const struct job_value_desc job_value_table[JOB_VALUE_COUNT];
extern const char *const job_unit_names[];

/* All zero is values of which none is known. Counters are exact up to 2^53. */
struct job_values {
	bool seen[JOB_VALUE_COUNT];
	double numbers[JOB_VALUE_COUNT];
	enum job_source sources[JOB_VALUE_COUNT];
	/* Threads whose value is impossible (registry/bounds.def), and not in the number. */
	double impossible[JOB_VALUE_COUNT];
};

/* Returns whether the value is known of all threads. */
static inline bool job_is_whole(const struct job_values *values, enum job_value_id id)
{
	return values->seen[id] && values->impossible[id] == 0;
}

void job_set(struct job_values *values, enum job_value_id id, enum job_source source,
             double number);

/* Adds to a value that is known, and does nothing otherwise. */
void job_add(struct job_values *values, enum job_value_id id, double number);

void job_forget(struct job_values *values, enum job_value_id id);

/* Returns the value with this name, or JOB_VALUE_COUNT. */
enum job_value_id job_value_find(const char *name, size_t len);

/* Appends the value for people, scaled by its unit: "12.3 MiB", "1.234 s", "12,345", "99.5 %". "-" if it is not
 * known; with a "*" if it lacks impossible values. */
void job_value_format(const struct job_values *values, enum job_value_id id, struct strbuf *out);

/* Does so with a number of this unit. */
void job_number_format(enum job_unit unit, double number, struct strbuf *out);

/* Appends the number as JSON has it: bytes and counts are integers if they are whole. */
void job_number_plain(enum job_unit unit, double number, struct strbuf *out);

/* Returns the memory of the host in bytes. */
double job_host_memory(void);

/* Sets the values that follow from others: percentages of CPUs and of the host's memory (0: not known). */
void job_values_derive(struct job_values *values, double host_memory_bytes);
