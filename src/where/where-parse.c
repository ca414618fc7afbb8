// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/text.h"
#include "where-tree.h"

/* Every reader returns false, or no node, after the first refusal, and reads nothing more. */
struct parser {
	const char *text, *end, *at;
	unsigned sides, depth;
	struct where *where;
	struct where_error *error;
};

static const struct {
	const char *sign;
	enum where_op op;
} operators[] = {
        {"=", WHERE_EQUAL},     {"==", WHERE_EQUAL},   {"!=", WHERE_DIFFERENT},
        {"<", WHERE_BELOW},     {"<=", WHERE_AT_MOST}, {">", WHERE_ABOVE},
        {">=", WHERE_AT_LEAST}, {"~", WHERE_LIKE},     {"!~", WHERE_UNLIKE},
};

/* Operators of other languages, with ours. */
static const char *const foreign_operators[][2] = {
        {"=>", ">="}, {"=<", "<="}, {"<>", "!="}, {"=!", "!="}, {"===", "="},
        {"=~", "~"},  {"~=", "~"},  {"~~", "~"},  {"&", "&&"},  {"|", "||"},
};

/* Refuses the expression because of a word of it: BEFORE'WORD'AFTER, where AFTER is a format. */
printf_(4, 5) static bool failf(struct parser *parser, struct span word, const char *before,
                                const char *after, ...)
{
	struct where_error *error = parser->error;
	va_list args;

	error->offset = (size_t)(word.text - parser->text);
	error->len = word.len;
	strbuf_clear(&error->sentence);
	strbuf_add_str(&error->sentence, before);
	if (word.len > 0)
		where_add_word(&error->sentence, word);
	va_start(args, after);
	strbuf_vaddf(&error->sentence, after, args);
	va_end(args);
	return false;
}

static bool fail(struct parser *parser, struct span word, const char *before, const char *after)
{
	return failf(parser, word, before, "%s", after);
}

static bool is_in(char c, const char *set)
{
	return c != '\0' && strchr(set, c);
}

static bool is_in_word(char c)
{
	return char_is_letter(c) || char_is_digit(c) || is_in(c, "_-./:*?[]{}@+");
}

static bool is_in_operator(char c)
{
	return is_in(c, "=!<>~");
}

static bool is_in_sign(char c)
{
	return is_in(c, "&|");
}

