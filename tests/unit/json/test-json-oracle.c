// SPDX-License-Identifier: GPL-2.0-or-later
/* Random documents: what json-write writes jansson reads, and what jansson writes json-read reads, with the same values. Integers
 * above 2^63-1, which jansson does not have, go from json-write to json-read. */
#include "check.h"

#include <jansson.h>
#include <math.h>

#include "memory-stream.h"
#include "random.h"
#include "json/json-read.h"
#include "json/json-write.h"

enum { ROUNDS = 3000, MEMBERS_MAX = 12, TEXT_MAX = 24 };

enum member_kind { MEMBER_U64, MEMBER_I64, MEMBER_REAL, MEMBER_TEXT, MEMBER_BOOL, MEMBER_NULL };

struct member {
	enum member_kind kind;
	uint64_t number; /* of MEMBER_I64 as well, and the flag */
	double real;
	char text[TEXT_MAX * 4];
	size_t len;
};

static double random_real(struct random *random)
{
	uint64_t bits = random_next(random);
	double real;

	memcpy(&real, &bits, sizeof(real));
	return isfinite(real) ? real : 0.1;
}

/* Characters of each length in UTF-8, and those that must be escaped. */
static void random_text(struct random *random, struct member *member)
{
	static const char *const pieces[] = {"a",
	                                     "\"",
	                                     "\\",
	                                     "/",
	                                     "\x1b",
	                                     "\n",
	                                     "\x7f",
	                                     "\xc3\xa9",
	                                     "\xc2\x9b",
	                                     "\xe2\x80\xae",
	                                     "\xf0\x9f\x98\x80"};

	for (size_t i = random_below(random, TEXT_MAX); i > 0; i--) {
		const char *piece = pieces[random_below(random, ARRAY_SIZE(pieces))];

		memcpy(member->text + member->len, piece, strlen(piece));
		member->len += strlen(piece);
	}
}

static struct member random_member(struct random *random, bool has_large)
{
	struct member member = {.kind = (enum member_kind)random_below(random, MEMBER_NULL + 1)};

	member.number = random_number(random);
	member.real = random_real(random);
	random_text(random, &member);
	if (member.kind == MEMBER_U64 && !has_large)
		member.number &= INT64_MAX;
	if (member.kind == MEMBER_BOOL)
		member.number &= 1;
	return member;
}

static void write_member(struct json_writer *writer, const struct member *member)
{
	switch (member->kind) {
	case MEMBER_U64:
		json_write_u64(writer, member->number);
		break;
	case MEMBER_I64:
		json_write_i64(writer, (int64_t)member->number);
		break;
	case MEMBER_REAL:
		json_write_double(writer, member->real);
		break;
	case MEMBER_TEXT:
		json_write_text(writer, member->text, member->len);
		break;
	case MEMBER_BOOL:
		json_write_bool(writer, member->number);
		break;
	case MEMBER_NULL:
		json_write_null(writer);
		break;
	}
}

static json_t *member_tree(const struct member *member)
{
	switch (member->kind) {
	case MEMBER_U64:
	case MEMBER_I64:
		return json_integer((json_int_t)member->number);
	case MEMBER_REAL:
		return json_real(member->real);
	case MEMBER_TEXT:
		return json_stringn(member->text, member->len);
	case MEMBER_BOOL:
		return json_boolean(member->number);
	case MEMBER_NULL:
		return json_null();
	}
	return NULL;
}

static void write_array(const struct member *members, size_t count, struct strbuf *out)
{
	struct json_writer writer = JSON_WRITER_INIT(out);

	json_write_open(&writer, '[');
	for (size_t i = 0; i < count; i++)
		write_member(&writer, &members[i]);
	json_write_close(&writer, ']');
}

