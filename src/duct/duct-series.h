/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-series - the samples of a job as records, each of the time since the last one: con-duct's usage.jsonl. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/strbuf.h"
#include "duct/duct-process.h"

/* Bytes that were read from storage, and written to it. */
struct duct_storage {
	double read, written;
};

/* A job at a moment. */
struct duct_sample {
	double time;      /* seconds since the start of the job */
	uint64_t wall_ns; /* CLOCK_REALTIME */
	double cpu_time;  /* of the job so far, in seconds */
	bool is_exact;    /* it is; else it is made of times that are cut to ticks */
	bool has_pss, has_peak_memory, has_storage;
	double pss, peak_memory;              /* bytes */
	struct duct_storage storage;          /* of the job so far */
	const struct duct_process *processes; /* in the order of their pids */
	size_t count;
};

/* A process in the records. */
struct duct_entry {
	struct duct_process last; /* at the last sample that it was in */
	uint64_t last_sample;     /* the number of that sample */
	uint64_t wall_ns;         /* and its time */
	double pcpu, rss, vsz;    /* highest in this record */
	unsigned threads;         /* the same */
	struct duct_states *states;
	size_t state_count, state_capacity; /* 0: it is not in this record */
	bool has_command;                   /* of this record */
	char *command;                      /* owned; NULL: not known yet */
};

/* Sums over the samples of a record, or of the whole job. */
struct duct_sums {
	uint64_t samples;
	double rss, vsz, pcpu;           /* highest */
	double rss_time, vsz_time, time; /* sums of value times seconds, and of these */
	bool has_rate;
	double rate; /* highest CPU time per second, in percent, between samples */
};

struct duct_series {
	double host_memory; /* bytes; 0: not known */
	double most_pcpu;   /* of all CPUs; 0: not known */
	/* Appends the command line of each process, in the order of their numbers, to the buffer at its place: at most so many bytes of
	 * it, and a mark behind them. */
	void (*commands)(void *context, const struct duct_process *const *processes, size_t count,
	                 size_t most_bytes, struct strbuf *outs);
	void *context;
	struct duct_entry *entries; /* owned; by pid */
	size_t count, capacity;
	size_t command_bytes; /* that the entries have */
	uint64_t samples;     /* so far, with those that found no process */
	uint64_t last_seen;   /* the number of the last sample that found processes */
	struct duct_sums run, record;
	double begin, begin_cpu;                    /* of this record */
	double rate_begin, rate_cpu;                /* of this rate */
	double last_begin, last_cpu;                /* of the one before */
	double time, cpu_time;                      /* of the last sample */
	double rss, vsz, pcpu;                      /* of the last sample with processes */
	uint64_t wall_ns;                           /* its time */
	uint64_t processes, threads;                /* most at once, in this record */
	bool has_pss, has_peak_memory, has_storage; /* in this record: */
	double pss, peak_memory;                    /* the last ones */
	struct duct_storage storage;                /* the same */
	bool lacks_begin; /* what it was at the begin of this record is not known */
	struct duct_storage begin_storage;
};

/* For cleanup_(duct_series_done). */
void duct_series_done(struct duct_series *series);

/* Adds a sample. One without a process counts for CPU time only. */
void duct_series_add(struct duct_series *series, const struct duct_sample *sample);

/* The job has ended, at @wall_ns by the clock on the wall, which is the time of its last record: adds its CPU time, and its storage (NULL: not known). A record without a sample
 * of processes gets those of the last one. */
void duct_series_end(struct duct_series *series, double time, uint64_t wall_ns, double cpu_time,
                     const struct duct_storage *storage);

/* Appends the record so far, a line, and begins the next one. Returns false, and does nothing, if it has no sample. */
bool duct_series_write(struct duct_series *series, struct strbuf *out);

/* Stores the highest CPU time per second of the job, in percent. Returns false if it is not known. */
bool duct_series_peak(const struct duct_series *series, double *ret);