/* The letters of µ are bytes above ASCII. */
static bool is_in_unit(char c)
{
	return char_is_letter(c) || char_is_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

static struct span run_of(const struct parser *parser, const char *start, bool (*is_part)(char))
{
	const char *p = start;

	while (p < parser->end && is_part(*p))
		p++;
	return (struct span){start, (size_t)(p - start)};
}

static void skip_blanks(struct parser *parser)
{
	while (parser->at < parser->end && is_in(*parser->at, " \t\r\n"))
		parser->at++;
}

static struct span word_ahead(struct parser *parser)
{
	skip_blanks(parser);
	return run_of(parser, parser->at, is_in_word);
}

static bool is_word(struct span word, const char *text)
{
	return strlen(text) == word.len && strncasecmp(word.text, text, word.len) == 0;
}

static bool is_reserved(struct span word)
{
	return is_word(word, "and") || is_word(word, "or") || is_word(word, "not");
}

/* Returns the word, the operator or the character at the cursor, for a message. */
static struct span thing_ahead(struct parser *parser)
{
	struct span thing = word_ahead(parser);
	uint32_t code_point;

	if (thing.len == 0)
		thing = run_of(parser, parser->at, is_in_operator);
	if (thing.len == 0)
		thing = run_of(parser, parser->at, is_in_sign);
	if (thing.len == 0 && parser->at < parser->end) {
		thing.len =
		        text_decode(thing.text, (size_t)(parser->end - thing.text), &code_point);
		thing.len += thing.len == 0;
	}
	return thing;
}

static bool accept_word(struct parser *parser, const char *text)
{
	struct span word = word_ahead(parser);

	if (!is_word(word, text))
		return false;
	parser->at += word.len;
	return true;
}

static bool accept_sign(struct parser *parser, const char *sign)
{
	size_t len = strlen(sign);

	skip_blanks(parser);
	if ((size_t)(parser->end - parser->at) < len || memcmp(parser->at, sign, len) != 0)
		return false;
	parser->at += len;
	return true;
}

/* Refuses the expression because something is missing at the cursor. */
static bool fail_missing(struct parser *parser, const char *what)
{
	cleanup_(strbuf_done) struct strbuf before = STRBUF_INIT;
	struct span thing = thing_ahead(parser);

	strbuf_addf(&before, "%s is missing %s", what,
	            thing.len > 0 ? "in front of " : "at the end");
	return fail(parser, thing, strbuf_str(&before), "");
}

static bool fail_operator(struct parser *parser, struct span sign)
{
	for (size_t i = 0; i < ARRAY_SIZE(foreign_operators); i++)
		if (span_is(sign, foreign_operators[i][0]))
			return failf(parser, sign, "unknown operator ", "; did you mean '%s'?",
			             foreign_operators[i][1]);
	return fail(parser, sign, "unknown operator ", "; there are = != < <= > >= ~ !~");
}

static bool parse_operator(struct parser *parser, const struct where_field *field,
                           enum where_op *ret_op)
{
	struct span sign;
	size_t i = 0;

	skip_blanks(parser);
	sign = run_of(parser, parser->at, is_in_operator);
	if (sign.len == 0)
		return fail_missing(parser, "an operator");
	while (i < ARRAY_SIZE(operators) && !span_is(sign, operators[i].sign))
		i++;
	if (i == ARRAY_SIZE(operators))
		return fail_operator(parser, sign);

	*ret_op = operators[i].op;
	if (field->is_text && *ret_op >= WHERE_BELOW && *ret_op <= WHERE_AT_LEAST)
		return failf(parser, sign, "", " compares numbers, and '%s' is text", field->name);
	if (!field->is_text && *ret_op >= WHERE_LIKE)
		return failf(parser, sign, "", " compares text, and '%s' is a number", field->name);
	parser->at += sign.len;
	return true;
}

static bool fail_field(struct parser *parser, struct span word, const struct where_field *field)
{
	cleanup_(strbuf_done) struct strbuf list = STRBUF_INIT;
	bool is_show = parser->sides == 1;
	const struct where_field *nearest = where_field_nearest(word, parser->sides);

	where_field_list(&list, parser->sides, field != NULL);
	if (field)
		return failf(parser, word, is_show ? "show has no " : "compare has no ",
		             "; it has %s", strbuf_str(&list));
	if (nearest)
		return failf(parser, word, "unknown field ", "; did you mean '%s'?", nearest->name);
	return failf(parser, word, "unknown field ", "; there are %s", strbuf_str(&list));
}

static bool parse_field_name(struct parser *parser, const struct where_field **ret_field)
{
	struct span word = word_ahead(parser);

	if (word.len == 0 && parser->at < parser->end && *parser->at == '%')
		word.len = 1;
	if (word.len == 0 || is_reserved(word))
		return fail_missing(parser, "a test");
	*ret_field = where_field_find(word);
	if (!*ret_field || !where_field_exists(*ret_field, parser->sides))
		return fail_field(parser, word, *ret_field);
	parser->at += word.len;
	return true;
}

static bool parse_field(struct parser *parser, struct where_test *test)
{
	struct span word;

	test->is_abs = accept_word(parser, "abs");
	if (test->is_abs && !accept_sign(parser, "("))
		return fail_missing(parser, "'('");
	skip_blanks(parser);
	word.text = parser->at;
	if (!parse_field_name(parser, &test->field))
		return false;
	word.len = (size_t)(parser->at - word.text);
	if (test->is_abs && !test->field->has_abs)
		return fail(parser, word, "abs() takes delta and percent, not ", "");
	if (test->is_abs && !accept_sign(parser, ")"))
		return fail_missing(parser, "')'");
	test->number = test->field->place;
	return true;
}

/* Parses text in quotes at the cursor. Labels have their backslashes doubled, and are compared as they are printed;
 * only the backslash in front of a quote is removed. */
static bool parse_quoted(struct parser *parser, struct strbuf *out)
{
	const char *start = parser->at;

	for (const char *p = start + 1; p < parser->end; p++) {
		if (*p == *start) {
			parser->at = p + 1;
			return true;
		}
		if (*p == '\\' && p + 1 < parser->end && p[1] == *start)
			p++;
		else if (*p == '\\' && p + 1 < parser->end && p[1] == '\\')
			strbuf_add_char(out, *p++);
		strbuf_add_char(out, *p);
	}
	return fail(parser, (struct span){start, 1}, "the quote ", " is not closed");
}

/* Returns the end of the bracket that opens in front of @p, by the rules of fnmatch(); NULL if it has none. */
static const char *bracket_end(const char *p)
{
	p += *p == '!' || *p == '^';
	p += *p == ']';
	for (; *p != '\0' && *p != ']'; p++) {
		const char *class_end = NULL;

		if (*p == '[' && is_in(p[1], ":.="))
			class_end = strstr(p + 2, (const char[]){p[1], ']', '\0'});
		if (class_end)
			p = class_end + 1;
	}
	return *p == ']' ? p : NULL;
}

static bool is_pattern(const char *text)
{
	for (const char *p = strchr(text, '['); p; p = strchr(p, '[')) {
		p = bracket_end(p + 1);
		if (!p)
			return false;
	}
	return true;
}

static bool parse_text(struct parser *parser, struct where_test *test)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span word = word_ahead(parser);

	if (parser->at < parser->end && is_in(*parser->at, "'\"")) {
		if (!parse_quoted(parser, &text))
			return false;
		word.len = (size_t)(parser->at - word.text);
	} else if (word.len == 0 || is_reserved(word)) {
		return fail_missing(parser, "a value");
	} else {
		parser->at += word.len;
		strbuf_add(&text, word.text, word.len);
	}
	if (test->op >= WHERE_LIKE && !is_pattern(strbuf_str(&text)))
		return fail(parser, word, "'[' without ']' in ",
		            is_in(*word.text, "'\"") ? "" : "; other signs need quotes");
	test->text = mem_copy(strbuf_str(&text), text.len);
	return true;
}

