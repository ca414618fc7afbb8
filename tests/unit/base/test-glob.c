// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "base/glob.h"
#include "random.h"

static void check_error(const char *pattern, const char *expected)
{
	struct strbuf error = STRBUF_INIT;

	strbuf_add_str(&error, "x: ");
	if (glob_check(pattern, &error) != (expected == NULL))
		fail_msg("\"%s\" is %s", pattern, expected ? "taken" : "refused");
	assert_string_equal(error.data + 3, expected ? expected : "");
	strbuf_done(&error);
}

static void test_check(void **state)
{
	static const char bracket[] = "'[' without ']'";
	static const char stars[] = "'**' must be a whole segment";
	static const char backslash[] = "a backslash with nothing behind it";
	static const struct {
		const char *pattern, *error;
	} cases[] = {
	        {"", "empty pattern"},
	        {"/", NULL},
	        {"a", NULL},
	        {"*", NULL},
	        {"**", NULL},
	        {"/**", NULL},
	        {"**/", NULL},
	        {"/a/**/b/**", NULL},
	        {"**/**", NULL},
	        {"*a*b*", NULL},
	        {"a**", stars},
	        {"**a", stars},
	        {"/a/**b/c", stars},
	        {"***", stars},
	        {"/a/***/b", stars},
	        {"a\\**", NULL},
	        {"*\\*", NULL},
	        {"[**]", NULL},
	        {"[a]**", stars},
	        {"\\***", stars},
	        {"[", bracket},
	        {"a[bc", bracket},
	        {"[]", bracket},
	        {"[!]", bracket},
	        {"[^]", bracket},
	        {"[]]", NULL},
	        {"[!]]", NULL},
	        {"[^]]", NULL},
	        {"[!a]", NULL},
	        {"[a-z0-9]", NULL},
	        {"]", NULL},
	        {"a]b", NULL},
	        {"[a/b]", bracket},
	        {"a/[b/c", bracket},
	        {"[\\]", bracket},
	        {"[\\]]", NULL},
	        {"[a\\", bracket},
	        {"\\[", NULL},
	        {"[[:digit:]]", NULL},
	        {"[[:digit:]", bracket},
	        {"[[:digit:]-]", NULL},
	        {"[[.].]]", NULL},
	        {"[[.].]", bracket},
	        {"[[=a=]b]", NULL},
	        {"[[:]", NULL},
	        {"[[", bracket},
	        {"[[:", bracket},
	        {"[[]", NULL},
	        {"\\", backslash},
	        {"a\\", backslash},
	        {"a\\/b", backslash},
	        {"\\\\", NULL},
	        {"\\a", NULL},
	        {"\xff[\xfe]", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_error(cases[i].pattern, cases[i].error);
}

struct match_case {
	const char *pattern, *text;
	bool matches;
};

static void check_matches(bool (*match)(const char *, const char *, size_t),
                          const struct match_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(cases[i].text);
		char *copy = exact_copy(cases[i].text, len);

		if (match(cases[i].pattern, copy, len) != cases[i].matches)
			fail_msg("\"%s\" %s \"%s\"", cases[i].pattern,
			         cases[i].matches ? "does not match" : "matches", cases[i].text);
		free(copy);
	}
}

static void test_path_segments(void **state)
{
	static const struct match_case cases[] = {
	        {"/a", "/a", true},
	        {"/a", "/b", false},
	        {"/a", "/A", false},
	        {"/a", "/a/b", false},
	        {"/a/b", "/a", false},
	        {"/a", "a", false},
	        {"a", "/a", false},
	        {"a/b", "a/b", true},
	        {"/", "/", true},
	        {"/", "", false},
	        {"", "", true},
	        {"", "/", false},
	        {"", "a", false},
	        {"/", "/a", false},
	        {"/*", "/", false},
	        {"/*", "/a", true},
	        {"/*", "/a/b", false},
	        {"/*/b", "/a/b", true},
	        {"/*/*", "/a/b", true},
	        {"/a*", "/a", true},
	        {"/a*", "/abc", true},
	        {"/a*", "/a/bc", false},
	        {"/a*c", "/abc", true},
	        {"/a*c", "/a/c", false},
	        {"/a?c", "/abc", true},
	        {"/a?c", "/a/c", false},
	        {"/a?c", "/ac", false},
	        {"/a[!b]c", "/axc", true},
	        {"/a[!b]c", "/a/c", false},
	        {"/a[a-c]c", "/abc", true},
	        {"/a[a-c]c", "/aBc", false},
	        {"/[[:digit:]]", "/7", true},
	        {"/[[:digit:]]", "/x", false},
	        {"/*.service", "/.service", true},
	        {"/*", "/.hidden", true},
	        {"/?hidden", "/.hidden", true},
	        {"/\\*", "/*", true},
	        {"/\\*", "/a", false},
	        {"/a/", "/a", true},
	        {"/a", "/a/", true},
	        {"//a", "/a", true},
	        {"/a", "//a//", true},
	        {"/system.slice/*.service", "/system.slice/ssh.service", true},
	        {"/user.slice/user-*.slice/*", "/user.slice/user-1000.slice/session-2.scope", true},
	        /* Bytes, whatever they are the encoding of. */
	        {"/?", "/\xc3\xa9", false},
	        {"/??", "/\xc3\xa9", true},
	        {"/?", "/\xff", true},
	        {"/[\xf0-\xff]", "/\xfe", true},
	        {"/[!a]", "/\n", true},
	};

	(void)state;
	check_matches(glob_match_path, cases, ARRAY_SIZE(cases));
}

static void test_path_any_depth(void **state)
{
	static const struct match_case cases[] = {
	        {"/a/**/b", "/a/b", true},
	        {"/a/**/b", "/a/x/b", true},
	        {"/a/**/b", "/a/x/y/b", true},
	        {"/a/**/b", "/a/x/y/b/b", true},
	        {"/a/**/b", "/a/x/y/b/c", false},
	        {"/a/**/b", "/a/xb", false},
	        {"/a/**/b", "/a", false},
	        {"/a/**", "/a", true},
	        {"/a/**", "/a/x", true},
	        {"/a/**", "/a/x/y", true},
	        {"/a/**", "/ab", false},
	        {"/a/**", "/", false},
	        {"/**", "/", true},
	        {"/**", "/a/b", true},
	        {"/**", "a", false},
	        {"/**", "", false},
	        {"**", "", true},
	        {"**", "/", true},
	        {"**", "/a/b", true},
	        {"**", "a/b", true},
	        {"**/b", "/a/b", true},
	        {"**/b", "/b", true},
	        {"**/b", "b", true},
	        {"**/b", "/b/a", false},
	        {"**/*.scope", "/a/b/c.scope", true},
	        {"/**/*", "/", false},
	        {"/**/*", "/a", true},
	        {"/*/**", "/", false},
	        {"/*/**/*", "/a", false},
	        {"/*/**/*", "/a/b", true},
	        {"/**/a/**/b/**", "/x/a/y/b/z", true},
	        {"/**/a/**/b/**", "/a/b", true},
	        {"/**/a/**/b/**", "/b/a", false},
	        {"/**/a/b/**/c", "/a/x/a/b/c", true},
	        {"/**/a/b/**/c", "/a/x/b/c", false},
	        {"/**/a/a/b", "/a/a/a/b", true},
	        {"/**/**/a", "/a", true},
	        {"/**/**", "/", true},
	        {"/\\**", "/a", false},
	        {"/\\*\\*", "/**", true},
	        /* Refused by glob_check(), and yet safe. */
	        {"/a**", "/abc", true},
	        {"/a**", "/a/b", false},
	};

	(void)state;
	check_matches(glob_match_path, cases, ARRAY_SIZE(cases));
}

static void test_name(void **state)
{
	static const struct match_case cases[] = {
	        {"cpu_*", "cpu_delay_count", true},
	        {"cpu_*", "cpu", false},
	        {"cpu_*", "CPU_x", false},
	        {"*_ns", "run_time_ns", true},
	        {"*", "", true},
	        {"*", "a/b", true},
	        {"a*c", "a/b/c", true},
	        {"a?c", "a/c", true},
	        {"a[/]c", "a/c", true},
	        {"*", ".x", true},
	        {"a", "a", true},
	        {"a", "ab", false},
	        {"", "", true},
	        {"", "a", false},
	        {"a**b", "axb", true},
	        {"/a", "a", false},
	        {"a/", "a", false},
	};

	(void)state;
	check_matches(glob_match_name, cases, ARRAY_SIZE(cases));
}

static void test_nul(void **state)
{
	(void)state;
	assert_false(glob_match_path("/a", "/a\0b", 4));
	assert_false(glob_match_path("/a", "/a\0", 3));
	assert_false(glob_match_path("/a*", "/a\0b", 4));
	assert_true(glob_match_path("/*", "/a\0b", 4));
	assert_true(glob_match_path("/**", "/a\0b", 4));
	assert_true(glob_match_path("/**/c", "/a\0b/c", 6));
	assert_false(glob_match_path("/a", "/a\0/b", 5));
	assert_false(glob_match_name("a", "a\0b", 3));
	assert_false(glob_match_name("a*", "a\0b", 3));
	assert_true(glob_match_name("*", "a\0b", 3));
	assert_true(glob_match_path("**", NULL, 0));
	assert_true(glob_match_name("*", NULL, 0));
	assert_false(glob_match_name("a", NULL, 0));
	assert_true(glob_match_name("", NULL, 0));
}

/* The text ends where its length says. */
static void test_length(void **state)
{
	(void)state;
	assert_true(glob_match_path("/a", "/ab", 2));
	assert_true(glob_match_name("a", "ab", 1));
	assert_false(glob_match_path("/ab", "/ab", 2));
}

/* A matcher that tries every way would not finish: the test has a time limit. */
static void test_many_stars(void **state)
{
	enum { STARS = 200, LEN = 4000 };
	struct strbuf pattern = STRBUF_INIT, text = STRBUF_INIT;

	(void)state;
	for (unsigned i = 0; i < STARS; i++)
		strbuf_add_str(&pattern, "*a");
	strbuf_add_str(&pattern, "*b");
	for (unsigned i = 0; i < LEN; i++)
		strbuf_add_char(&text, 'a');
	assert_false(glob_match_name(pattern.data, text.data, text.len));
	assert_false(glob_match_path(pattern.data, text.data, text.len));
	strbuf_add_char(&text, 'b');
	assert_true(glob_match_name(pattern.data, text.data, text.len));
	strbuf_clear(&pattern);
	strbuf_clear(&text);
	for (unsigned i = 0; i < STARS; i++)
		strbuf_add_str(&pattern, "/**/a");
	strbuf_add_str(&pattern, "/b");
	for (unsigned i = 0; i < LEN; i++)
		strbuf_add_str(&text, "/a");
	assert_false(glob_match_path(pattern.data, text.data, text.len));
	strbuf_add_str(&text, "/b");
	assert_true(glob_match_path(pattern.data, text.data, text.len));
	strbuf_done(&pattern);
	strbuf_done(&text);
}

/* Every way, for segments of one character; 'S' is "**". */
static bool oracle(const char *pattern, const char *path)
{
	if (*pattern == '\0')
		return *path == '\0';
	if (*pattern == 'S')
		return oracle(pattern + 1, path) || (*path != '\0' && oracle(pattern, path + 1));
	return *path != '\0' && (*pattern == '*' || *pattern == '?' || *pattern == *path) &&
	       oracle(pattern + 1, path + 1);
}

static void test_path_oracle(void **state)
{
	enum { SEED = 41, ROUNDS = 40000, MAX = 8 };
	struct strbuf pattern = STRBUF_INIT, path = STRBUF_INIT;
	unsigned matches = 0;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		char short_pattern[MAX] = "", short_path[MAX] = "";
		size_t globs = random_below(&random, MAX), segments = random_below(&random, MAX);
		bool expected;

		strbuf_clear(&pattern);
		strbuf_clear(&path);
		strbuf_add_char(&pattern, '/');
		strbuf_add_char(&path, '/');
		for (size_t i = 0; i < globs; i++) {
			short_pattern[i] = "SSab*?"[random_below(&random, 6)];
			strbuf_add_char(&pattern, short_pattern[i] == 'S' ? '*' : short_pattern[i]);
			strbuf_add_str(&pattern, short_pattern[i] == 'S' ? "*/" : "/");
		}
		for (size_t i = 0; i < segments; i++) {
			short_path[i] = "ab"[random_below(&random, 2)];
			strbuf_addf(&path, "%c/", short_path[i]);
		}
		expected = oracle(short_pattern, short_path);
		matches += expected;
		if (glob_match_path(pattern.data, path.data, path.len) != expected)
			fail_msg("seed %d, round %u: %s, %s", SEED, round, pattern.data, path.data);
	}
	assert_in_range(matches, ROUNDS / 20, ROUNDS / 2);
	strbuf_done(&pattern);
	strbuf_done(&path);
}

