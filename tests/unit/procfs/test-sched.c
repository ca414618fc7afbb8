// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "base/scan.h"
#include "procfs/procfs.h"
#include "seen.h"

static struct source_keys keys;
static struct thread_sample sample;

static const char dashes[] =
        "-------------------------------------------------------------------\n";

/* Linux 5.10 with CONFIG_SCHEDSTATS: it prints no sum_block_runtime. */
static const char linux_5_10[] =
        "bash (1234, #threads: 1)\n"
        "-------------------------------------------------------------------\n"
        "se.exec_start                                :     123456789.123456\n"
        "se.vruntime                                  :          1234.567890\n"
        "se.sum_exec_runtime                          :           456.789012\n"
        "se.nr_migrations                             :                   12\n"
        "se.statistics.sum_sleep_runtime              :          5000.000500\n"
        "se.statistics.wait_start                     :             0.000000\n"
        "se.statistics.sleep_start                    :     123456780.000001\n"
        "se.statistics.block_start                    :             0.000000\n"
        "se.statistics.sleep_max                      :          1000.000001\n"
        "se.statistics.block_max                      :            30.250000\n"
        "se.statistics.exec_max                       :             3.999999\n"
        "se.statistics.slice_max                      :             7.000010\n"
        "se.statistics.wait_max                       :             1.234567\n"
        "se.statistics.wait_sum                       :            12.345678\n"
        "se.statistics.wait_count                     :                  321\n"
        "se.statistics.iowait_sum                     :             2.000002\n"
        "se.statistics.iowait_count                   :                    5\n"
        "se.statistics.nr_migrations_cold             :                    0\n"
        "se.statistics.nr_failed_migrations_affine    :                    1\n"
        "se.statistics.nr_failed_migrations_running   :                    2\n"
        "se.statistics.nr_failed_migrations_hot       :                    3\n"
        "se.statistics.nr_forced_migrations           :                    4\n"
        "se.statistics.nr_wakeups                     :                  100\n"
        "se.statistics.nr_wakeups_sync                :                   50\n"
        "se.statistics.nr_wakeups_migrate             :                    6\n"
        "se.statistics.nr_wakeups_local               :                   70\n"
        "se.statistics.nr_wakeups_remote              :                   30\n"
        "se.statistics.nr_wakeups_affine              :                    8\n"
        "se.statistics.nr_wakeups_affine_attempts     :                   16\n"
        "se.statistics.nr_wakeups_passive             :                    0\n"
        "se.statistics.nr_wakeups_idle                :                    0\n"
        "avg_atom                                     :             1.423017\n"
        "avg_per_cpu                                  :            38.065751\n"
        "nr_switches                                  :                  321\n"
        "nr_voluntary_switches                        :                  300\n"
        "nr_involuntary_switches                      :                   21\n"
        "se.load.weight                               :              1048576\n"
        "policy                                       :                    0\n"
        "prio                                         :                  120\n"
        "clock-delta                                  :                   17\n"
        "mm->numa_scan_seq                            :                    0\n"
        "current_node=0, numa_group_id=0\n"
        "numa_faults node=0 task_private=0 task_shared=0 group_private=0 group_shared=0\n";

