// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "ctprof/metric/sample.h"
#include "random.h"

static bool parse(struct cpu_mask *mask, const char *text)
{
	size_t len = strlen(text);
	char *copy = exact_copy(text, len);
	bool valid;

	/* Bits behind the words in use must never count. */
	memset(mask, 0xff, sizeof(*mask));
	valid = cpu_mask_parse(mask, copy, len);
	free(copy);
	return valid;
}

static void test_mask_parse_and_format(void **state)
{
	static const struct {
		const char *text;
		unsigned count;
		const char *formatted;
	} cases[] = {
	        {"0", 1, "0"},
	        {"8191", 1, "8191"},
	        {"0-8191", 8192, "0-8191"},
	        {"0-3,8", 5, "0-3,8"},
	        {"8,0-3", 5, "0-3,8"},
	        {"1,2,3", 3, "1-3"},
	        {"1-2,2-3", 3, "1-3"},
	        {"5,5,5", 1, "5"},
	        {"7-7", 1, "7"},
	        {"0-1", 2, "0-1"},
	        {"63,64", 2, "63-64"},
	        {"0,63,64,127,128", 5, "0,63-64,127-128"},
	        {"007", 1, "7"},
	        {"0-62,64-8191", 8191, "0-62,64-8191"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf text = STRBUF_INIT;
		struct cpu_mask mask;

		assert_true(parse(&mask, cases[i].text));
		assert_int_equal(cpu_mask_count(&mask), cases[i].count);
		cpu_mask_format(&mask, &text);
		assert_text(&text, cases[i].formatted);
		strbuf_done(&text);
	}
}

static void test_mask_parse_refuses(void **state)
{
	static const char *const refused[] = {
	        "",
	        ",",
	        "-",
	        "1,",
	        ",1",
	        "1,,2",
	        "3-",
	        "-3",
	        "3-1",
	        "1-2-3",
	        "8192",
	        "0-8192",
	        "8191-8192",
	        "18446744073709551616",
	        "0-18446744073709551615",
	        "18446744073709551615",
	        "a",
	        "1a",
	        "0x1",
	        " 1",
	        "1 ",
	        "1, 2",
	        "1\n",
	        "+1",
	        "0-3/2",
	        "*",
	        "all",
	};
	struct cpu_mask mask;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (parse(&mask, refused[i]))
			fail_msg("\"%s\"", refused[i]);
}

static void test_mask_add_limits(void **state)
{
	struct cpu_mask mask;

	(void)state;
	memset(&mask, 0xff, sizeof(mask));
	cpu_mask_clear(&mask);
	assert_int_equal(cpu_mask_count(&mask), 0);
	assert_int_equal(cpu_mask_next(&mask, 0), CPU_MASK_CPUS);
	assert_false(cpu_mask_has(&mask, 0));
	assert_false(cpu_mask_add(&mask, CPU_MASK_CPUS));
	assert_false(cpu_mask_add(&mask, UINT64_MAX));
	assert_int_equal(cpu_mask_count(&mask), 0);
	assert_true(cpu_mask_add(&mask, CPU_MASK_CPUS - 1));
	assert_int_equal(cpu_mask_count(&mask), 1);
	assert_true(cpu_mask_has(&mask, CPU_MASK_CPUS - 1));
	assert_false(cpu_mask_has(&mask, CPU_MASK_CPUS));
	assert_false(cpu_mask_has(&mask, 0));
	assert_int_equal(cpu_mask_next(&mask, 0), CPU_MASK_CPUS - 1);
	assert_int_equal(cpu_mask_next(&mask, CPU_MASK_CPUS), CPU_MASK_CPUS);
}

static void test_mask_format_empty(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct cpu_mask mask;

	(void)state;
	cpu_mask_clear(&mask);
	strbuf_add_str(&text, "cpus:");
	cpu_mask_format(&mask, &text);
	assert_text(&text, "cpus:");
	strbuf_done(&text);
}

/* Words of zeros behind the last CPU make no difference. */
static void test_mask_equal_lengths(void **state)
{
	struct cpu_mask a, b;

	(void)state;
	assert_true(parse(&a, "0-3"));
	assert_true(parse(&b, "0-3"));
	assert_true(cpu_mask_equal(&a, &b));
	b.words[1] = b.words[2] = 0;
	b.used_words = 3;
	assert_true(cpu_mask_equal(&a, &b));
	assert_true(cpu_mask_equal(&b, &a));
	b.words[2] = 1;
	assert_false(cpu_mask_equal(&a, &b));
	assert_false(cpu_mask_equal(&b, &a));
	assert_true(parse(&b, "0-2"));
	assert_false(cpu_mask_equal(&a, &b));
	cpu_mask_clear(&a);
	assert_false(cpu_mask_equal(&a, &b));
	cpu_mask_clear(&b);
	assert_true(cpu_mask_equal(&a, &b));
}

/* Against an array of flags. */
static void test_mask_random_sets(void **state)
{
	enum { SEED = 5, ROUNDS = 300 };
	static bool flags[CPU_MASK_CPUS];

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		unsigned bound = (unsigned)random_below(&random, CPU_MASK_CPUS) + 1, count = 0;
		unsigned next = CPU_MASK_CPUS;
		struct cpu_mask mask, again;
		struct strbuf text = STRBUF_INIT;

		memset(flags, 0, sizeof(flags));
		memset(&mask, 0xff, sizeof(mask));
		cpu_mask_clear(&mask);
		for (uint64_t i = random_below(&random, 2 * bound) + 1; i > 0; i--) {
			uint64_t cpu = random_below(&random, bound);

			flags[cpu] = true;
			check_random(&random, cpu_mask_add(&mask, cpu));
		}
		for (unsigned cpu = CPU_MASK_CPUS; cpu-- > 0;) {
			next = flags[cpu] ? cpu : next;
			count += flags[cpu];
			check_random(&random, cpu_mask_has(&mask, cpu) == flags[cpu]);
			check_random(&random, cpu_mask_next(&mask, cpu) == next);
		}
		check_random(&random, cpu_mask_count(&mask) == count);
		cpu_mask_format(&mask, &text);
		check_random(&random, parse(&again, strbuf_str(&text)));
		check_random(&random, cpu_mask_equal(&mask, &again));
		strbuf_done(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_mask_parse_and_format),
	        cmocka_unit_test(test_mask_parse_refuses),
	        cmocka_unit_test(test_mask_add_limits),
	        cmocka_unit_test(test_mask_format_empty),
	        cmocka_unit_test(test_mask_equal_lengths),
	        cmocka_unit_test(test_mask_random_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
