// SPDX-License-Identifier: GPL-2.0-or-later
/* Damaged files: whatever is done to the bytes, they are refused or read as what they were. */
#include "check.h"

#include <errno.h>

#include "memory-stream.h"
#include "samples.h"
#include "snapshots.h"

static struct strbuf file, json;
static struct snapshot_copy original;

/* One of each kind beside the threads. */
static void add_facts(struct snapshot_info *info, struct cgroup_stats *cgroup)
{
	const struct psi_line line = {true, {1, 2, 3}, 4};

	host_map_set(&info->host, HOST_kernel_config, "SCHEDSTATS", "y", 1);
	info->psi.lines[PSI_io][PSI_ROW_full] = line;
	info->sched_ext.present = true;
	fact_set_text(&info->sched_ext.values[SCHED_EXT_state], "disabled", 8);
	info->cost_seen[COST_wall_ns] = true;
	info->cost[COST_wall_ns] = 9;
	strbuf_add(&cgroup->path, "/a\xff", 3);
	fact_set_number(&cgroup->values[CGROUP_VALUE_cpu_usage_usec], 7);
	fact_set_unlimited(&cgroup->values[CGROUP_VALUE_memory_max]);
	fact_set_text(&cgroup->values[CGROUP_VALUE_cpuset_cpus_effective], "0-3", 3);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		cgroup->has_list[i] = true;
	keyed_values_set(&cgroup->lists[CGROUP_LIST_memory_stat], "anon", 4, 5);
	keyed_values_set(&cgroup->lists[CGROUP_LIST_io_stat], "8:0 rbytes", 10, 6);
	cgroup->psi.lines[PSI_cpu][PSI_ROW_some] = line;
}

static int setup(void **state)
{
	static struct thread_sample samples[2];
	static struct cgroup_stats cgroup;
	struct snapshot_info info = {.captured_at_unix_ns = 1700000000000000000,
	                             .captured_boottime_ns = 5};

	(void)state;
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		info.rules[s] = OUTCOME_read;
	host_set_text(&info.host, HOST_hostname, "vm \xc3\xa9", 5);
	host_set_number(&info.host, HOST_online_cpus, 4);
	info.tally.processes = 1;
	info.tally.sources[SOURCE_io][OUTCOME_denied] = 2;
	for (uint32_t i = 0; i < 2; i++) {
		struct thread_sample *sample = &samples[i];

		sample_reset(sample);
		sample->tgid = 10;
		sample->tid = 10 + i;
		sample->start_time_clock_ticks = 1234567;
		sample_name(&sample->pcomm, "p");
		sample_name(&sample->comm, i == 0 ? "worker-1" : "w\xff\"\n");
		sample_name(&sample->cgroup, "/a b");
		sample->has_cgroup = true;
		sample->outcomes[SOURCE_io] = OUTCOME_denied;
		metric_set_add(&sample->malformed, METRIC_wait_max);
		sample_set(sample, nice, (struct ordinal_i32){-5});
		sample_set(sample, state, (struct label_letter){'S'});
		sample_set(sample, policy, (struct label_text){{"SCHED_FIFO"}});
		sample_set(sample, ext_enabled, (struct label_flag){true});
		sample_set(sample, run_time_ns, (struct counter_ns){UINT64_MAX});
		assert_true(cpu_mask_parse(&sample->cpu_affinity.v, "0-1,70", 6));
		metric_set_add(&sample->seen, METRIC_cpu_affinity);
	}
	samples[0].has_smaps = true;
	keyed_values_set(&samples[0].smaps_rollup_kib, "Rss", 3, 4);
	samples[0].has_process_totals = true;
	samples[0].process_totals_seen = 1u << PROCESS_TOTAL_minflt;
	samples[1].cgroup_is_v1 = true;
	add_facts(&info, &cgroup);
	snapshot_pack_all(&info, samples, 2, &cgroup, 1, &file);
	zstd_unpack(file.data, file.len, &json);
	snapshot_copy_read(&original, file.data, file.len, NULL);
	assert_int_equal(original.result, 0);
	assert_int_equal(original.count, 2);
	snapshot_info_done(&info);
	sample_done(&samples[0]);
	sample_done(&samples[1]);
	cgroup_stats_done(&cgroup);
	return 0;
}

