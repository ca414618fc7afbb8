/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* knob-value - compares values with the content of a file, which differs from the text that was written. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/strbuf.h"

/* The effect that a file gives to a value that is written to it. */
enum value_form {
	VALUE_PLAIN, /* it becomes the content */
	VALUE_CHOICE, /* it is selected among others: "always [madvise] never", "none (voluntary) full" */
	VALUE_FLAG, /* it turns one word of many round: "GENTLE NO_TTWU" of the scheduler's features */
	VALUE_FORM_COUNT,
};

/* Returns the form of a file with this content, for @value. */
enum value_form value_form_of(const char *text, size_t len, const char *value);

/* Appends the text that restores this content when it is written: for a flag, the state of the flag in @value. */
void value_add_old(enum value_form form, const char *text, size_t len, const char *value,
                   struct strbuf *out);

/* Returns whether @value holds in a file with this content. Compares words: numbers by their values, also in hexadecimal and with K, M, G
 * or T; 1 and 0 with Y and N; lists of CPUs and masks by their members. A file may have more words behind those of @value,
 * as cpu.max has its period, and more lines. */
bool value_holds(enum value_form form, const char *text, size_t len, const char *value);
