// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "group/normalise.h"
#include "random.h"

static void check_pattern(const char *name, const char *expected)
{
	struct strbuf pattern = STRBUF_INIT, again = STRBUF_INIT;
	char *copy = exact_copy(name, strlen(name));

	normalise_name(copy, strlen(name), &pattern);
	assert_text(&pattern, expected);
	normalise_name(pattern.data, pattern.len, &again);
	assert_text(&again, expected);
	strbuf_done(&pattern);
	strbuf_done(&again);
	free(copy);
}

static void test_pattern_examples(void **state)
{
	static const char *const examples[][2] = {
	        {"tokio-worker-12", "tokio-worker-{N}"},
	        {"kworker/0:1H-wq_prio", "kworker/{N}:{N}H-wq_prio"},
	        {"kworker/u8:3", "kworker/u{N}:{N}"},
	        {"kworker/0:1+evt", "kworker/{N}:{N}+evt"},
	        {"kworker/0:1-evt", "kworker/{N}:{N}-evt"},
	        {"a0", "{H}"},
	        {"42abc", "{H}"},
	        {"100Hz", "{N}Hz"},
	        {"cpu0", "cpu{N}"},
	        {"proto303handler", "proto303handler"},
	        {"gadget-v2", "gadget-v{N}"},
	        {"pool-2-thread-7", "pool-{N}-thread-{N}"},
	        {"dev[1ab]", "dev[{H}]"},
	        {"Chrome thread 4", "Chrome thread {N}"},
	        /* The pools of a JVM: members are together, pools apart. */
	        {"GC Thread#0", "GC Thread#{N}"},
	        {"GC Thread#1", "GC Thread#{N}"},
	        {"G1 Conc#0", "G{N} Conc#{N}"},
	        {"job@7", "job@{N}"},
	        {"io~12", "io~{N}"},
	        {"deadbeef", "deadbeef"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++)
		check_pattern(examples[i][0], examples[i][1]);
}

/* The first rule that fits decides. */
static void test_pattern_rules(void **state)
{
	(void)state;
	check_pattern("", "");
	check_pattern("0", "{N}");
	check_pattern("00000000000000000000000000", "{N}");
	check_pattern("a", "a");
	check_pattern("f", "f");
	check_pattern("ab", "ab");
	check_pattern("0a", "{H}");
	check_pattern("a1b2c3", "{H}");
	check_pattern("e1", "{H}");
	check_pattern("g1", "g{N}");
	check_pattern("1g", "{N}g");
	check_pattern("A0", "A{N}");
	check_pattern("0A", "{N}A");
	check_pattern("DEADBEEF1", "DEADBEEF{N}");
	check_pattern("1DEADBEEF", "{N}DEADBEEF");
	check_pattern("dEadbeef1", "dEadbeef{N}");
	check_pattern("0A0F", "0A0F");
	check_pattern("a1g", "a1g");
	check_pattern("1g1", "1g1");
	check_pattern("x1y2", "x1y2");
	check_pattern("python3", "python{N}");
	check_pattern("worker", "worker");
	check_pattern("w#1", "w#{N}");
	check_pattern("(sd-pam)", "(sd-pam)");
	check_pattern("1#", "{N}#");
}

static void test_pattern_separators(void **state)
{
	static const char separators[] = ".-_/:@+[]#~";
	struct strbuf name = STRBUF_INIT, expected = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < strlen(separators); i++) {
		strbuf_clear(&name);
		strbuf_clear(&expected);
		strbuf_addf(&name, "%ca%c%c1%c", separators[i], separators[i], separators[i],
		            separators[i]);
		strbuf_addf(&expected, "%ca%c%c{N}%c", separators[i], separators[i], separators[i],
		            separators[i]);
		check_pattern(name.data, expected.data);
	}
	check_pattern("...", "...");
	check_pattern("1.2.3", "{N}.{N}.{N}");
	/* Neither of these separates. */
	check_pattern("a,1", "a,1");
	check_pattern("a=1", "a=1");
	check_pattern("a$1", "a$1");
	strbuf_done(&name);
	strbuf_done(&expected);
}

