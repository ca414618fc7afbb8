/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot-row - reads one thread of a snapshot from the JSON tokens into a sample. */
#include "base/strmap.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"
#include "snapshot-reference.h"
#include "snapshot-value.h"
#include "json/json-read.h"

/* The meaning of a key of a row: an identity, or a metric. */
enum thread_row_identity {
#define IDENTITY(id_, json_type_, text_) ROW_##id_,
#include "identity.def"
#undef IDENTITY
	ROW_METRICS,                                /* ROW_METRICS + a metric */
	ROW_REFERENCE = ROW_METRICS + METRIC_COUNT, /* ROW_REFERENCE + an enum reference_key */
};
_Static_assert(ROW_METRICS <= 64, "a set of identity keys has a bit for each");

/* A list of CPUs, as a member of a row, with its value: neighbours mostly have the same. */
struct thread_row_cpus {
	struct strbuf member;
	struct cpu_mask mask;
};

struct thread_row_reader {
	struct strmap keys; /* from the key to its meaning */
	/* Indexed by the place of a key, and one for none: the place of the key that followed it the last time, plus
	 * one. */
	uint32_t *next;                 /* owned */
	uint32_t last;                  /* place of the key read last, plus one */
	struct json_expected *expected; /* owned; the keys by their places */
	/* Indexed by place: how many keys from there on are metrics of 64 bits in the order of the registry. */
	uint16_t *run; /* owned */
	struct json_expected totals[PROCESS_TOTAL_COUNT];
	struct thread_row_cpus cpus;
	struct value_reader values;
	/* The frame has rows of what changed, which have no window_part; the row read last is one. */
	bool may_be_changes, is_changes;
	bool is_own; /* "format" was read, so that keys of ktstr ctprof are unknown ones */
	struct reference_rows reference;
};

void thread_row_reader_init(struct thread_row_reader *rows);
void thread_row_reader_done(struct thread_row_reader *rows);

/* Reads the row whose OBJECT_OPEN is the current token. Unknown keys are skipped. A row of ktstr ctprof is interpreted
 * as that tool's, unless rows->is_own. Returns 0; -EBADMSG, with a sentence in rows->values.reason if the row and not
 * the JSON is at fault (then it is not empty); or the JSON reader's -errno. */
must_check_ int thread_row_read(struct thread_row_reader *rows, struct json_reader *json,
                                struct thread_sample *sample);

/* Sets the expected order of keys; called once the keys are known. */
void thread_row_expect(struct thread_row_reader *rows);
void thread_row_expect_done(struct thread_row_reader *rows);

/* Reads members as long as they are as in the rows before, and leaves the rest to thread_row_read(). Adds the identities that
 * it has read to @identities, a bit each. Returns 0 or a negative errno as thread_row_read(). */
must_check_ int thread_row_read_expected(struct thread_row_reader *rows, struct json_reader *json,
                                         struct thread_sample *sample, uint64_t *identities);

/* Returns whether the identity is one of @identities. */
bool thread_row_has_identity(uint64_t identities, enum thread_row_identity identity);

/* Returns whether one of @identities replaces the key: the exact bytes replace the readable ones, and a path of cgroup2
 * that of version 1, whichever key comes first. */
bool thread_row_is_superseded(uintptr_t meaning, uint64_t identities);

/* Reads the facts of the record of an exit. Returns 0 or -errno with the reason noted. */
must_check_ int thread_row_read_exit(struct thread_row_reader *rows, enum json_token token,
                                     struct thread_sample *sample);

/* Returns the place of an identity that is an integer of 32 bits, or NULL. */
uint32_t *thread_row_u32(struct thread_sample *sample, enum thread_row_identity identity);

/* Sets what a row says by having a key, once all keys are read. */
void thread_row_note_identities(uint64_t identities, struct thread_sample *sample);

/* Stores a label of a metric. Returns 0, or refuses it. */
must_check_ int thread_row_set_label(struct thread_row_reader *rows, enum metric_id metric,
                                     const char *text, size_t len, struct thread_sample *sample);

/* Notes the CPUs that the sample has for a metric. */
void thread_row_note_cpus(struct thread_row_reader *rows, enum metric_id metric,
                          const struct thread_sample *sample);