/* Linux 6.x with everything: bare names, core scheduling, sched_ext. */
static const char linux_6[] =
        "bash (1234, #threads: 1)\n"
        "-------------------------------------------------------------------\n"
        "se.exec_start                                :     123456789.123456\n"
        "se.nr_migrations                             :                   12\n"
        "sum_sleep_runtime                            :          5000.000500\n"
        "sum_block_runtime                            :          1000.000400\n"
        "wait_start                                   :             0.000000\n"
        "sleep_max                                    :          1000.000001\n"
        "block_max                                    :            30.250000\n"
        "exec_max                                     :             3.999999\n"
        "slice_max                                    :             7.000010\n"
        "wait_max                                     :             1.234567\n"
        "wait_sum                                     :            12.345678\n"
        "wait_count                                   :                  321\n"
        "iowait_sum                                   :             2.000002\n"
        "iowait_count                                 :                    5\n"
        "nr_failed_migrations_affine                  :                    1\n"
        "nr_failed_migrations_running                 :                    2\n"
        "nr_failed_migrations_hot                     :                    3\n"
        "nr_forced_migrations                         :                    4\n"
        "nr_wakeups                                   :                  100\n"
        "nr_wakeups_sync                              :                   50\n"
        "nr_wakeups_migrate                           :                    6\n"
        "nr_wakeups_local                             :                   70\n"
        "nr_wakeups_remote                            :                   30\n"
        "nr_wakeups_affine                            :                    8\n"
        "nr_wakeups_affine_attempts                   :                   16\n"
        "core_forceidle_sum                           :             0.000077\n"
        "avg_atom                                     :             1.423017\n"
        "nr_switches                                  :                  321\n"
        "nr_voluntary_switches                        :                  300\n"
        "nr_involuntary_switches                      :                   21\n"
        "policy                                       :                    7\n"
        "prio                                         :                  120\n"
        "se.slice                                     :              3000000\n"
        "ext.enabled                                  :                    1\n"
        "clock-delta                                  :                   71\n";

/* Linux 6.18 without CONFIG_SCHEDSTATS. */
static const char linux_6_off[] =
        "cat (25221, #threads: 1)\n"
        "-------------------------------------------------------------------\n"
        "se.exec_start                                :       5216843.931126\n"
        "se.vruntime                                  :         61762.100720\n"
        "se.sum_exec_runtime                          :             0.507947\n"
        "se.nr_migrations                             :                    1\n"
        "nr_switches                                  :                    3\n"
        "nr_voluntary_switches                        :                    0\n"
        "nr_involuntary_switches                      :                    3\n"
        "se.load.weight                               :              1048576\n"
        "se.avg.last_update_time                      :        5216843930624\n"
        "policy                                       :                    0\n"
        "prio                                         :                  120\n"
        "se.slice                                     :              1400000\n"
        "clock-delta                                  :                   71\n"
        "numa_preferred_nid                           :                   -1\n"
        "current_node=0, numa_group_id=0\n";

static int setup(void **state)
{
	(void)state;
	source_keys_init(&keys, SOURCE_sched);
	return 0;
}

static int done(void **state)
{
	(void)state;
	source_keys_done(&keys);
	sample_done(&sample);
	return 0;
}

static enum source_outcome parse_bytes(const char *text, size_t len)
{
	char *copy = exact_copy(text, len);
	enum source_outcome outcome;

	sample_reset(&sample);
	outcome = sched_parse(&keys, copy, len, &sample);
	free(copy);
	return outcome;
}

static enum source_outcome parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

/* The lines below the dashes of a file. */
static enum source_outcome parse_lines(const char *lines)
{
	struct strbuf text = STRBUF_INIT;
	enum source_outcome outcome;

	strbuf_addf(&text, "comm (1, #threads: 1)\n%s%s", dashes, lines);
	outcome = parse_bytes(text.data, text.len);
	strbuf_done(&text);
	return outcome;
}

/* Returns whether the file has a line with that key. The kernel may write words such as "se.statistics." before it. */
static bool has_line(const char *text, struct span key)
{
	cleanup_(strbuf_done) struct strbuf want = STRBUF_INIT;

	strbuf_add(&want, key.text, key.len);
	strbuf_add_char(&want, ' ');
	for (const char *at = text; (at = strstr(at, strbuf_str(&want))); at++)
		if (at > text && (at[-1] == '\n' || at[-1] == '.'))
			return true;
	return false;
}

/* The sample has the metrics whose keys are in the file, and nothing else. */
static void check_metrics(const char *text)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		struct span rest = {metric_table[i].key, strlen(metric_table[i].key)}, key;
		bool inside = metric_table[i].source == SOURCE_sched;

		/* A difference has two keys, with a minus in between. */
		while (inside && scan_word(&rest, &key))
			inside = span_is(key, "-") || has_line(text, key);
		if (metric_set_has(&sample.seen, i) != inside)
			fail_msg("%s: seen is not %d", metric_table[i].name, inside);
	}
	assert_int_equal(count_metrics(&sample.malformed), 0);
}

