/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot-row - reads one thread of a snapshot from the JSON tokens into a sample. */
#include "base/strmap.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"
#include "snapshot-reference.h"
#include "snapshot-value.h"
#include "json/json-read.h"

/* What a key of a row means: an identity, or a metric. */
enum row_identity {
#define IDENTITY(id_, json_type_, text_) ROW_##id_,
#include "identity.def"
#undef IDENTITY
	ROW_METRICS,                                /* ROW_METRICS + a metric */
	ROW_REFERENCE = ROW_METRICS + METRIC_COUNT, /* ROW_REFERENCE + an enum reference_key */
};

/* A list of CPUs, as a member of a row, and what it is: neighbours mostly have the same. */
struct row_cpus {
	struct strbuf member;
	struct cpu_mask mask;
};

struct row_reader {
	struct strmap keys; /* to what the key means */
	/* By the place of a key, and one for none, the place of what came behind it the last time, plus one. */
	uint32_t *next;                 /* owned */
	uint32_t last;                  /* place of the key read last, plus one */
	struct json_expected *expected; /* owned; the keys by their places */
	/* How many keys from this place on are metrics of 64 bits in the order of the registry, by place. */
	uint16_t *run; /* owned */
	struct json_expected totals[PROCESS_TOTAL_COUNT];
	struct row_cpus cpus;
	struct value_reader values;
	bool is_own; /* "format" was read, so that keys of ktstr ctprof mean nothing */
	struct reference_rows reference;
};

void row_reader_init(struct row_reader *rows);
void row_reader_done(struct row_reader *rows);

/* Reads the row whose OBJECT_OPEN is the current token. Unknown keys are skipped. One of ktstr ctprof is read as that
 * tool means it, unless rows->is_own. Returns 0; -EBADMSG, with
 * a sentence in rows->values.reason where the row and not the JSON is at fault (then it is not empty); or the JSON
 * reader's -errno. */
must_check_ int row_read(struct row_reader *rows, struct json_reader *json,
                         struct thread_sample *sample);

/* Called once the keys are known: what a row is expected to have. */
void row_expect(struct row_reader *rows);
void row_expect_done(struct row_reader *rows);

/* Reads what comes, as long as that is as in the rows before, and leaves the rest to row_read(). Adds the identities
 * it has read to @identities, a bit each. Returns 0 or a negative errno as row_read(). */
must_check_ int row_read_expected(struct row_reader *rows, struct json_reader *json,
                                  struct thread_sample *sample, unsigned *identities);

/* Whether the identity is one of @identities. */
bool row_has_identity(unsigned identities, enum row_identity identity);

/* Whether the key is superseded by one of @identities: the exact bytes take the place of the readable ones, and a
 * path of cgroup2 that of one of version 1, whichever key comes first. */
bool row_is_superseded(uintptr_t meaning, unsigned identities);

/* Stores a label of a metric. Returns 0, or refuses it. */
must_check_ int row_set_label(struct row_reader *rows, enum metric_id metric, const char *text,
                              size_t len, struct thread_sample *sample);

/* Takes note of the CPUs that the sample has been given for a metric. */
void row_note_cpus(struct row_reader *rows, enum metric_id metric,
                   const struct thread_sample *sample);
