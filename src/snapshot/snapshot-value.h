/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot-value - the parts that threads, cgroups and the host's pressure share in a snapshot: names of raw bytes,
 * lists of numbers by key, pressure. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/keyed-values.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/psi.h"
#include "json/json-read.h"
#include "json/json-write.h"

/* Longer lists and keys are not written, and a reader refuses them. */
#define SNAPSHOT_LIST_KEYS KEYED_VALUES_MAX
#define SNAPSHOT_KEY_BYTES 256 /* of one key of a list */

/* Returns whether a JSON string can hold these bytes. */
bool name_is_readable(const char *bytes, size_t len);

/* Appends valid UTF-8 without NULs: each byte that has no place in it becomes U+FFFD. */
void name_add_readable(struct strbuf *out, const char *bytes, size_t len);

/* Returns whether a text can be the readable form of @bytes_max bytes: each that is not UTF-8 became U+FFFD, which has
 * three. */
bool name_fits(const char *text, size_t len, size_t bytes_max);

/* Appends two hexadecimal digits for each byte. */
void name_add_hex(struct strbuf *out, const char *bytes, size_t len);

/* Writes an object of the first SNAPSHOT_LIST_KEYS values. @scratch is the caller's, and overwritten. */
void values_write(struct json_writer *out, const struct keyed_values *values,
                  struct strbuf *scratch);

/* Writes an object of the lines that were seen. */
void psi_write(struct json_writer *out, const struct psi *psi);

struct value_reader {
	struct json_reader *json; /* borrowed */
	struct strbuf place;      /* of the value being read, for messages */
	struct strbuf key;        /* the last key */
	struct strbuf bytes;      /* scratch */
	struct strbuf reason;     /* why something was refused; else empty */
	bool is_own;              /* "format" was read: a cgroup has no nulls of ktstr ctprof */
	struct strbuf
	        own_reason; /* the first fault of the file as one of ours, but not as one of ktstr ctprof */
	uint64_t nulls; /* of the cgroup being read: a bit for each enum cgroup_value_id */
};

void value_reader_done(struct value_reader *reader);

/* Refuses the value of @key, or the one at the place itself if @key is NULL: "place.key: expected was expected".
 * Returns -EBADMSG. */
int value_refuse(struct value_reader *reader, const char *key, const char *expected);

/* Moves to the next value, which must start an object; @key is for the message, as above. Returns 0 or a negative
 * errno, with a sentence in reason if the value and not the JSON is at fault. The following functions do the same. */
must_check_ int value_open(struct value_reader *reader, const char *key);

/* Does the same, and names the object in the place; value_leave() cuts it to @place_len bytes again. */
must_check_ int value_enter(struct value_reader *reader, const char *key);
void value_leave(struct value_reader *reader, size_t place_len);

/* Inside an object: moves to the next key and copies it to reader->key. Returns 1, 0 at the end of the object, or -errno. */
must_check_ int value_next_key(struct value_reader *reader);

/* Inside an object, behind a key: reads an integer from 0 on. */
must_check_ int value_u64(struct value_reader *reader, uint64_t *ret);

/* Reads the current token, which must be a string of hexadecimal digits; replaces @ret by the bytes, @bytes_max at
 * most. */
must_check_ int value_hex(struct value_reader *reader, enum json_token token, const char *key,
                          size_t bytes_max, struct strbuf *ret);

/* Refuses a name or path that is longer than SAMPLE_COMM_BYTES or SAMPLE_PATH_BYTES. */
int value_refuse_length(struct value_reader *reader, const char *key, size_t bytes_max);

/* Stores the number behind reader->key in a list. Returns -E2BIG if the list or the key is too long. */
must_check_ int value_into(struct value_reader *reader, struct keyed_values *values,
                           uint64_t value);

/* Reads the object whose OBJECT_OPEN is the current token: integers by key, which it adds to @values. */
must_check_ int value_list(struct value_reader *reader, struct keyed_values *values);

/* Reads the object whose OBJECT_OPEN is the current token. A line that lacks one of its numbers stays unseen. */
must_check_ int value_psi(struct value_reader *reader, struct psi *psi);
