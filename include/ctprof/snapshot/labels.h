/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* labels - short texts by key that the user gave a snapshot, such as its arm and its block in an experiment. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

struct label {
	char *key;   /* letters, digits, '_', '-' and '.', a letter first; owned */
	char *value; /* UTF-8, may be empty; owned */
};

struct labels {
	struct label *entries; /* in the order in which they were given, each key once; owned */
	size_t count, capacity;
};

enum {
	LABELS_MAX = 32,
	LABEL_KEY_BYTES = 64,
	LABEL_VALUE_BYTES = 256,
	LABELS_JSON_BYTES = 1 << 16 /* of all of them, as JSON may spell them */
};

/* Adds a label; both texts are copied. Returns 0, or -EINVAL with a sentence about it appended to @reterr: the key or the
 * value is none, the key is there already, or there are LABELS_MAX. */
must_check_ int labels_add(struct labels *labels, const char *key, size_t key_len,
                           const char *value, size_t value_len, struct strbuf *reterr);

/* Adds the label "KEY=VALUE", as labels_add() does. */
must_check_ int labels_add_pair(struct labels *labels, const char *pair, struct strbuf *reterr);

/* Returns the value of a key, or NULL; borrowed. */
const char *labels_find(const struct labels *labels, const char *key);

/* Replaces the labels of @to, which must be empty or good, with copies. */
void labels_copy(struct labels *to, const struct labels *from);

/* Removes the labels that @other does not have with the same value. */
void labels_keep_common(struct labels *labels, const struct labels *other);

/* Appends "arm=A block=3", fit for a terminal. */
void labels_add_text(const struct labels *labels, struct strbuf *out);

/* Frees what the labels own and zeroes them. For cleanup_(labels_done). */
void labels_done(struct labels *labels);
