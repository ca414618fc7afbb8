// SPDX-License-Identifier: GPL-2.0-or-later
/* The files made of "key: value" lines: status and io. */
#include "check.h"

#include "procfs/procfs.h"
#include "seen.h"

static struct source_keys status_keys, io_keys;
static struct thread_sample sample;

static int setup(void **state)
{
	(void)state;
	source_keys_init(&status_keys, SOURCE_status);
	source_keys_init(&io_keys, SOURCE_io);
	return 0;
}

static int done(void **state)
{
	(void)state;
	source_keys_done(&status_keys);
	source_keys_done(&io_keys);
	sample_done(&sample);
	return 0;
}

static int reset(void **state)
{
	(void)state;
	sample_reset(&sample);
	return 0;
}

static enum source_outcome parse_status(const char *text)
{
	size_t len = strlen(text);
	char *copy = exact_copy(text, len);
	enum source_outcome outcome = status_parse(&status_keys, copy, len, &sample);

	free(copy);
	return outcome;
}

static enum source_outcome parse_io(const char *text, size_t len)
{
	char *copy = exact_copy(text, len);
	enum source_outcome outcome = io_parse(&io_keys, copy, len, &sample);

	free(copy);
	return outcome;
}

static const char status[] = "Name:\tcat\\nvoluntary_ctxt_switches:\\t9\n"
                             "Umask:\t0022\n"
                             "State:\tR (running)\n"
                             "Tgid:\t25220\n"
                             "Threads:\t1\n"
                             "Cpus_allowed:\t00000000,0000010f\n"
                             "Cpus_allowed_list:\t0-3,8\n"
                             "Mems_allowed_list:\t0\n"
                             "voluntary_ctxt_switches:\t12\n"
                             "nonvoluntary_ctxt_switches:\t34\n";

static const char io[] = "rchar: 1000001\n"
                         "wchar: 6\n"
                         "syscr: 12\n"
                         "syscw: 1\n"
                         "read_bytes: 4096\n"
                         "write_bytes: 18446744073709551615\n"
                         "cancelled_write_bytes: 0\n";

static void test_status_fallbacks(void **state)
{
	(void)state;
	assert_int_equal(parse_status(status), OUTCOME_read);
	assert_seen(&sample, voluntary_csw, 12);
	assert_seen(&sample, nonvoluntary_csw, 34);
	assert_true(metric_set_has(&sample.seen, METRIC_cpu_affinity));
	assert_int_equal(cpu_mask_count(&sample.cpu_affinity.v), 5);
	assert_true(cpu_mask_has(&sample.cpu_affinity.v, 8));
	assert_int_equal(count_metrics(&sample.seen), 3 + count_of_source(SOURCE_status));
	assert_int_equal(count_metrics(&sample.malformed), 0);
}

/* A value that the sample has already is better. */
static void test_status_leaves_what_is_seen(void **state)
{
	(void)state;
	sample_set(&sample, voluntary_csw, (struct counter_count){99});
	cpu_mask_clear(&sample.cpu_affinity.v);
	assert_true(cpu_mask_add(&sample.cpu_affinity.v, 5));
	metric_set_add(&sample.seen, METRIC_cpu_affinity);
	assert_int_equal(parse_status(status), OUTCOME_read);
	assert_seen(&sample, voluntary_csw, 99);
	assert_seen(&sample, nonvoluntary_csw, 34);
	assert_int_equal(cpu_mask_count(&sample.cpu_affinity.v), 1);
}

/* A second source may give what made no sense in the first. */
static void test_status_replaces_malformed(void **state)
{
	(void)state;
	metric_set_add(&sample.malformed, METRIC_voluntary_csw);
	assert_int_equal(parse_status(status), OUTCOME_read);
	assert_true(metric_set_has(&sample.seen, METRIC_voluntary_csw));
	assert_int_equal(sample.voluntary_csw.v, 12);
}

static void test_status_senseless_values(void **state)
{
	(void)state;
	assert_int_equal(parse_status("voluntary_ctxt_switches:\t-1\nCpus_allowed_list:\t\n"
	                              "nonvoluntary_ctxt_switches: 7"),
	                 OUTCOME_read);
	assert_malformed(&sample, voluntary_csw);
	assert_malformed(&sample, cpu_affinity);
	assert_seen(&sample, nonvoluntary_csw, 7);
}