static void check_common_statistics(void)
{
	assert_seen(&sample, nr_migrations, 12);
	assert_seen(&sample, sleep_max, 1000000001);
	assert_seen(&sample, block_max, 30250000);
	assert_seen(&sample, exec_max, 3999999);
	assert_seen(&sample, slice_max, 7000010);
	assert_seen(&sample, wait_max, 1234567);
	assert_seen(&sample, wait_sum, 12345678);
	assert_seen(&sample, wait_count, 321);
	assert_seen(&sample, iowait_sum, 2000002);
	assert_seen(&sample, iowait_count, 5);
	assert_seen(&sample, nr_failed_migrations_affine, 1);
	assert_seen(&sample, nr_failed_migrations_running, 2);
	assert_seen(&sample, nr_failed_migrations_hot, 3);
	assert_seen(&sample, nr_forced_migrations, 4);
	assert_seen(&sample, nr_wakeups, 100);
	assert_seen(&sample, nr_wakeups_sync, 50);
	assert_seen(&sample, nr_wakeups_migrate, 6);
	assert_seen(&sample, nr_wakeups_local, 70);
	assert_seen(&sample, nr_wakeups_remote, 30);
	assert_seen(&sample, nr_wakeups_affine, 8);
	assert_seen(&sample, nr_wakeups_affine_attempts, 16);
	assert_seen(&sample, voluntary_csw, 300);
	assert_seen(&sample, nonvoluntary_csw, 21);
	assert_int_equal(count_metrics(&sample.malformed), 0);
}

static void test_sched_5_10(void **state)
{
	(void)state;
	assert_int_equal(parse(linux_5_10), OUTCOME_read);
	check_common_statistics();
	assert_unseen(&sample, voluntary_sleep_ns);
	assert_unseen(&sample, block_sum);
	assert_unseen(&sample, fair_slice_ns);
	assert_unseen(&sample, ext_enabled);
	check_metrics(linux_5_10);
}

static void test_sched_6(void **state)
{
	(void)state;
	assert_int_equal(parse(linux_6), OUTCOME_read);
	check_common_statistics();
	assert_seen(&sample, voluntary_sleep_ns, 4000000100);
	assert_seen(&sample, block_sum, 1000000400);
	assert_seen(&sample, core_forceidle_sum, 77);
	assert_seen(&sample, fair_slice_ns, 3000000);
	assert_seen(&sample, ext_enabled, true);
	check_metrics(linux_6);
}

/* Without statistics there are no lines of them, which is no zero. */
static void test_sched_statistics_off(void **state)
{
	(void)state;
	assert_int_equal(parse(linux_6_off), OUTCOME_read);
	assert_seen(&sample, nr_migrations, 1);
	assert_seen(&sample, voluntary_csw, 0);
	assert_seen(&sample, nonvoluntary_csw, 3);
	assert_seen(&sample, fair_slice_ns, 1400000);
	check_metrics(linux_6_off);
}

/* The thread chooses its name, and the file holds it raw. */
static void test_sched_name_is_not_believed(void **state)
{
	static const char *const names[] = {
	        "\nnr_wakeups:9\n",
	        "\nwait_max:1.5\n",
	        "nr_wakeups:9",
	        "a:b",
	        "---------------",
	        "\n-------------",
	        "",
	};
	struct strbuf text = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_true(strlen(names[i]) <= 15);
		strbuf_clear(&text);
		strbuf_addf(&text, "%s (1234, #threads: 1)\n%sse.nr_migrations : 12\n", names[i],
		            dashes);
		assert_int_equal(parse_bytes(text.data, text.len), OUTCOME_read);
		assert_unseen(&sample, nr_wakeups);
		assert_unseen(&sample, wait_max);
		assert_seen(&sample, nr_migrations, 12);
		assert_int_equal(count_metrics(&sample.seen), 1);
	}
	strbuf_done(&text);
}

