// SPDX-License-Identifier: GPL-2.0-or-later
/* where: any bytes are an expression or are refused with a place in them, and an expression, its negation and the
 * expression in parentheses agree. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "fuzz.h"
#include "where/where.h"

static const struct where_row rows[] = {
        {0},
        {
                .group = "nginx: worker {N}",
                .metric = "run_time_ns",
                .section = "primary",
                .unit = UNIT_ns,
                .numbers = {[WHERE_DELTA] = {QUANTITY_INTEGER, -12000000, 0},
                            [WHERE_VALUE] = {QUANTITY_INTEGER, UINT64_MAX, 0},
                            [WHERE_PERCENT] = {QUANTITY_REAL, 0, -33.3},
                            [WHERE_IMPACT] = {QUANTITY_REAL, 0, 0.05},
                            [WHERE_THREADS] = {QUANTITY_INTEGER, 8, 0},
                            [WHERE_SEEN] = {QUANTITY_INTEGER, 7, 0},
                            [WHERE_SEEN_SHARE] = {QUANTITY_REAL, 0, 0.875}},
        },
        {
                .group = "/a]b[c.service",
                .metric = "io_some_avg10",
                .section = "pressure",
                .unit = UNIT_percent_hundredths,
                .numbers = {[WHERE_DELTA] = {QUANTITY_REAL, 0, 0.5},
                            [WHERE_BASELINE] = {QUANTITY_INTEGER, 0, 0},
                            [WHERE_VALUE] = {QUANTITY_INTEGER, 500, 0}},
        },
        {
                .group = "host",
                .metric = "cpu_some_total",
                .section = "host-pressure",
                .unit = UNIT_us,
                .numbers = {[WHERE_DELTA] = {QUANTITY_INTEGER, UINT64_MAX, 0},
                            [WHERE_VALUE] = {QUANTITY_INTEGER, 1, 0}},
        },
};

static void check_refusal(const char *text, const struct where_error *error)
{
	struct strbuf out = STRBUF_INIT;
	size_t lines = 0;
	uint32_t c;

	require(error->offset <= strlen(text), "the place is in the text");
	require(error->len <= strlen(text) - error->offset, "the word is in the text");
	require(error->sentence.len > 0, "a reason");
	where_add_error(text, error, &out);
	for (size_t pos = 0, step; pos < out.len; pos += step) {
		step = text_decode(out.data + pos, out.len - pos, &c);
		require(step > 0 && (c == '\n' || text_is_harmless(c)), "safe to print");
		lines += c == '\n';
	}
	require(lines == 2, "three lines");
	strbuf_done(&out);
}

/* The same expression inside of others, where there is room for it. */
static void check_wrapped(const struct where *where, const char *text, unsigned sides)
{
	struct strbuf wrapped = STRBUF_INIT;
	struct where_error error = {0};
	struct where *other;
	size_t open = 0;

	for (const char *p = text; *p; p++)
		open += *p == '(';
	strbuf_addf(&wrapped, "NOT((\n%s))and!(%s)", text, text);
	other = where_parse(strbuf_str(&wrapped), sides, &error);
	require(other || strlen(text) > WHERE_BYTES_MAX / 4 || open > WHERE_DEPTH_MAX - 2,
	        "an expression in parentheses is one");
	for (size_t i = 0; other && i < sizeof(rows) / sizeof(rows[0]); i++)
		require(where_holds(other, &rows[i]) != where_holds(where, &rows[i]),
		        "either it holds or its negation does");
	where_free(other);
	where_error_done(&error);
	strbuf_done(&wrapped);
}

static void check(const char *text, unsigned sides)
{
	struct where_error error = {0};
	struct where *where = where_parse(text, sides, &error);

	if (where) {
		require(error.sentence.len == 0, "no reason where nothing was refused");
		check_wrapped(where, text, sides);
	} else {
		check_refusal(text, &error);
	}
	where_free(where);
	where_error_done(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_copy(size > 0 ? (const char *)data : "", size);

	check(text, 1);
	check(text, 2);
	free(text);
	return 0;
}
