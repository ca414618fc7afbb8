// SPDX-License-Identifier: GPL-2.0-or-later
#include "knob-value.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/scan.h"

static const char negation[] = "NO_";

static struct span span_of(const char *text)
{
	return (struct span){text, strlen(text)};
}

static size_t count_words(struct span text)
{
	struct span word;
	size_t count = 0;

	while (scan_word(&text, &word))
		count++;
	return count;
}

static bool is_in_brackets(struct span word)
{
	return word.len > 2 && ((word.text[0] == '[' && word.text[word.len - 1] == ']') ||
	                        (word.text[0] == '(' && word.text[word.len - 1] == ')'));
}

/* Finds the only word in brackets of a file of one line. */
static bool find_choice(struct span text, struct span *ret)
{
	struct span line, word;
	unsigned found = 0;

	if (!scan_line(&text, &line) || count_words(text) > 0)
		return false;
	while (scan_word(&line, &word))
		if (is_in_brackets(word)) {
			*ret = (struct span){word.text + 1, word.len - 2};
			found++;
		}
	return found == 1;
}

/* Returns whether two words are one flag: "TTWU" and "NO_TTWU". */
static bool is_opposite(struct span a, struct span b)
{
	struct span longer = a.len > b.len ? a : b, shorter = a.len > b.len ? b : a;
	const size_t prefix = sizeof(negation) - 1;

	return longer.len == shorter.len + prefix && memcmp(longer.text, negation, prefix) == 0 &&
	       memcmp(longer.text + prefix, shorter.text, shorter.len) == 0;
}

/* Finds the flag, as it is now. */
static bool find_flag(struct span text, const char *value, struct span *ret)
{
	struct span wanted = span_of(value), word;
	bool found = false;

	while (scan_word(&text, &word))
		if (span_equal(word, wanted) || is_opposite(word, wanted)) {
			*ret = word;
			found = true;
		}
	return found;
}

enum value_form value_form_of(const char *text, size_t len, const char *value)
{
	struct span content = {text, len}, found;

	if (find_choice(content, &found))
		return VALUE_CHOICE;
	/* A file with a single word is no list of flags. */
	if (count_words(content) > 1 && count_words(span_of(value)) == 1 &&
	    find_flag(content, value, &found) &&
	    (strncmp(value, negation, sizeof(negation) - 1) == 0 ||
	     (found.len > 0 && memmem(text, len, negation, sizeof(negation) - 1))))
		return VALUE_FLAG;
	return VALUE_PLAIN;
}

void value_add_old(enum value_form form, const char *text, size_t len, const char *value,
                   struct strbuf *out)
{
	struct span content = {text, len}, found;

	if ((form == VALUE_CHOICE && find_choice(content, &found)) ||
	    (form == VALUE_FLAG && find_flag(content, value, &found)))
		strbuf_add(out, found.text, found.len);
	else
		strbuf_add(out, text, len);
}

/* A number as the kernel's parsers take it (kstrtoull() with base 0, memparse()), as 64 bits. */
static bool parse_number(struct span word, uint64_t *ret)
{
	static const char suffixes[] = "KMGT";
	char text[64], *end;
	const char *suffix;
	uint64_t number;

	if (word.len == 0 || word.len >= sizeof(text))
		return false;
	memcpy(text, word.text, word.len);
	text[word.len] = '\0';
	if (text[strspn(text, "+-")] < '0' || text[strspn(text, "+-")] > '9')
		return false;
	number = strtoull(text, &end, 0);
	suffix = *end ? strchr(suffixes, *end & ~0x20) : NULL;
	if (suffix && end[1] == '\0') {
		number <<= 10 * (suffix - suffixes + 1);
		end++;
	}
	*ret = number;
	return *end == '\0';
}

static bool is_same_number(struct span have, struct span want)
{
	uint64_t a, b;

	return parse_number(have, &a) && parse_number(want, &b) && a == b;
}

