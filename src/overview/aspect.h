/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* aspect - the rows of registry/aspects.def: what the overview says of a group. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/metric/metric.h"

enum aspect_id {
#define ASPECT(id_, ...) ASPECT_##id_,
#include "aspects.def"
	ASPECT_COUNT,
};

enum aspect_kind {
	ASPECT_KIND_TIME,
	ASPECT_KIND_COUNT,
	ASPECT_KIND_BYTES,
	ASPECT_KIND_PEAK,
	ASPECT_KIND_THREADS
};
enum aspect_capacity { ASPECT_CAPACITY_UNKNOWN, ASPECT_CAPACITY_CPUS };

/* Metrics whose sum is the amount. */
struct aspect_source {
	unsigned count;
	enum metric_id metrics[2];
};
enum { ASPECT_SOURCES_MAX = 2 };

struct aspect_desc {
	const char *name;
	const char *heading;      /* of rates */
	const char *life_heading; /* of amounts since the threads' births */
	const char *description;
	enum aspect_kind kind;
	enum aspect_capacity capacity;
	double weight; /* 1 is 100 % */
	double floor;  /* of the host's total; in the unit of the column */
	unsigned leaves;
	unsigned source_count;
	struct aspect_source sources[ASPECT_SOURCES_MAX];
};
extern const struct aspect_desc aspect_table[ASPECT_COUNT];

/* A word for several aspects. */
struct aspect_word {
	const char *name;
	const char *description;
	bool aspects[ASPECT_COUNT];
};
extern const struct aspect_word aspect_word_table[];
extern const size_t aspect_word_count;

/* Returns the aspect with this id, or ASPECT_COUNT. */
enum aspect_id aspect_find(const char *text, size_t len);

/* Calls @visit for each metric of the sources of the aspects that the id or word stands for. Returns false if it is
 * neither. */
bool aspect_visit_metrics(const char *text, size_t len,
                          void (*visit)(enum metric_id metric, void *context), void *context);

/* Scores below these are noise; 0.01 is 1 %. */
extern const double aspect_floor_amount, aspect_floor_change;
