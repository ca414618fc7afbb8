// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/duration.h"
#include "base/mem.h"
#include "base/scan.h"
#include "trigger/trigger.h"

#define WINDOW_MIN_NS (500 * NS_PER_MS)
#define WINDOW_MAX_NS (10 * NS_PER_SECOND)

enum {
	TEXT_BYTES_MAX = 200, /* of a label */
	WORD_BYTES = 32,
};

/* Appends the sentence, which is not safe to print: that is for the caller. */
static int refuse(struct strbuf *reterr, const char *text, const char *why)
{
	strbuf_addf(reterr, "'%s' %s", text, why);
	return -EINVAL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Removes the last word of the text, which is copied. Returns false if there is none, or if it is too long. */
static bool take_last_word(struct span *text, char ret_word[WORD_BYTES])
{
	size_t end, begin;

	while (text->len > 0 && is_blank(text->text[text->len - 1]))
		text->len--;
	end = begin = text->len;
	while (begin > 0 && !is_blank(text->text[begin - 1]))
		begin--;
	if (begin == end || end - begin >= WORD_BYTES)
		return false;
	memcpy(ret_word, text->text + begin, end - begin);
	ret_word[end - begin] = '\0';
	text->len = begin;
	return true;
}

static bool find_name(const char *const names[], unsigned count, const char *word, unsigned *ret)
{
	for (unsigned i = 0; i < count; i++)
		if (strcmp(names[i], word) == 0) {
			*ret = i;
			return true;
		}
	return false;
}

static int parse_window(char *word, struct trigger *ret, struct strbuf *reterr)
{
	uint64_t stall_ns, window_ns;
	char *slash = strchr(word, '/');

	if (slash)
		*slash = '\0';
	if (!slash || !duration_parse(word, &stall_ns) || !duration_parse(slash + 1, &window_ns))
		return refuse(reterr, ret->text,
		              "ends with no time in a window of time, such as 150ms/1s");
	if (window_ns < WINDOW_MIN_NS || window_ns > WINDOW_MAX_NS)
		return refuse(reterr, ret->text,
		              "has a window that the kernel refuses: it is from 500ms to 10s");
	if (stall_ns < NS_PER_US || stall_ns > window_ns)
		return refuse(reterr, ret->text,
		              "can never be: the time is above 0, and not above its window");
	ret->stall_usec = stall_ns / NS_PER_US;
	ret->window_usec = window_ns / NS_PER_US;
	return 0;
}

static int parse_cgroup(struct span rest, struct trigger *ret, struct strbuf *reterr)
{
	static const char prefix[] = "cgroup:";
	size_t len = sizeof(prefix) - 1;

	while (rest.len > 0 && is_blank(rest.text[0])) {
		rest.text++;
		rest.len--;
	}
	while (rest.len > 0 && is_blank(rest.text[rest.len - 1]))
		rest.len--;
	if (rest.len == 0)
		return 0;
	if (rest.len <= len || memcmp(rest.text, prefix, len) != 0 || rest.text[len] != '/')
		return refuse(reterr, ret->text,
		              "has more than 'psi cpu some 150ms/1s': a cgroup is "
		              "cgroup:/PATH, in front of the resource");
	ret->cgroup = mem_copy(rest.text + len, rest.len - len);
	return 0;
}

/* "cpu some 150ms/1s", the words from the end on, since the path of a cgroup may have blanks. */
static int parse_psi(struct span rest, struct trigger *ret, struct strbuf *reterr)
{
	char window[WORD_BYTES], row[WORD_BYTES], resource[WORD_BYTES];
	unsigned row_id, resource_id;
	int r;

	if (!take_last_word(&rest, window) || !take_last_word(&rest, row) ||
	    !take_last_word(&rest, resource) ||
	    !find_name(psi_row_names, PSI_ROW_COUNT, row, &row_id) ||
	    !find_name(psi_resource_names, PSI_RESOURCE_COUNT, resource, &resource_id))
		return refuse(reterr, ret->text,
		              "is no pressure such as 'psi cpu some 150ms/1s': cpu, memory, io or "
		              "irq, and some or full");
	ret->row = (enum psi_row)row_id;
	ret->resource = (enum psi_resource)resource_id;
	r = parse_window(window, ret, reterr);
	if (r == 0)
		r = parse_cgroup(rest, ret, reterr);
	if (r == 0 && !ret->cgroup && ret->resource == PSI_cpu && ret->row == PSI_ROW_full)
		return refuse(reterr, ret->text,
		              "can never be: all threads of the host cannot wait for a CPU at "
		              "once; 'cpu some' is meant, or a cgroup");
	if (r == 0 && ret->resource == PSI_irq && ret->row == PSI_ROW_some)
		return refuse(reterr, ret->text, "can never be: the kernel has 'irq full' alone");
	return r;
}

static int parse_load(const char *at, struct trigger *ret, struct strbuf *reterr)
{
	char *end = NULL;

	while (is_blank(*at))
		at++;
	if (*at++ != '>')
		return refuse(reterr, ret->text, "is no load such as 'load > 4'");
	while (is_blank(*at))
		at++;
	ret->load = *at >= '0' && *at <= '9' ? strtod(at, &end) : NAN;
	if (!isfinite(ret->load) || !end || *end != '\0')
		return refuse(reterr, ret->text, "has no number, as 'load > 4' has");
	return 0;
}

int trigger_parse(const char *text, struct trigger *ret, struct strbuf *reterr)
{
	size_t len = strlen(text);

	*ret = (struct trigger){.fd = -1, .text = mem_copy(text, len)};
	if (len > TEXT_BYTES_MAX)
		return refuse(reterr, text, "is too long");
	if (strncmp(text, "psi", 3) == 0 && is_blank(text[3])) {
		ret->kind = TRIGGER_PSI;
		return parse_psi((struct span){text + 4, len - 4}, ret, reterr);
	}
	if (strncmp(text, "load", 4) == 0) {
		ret->kind = TRIGGER_LOAD;
		return parse_load(text + 4, ret, reterr);
	}
	return refuse(reterr, text, "is neither 'psi cpu some 150ms/1s' nor 'load > 4'");
}
