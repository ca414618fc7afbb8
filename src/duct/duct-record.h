/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-record - a record of the series as a line of JSON, in the form of con-duct's schema 0.2.3. */
#include "ctprof/base/strbuf.h"
#include "duct/duct-series.h"

/* A state of a process, and the number of samples in it. */
struct duct_states {
	char state[DUCT_STATE_BYTES];
	uint64_t samples;
};

/* Appends the record of @series and a newline. It has a sample. */
void duct_record_add(const struct duct_series *series, struct strbuf *out);

/* Returns a percentage of CPU time of the job, but no more than all CPUs have: CPU time of processes that no sample saw comes when they
 * are waited for, and a short record may get that of the time before it. */
double duct_record_possible(const struct duct_series *series, double pcpu);
