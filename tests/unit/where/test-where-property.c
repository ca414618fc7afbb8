// SPDX-License-Identifier: GPL-2.0-or-later
/* Random expressions against what they mean, which is worked out while they are written. */
#include "check.h"

#include <fnmatch.h>
#include <inttypes.h>

#include "random.h"
#include "where/where.h"

enum { ROUNDS = 4000, ROWS = 16, DEPTH = 4, ALL_ROWS = (1 << ROWS) - 1 };

static const char *const groups[] = {"a", "ab", "nginx", "kworker/0", "a b"};
static const char *const patterns[] = {"a*", "?", "*[xb]", "kworker/*", "a"};
static const char *const blanks[] = {" ", "  ", "\t", "\n "};

#define pick(random_, array_) ((array_)[random_below((random_), ARRAY_SIZE(array_))])

struct text_and_rows {
	struct random *random;
	struct where_row rows[ROWS];
	struct strbuf text;
};

static struct quantity random_delta(struct random *random)
{
	int64_t number = (int64_t)random_below(random, 4001) - 2000;

	if (random_chance(random, 20))
		return (struct quantity){0};
	if (random_chance(random, 20))
		return quantity_real((double)number / 2);
	return quantity_integer(random_chance(random, 50) ? number : number * 1000);
}

static void start(struct text_and_rows *all, struct random *random)
{
	static const enum metric_unit units[] = {UNIT_count, UNIT_ns, UNIT_us, UNIT_bytes};

	*all = (struct text_and_rows){.random = random};
	for (size_t i = 0; i < ROWS; i++)
		all->rows[i] = (struct where_row){
		        .group = random_chance(random, 10) ? NULL : pick(random, groups),
		        .unit = pick(random, units),
		        .numbers = {[WHERE_DELTA] = random_delta(random),
		                    [WHERE_THREADS] =
		                            quantity_integer((__int128)random_below(random, 6))},
		};
}

static void add_blank(struct text_and_rows *all)
{
	strbuf_add_str(&all->text, pick(all->random, blanks));
}

static unsigned add_text_test(struct text_and_rows *all)
{
	static const char *const signs[] = {"=", "!=", "~", "!~"};
	size_t sign = random_below(all->random, ARRAY_SIZE(signs));
	const char *value = sign < 2 ? pick(all->random, groups) : pick(all->random, patterns);
	unsigned rows = 0;

	strbuf_addf(&all->text, "group%s'%s'", signs[sign], value);
	for (size_t i = 0; i < ROWS; i++) {
		const char *group = all->rows[i].group;
		bool same = group &&
		            (sign < 2 ? strcmp(value, group) == 0 : fnmatch(value, group, 0) == 0);

		if (group && same == (sign % 2 == 0))
			rows |= 1u << i;
	}
	return rows;
}

/* Returns whether two numbers are in the order that the operator asks for. */
static bool order_fits(const char *sign, int64_t left, int64_t right)
{
	if (left == right)
		return sign[0] != '!' && strchr(sign, '=');
	return strpbrk(sign, left < right ? "<!" : ">!");
}

static unsigned add_number_test(struct text_and_rows *all)
{
	static const char *const signs[] = {"=", "==", "!=", "<", "<=", ">", ">="};
	static const char *const units[] = {"", "us", "ns", "KiB", "K"};
	static const int64_t factors[] = {1, 1000, 1, 1024, 1000};
	size_t unit = random_below(all->random, ARRAY_SIZE(units));
	const char *sign = pick(all->random, signs);
	int64_t halves = (int64_t)random_below(all->random, 17) - 8;
	bool is_abs = random_chance(all->random, 30);
	unsigned rows = 0;

	if (halves % 2 == 0 && random_chance(all->random, 50))
		halves *= 250;
	strbuf_addf(&all->text, "%s%s%s%s%" PRId64 ".%d%s", is_abs ? "abs(delta)" : "delta", sign,
	            random_chance(all->random, 50) ? " " : "", halves < 0 ? "-" : "",
	            (halves < 0 ? -halves : halves) / 2, halves % 2 ? 5 : 0, units[unit]);
	for (size_t i = 0; i < ROWS; i++) {
		const struct where_row *row = &all->rows[i];
		struct quantity delta = row->numbers[WHERE_DELTA];
		int64_t left = (int64_t)(2 * quantity_double(delta));
		int64_t right = halves * factors[unit];
		bool is_time = row->unit == UNIT_ns || row->unit == UNIT_us;

		if (delta.kind == QUANTITY_NONE || ((unit == 1 || unit == 2) && !is_time) ||
		    (unit == 3 && row->unit != UNIT_bytes))
			continue;
		if (is_abs && left < 0)
			left = -left;
		if (row->unit == UNIT_us && (unit == 1 || unit == 2))
			left *= 1000;
		if (order_fits(sign, left, right))
			rows |= 1u << i;
	}
	return rows;
}