static void test_sched_without_dashes(void **state)
{
	static const char *const texts[] = {
	        "",
	        "\n",
	        "comm (1, #threads: 1)\n",
	        "comm (1, #threads: 1)\nnr_wakeups : 9\n",
	        "comm (1, #threads: 1)\n---------------\nnr_wakeups : 9\n",
	        "comm (1, #threads: 1)\n----------------x---------------\nnr_wakeups : 9\n",
	        "comm (1, #threads: 1)\n ------------------------------\nnr_wakeups : 9\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parse(texts[i]), OUTCOME_malformed);
		assert_int_equal(count_metrics(&sample.seen), 0);
		assert_int_equal(count_metrics(&sample.malformed), 0);
	}
}

static void test_sched_nothing_below_dashes(void **state)
{
	(void)state;
	assert_int_equal(parse_lines(""), OUTCOME_read);
	assert_int_equal(count_metrics(&sample.seen), 0);
}

static void test_sched_last_newline_missing(void **state)
{
	(void)state;
	assert_int_equal(parse_lines("wait_count : 7\nnr_wakeups : 9"), OUTCOME_read);
	assert_seen(&sample, wait_count, 7);
	assert_seen(&sample, nr_wakeups, 9);
}

/* Keys are matched in full, then by what stands behind the last dot. */
static void test_sched_key_styles(void **state)
{
	(void)state;
	assert_int_equal(parse_lines("se.statistics.nr_wakeups:1\nstats.wait_count:2\n"
	                             "a.b.c.d.wait_max:0.3\nnr_forced_migrations:4\n"),
	                 OUTCOME_read);
	assert_seen(&sample, nr_wakeups, 1);
	assert_seen(&sample, wait_count, 2);
	assert_seen(&sample, wait_max, 300000);
	assert_seen(&sample, nr_forced_migrations, 4);
	assert_int_equal(parse_lines("nr_wakeups_:1\nxnr_wakeups:1\nnr_wakeups.:1\n.:1\n:1\n"
	                             "NR_WAKEUPS:1\nnr_wakeups.x:1\n"),
	                 OUTCOME_read);
	assert_int_equal(count_metrics(&sample.seen), 0);
	assert_int_equal(parse_lines(".nr_wakeups:5\n"), OUTCOME_read);
	assert_seen(&sample, nr_wakeups, 5);
}

static void test_sched_ext_enabled(void **state)
{
	(void)state;
	assert_int_equal(parse_lines("ext.enabled : 0\n"), OUTCOME_read);
	assert_seen(&sample, ext_enabled, false);
	assert_int_equal(parse_lines("ext.enabled : 1\n"), OUTCOME_read);
	assert_seen(&sample, ext_enabled, true);
	assert_int_equal(parse_lines("enabled : 1\nse.enabled : 1\next.other : 1\n"), OUTCOME_read);
	assert_unseen(&sample, ext_enabled);
}

/* A racing read may go below zero; that is no measurement. */
static void test_sched_negative_times(void **state)
{
	(void)state;
	assert_int_equal(parse_lines("wait_max : 0.-000500\nwait_sum : -1.500000\n"
	                             "sleep_max : -0.000001\nblock_max : 1.5\n"),
	                 OUTCOME_read);
	assert_malformed(&sample, wait_max);
	assert_malformed(&sample, wait_sum);
	assert_malformed(&sample, sleep_max);
	assert_seen(&sample, block_max, 1500000);
}

