// SPDX-License-Identifier: GPL-2.0-or-later
/* The short way through a row reads, and refuses, the same as the long one, where a blank sends it. */
#include "check.h"

#include "samples.h"
#include "snapshots.h"

static const char head[] =
        "{\"format\":\"ctprof\",\"version\":1,\"kind\":\"lifetime\",\"threads\":[";

/* One key of each kind, in the order in which rows are written. */
static const struct {
	const char *key, *value;
} members[] = {
        {"tid", "10"},
        {"tgid", "10"},
        {"pcomm", "\"p\""},
        {"comm", "\"c\""},
        {"uid", "7"},
        {"ppid", "1"},
        {"pgrp", "8"},
        {"session", "9"},
        {"start_time_clock_ticks", "1234567"},
        {"state", "\"S\""},
        {"policy", "\"SCHED_FIFO\""},
        {"nice", "-5"},
        {"processor", "3"},
        {"ext_enabled", "true"},
        {"cpu_affinity", "[0,1,70]"},
        {"run_time_ns", "18446744073709551615"},
        {"wait_time_ns", "12"},
        {"minflt", "0"},
};

static const char *const values[] = {
        "0",
        "1",
        "2147483647",
        "2147483648",
        "-2147483648",
        "4294967295",
        "4294967296",
        "999999999999999999",
        "9999999999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "1e3",
        "01",
        "\"1\"",
        "\"\"",
        "\"SCHED_\\u0046IFO\"",
        "\"a\\nb\"",
        "\"a name that is longer than what a label has room for, and than those of threads\"",
        "true",
        "false",
        "null",
        "[0,1,70]",
        "[0,1]",
        "[1,0]",
        "[0,1,70,70]",
        "[0,1,70",
        "[4294967296]",
        "[]",
        "{}",
};

static void add_row(struct strbuf *json, size_t other, const char *value, bool has_blank)
{
	strbuf_add_str(json, "{");
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		strbuf_addf(json, "%s\"%s\":%s%s", i > 0 ? "," : "", members[i].key,
		            i == other && has_blank ? " " : "",
		            i == other ? value : members[i].value);
	strbuf_add_str(json, "}");
}

/* Three rows, the second one with another value. */
static void read_rows(size_t other, const char *value, bool has_blank, struct snapshot_copy *copy)
{
	struct strbuf json = STRBUF_INIT;

	strbuf_add_str(&json, head);
	for (unsigned row = 0; row < 3; row++) {
		strbuf_add_str(&json, row > 0 ? "," : "");
		add_row(&json, row == 1 ? other : SIZE_MAX, value, has_blank);
	}
	strbuf_add_str(&json, "]}");
	snapshot_copy_read_json(copy, json.data, json.len, NULL);
	strbuf_done(&json);
}

static void test_same_by_both_ways(void **state)
{
	unsigned accepted = 0, refused = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			struct snapshot_copy by_short, by_long;

			read_rows(i, values[v], false, &by_short);
			read_rows(i, values[v], true, &by_long);
			if (by_short.result != by_long.result ||
			    (by_short.result < 0) != (by_short.error.len > 0) ||
			    !snapshot_copies_equal(&by_short, &by_long))
				fail_msg("\"%s\":%s: %s; with a blank: %s", members[i].key,
				         values[v], strbuf_str(&by_short.error),
				         strbuf_str(&by_long.error));
			accepted += by_short.result == 0;
			refused += by_short.result < 0;
			snapshot_copy_done(&by_short);
			snapshot_copy_done(&by_long);
		}
	assert_true(accepted > ARRAY_SIZE(members) && refused > ARRAY_SIZE(members));
}

static void test_values(void **state)
{
	const struct thread_sample *sample;
	struct snapshot_copy copy;

	(void)state;
	read_rows(0, "11", false, &copy);
	assert_int_equal(copy.result, 0);
	assert_int_equal(copy.count, 3);
	sample = snapshot_copy_find(&copy, 11);
	assert_non_null(sample);
	assert_int_equal(sample->uid, 7);
	assert_true(sample->has_parent);
	assert_int_equal(sample->ppid, 1);
	assert_int_equal(sample->pgrp, 8);
	assert_int_equal(sample->session, 9);
	assert_text(&sample->pcomm, "p");
	assert_int_equal(sample->nice.v, -5);
	assert_true(sample->ext_enabled.v);
	assert_true(cpu_mask_has(&sample->cpu_affinity.v, 70));
	assert_true(sample->run_time_ns.v == UINT64_MAX);
	assert_true(metric_set_has(&sample->seen, METRIC_minflt));
	assert_int_equal(sample->minflt.v, 0);
	snapshot_copy_done(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_same_by_both_ways),
	        cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