static int done(void **state)
{
	(void)state;
	snapshot_copy_done(&original);
	strbuf_done(&file);
	strbuf_done(&json);
	return 0;
}

static bool refused(const struct snapshot_copy *copy)
{
	return copy->result == -EBADMSG && copy->error.len > 0;
}

static void test_file_cut_anywhere(void **state)
{
	(void)state;
	for (size_t cut = 0; cut < file.len; cut++) {
		char *bytes = exact_copy(file.data, cut);
		struct snapshot_copy copy;

		snapshot_copy_read(&copy, bytes, cut, NULL);
		if (!refused(&copy))
			fail_msg("cut to %zu bytes: %d", cut, copy.result);
		snapshot_copy_done(&copy);
		free(bytes);
	}
}

static void test_json_cut_anywhere(void **state)
{
	(void)state;
	for (size_t cut = 0; cut < json.len; cut++) {
		struct snapshot_copy copy;

		snapshot_copy_read_json(&copy, json.data, cut, NULL);
		if (!refused(&copy))
			fail_msg("cut to %zu bytes: %d", cut, copy.result);
		snapshot_copy_done(&copy);
	}
}

/* The checksum covers the contents; a few bits of the frame's header mean nothing for them. */
static void test_file_byte_changed(void **state)
{
	static const unsigned char masks[] = {0x01, 0x08, 0x80, 0xff};
	unsigned unnoticed = 0;

	(void)state;
	for (size_t at = 0; at < file.len; at++)
		for (size_t m = 0; m < ARRAY_SIZE(masks); m++) {
			struct snapshot_copy copy;

			file.data[at] = (char)(file.data[at] ^ masks[m]);
			snapshot_copy_read(&copy, file.data, file.len, NULL);
			file.data[at] = (char)(file.data[at] ^ masks[m]);
			if (copy.result == 0 && snapshot_copies_equal(&copy, &original))
				unnoticed++;
			else if (!refused(&copy))
				fail_msg("byte %zu ^ %#x: %d", at, masks[m], copy.result);
			snapshot_copy_done(&copy);
		}
	assert_true(unnoticed <= 32);
}

static void test_bytes_behind_frame(void **state)
{
	struct strbuf longer = STRBUF_INIT;
	struct snapshot_copy copy;

	(void)state;
	for (size_t extra = 1; extra <= file.len; extra += file.len - 1) {
		strbuf_clear(&longer);
		strbuf_add(&longer, file.data, file.len);
		strbuf_add(&longer, file.data, extra); /* one byte; then a second frame */
		snapshot_copy_read(&copy, longer.data, longer.len, NULL);
		assert_true(refused(&copy));
		assert_contains(strbuf_str(&copy.error), "follow");
		snapshot_copy_done(&copy);
	}
	strbuf_done(&longer);
}

/* A byte of the text changed and the file packed anew: no checksum helps, so the values may differ, but nothing
 * may break. */
static void test_json_byte_changed(void **state)
{
	enum { SEED = 13, ROUNDS = 1500 };
	static const char likely[] = "\"\\{}[]:,0-.eE+ tfn/\x7f\xff";

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		size_t at = random_below(&random, json.len);
		char kept = json.data[at];
		struct snapshot_copy copy;

		json.data[at] = random_chance(&random, 70)
		                        ? likely[random_below(&random, sizeof(likely))]
		                        : (char)random_next(&random);
		snapshot_copy_read_json(&copy, json.data, json.len, NULL);
		check_random(&random, copy.result == 0 || refused(&copy));
		snapshot_copy_done(&copy);
		json.data[at] = kept;
	}
}