static bool fail_number(struct parser *parser, const struct where_field *field)
{
	struct span thing = thing_ahead(parser);

	if (thing.len > 0 && is_in(*thing.text, "'\""))
		return failf(parser, thing, "", " begins a text, and '%s' is a number",
		             field->name);
	if (thing.len > 0 && is_in_word(*thing.text) && !is_reserved(thing))
		return failf(parser, thing, "", " is no number, as '%s' is", field->name);
	return fail_missing(parser, "a value");
}

/* Parses the word behind a number as a unit, unless the next test seems to begin with it. */
static bool parse_unit(struct parser *parser, struct span *ret_word,
                       const struct where_unit **ret_unit)
{
	static const struct where_unit none = {"", WHERE_ANY_KIND, 1};
	const struct where_unit *nearest;
	struct span word;

	skip_blanks(parser);
	word = run_of(parser, parser->at, is_in_unit);
	if (word.len == 0 && parser->at < parser->end && *parser->at == '%')
		word.len = 1;
	if (word.len == 0 || char_is_digit(*word.text) || *word.text == '_' || is_reserved(word) ||
	    is_word(word, "abs") || (*word.text != '%' && where_field_find(word)))
		word.len = 0;
	*ret_word = word;
	*ret_unit = word.len > 0 ? where_unit_find(word) : &none;
	if (*ret_unit) {
		parser->at += word.len;
		return true;
	}
	nearest = where_unit_nearest(word);
	if (nearest)
		return failf(parser, word, "unknown unit ", "; did you mean '%s'?", nearest->name);
	return fail(parser, word, "unknown unit ",
	            "; there are ns us ms s min h, B KiB MiB GiB TiB, K M G, % and ticks");
}

