// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/wait.h"

#include <string.h>

#include "base/scan.h"
#include "ctprof/metric/sample.h"

/* Symbols have no other characters than these, but compilers add what they like. */
static bool is_symbol(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return len > 0 && len <= SAMPLE_WAIT_BYTES;
}

enum source_outcome wchan_parse(const char *text, size_t len, struct strbuf *out)
{
	if (len > 0 && text[len - 1] == '\n')
		len--;
	if (!is_symbol(text, len))
		return OUTCOME_malformed;
	if (len != 1 || text[0] != '0')
		strbuf_add(out, text, len);
	return OUTCOME_read;
}

/* Parses "0x7ffd". */
static bool scan_hex(struct span word, uint64_t *ret)
{
	uint64_t value = 0;

	if (word.len < 3 || word.len > 18 || word.text[0] != '0' || word.text[1] != 'x')
		return false;
	for (size_t i = 2; i < word.len; i++) {
		char c = word.text[i];
		bool is_digit = c >= '0' && c <= '9';

		if (!is_digit && (c < 'a' || c > 'f'))
			return false;
		value = value << 4 | (uint64_t)(is_digit ? c - '0' : c - 'a' + 10);
	}
	*ret = value;
	return true;
}

enum source_outcome syscall_parse(const char *text, size_t len, struct syscall_number *ret)
{
	enum { ARGUMENTS = 6, STACK = ARGUMENTS, PLACE, VALUES };
	struct span rest = {text, len}, word;
	uint64_t number, values[VALUES];
	size_t count = 0;

	*ret = (struct syscall_number){0};
	if (!scan_word(&rest, &word))
		return OUTCOME_malformed;
	if (span_is(word, "running"))
		return OUTCOME_read;
	if (span_is(word, "-1"))
		return scan_word(&rest, &word) ? OUTCOME_read : OUTCOME_malformed;
	if (!scan_u64(word.text, word.len, &number) || number > UINT32_MAX)
		return OUTCOME_malformed;
	for (; count < VALUES && scan_word(&rest, &word); count++)
		if (!scan_hex(word, &values[count]))
			return OUTCOME_malformed;
	if (count != VALUES)
		return OUTCOME_malformed;
	/* A thread of user space has a stack and a place in its program. */
	ret->has_number = values[STACK] != 0 || values[PLACE] != 0;
	ret->is_narrow = values[STACK] <= UINT32_MAX && values[PLACE] <= UINT32_MAX;
	ret->number = (uint32_t)number;
	return OUTCOME_read;
}
