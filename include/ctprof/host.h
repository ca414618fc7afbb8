/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* host - what a snapshot says about the machine it was taken on; the fields are registry/host.def's. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum host_field {
#define HOST_TEXT(id_, text_) HOST_##id_,
#define HOST_NUMBER(id_, text_) HOST_##id_,
#include "host.def"
#undef HOST_TEXT
#undef HOST_NUMBER
	HOST_FIELD_COUNT,
};

struct host_field_desc {
	const char *name;
	const char *description;
	bool is_number;
};
extern const struct host_field_desc host_field_table[HOST_FIELD_COUNT];

struct host {
	bool seen[HOST_FIELD_COUNT];
	char *texts[HOST_FIELD_COUNT]; /* owned; raw bytes */
	uint64_t numbers[HOST_FIELD_COUNT];
};

/* Stores a field; a text is copied. */
void host_set_text(struct host *host, enum host_field field, const char *text, size_t len);
void host_set_number(struct host *host, enum host_field field, uint64_t number);

/* A text field, or NULL where it was not read; borrowed. */
const char *host_text(const struct host *host, enum host_field field);

/* For cleanup_(host_done). @host may be zeroed. */
void host_done(struct host *host);