/* Converts the limit for the fields whose unit does not depend on the row. Returns whether they have such a unit. */
static bool convert(struct where_test *test, enum where_kind kind, int *ret_shift)
{
	bool is_percentage = kind == WHERE_PERCENTAGE;

	switch ((enum where_number)test->number) {
	case WHERE_THREADS:
		return kind == WHERE_ANY_KIND;
	case WHERE_SEEN:
		if (is_percentage)
			test->number = WHERE_SEEN_SHARE;
		*ret_shift = is_percentage ? -2 : 0;
		return is_percentage || kind == WHERE_ANY_KIND;
	case WHERE_IMPACT:
		*ret_shift = is_percentage ? -2 : 0;
		return is_percentage || kind == WHERE_ANY_KIND;
	case WHERE_PERCENT:
		return is_percentage || kind == WHERE_ANY_KIND;
	default:
		test->kind = kind;
		*ret_shift = is_percentage ? 2 : 0;
		return true;
	}
}

static bool parse_number(struct parser *parser, struct where_test *test)
{
	const struct where_unit *unit;
	struct where_decimal decimal;
	struct span word, unit_word;
	int shift = 0;

	skip_blanks(parser);
	word = (struct span){parser->at, (size_t)(parser->end - parser->at)};
	word.len = where_decimal_scan(word, &decimal);
	if (word.len == 0)
		return fail_number(parser, test->field);
	parser->at += word.len;
	if (parser->at < parser->end && is_in_word(*parser->at) && !char_is_letter(*parser->at))
		return fail(parser, run_of(parser, word.text, is_in_word), "", " is no number");
	if (!parse_unit(parser, &unit_word, &unit))
		return false;
	if (!convert(test, unit->kind, &shift))
		return failf(parser, unit_word, "", " is no unit of '%s', which takes K, M, G%s",
		             test->field->name, test->number == WHERE_THREADS ? "" : " and %");
	if (unit_word.len > 0)
		word.len = (size_t)(parser->at - word.text);
	if (!where_limit_init(&decimal, unit->factor, shift, &test->limit))
		return failf(parser, word, "",
		             " is out of range: more than 25 digits, or beyond %" PRIu64
		             " in base units",
		             UINT64_MAX);
	return (test->kind != WHERE_TIME && test->kind != WHERE_PERCENTAGE) ||
	       where_limit_init(&decimal, unit->factor, test->kind == WHERE_TIME ? -3 : 0,
	                        &test->limit_coarse);
}

static uint32_t add_node(struct where *where, const struct where_node *node)
{
	*array_add(where->nodes, where->count, where->capacity) = *node;
	return where->count - 1;
}

static uint32_t parse_test(struct parser *parser)
{
	struct where_node node = {.kind = WHERE_TEST};
	struct where_test *test = &node.test;

	if (!parse_field(parser, test) || !parse_operator(parser, test->field, &test->op))
		return 0;
	if (test->field->is_text ? !parse_text(parser, test) : !parse_number(parser, test))
		return 0;
	return add_node(parser->where, &node);
}

/* Refuses a test that is followed by something other than "and" and "or". */
static bool fail_connective(struct parser *parser)
{
	struct span thing = thing_ahead(parser);

	if (*thing.text == ')')
		return fail(parser, thing, "", " without '('");
	if (is_in_sign(*thing.text))
		return fail_operator(parser, thing);
	if (is_in_word(*thing.text) || is_in_operator(*thing.text) || is_in(*thing.text, "('\"%"))
		return fail_missing(parser, "'and' or 'or'");
	return fail(parser, thing, "", " is unknown here; text with it needs quotes");
}

