// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "procfs/procfs.h"

static const char whole[] =
        "55bee0415000-7ffc90c0d000 ---p 00000000 00:00 0                          [rollup]\n"
        "Rss:                1672 kB\n"
        "Pss:                 354 kB\n"
        "Pss_Anon:            112 kB\n"
        "Shared_Hugetlb:        0 kB\n"
        "KSM:                   0 kB\n"
        "SwapPss:               3 kB\n";

static struct thread_sample sample;

static int done(void **state)
{
	(void)state;
	sample_done(&sample);
	return 0;
}

static enum source_outcome parse_bytes(const char *text, size_t len)
{
	char *copy = exact_copy(text, len);
	enum source_outcome outcome;

	sample_reset(&sample);
	outcome = smaps_parse(copy, len, &sample);
	free(copy);
	return outcome;
}

static enum source_outcome parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

static void assert_key(size_t place, const char *key, uint64_t kib)
{
	const struct keyed_value *entry = &sample.smaps_rollup_kib.entries[place];

	assert_true(place < sample.smaps_rollup_kib.count);
	assert_string_equal(entry->key, key);
	assert_int_equal(entry->value, kib);
}

static void test_smaps_whole(void **state)
{
	(void)state;
	assert_int_equal(parse(whole), OUTCOME_read);
	assert_true(sample.has_smaps);
	assert_int_equal(sample.smaps_rollup_kib.count, 6);
	assert_key(0, "Rss", 1672);
	assert_key(1, "Pss", 354);
	assert_key(2, "Pss_Anon", 112);
	assert_key(3, "Shared_Hugetlb", 0);
	assert_key(4, "KSM", 0);
	assert_key(5, "SwapPss", 3);
}

/* The unit is the last thing of a line, so a line that is cut is not taken. */
static void test_smaps_cut(void **state)
{
	(void)state;
	for (size_t len = 0; len < strlen(whole); len++) {
		size_t units = 0;

		for (size_t i = 0; i + 1 < len; i++)
			units += memcmp(whole + i, "kB", 2) == 0;
		assert_int_equal(parse_bytes(whole, len),
		                 units > 0 ? OUTCOME_read : OUTCOME_malformed);
		assert_int_equal(sample.has_smaps, units > 0);
		assert_int_equal(sample.smaps_rollup_kib.count, units);
	}
}

static void test_smaps_other_lines(void **state)
{
	static const char *const texts[] = {
	        "",
	        "\n",
	        "55bee0415000-7ffc90c0d000 ---p 00000000 00:00 0 [rollup]\n",
	        "Rss: 1\n",
	        "Rss: 1 KB\n",
	        "Rss: 1 kB more\n",
	        "Rss 1 kB\n",
	        "Rss: -1 kB\n",
	        "Rss: 18446744073709551616 kB\n",
	        "VmFlags: rd ex mr\n",
	        "two words: 1 kB\n",
	        "with-dash: 1 kB\n",
	        ": 1 kB\n",
	        "\xff\xfe: 1 kB\n",
	        "\x1b[31mRss: 1 kB\n",
	        "A12345678901234567890123456789012345678901234567890123456789012345: 1 kB\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parse(texts[i]), OUTCOME_malformed);
		assert_false(sample.has_smaps);
		assert_int_equal(sample.smaps_rollup_kib.count, 0);
	}
}

static void test_smaps_range(void **state)
{
	(void)state;
	assert_int_equal(parse("Rss: 18446744073709551615 kB\nRss:\t7 kB"), OUTCOME_read);
	assert_int_equal(sample.smaps_rollup_kib.count, 1);
	assert_key(0, "Rss", 7);
}

/* A file of nothing but keys must not cost the square of its length. */
static void test_smaps_many_keys(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	for (unsigned i = 0; i < 100000; i++)
		strbuf_addf(&text, "Key%u: %u kB\n", i, i);
	assert_int_equal(parse_bytes(text.data, text.len), OUTCOME_read);
	assert_int_equal(sample.smaps_rollup_kib.count, 128);
	assert_key(127, "Key127", 127);
	strbuf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_smaps_whole),       cmocka_unit_test(test_smaps_cut),
	        cmocka_unit_test(test_smaps_other_lines), cmocka_unit_test(test_smaps_range),
	        cmocka_unit_test(test_smaps_many_keys),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