static void test_keyed_without_keys(void **state)
{
	static const char *const texts[] = {"", "\n", "no colon here\nnor here", "\n\n\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parse_status(texts[i]), OUTCOME_malformed);
		assert_int_equal(parse_io(texts[i], strlen(texts[i])), OUTCOME_malformed);
	}
	assert_int_equal(parse_status("unknown: 5\n"), OUTCOME_read);
	assert_int_equal(count_metrics(&sample.seen), 0);
}

static void test_io_all_keys(void **state)
{
	(void)state;
	assert_int_equal(parse_io(io, strlen(io)), OUTCOME_read);
	assert_seen(&sample, rchar, 1000001);
	assert_seen(&sample, wchar, 6);
	assert_seen(&sample, syscr, 12);
	assert_seen(&sample, syscw, 1);
	assert_seen(&sample, read_bytes, 4096);
	assert_seen(&sample, write_bytes, UINT64_MAX);
	assert_seen(&sample, cancelled_write_bytes, 0);
	assert_int_equal(count_metrics(&sample.seen), count_of_source(SOURCE_io));
}

static void test_io_some_keys_in_another_order(void **state)
{
	static const char text[] = "read_bytes: 2\nunknown: 3\nrchar: 1";

	(void)state;
	assert_int_equal(parse_io(text, strlen(text)), OUTCOME_read);
	assert_seen(&sample, rchar, 1);
	assert_seen(&sample, read_bytes, 2);
	assert_unseen(&sample, wchar);
	assert_int_equal(count_metrics(&sample.seen), 2);
}

/* Keys are matched in full: read_bytes is not what stands behind a dot, nor within another word. */
static void test_io_keys_in_full(void **state)
{
	static const char text[] = "x.rchar: 1\nrcharx: 1\nRCHAR: 1\nxread_bytes: 1\n";

	(void)state;
	assert_int_equal(parse_io(text, strlen(text)), OUTCOME_read);
	assert_int_equal(count_metrics(&sample.seen), 0);
	assert_int_equal(count_metrics(&sample.malformed), 0);
}

static void test_io_cut_anywhere(void **state)
{
	static const uint64_t syscw_line =
	        sizeof("rchar: 1000001\nwchar: 6\nsyscr: 12\nsyscw: 1") - 1;

	(void)state;
	for (size_t cut = 0; cut <= strlen(io); cut++) {
		enum source_outcome outcome;

		sample_reset(&sample);
		outcome = parse_io(io, cut);
		assert_int_equal(outcome,
		                 cut < sizeof("rchar:") - 1 ? OUTCOME_malformed : OUTCOME_read);
		if (cut >= syscw_line) {
			assert_seen(&sample, rchar, 1000001);
			assert_seen(&sample, syscr, 12);
			assert_seen(&sample, syscw, 1);
		}
		assert_true(count_metrics(&sample.malformed) <= 1);
	}
}

static void test_status_uid(void **state)
{
	static const struct {
		const char *text;
		bool found;
		uint32_t uid;
	} cases[] = {
	        {"Name:\ta\nUid:\t1000\t1001\t1002\t1003\nGid:\t5\t6\t7\t8\n", true, 1001},
	        {"Uid:\t0 4294967295", true, UINT32_MAX},
	        {"Name:\tUid:\\n\nNSUid:\t1\t2\nUid:\t3\t4\nUid:\t5\t6\n", true, 4},
	        {"Uid:\t0\t4294967296\t0\t0\n", false, 7},
	        {"Uid:\t0\t-1\t0\t0\n", false, 7},
	        {"Uid:\t1000\n", false, 7},
	        {"Uid\n", false, 7},
	        {"Gid:\t1\t2\t3\t4\n", false, 7},
	        {"", false, 7},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].text);
		char *copy = exact_copy(cases[i].text, len);
		uint32_t uid = 7;

		assert_int_equal(status_uid(copy, len, &uid), cases[i].found);
		assert_int_equal(uid, cases[i].uid);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup(test_status_fallbacks, reset),
	        cmocka_unit_test_setup(test_status_leaves_what_is_seen, reset),
	        cmocka_unit_test_setup(test_status_replaces_malformed, reset),
	        cmocka_unit_test_setup(test_status_senseless_values, reset),
	        cmocka_unit_test(test_status_uid),
	        cmocka_unit_test_setup(test_keyed_without_keys, reset),
	        cmocka_unit_test_setup(test_io_all_keys, reset),
	        cmocka_unit_test_setup(test_io_some_keys_in_another_order, reset),
	        cmocka_unit_test_setup(test_io_keys_in_full, reset),
	        cmocka_unit_test_setup(test_io_cut_anywhere, reset),
	};

	return cmocka_run_group_tests(tests, setup, done);
}