static unsigned add_any(struct text_and_rows *all, unsigned depth);

static unsigned add_one(struct text_and_rows *all, unsigned depth)
{
	bool negated = false;
	unsigned rows;

	while (random_chance(all->random, 25)) {
		strbuf_add_str(&all->text, random_chance(all->random, 50) ? "!" : "not ");
		negated = !negated;
	}
	if (depth > 0 && random_chance(all->random, 40)) {
		strbuf_add_char(&all->text, '(');
		rows = add_any(all, depth - 1);
		strbuf_add_char(&all->text, ')');
	} else {
		rows = random_chance(all->random, 40) ? add_text_test(all) : add_number_test(all);
	}
	return negated ? ~rows & ALL_ROWS : rows;
}

static unsigned add_all(struct text_and_rows *all, unsigned depth)
{
	static const char *const words[] = {"and", "&&", "AND"};
	unsigned rows = add_one(all, depth);

	while (random_chance(all->random, 40)) {
		add_blank(all);
		strbuf_add_str(&all->text, pick(all->random, words));
		add_blank(all);
		rows &= add_one(all, depth);
	}
	return rows;
}

static unsigned add_any(struct text_and_rows *all, unsigned depth)
{
	static const char *const words[] = {"or", "||", "Or"};
	unsigned rows = add_all(all, depth);

	while (random_chance(all->random, 40)) {
		add_blank(all);
		strbuf_add_str(&all->text, pick(all->random, words));
		add_blank(all);
		rows |= add_all(all, depth);
	}
	return rows;
}

/* The rows that meet an expression. */
static unsigned rows_of(const struct text_and_rows *all, const char *text)
{
	struct where_error error = {0};
	struct where *where = where_parse(text, 2, &error);
	unsigned rows = 0;

	if (!where)
		fail_msg("%s: %s", text, strbuf_str(&error.sentence));
	for (size_t i = 0; i < ROWS; i++)
		rows |= (unsigned)where_holds(where, &all->rows[i]) << i;
	where_free(where);
	return rows;
}

static void test_expressions_mean_what_they_say(void **state)
{
	enum { SEED = 21 };
	unsigned rows_seen = 0, rows_missing = 0;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		struct text_and_rows all;
		unsigned rows;

		start(&all, &random);
		rows = add_any(&all, DEPTH);
		if (rows_of(&all, strbuf_str(&all.text)) != rows)
			fail_msg("round %u: %s", round, strbuf_str(&all.text));
		rows_seen += (unsigned)__builtin_popcount(rows);
		rows_missing += ROWS - (unsigned)__builtin_popcount(rows);
		strbuf_done(&all.text);
	}
	/* Expressions that are always false would test nothing. */
	assert_true(rows_seen > ROUNDS && rows_missing > ROUNDS);
}

/* The rows that meet FORMAT with the two expressions in it. */
static unsigned rows_with(const struct text_and_rows *all, const char *format, const char *a,
                          const char *b)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const char *names = "AB";

	for (; *format; format++)
		if (*format == names[0] || *format == names[1])
			strbuf_addf(&text, "(%s)", *format == names[0] ? a : b);
		else
			strbuf_add_char(&text, *format);
	return rows_of(all, strbuf_str(&text));
}

static void test_laws(void **state)
{
	enum { SEED = 22 };
	static const char *const laws[][2] = {
	        {"not (A and B)", "not A or not B"},
	        {"not (A or B)", "not A and not B"},
	        {"A and B", "B and A"},
	        {"A or B", "B or A"},
	        {"A", "not not A"},
	        {"A and (A or B)", "A"},
	        {"A or A and B", "A"},
	        {"(A or B) and not B", "A and not B"},
	        {"A and not B or B and not A", "(A or B) and !(A and B)"},
	};

	(void)state;
	for (unsigned round = 0; round < ROUNDS / 4; round++) {
		struct random random = random_start(SEED, round);
		cleanup_(strbuf_done) struct strbuf other = STRBUF_INIT;
		struct text_and_rows all;

		start(&all, &random);
		add_any(&all, DEPTH);
		strbuf_add(&other, strbuf_str(&all.text), all.text.len);
		strbuf_clear(&all.text);
		add_any(&all, DEPTH);
		for (size_t i = 0; i < ARRAY_SIZE(laws); i++)
			check_random(&random,
			             rows_with(&all, laws[i][0], strbuf_str(&all.text),
			                       strbuf_str(&other)) ==
			                     rows_with(&all, laws[i][1], strbuf_str(&all.text),
			                               strbuf_str(&other)));
		strbuf_done(&all.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_expressions_mean_what_they_say),
	        cmocka_unit_test(test_laws),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