static uint32_t parse_chain(struct parser *parser, enum where_node_kind kind);

static uint32_t parse_parentheses(struct parser *parser)
{
	struct span open = {parser->at - 1, 1};
	uint32_t node;

	if (++parser->depth > WHERE_DEPTH_MAX)
		return failf(parser, open, "the parenthesis ", " is inside of %d others",
		             WHERE_DEPTH_MAX);
	node = parse_chain(parser, WHERE_ANY);
	if (node == 0)
		return 0;
	if (!accept_sign(parser, ")"))
		return parser->at == parser->end
		               ? fail(parser, open, "the parenthesis ", " is not closed")
		               : fail_connective(parser);
	parser->depth--;
	return node;
}

/* Accepts "!" in front of a test; "!=" there is a test without a field. */
static bool accept_not(struct parser *parser)
{
	skip_blanks(parser);
	if (parser->end - parser->at > 1 && *parser->at == '!' && is_in(parser->at[1], "=~"))
		return false;
	return accept_sign(parser, "!") || accept_word(parser, "not");
}

static uint32_t parse_one(struct parser *parser)
{
	bool negated = false;
	uint32_t node;

	while (accept_not(parser))
		negated = !negated;
	node = accept_sign(parser, "(") ? parse_parentheses(parser) : parse_test(parser);
	if (node != 0 && negated)
		parser->where->nodes[node].negated ^= true;
	return node;
}

static uint32_t parse_operand(struct parser *parser, enum where_node_kind kind)
{
	return kind == WHERE_ANY ? parse_chain(parser, WHERE_ALL) : parse_one(parser);
}

static bool accept_connective(struct parser *parser, enum where_node_kind kind)
{
	if (kind == WHERE_ANY)
		return accept_sign(parser, "||") || accept_word(parser, "or");
	return accept_sign(parser, "&&") || accept_word(parser, "and");
}

/* Parses operands with "or" between them, or with "and". A single operand needs no node of its own. */
static uint32_t parse_chain(struct parser *parser, enum where_node_kind kind)
{
	struct where *where = parser->where;
	uint32_t last = parse_operand(parser, kind), chain, next;

	if (last == 0 || !accept_connective(parser, kind))
		return last;
	chain = add_node(where, &(struct where_node){.kind = kind, .first = last});
	do {
		next = parse_operand(parser, kind);
		if (next == 0)
			return 0;
		where->nodes[last].next = next;
		last = next;
	} while (accept_connective(parser, kind));
	return chain;
}

static bool parse(struct parser *parser)
{
	size_t len = strlen(parser->text);

	if (len > WHERE_BYTES_MAX)
		return failf(parser, (struct span){parser->text + WHERE_BYTES_MAX, 0},
		             "the expression is longer", " than %d bytes", WHERE_BYTES_MAX);
	parser->end = parser->text + len;
	skip_blanks(parser);
	if (parser->at == parser->end)
		return fail(parser, (struct span){parser->text, 0}, "the expression is empty", "");
	add_node(parser->where, &(struct where_node){.kind = WHERE_ANY});
	parser->where->root = parse_chain(parser, WHERE_ANY);
	if (parser->where->root == 0)
		return false;
	skip_blanks(parser);
	return parser->at == parser->end || fail_connective(parser);
}

struct where *where_parse(const char *text, unsigned sides, struct where_error *ret_error)
{
	cleanup_(where_freep) struct where *where = mem_calloc(1, sizeof(*where));
	struct parser parser = {
	        .text = text,
	        .at = text,
	        .sides = sides,
	        .where = where,
	        .error = ret_error,
	};

	return parse(&parser) ? take_ptr(where) : NULL;
}