/* Any bytes at all, for the sanitizers. */
static void test_hostile(void **state)
{
	enum { SEED = 42, ROUNDS = 30000, MAX = 20 };
	static const char likely[] = "ab*?[]!^-:.=\\/\xff";

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		size_t globs = random_below(&random, MAX), len = random_below(&random, MAX);
		char *pattern = malloc(globs + 1), *path = malloc(len + 1);
		struct strbuf error = STRBUF_INIT;

		assert_true(pattern && path);
		for (size_t i = 0; i < globs; i++)
			pattern[i] = likely[random_below(&random, sizeof(likely) - 1)];
		pattern[globs] = '\0';
		for (size_t i = 0; i < len; i++)
			path[i] = likely[random_below(&random, sizeof(likely))];
		check_random(&random, glob_check(pattern, &error) == (error.len == 0));
		/* Both matchers agree if there are no slashes. */
		if (error.len == 0 && !strchr(pattern, '/') && strcmp(pattern, "**") != 0 &&
		    globs > 0 && len > 0 && !memchr(path, '/', len))
			check_random(&random, glob_match_path(pattern, path, len) ==
			                              glob_match_name(pattern, path, len));
		glob_match_path(pattern, path, len);
		glob_match_name(pattern, path, len);
		strbuf_done(&error);
		free(pattern);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_check),
	        cmocka_unit_test(test_path_segments),
	        cmocka_unit_test(test_path_any_depth),
	        cmocka_unit_test(test_name),
	        cmocka_unit_test(test_nul),
	        cmocka_unit_test(test_length),
	        cmocka_unit_test(test_many_stars),
	        cmocka_unit_test(test_path_oracle),
	        cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