/* bool parameters of modules print Y and N. */
static bool is_same_bool(struct span have, struct span want)
{
	static const char *const words[2][5] = {{"0", "N", "n", "off", "no"},
	                                        {"1", "Y", "y", "on", "yes"}};
	int state = span_is(have, "Y") ? 1 : span_is(have, "N") ? 0 : -1;

	for (size_t i = 0; state >= 0 && i < sizeof(words[0]) / sizeof(words[0][0]); i++)
		if (span_is(want, words[state][i]))
			return true;
	return false;
}

enum { CPUS_MAX = 8192 };

static bool read_id(struct span *rest, unsigned *ret)
{
	size_t len = 0;
	uint64_t id;

	while (len < rest->len && rest->text[len] >= '0' && rest->text[len] <= '9')
		len++;
	if (!scan_u64(rest->text, len, &id) || id >= CPUS_MAX)
		return false;
	*rest = (struct span){rest->text + len, rest->len - len};
	*ret = (unsigned)id;
	return true;
}

static bool parse_list(struct span rest, unsigned char *members)
{
	memset(members, 0, CPUS_MAX);
	for (;;) {
		unsigned first, last;

		if (!read_id(&rest, &first))
			return false;
		last = first;
		if (rest.len > 0 && rest.text[0] == '-') {
			rest = (struct span){rest.text + 1, rest.len - 1};
			if (!read_id(&rest, &last) || last < first)
				return false;
		}
		memset(members + first, 1, last - first + 1);
		if (rest.len == 0)
			return true;
		if (rest.text[0] != ',')
			return false;
		rest = (struct span){rest.text + 1, rest.len - 1};
	}
}

static bool is_same_list(struct span have, struct span want)
{
	unsigned char a[CPUS_MAX], b[CPUS_MAX];

	return parse_list(have, a) && parse_list(want, b) && memcmp(a, b, CPUS_MAX) == 0;
}

/* The next hexadecimal digit of a mask, of which commas and leading zeros do not count; -1 at its end, -2 for another character. */
static int next_digit(struct span *mask, bool *begun)
{
	while (mask->len > 0) {
		char c = mask->text[0];

		*mask = (struct span){mask->text + 1, mask->len - 1};
		if (c == ',' || (c == '0' && !*begun))
			continue;
		*begun = true;
		if (c >= '0' && c <= '9')
			return c - '0';
		c |= 0x20;
		return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -2;
	}
	return -1;
}

/* Only masks are printed with leading zeros: "00000000,000000ff". */
static bool is_same_mask(struct span have, struct span want)
{
	bool have_begun = false, want_begun = false;
	int a, b;

	if (have.len < 2 || have.text[0] != '0' || want.len == 0)
		return false;
	if (want.len > 2 && want.text[0] == '0' && (want.text[1] | 0x20) == 'x')
		want = (struct span){want.text + 2, want.len - 2};
	do {
		a = next_digit(&have, &have_begun);
		b = next_digit(&want, &want_begun);
	} while (a == b && a >= 0);
	return a == b && a == -1;
}

static bool is_same_word(struct span have, struct span want)
{
	return span_equal(have, want) || is_same_number(have, want) || is_same_bool(have, want) ||
	       is_same_list(have, want) || is_same_mask(have, want);
}

/* Returns whether the words of @want are the first ones of the line. */
static bool begins_line(struct span line, struct span want)
{
	struct span have_word, want_word;

	while (scan_word(&want, &want_word))
		if (!scan_word(&line, &have_word) || !is_same_word(have_word, want_word))
			return false;
	return true;
}

static bool holds_plain(struct span content, struct span want)
{
	struct span line;

	if (count_words(want) == 0)
		return count_words(content) == 0;
	while (scan_line(&content, &line))
		if (begins_line(line, want))
			return true;
	return false;
}

bool value_holds(enum value_form form, const char *text, size_t len, const char *value)
{
	struct span content = {text, len}, want = span_of(value), found, word;

	switch (form) {
	case VALUE_CHOICE:
		return scan_word(&want, &word) && find_choice(content, &found) &&
		       span_equal(found, word);
	case VALUE_FLAG:
		return scan_word(&want, &word) && find_flag(content, value, &found) &&
		       span_equal(found, word);
	case VALUE_PLAIN:
	case VALUE_FORM_COUNT:
		break;
	}
	return holds_plain(content, want);
}
