// SPDX-License-Identifier: GPL-2.0-or-later
#include "runs/run-where.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/text.h"

enum { DEPTH_MAX = 64, BYTES_MAX = 64 * 1024 };

enum op { OP_EQUAL, OP_DIFFERENT, OP_LIKE, OP_UNLIKE, OP_BELOW, OP_AT_MOST, OP_ABOVE, OP_AT_LEAST };

enum node_kind { NODE_TEST, NODE_ALL, NODE_ANY };

struct run_where {
	enum node_kind kind;
	bool negated;
	struct run_where *first; /* operands of ALL and ANY; owned */
	struct run_where *next;  /* of the same node; owned */
	char *field, *text;      /* of a test; owned */
	enum op op;
	double number; /* the text as a number, or NaN */
};

struct parsing {
	const char *at;
	unsigned depth;
	struct strbuf *error;
};

static const struct {
	const char *name;
	double factor;
} units[] = {
        {"", 1},       {"ns", 1e-9},     {"us", 1e-6},        {"ms", 1e-3},
        {"s", 1},      {"min", 60},      {"h", 3600},         {"B", 1},
        {"kB", 1e3},   {"MB", 1e6},      {"GB", 1e6 * 1e3},   {"TB", 1e12},
        {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776},
        {"K", 1e3},    {"M", 1e6},       {"G", 1e6 * 1e3},    {"%", 1},
};

/* Returns the number that a text is, with the factor of its unit, or NaN. */
static double number_of(const char *text, bool with_unit)
{
	double number;
	char *end;

	/* strtod(3) also reads words and hexadecimal numbers. */
	if (strspn(text, "0123456789+-.") == 0 || strpbrk(text, "xX"))
		return NAN;
	number = strtod(text, &end);
	if (end == text || !isfinite(number))
		return NAN;
	for (size_t i = 0; i < (with_unit ? ARRAY_SIZE(units) : 1); i++)
		if (strcmp(end, units[i].name) == 0)
			return number * units[i].factor;
	return NAN;
}

void run_where_freep(struct run_where **where)
{
	struct run_where *node = *where;

	while (node) {
		struct run_where *next = node->next;

		run_where_freep(&node->first);
		free(node->field);
		free(node->text);
		free(node);
		node = next;
	}
	*where = NULL;
}

static struct run_where *refuse(const struct parsing *parsing, const char *what)
{
	const size_t most = 40;
	size_t len = strlen(parsing->at);

	/* The first reason is the one. */
	if (parsing->error->len > 0)
		return NULL;
	strbuf_add_str(parsing->error, what);
	if (len == 0) {
		strbuf_add_str(parsing->error, " at its end");
		return NULL;
	}
	strbuf_add_str(parsing->error, " at '");
	text_add_escaped(parsing->error, parsing->at, len > most ? most : len);
	strbuf_addf(parsing->error, "%s'", len > most ? "..." : "");
	return NULL;
}

static void skip_blanks(struct parsing *parsing)
{
	parsing->at += strspn(parsing->at, " \t\r\n");
}

static bool is_name(char c)
{
	return char_is_letter(c) || char_is_digit(c) || c == '_' || c == '.';
}

/* Moves behind one of two signs of the same meaning; the first one is a word in any case. */
static bool skip_sign(struct parsing *parsing, const char *word, const char *sign)
{
	size_t len = strlen(word);

	skip_blanks(parsing);
	if (strncasecmp(parsing->at, word, len) == 0 && !is_name(parsing->at[len])) {
		parsing->at += len;
		return true;
	}
	len = strlen(sign);
	/* "!=" and "!~" are operators of a test. */
	if (strncmp(parsing->at, sign, len) != 0 ||
	    (len == 1 && (parsing->at[1] == '=' || parsing->at[1] == '~')))
		return false;
	parsing->at += len;
	return true;
}

static bool read_op(struct parsing *parsing, enum op *ret)
{
	static const struct {
		const char *sign;
		enum op op;
	} ops[] = {{"==", OP_EQUAL},  {"=", OP_EQUAL},     {"!=", OP_DIFFERENT},
	           {"!~", OP_UNLIKE}, {"~", OP_LIKE},      {"<=", OP_AT_MOST},
	           {"<", OP_BELOW},   {">=", OP_AT_LEAST}, {">", OP_ABOVE}};

	skip_blanks(parsing);
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (strncmp(parsing->at, ops[i].sign, strlen(ops[i].sign)) == 0) {
			parsing->at += strlen(ops[i].sign);
			*ret = ops[i].op;
			return true;
		}
	return false;
}

static bool read_value(struct parsing *parsing, struct run_where *ret)
{
	const char *begin, *end;

	skip_blanks(parsing);
	if (*parsing->at == '\'' || *parsing->at == '"') {
		begin = parsing->at + 1;
		end = strchr(begin, *parsing->at);
		if (!end)
			return false;
		parsing->at = end + 1;
	} else {
		begin = parsing->at;
		end = begin + strcspn(begin, " \t\r\n'\"()=<>~!&|");
		if (end == begin)
			return false;
		parsing->at = end;
	}
	ret->text = mem_copy(begin, (size_t)(end - begin));
	ret->number = number_of(ret->text, true);
	return true;
}