/* Unicode white space, one of each range and its neighbours. */
static void test_pattern_white_space(void **state)
{
	static const char *const spaces[] = {" ",
	                                     "\t",
	                                     "\n",
	                                     "\v",
	                                     "\f",
	                                     "\r",
	                                     "\xc2\x85",
	                                     "\xc2\xa0",
	                                     "\xe1\x9a\x80",
	                                     "\xe2\x80\x80",
	                                     "\xe2\x80\x8a",
	                                     "\xe2\x80\xa8",
	                                     "\xe2\x80\xa9",
	                                     "\xe2\x80\xaf",
	                                     "\xe2\x81\x9f",
	                                     "\xe3\x80\x80"};
	static const char *const others[] = {"\x08",         "\x0e",         "\xc2\x84",
	                                     "\xc2\x86",     "\xe2\x80\x8b", "\xe2\x80\xae",
	                                     "\xe3\x80\x81", "\xef\xbb\xbf", "\xc3\xa9",
	                                     "\xff",         "\xc2"};
	struct strbuf name = STRBUF_INIT, expected = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(spaces) + ARRAY_SIZE(others); i++) {
		bool space = i < ARRAY_SIZE(spaces);
		const char *between = space ? spaces[i] : others[i - ARRAY_SIZE(spaces)];

		strbuf_clear(&name);
		strbuf_clear(&expected);
		strbuf_addf(&name, "x%s7", between);
		strbuf_addf(&expected, "x%s%s", between, space ? "{N}" : "7");
		check_pattern(name.data, expected.data);
	}
	strbuf_done(&name);
	strbuf_done(&expected);
}

static void test_pattern_any_bytes(void **state)
{
	struct strbuf pattern = STRBUF_INIT;

	(void)state;
	check_pattern("\xff\xfe-1", "\xff\xfe-{N}");
	check_pattern("w\xc3\xa9-12", "w\xc3\xa9-{N}");
	/* A space that begins within an ill-formed character is a space all the same. */
	check_pattern("\xe1\xc2\x85"
	              "1",
	              "\xe1\xc2\x85{N}");
	normalise_name("a\0-1", 4, &pattern);
	assert_int_equal(pattern.len, 6);
	assert_memory_equal(pattern.data, "a\0-{N}", 6);
	strbuf_done(&pattern);
}

static void test_pattern_is_appended(void **state)
{
	struct strbuf pattern = STRBUF_INIT;

	(void)state;
	strbuf_add_str(&pattern, "before ");
	normalise_name("w-1xyz", 3, &pattern);
	assert_text(&pattern, "before w-{N}");
	strbuf_done(&pattern);
}

static void test_pattern_of_pattern(void **state)
{
	enum { SEED = 15, ROUNDS = 30000, BYTES = 24 };
	static const char likely[] = "0123abcfgzAFZ.-_/:@+[]#~{} \xc2\x85\xe2\x80\xa8\xff";
	struct strbuf pattern = STRBUF_INIT, again = STRBUF_INIT;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		size_t len = random_below(&random, BYTES);
		char name[BYTES];

		for (size_t i = 0; i < len; i++)
			name[i] = random_chance(&random, 85)
			                  ? likely[random_below(&random, sizeof(likely) - 1)]
			                  : (char)random_next(&random);
		strbuf_clear(&pattern);
		strbuf_clear(&again);
		normalise_name(name, len, &pattern);
		normalise_name(strbuf_str(&pattern), pattern.len, &again);
		check_random(&random, pattern.len == again.len);
		check_random(&random, pattern.len == 0 ||
		                              memcmp(pattern.data, again.data, pattern.len) == 0);
	}
	strbuf_done(&pattern);
	strbuf_done(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_pattern_examples),
	        cmocka_unit_test(test_pattern_rules),
	        cmocka_unit_test(test_pattern_separators),
	        cmocka_unit_test(test_pattern_white_space),
	        cmocka_unit_test(test_pattern_any_bytes),
	        cmocka_unit_test(test_pattern_is_appended),
	        cmocka_unit_test(test_pattern_of_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