static bool reads_as(struct json_reader *reader, enum json_token token, const struct member *member)
{
	const char *text;
	uint64_t number = 0;
	int64_t signed_number = 0;
	size_t len;

	text = json_reader_text(reader, &len);
	switch (member->kind) {
	case MEMBER_U64:
		return token == JSON_TOKEN_NUMBER && json_reader_u64(reader, &number) == 0 &&
		       number == member->number;
	case MEMBER_I64:
		return token == JSON_TOKEN_NUMBER && json_reader_i64(reader, &signed_number) == 0 &&
		       signed_number == (int64_t)member->number;
	case MEMBER_REAL:
		return token == JSON_TOKEN_NUMBER &&
		       memcmp(&(double){strtod(text, NULL)}, &member->real, sizeof(double)) == 0;
	case MEMBER_TEXT:
		return token == JSON_TOKEN_STRING && len == member->len &&
		       memcmp(text, member->text, len) == 0;
	case MEMBER_BOOL:
		return token == (member->number ? JSON_TOKEN_TRUE : JSON_TOKEN_FALSE);
	case MEMBER_NULL:
		return token == JSON_TOKEN_NULL;
	}
	return false;
}

static void check_read(struct random *random, const char *json, size_t len,
                       const struct member *members, size_t count)
{
	const struct json_limits limits = {
	        .depth = 2, .string_bytes = 4096, .total_bytes = 1 << 20};
	struct memory_source source = memory_source_make(json, len, 1 + random_below(random, 64));
	struct json_reader *reader = json_reader_new(&source.base, &limits);
	enum json_token token;

	check_random(random,
	             json_reader_next(reader, &token) == 0 && token == JSON_TOKEN_ARRAY_OPEN);
	for (size_t i = 0; i < count; i++) {
		check_random(random, json_reader_next(reader, &token) == 0);
		check_random(random, reads_as(reader, token, &members[i]));
	}
	check_random(random,
	             json_reader_next(reader, &token) == 0 && token == JSON_TOKEN_ARRAY_CLOSE);
	check_random(random, json_reader_next(reader, &token) == 0 && token == JSON_TOKEN_END);
	json_reader_free(reader);
}

static size_t random_members(struct random *random, struct member *members, bool has_large)
{
	size_t count = random_below(random, MEMBERS_MAX + 1);

	for (size_t i = 0; i < count; i++)
		members[i] = random_member(random, has_large);
	return count;
}

static void test_jansson_reads_ours(void **state)
{
	struct member members[MEMBERS_MAX];

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(16, round);
		cleanup_(strbuf_done) struct strbuf json = STRBUF_INIT;
		size_t count = random_members(&random, members, false);
		json_t *tree;

		write_array(members, count, &json);
		tree = json_loadb(json.data, json.len, 0, NULL);
		check_random(&random, json_is_array(tree) && json_array_size(tree) == count);
		for (size_t i = 0; i < count; i++) {
			json_t *expected = member_tree(&members[i]);

			check_random(&random, json_equal(json_array_get(tree, i), expected));
			json_decref(expected);
		}
		json_decref(tree);
	}
}

static void test_we_read_jansson(void **state)
{
	static const size_t styles[] = {JSON_COMPACT, JSON_INDENT(2), JSON_ENSURE_ASCII,
	                                JSON_ESCAPE_SLASH};
	struct member members[MEMBERS_MAX];

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(17, round);
		size_t count = random_members(&random, members, false);
		json_t *tree = json_array();
		char *json;

		for (size_t i = 0; i < count; i++)
			assert_int_equal(json_array_append_new(tree, member_tree(&members[i])), 0);
		json = json_dumps(tree, styles[random_below(&random, ARRAY_SIZE(styles))]);
		assert_non_null(json);
		check_read(&random, json, strlen(json), members, count);
		free(json);
		json_decref(tree);
	}
}

static void test_we_read_ours(void **state)
{
	struct member members[MEMBERS_MAX];

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(18, round);
		cleanup_(strbuf_done) struct strbuf json = STRBUF_INIT;
		size_t count = random_members(&random, members, true);

		write_array(members, count, &json);
		check_read(&random, json.data, json.len, members, count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_jansson_reads_ours),
	        cmocka_unit_test(test_we_read_jansson),
	        cmocka_unit_test(test_we_read_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
