/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot-row - reads one thread of a snapshot from the JSON tokens into a sample. */
#include "ctprof/json-read.h"
#include "ctprof/macro.h"
#include "ctprof/sample.h"
#include "ctprof/strmap.h"
#include "snapshot-reference.h"
#include "snapshot-value.h"

struct row_reader {
	struct strmap keys; /* to what the key means */
	/* By the place of a key, and one for none, the place of what came behind it the last time, plus one. */
	uint32_t *next; /* owned */
	uint32_t last;  /* place of the key read last, plus one */
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