static void test_sched_senseless_values(void **state)
{
	(void)state;
	assert_int_equal(parse_lines("wait_count : 1.5\nnr_wakeups : many\niowait_count :\n"
	                             "exec_max : 1.2.3\next.enabled : yes\nslice : -5\n"
	                             "nr_wakeups_sync : 18446744073709551616\n"),
	                 OUTCOME_read);
	assert_malformed(&sample, wait_count);
	assert_malformed(&sample, nr_wakeups);
	assert_malformed(&sample, iowait_count);
	assert_malformed(&sample, exec_max);
	assert_malformed(&sample, ext_enabled);
	assert_malformed(&sample, fair_slice_ns);
	assert_malformed(&sample, nr_wakeups_sync);
	assert_int_equal(count_metrics(&sample.seen), 0);
}

/* Sleep that was not being blocked: seen only where both sums are. */
static void test_sched_voluntary_sleep(void **state)
{
	(void)state;
	assert_int_equal(parse_lines("sum_sleep_runtime : 5.5\nsum_block_runtime : 1.25\n"),
	                 OUTCOME_read);
	assert_seen(&sample, voluntary_sleep_ns, 4250000);
	assert_seen(&sample, block_sum, 1250000);
	assert_int_equal(
	        parse_lines("sum_block_runtime : 1.25\nse.statistics.sum_sleep_runtime : 5.5\n"),
	        OUTCOME_read);
	assert_seen(&sample, voluntary_sleep_ns, 4250000);
	assert_int_equal(parse_lines("sum_sleep_runtime : 5.5\n"), OUTCOME_read);
	assert_unseen(&sample, voluntary_sleep_ns);
	assert_unseen(&sample, block_sum);
	assert_int_equal(parse_lines("sum_block_runtime : 1.25\n"), OUTCOME_read);
	assert_unseen(&sample, voluntary_sleep_ns);
	assert_seen(&sample, block_sum, 1250000);
	assert_int_equal(parse_lines("sum_sleep_runtime : 1.25\nsum_block_runtime : 1.250001\n"),
	                 OUTCOME_read);
	assert_malformed(&sample, voluntary_sleep_ns);
	assert_seen(&sample, block_sum, 1250001);
	assert_int_equal(parse_lines("sum_sleep_runtime : 5.5\nsum_block_runtime : 0.-000500\n"),
	                 OUTCOME_read);
	assert_malformed(&sample, voluntary_sleep_ns);
	assert_malformed(&sample, block_sum);
}

/* Whatever is cut off, what is left is what it was; only the number that the cut went through is shorter. */
static void test_sched_cut_anywhere(void **state)
{
	size_t first = strlen("bash (1234, #threads: 1)\n"), len = strlen(linux_6);

	(void)state;
	for (size_t cut = 0; cut <= len; cut++) {
		enum source_outcome outcome = parse_bytes(linux_6, cut);

		assert_int_equal(outcome, cut < first + 16 ? OUTCOME_malformed : OUTCOME_read);
		if (metric_set_has(&sample.seen, METRIC_wait_max) &&
		    cut >= (size_t)(strstr(linux_6, "wait_sum") - linux_6))
			assert_seen(&sample, wait_max, 1234567);
		if (metric_set_has(&sample.seen, METRIC_nr_wakeups) &&
		    cut >= (size_t)(strstr(linux_6, "nr_wakeups_sync") - linux_6))
			assert_seen(&sample, nr_wakeups, 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_sched_5_10),
	        cmocka_unit_test(test_sched_6),
	        cmocka_unit_test(test_sched_statistics_off),
	        cmocka_unit_test(test_sched_name_is_not_believed),
	        cmocka_unit_test(test_sched_without_dashes),
	        cmocka_unit_test(test_sched_nothing_below_dashes),
	        cmocka_unit_test(test_sched_last_newline_missing),
	        cmocka_unit_test(test_sched_key_styles),
	        cmocka_unit_test(test_sched_ext_enabled),
	        cmocka_unit_test(test_sched_negative_times),
	        cmocka_unit_test(test_sched_senseless_values),
	        cmocka_unit_test(test_sched_voluntary_sleep),
	        cmocka_unit_test(test_sched_cut_anywhere),
	};

	return cmocka_run_group_tests(tests, setup, done);
}