static struct run_where *parse_test(struct parsing *parsing)
{
	cleanup_(run_where_freep) struct run_where *test = mem_calloc(1, sizeof(*test));
	size_t len = 0;

	while (is_name(parsing->at[len]))
		len++;
	if (len == 0 || char_is_digit(parsing->at[0]))
		return refuse(parsing, "the name of a field was expected");
	test->field = mem_copy(parsing->at, len);
	parsing->at += len;
	if (!read_op(parsing, &test->op))
		return refuse(parsing, "an operator such as = or > was expected");
	if (!read_value(parsing, test))
		return refuse(parsing, "a value was expected");
	if ((test->op == OP_LIKE || test->op == OP_UNLIKE) &&
	    !glob_check(test->text, parsing->error))
		return NULL;
	if (test->op >= OP_BELOW && isnan(test->number)) {
		parsing->at -= strlen(test->text);
		return refuse(parsing, "a number, with or without a unit, was expected");
	}
	return take_ptr(test);
}

static struct run_where *parse_any(struct parsing *parsing);

static struct run_where *parse_one(struct parsing *parsing)
{
	struct run_where *node;
	bool negated = false;

	while (skip_sign(parsing, "not", "!"))
		negated = !negated;
	if (*parsing->at != '(') {
		node = parse_test(parsing);
	} else {
		if (++parsing->depth > DEPTH_MAX)
			return refuse(parsing, "too many parentheses");
		parsing->at++;
		node = parse_any(parsing);
		skip_blanks(parsing);
		if (node && *parsing->at != ')') {
			run_where_freep(&node);
			return refuse(parsing, "')' was expected");
		}
		parsing->at += node != NULL;
		parsing->depth--;
	}
	if (node && negated)
		node->negated = !node->negated;
	return node;
}

/* Parses operands with a sign between them. A single one is no list. */
static struct run_where *parse_list(struct parsing *parsing, enum node_kind kind, const char *word,
                                    const char *sign, struct run_where *(*parse)(struct parsing *))
{
	cleanup_(run_where_freep) struct run_where *list = mem_calloc(1, sizeof(*list));
	struct run_where **end = &list->first, *only;

	list->kind = kind;
	do {
		*end = parse(parsing);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	} while (skip_sign(parsing, word, sign));
	if (list->first->next)
		return take_ptr(list);
	only = take_ptr(list->first);
	return only;
}

static struct run_where *parse_all(struct parsing *parsing)
{
	return parse_list(parsing, NODE_ALL, "and", "&&", parse_one);
}

static struct run_where *parse_any(struct parsing *parsing)
{
	return parse_list(parsing, NODE_ANY, "or", "||", parse_all);
}

struct run_where *run_where_parse(const char *text, struct strbuf *reterr)
{
	cleanup_(run_where_freep) struct run_where *where = NULL;
	struct parsing parsing = {.at = text, .error = reterr};

	if (strlen(text) > BYTES_MAX) {
		strbuf_addf(reterr, "it is longer than %d bytes", BYTES_MAX);
		return NULL;
	}
	where = parse_any(&parsing);
	skip_blanks(&parsing);
	if (where && *parsing.at != '\0')
		return refuse(&parsing, "'and' or 'or' was expected");
	return take_ptr(where);
}

/* Returns the value as a number, also if it is a text, as the variables of the environment are. */
static double number_of_field(const struct job_field *value)
{
	return value->kind == JOB_FIELD_TEXT ? number_of(value->text, false) : value->number;
}

static bool test_holds(const struct run_where *test, const struct job_field *value)
{
	double number = number_of_field(value);
	bool both = !isnan(number) && !isnan(test->number);

	switch (test->op) {
	case OP_EQUAL:
		return both ? number == test->number : strcmp(value->text, test->text) == 0;
	case OP_DIFFERENT:
		return both ? number != test->number : strcmp(value->text, test->text) != 0;
	case OP_LIKE:
		return glob_match_name(test->text, value->text, strlen(value->text));
	case OP_UNLIKE:
		return !glob_match_name(test->text, value->text, strlen(value->text));
	case OP_BELOW:
		return both && number < test->number;
	case OP_AT_MOST:
		return both && number <= test->number;
	case OP_ABOVE:
		return both && number > test->number;
	case OP_AT_LEAST:
		return both && number >= test->number;
	}
	return false;
}

void run_where_visit_fields(const struct run_where *where,
                            void (*visit)(void *context, const char *field), void *context)
{
	if (where->kind == NODE_TEST)
		visit(context, where->field);
	for (const struct run_where *node = where->first; node; node = node->next)
		run_where_visit_fields(node, visit, context);
}

bool run_where_holds(const struct run_where *where, const struct job_info *info)
{
	const struct job_field *value;
	bool holds = where->kind == NODE_ALL;

	if (where->kind == NODE_TEST) {
		value = job_info_find(info, where->field);
		holds = value && value->kind != JOB_FIELD_NULL && test_holds(where, value);
	}
	for (const struct run_where *node = where->first; node; node = node->next)
		if (run_where_holds(node, info) != holds) {
			holds = !holds;
			break;
		}
	return holds != where->negated;
}