/* Pieces of the text taken out or put in a second time. */
static void test_json_pieces_moved(void **state)
{
	enum { SEED = 14, ROUNDS = 600 };
	struct strbuf text = STRBUF_INIT;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		size_t from = random_below(&random, json.len);
		size_t part = 1 + random_below(&random, 20);
		size_t len = random_below(&random, json.len - from) / part;
		size_t to = random_chance(&random, 50) ? from : random_below(&random, json.len);
		struct snapshot_copy copy;

		strbuf_clear(&text);
		strbuf_add(&text, json.data, to);
		if (to != from)
			strbuf_add(&text, json.data + from, len);
		else
			to += len;
		strbuf_add(&text, json.data + to, json.len - to);
		snapshot_copy_read_json(&copy, text.data, text.len, NULL);
		check_random(&random, copy.result == 0 || refused(&copy));
		snapshot_copy_done(&copy);
	}
	strbuf_done(&text);
}

static int stop(struct snapshot_visitor *self, struct thread_sample *sample)
{
	(void)self;
	return sample->tid == 11 ? -ECANCELED : 0;
}

static int stop_early(struct snapshot_visitor *self, struct thread_sample *sample)
{
	(void)self;
	(void)sample;
	return 42;
}

/* The visitor's result becomes the reading's, and no sentence is made up about it. */
static void test_visitor_ends_the_reading(void **state)
{
	struct snapshot_visitor visitors[] = {{.thread = stop}, {.thread = stop_early}};
	static const int expected[] = {-ECANCELED, 42};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(visitors); i++) {
		struct memory_source source = memory_source_make(file.data, file.len, 100);
		struct strbuf error = STRBUF_INIT;
		struct snapshot_info info;

		assert_int_equal(snapshot_read(&source.base, &snapshot_default_limits, &visitors[i],
		                               &info, &error),
		                 expected[i]);
		assert_text(&error, "");
		assert_int_equal(info.tally.threads, i == 0 ? 2 : 1);
		assert_string_equal(host_text(&info.host, HOST_hostname), "vm \xc3\xa9");
		snapshot_info_done(&info);
		strbuf_done(&error);
	}
}

static int ignore(struct snapshot_visitor *self, struct thread_sample *sample)
{
	(void)self;
	(void)sample;
	return 0;
}

static void test_source_fails(void **state)
{
	struct snapshot_visitor visitor = {.thread = ignore};

	(void)state;
	for (size_t at = 0; at <= file.len; at += 50) {
		struct memory_source source = memory_source_make(file.data, file.len, 64);
		struct strbuf error = STRBUF_INIT;
		struct snapshot_info info;

		source.fail_at = at;
		assert_int_equal(snapshot_read(&source.base, &snapshot_default_limits, &visitor,
		                               &info, &error),
		                 -EIO);
		assert_text(&error, "");
		snapshot_info_done(&info);
		strbuf_done(&error);
	}
}

/* The sentence is appended to what is there. */
static void test_sentence_is_appended(void **state)
{
	struct snapshot_visitor visitor = {.thread = ignore};

	(void)state;
	for (size_t cut = 0; cut < file.len; cut += file.len / 2) {
		struct memory_source source = memory_source_make(file.data, cut, SIZE_MAX);
		struct strbuf error = STRBUF_INIT;
		struct snapshot_info info;

		strbuf_add_str(&error, "x.zst: ");
		assert_int_equal(snapshot_read(&source.base, &snapshot_default_limits, &visitor,
		                               &info, &error),
		                 -EBADMSG);
		assert_memory_equal(error.data, "x.zst: ", 7);
		assert_true(error.len > 7);
		snapshot_info_done(&info);
		strbuf_done(&error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_file_cut_anywhere),
	        cmocka_unit_test(test_json_cut_anywhere),
	        cmocka_unit_test(test_file_byte_changed),
	        cmocka_unit_test(test_bytes_behind_frame),
	        cmocka_unit_test(test_json_byte_changed),
	        cmocka_unit_test(test_json_pieces_moved),
	        cmocka_unit_test(test_visitor_ends_the_reading),
	        cmocka_unit_test(test_source_fails),
	        cmocka_unit_test(test_sentence_is_appended),
	};

	return cmocka_run_group_tests(tests, setup, done);
}
