// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroup/cgroup-files.h"

#include <string.h>

#include "base/scan.h"
#include "ctprof/metric/sample.h"

enum {
	KEY_BYTES = 128,
};

static bool set_number(struct fact_value *value, struct span word)
{
	int64_t number;

	if (!scan_i64(word.text, word.len, &number))
		return false;
	fact_set_number(value, number);
	return true;
}

/* Only a nice value, which has no unit, can be below zero. */
static void set_integer(const struct cgroup_value_desc *row, struct fact_value *value,
                        struct span word)
{
	if (word.text[0] != '-' || row->unit == UNIT_none)
		(void)set_number(value, word);
}

/* Returns whether the number means "no limit" in version 1: -1 for a quota, and the largest number of whole pages for
 * memory. */
static bool is_no_limit(struct span word)
{
	enum { LARGEST_PAGE = 256 << 10 };
	int64_t number;

	return scan_i64(word.text, word.len, &number) &&
	       (number == -1 || number > INT64_MAX - LARGEST_PAGE);
}

static void set_limit(const struct cgroup_value_desc *row, struct fact_value *value,
                      struct span word)
{
	if (span_is(word, "max") || (row->version == 1 && is_no_limit(word)))
		fact_set_unlimited(value);
	else
		set_integer(row, value, word);
}

/* Splits the file into words. Returns whether there are just @count of them. */
static bool split_words(struct span text, struct span *ret_words, size_t count)
{
	struct span more;

	for (size_t i = 0; i < count; i++)
		if (!scan_word(&text, &ret_words[i]))
			return false;
	return !scan_word(&text, &more);
}

static bool find_flat(struct span text, const char *key, struct span *ret_value)
{
	struct span line, words[2];

	while (scan_line(&text, &line))
		if (split_words(line, words, 2) && span_is(words[0], key)) {
			*ret_value = words[1];
			return true;
		}
	return false;
}

/* Sums lines such as "8:0 Read 4096". A file without a device, which is "Total 0", leaves the value unseen: some kernels
 * (6.18 is one) count nothing in it as long as no cgroup has a rule for throttling, whatever is read and written. So does
 * a malformed number. */
static void set_devices(struct span text, const char *key, struct fact_value *value)
{
	struct span line, words[3];
	uint64_t sum = 0, number;
	bool is_counted = false;

	while (scan_line(&text, &line)) {
		if (!split_words(line, words, 3) || !span_is(words[1], key))
			continue;
		if (!scan_u64(words[2].text, words[2].len, &number) ||
		    __builtin_add_overflow(sum, number, &sum) || sum > INT64_MAX)
			return;
		is_counted = true;
	}
	if (is_counted)
		fact_set_number(value, (int64_t)sum);
}

static void set_cpus(struct fact_value *value, struct span word)
{
	cleanup_(strbuf_done) struct strbuf list = STRBUF_INIT;
	struct cpu_mask mask;

	if (!cpu_mask_parse(&mask, word.text, word.len))
		return;
	cpu_mask_format(&mask, &list);
	fact_set_text(value, strbuf_str(&list), list.len);
}

static void set_value(const struct cgroup_value_desc *row, struct fact_value *value,
                      struct span text)
{
	struct span words[2];
	bool one = split_words(text, words, 1);

	switch (row->form) {
	case FORM_NUMBER:
	case FORM_PLACE:
		if (one)
			set_integer(row, value, words[0]);
		break;
	case FORM_LIMIT:
		if (one)
			set_limit(row, value, words[0]);
		break;
	case FORM_FIELD_LIMIT:
		if (split_words(text, words, 2))
			set_limit(row, value, words[0]);
		break;
	case FORM_FIELD:
		if (split_words(text, words, 2))
			set_integer(row, value, words[1]);
		break;
	case FORM_FLAT:
		if (find_flat(text, row->file_key, &words[0]))
			set_integer(row, value, words[0]);
		break;
	case FORM_DEVICES:
		set_devices(text, row->file_key, value);
		break;
	case FORM_CPUS:
		if (one)
			set_cpus(value, words[0]);
		break;
	case FORM_TEXT:
		if (text.len > 0 && !memchr(text.text, '\0', text.len)) {
			size_t end = text.text[text.len - 1] == '\n' ? text.len - 1 : text.len;

			fact_set_text(value, text.text, end);
		}
		break;
	}
}

void cgroup_file_parse(const char *file, const char *text, size_t len, struct cgroup_stats *stats)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct cgroup_value_desc *row = &cgroup_value_table[i];

		if ((row->version == 1) == stats->is_v1 && strcmp(row->file, file) == 0)
			set_value(row, &stats->values[i], (struct span){text, len});
	}
}

/* Returns whether the key can be a name in snapshots and tables; the kernel's keys are printable ASCII. */
static bool is_plain(struct span word)
{
	for (size_t i = 0; i < word.len; i++)
		if (word.text[i] <= ' ' || word.text[i] > '~')
			return false;
	return word.len > 0 && word.len <= KEY_BYTES;
}

static void set_key(struct keyed_values *list, const char *key, size_t key_len, struct span number)
{
	uint64_t value;

	if (list->count < KEYED_VALUES_MAX && scan_u64(number.text, number.len, &value))
		keyed_values_set(list, key, key_len, value);
}

static void parse_flat(struct span line, struct keyed_values *list)
{
	struct span words[2];

	if (split_words(line, words, 2) && is_plain(words[0]))
		set_key(list, words[0].text, words[0].len, words[1]);
}

/* Returns whether the word is a device such as "8:0". Several devices may be called "(unknown)", which names none. */
static bool is_device(struct span word)
{
	struct span major, minor;
	uint64_t number;

	return scan_pair(word, &major, &minor) && scan_u64(major.text, major.len, &number) &&
	       scan_u64(minor.text, minor.len, &number) && word.len <= KEY_BYTES;
}

/* Parses "8:0 rbytes=1 wbytes=2". Some kernels (5.15 is one) print a device without values, and no newline behind it
 * ("253:0 8:0 rbytes=1"), so a word without '=' is a device in any place. */
static void parse_nested(struct span line, struct keyed_values *list)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;
	struct span word, device = {0};

	while (scan_word(&line, &word)) {
		const char *equals = memchr(word.text, '=', word.len);
		struct span name = word;

		if (!equals) {
			device = is_device(word) ? word : (struct span){0};
			continue;
		}
		name.len = (size_t)(equals - word.text);
		if (device.len == 0 || !is_plain(name))
			continue;
		strbuf_clear(&key);
		strbuf_add(&key, device.text, device.len);
		strbuf_add_char(&key, ' ');
		strbuf_add(&key, name.text, name.len);
		set_key(list, strbuf_str(&key), key.len,
		        (struct span){equals + 1, word.len - name.len - 1});
	}
}

void cgroup_list_parse(enum cgroup_list_id list, const char *text, size_t len,
                       struct cgroup_stats *stats)
{
	struct span rest = {text, len}, line;

	stats->has_list[list] = true;
	while (scan_line(&rest, &line))
		if (list == CGROUP_LIST_io_stat)
			parse_nested(line, &stats->lists[list]);
		else
			parse_flat(line, &stats->lists[list]);
	/* A part of a list would look like the whole. */
	if (stats->lists[list].count == KEYED_VALUES_MAX) {
		keyed_values_clear(&stats->lists[list]);
		stats->has_list[list] = false;
	}
}
