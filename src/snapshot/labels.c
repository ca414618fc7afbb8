// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/snapshot/labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/text.h"

static bool is_key(const char *key, size_t len)
{
	if (len == 0 || len > LABEL_KEY_BYTES || !char_is_letter(key[0]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!char_is_letter(key[i]) && !char_is_digit(key[i]) &&
		    !memchr("_-.", key[i], strlen("_-.")))
			return false;
	return true;
}

/* A text of the user, or of a file; much of it would be no message. */
static void add_quoted(const char *text, size_t len, struct strbuf *reterr)
{
	size_t shown = len > LABEL_KEY_BYTES ? LABEL_KEY_BYTES : len;

	strbuf_add_char(reterr, '\'');
	text_add_escaped(reterr, text, shown);
	strbuf_add_str(reterr, shown < len ? "...'" : "'");
}

static int refuse(const char *key, size_t key_len, const char *reason, struct strbuf *reterr)
{
	add_quoted(key, key_len, reterr);
	strbuf_add_str(reterr, reason);
	return -EINVAL;
}

static const struct label *find(const struct labels *labels, const char *key, size_t len)
{
	for (size_t i = 0; i < labels->count; i++)
		if (strlen(labels->entries[i].key) == len &&
		    memcmp(labels->entries[i].key, key, len) == 0)
			return &labels->entries[i];
	return NULL;
}

int labels_add(struct labels *labels, const char *key, size_t key_len, const char *value,
               size_t value_len, struct strbuf *reterr)
{
	if (!is_key(key, key_len))
		return refuse(key, key_len,
		              " is no key of a label: it has letters, digits, '_', '-' and '.', at "
		              "most 64, and a letter first",
		              reterr);
	if (value_len > LABEL_VALUE_BYTES)
		return refuse(key, key_len, ": the value of a label has at most 256 bytes", reterr);
	if (!text_is_utf8(value, value_len) || memchr(value, '\0', value_len))
		return refuse(key, key_len, ": the value of a label is UTF-8", reterr);
	if (find(labels, key, key_len))
		return refuse(key, key_len, " is the key of two labels", reterr);
	if (labels->count == LABELS_MAX)
		return refuse(key, key_len, ": a snapshot has at most 32 labels", reterr);
	*array_add(labels->entries, labels->count, labels->capacity) = (struct label){
	        .key = mem_copy(key, key_len),
	        .value = mem_copy(value, value_len),
	};
	return 0;
}

int labels_add_pair(struct labels *labels, const char *pair, struct strbuf *reterr)
{
	const char *equals = strchr(pair, '=');

	if (!equals)
		return refuse(pair, strlen(pair), " is not KEY=VALUE", reterr);
	return labels_add(labels, pair, (size_t)(equals - pair), equals + 1, strlen(equals + 1),
	                  reterr);
}

const char *labels_find(const struct labels *labels, const char *key)
{
	const struct label *label = find(labels, key, strlen(key));

	return label ? label->value : NULL;
}

static void label_done(struct label *label)
{
	free(label->key);
	free(label->value);
}

void labels_copy(struct labels *to, const struct labels *from)
{
	labels_done(to);
	for (size_t i = 0; i < from->count; i++) {
		const struct label *label = &from->entries[i];

		*array_add(to->entries, to->count, to->capacity) = (struct label){
		        .key = mem_copy_text(label->key),
		        .value = mem_copy_text(label->value),
		};
	}
}

void labels_keep_common(struct labels *labels, const struct labels *other)
{
	size_t kept = 0;

	for (size_t i = 0; i < labels->count; i++) {
		const char *value = labels_find(other, labels->entries[i].key);

		if (value && strcmp(value, labels->entries[i].value) == 0)
			labels->entries[kept++] = labels->entries[i];
		else
			label_done(&labels->entries[i]);
	}
	labels->count = kept;
}

void labels_add_text(const struct labels *labels, struct strbuf *out)
{
	for (size_t i = 0; i < labels->count; i++) {
		const struct label *label = &labels->entries[i];

		strbuf_addf(out, "%s%s=", i > 0 ? " " : "", label->key);
		text_add_escaped(out, label->value, strlen(label->value));
	}
}

void labels_done(struct labels *labels)
{
	for (size_t i = 0; i < labels->count; i++)
		label_done(&labels->entries[i]);
	free(labels->entries);
	*labels = (struct labels){0};
}
