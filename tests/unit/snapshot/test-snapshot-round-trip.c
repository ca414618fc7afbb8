// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <jansson.h>

#include "memory-stream.h"
#include "samples.h"
#include "seen.h"
#include "snapshots.h"

static void read_back(struct snapshot_copy *copy, const struct snapshot_info *info,
                      const struct thread_sample *samples, size_t count)
{
	struct strbuf file = STRBUF_INIT;

	snapshot_pack(info, samples, count, &file);
	snapshot_copy_read(copy, file.data, file.len, NULL);
	strbuf_done(&file);
	assert_text(&copy->error, "");
	assert_int_equal(copy->result, 0);
	assert_int_equal(copy->count, count);
}

static struct snapshot_info plain_info(void)
{
	struct snapshot_info info = {0};

	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		info.rules[s] = OUTCOME_read;
	return info;
}

static void test_snapshot_empty(void **state)
{
	struct snapshot_info info = plain_info();
	struct snapshot_copy copy;

	(void)state;
	info.captured_at_unix_ns = UINT64_MAX;
	info.captured_boottime_ns = 17;
	read_back(&copy, &info, NULL, 0);
	assert_int_equal(copy.info.captured_at_unix_ns, UINT64_MAX);
	assert_int_equal(copy.info.captured_boottime_ns, 17);
	assert_int_equal(copy.info.tally.threads, 0);
	snapshot_copy_done(&copy);
}

/* Values of a sample that sample_survives() leaves open: one that is not seen any more may still be known. */
static bool same_sets(const struct thread_sample *a, const struct thread_sample *b)
{
	return memcmp(&a->seen, &b->seen, sizeof(a->seen)) == 0 &&
	       memcmp(&a->malformed, &b->malformed, sizeof(a->malformed)) == 0 &&
	       memcmp(&a->skipped, &b->skipped, sizeof(a->skipped)) == 0 &&
	       memcmp(&a->impossible, &b->impossible, sizeof(a->impossible)) == 0 &&
	       memcmp(a->outcomes, b->outcomes, sizeof(a->outcomes)) == 0;
}

/* A writer without a file gives its visitor the rows of the file. */
static void check_visited(struct random *random, const struct snapshot_copy *read,
                          const struct snapshot_info *info, const struct thread_sample *samples)
{
	struct snapshot_copy visited;

	snapshot_copy_visit(&visited, info, samples, read->count);
	check_random(random, visited.count == read->count);
	for (size_t i = 0; i < read->count; i++) {
		check_random(random, same_sets(&read->samples[i], &visited.samples[i]));
		check_random(random,
		             sample_survives(&read->samples[i], &visited.samples[i], info->rules));
	}
	snapshot_copy_done(&visited);
}

static void test_snapshot_random_round_trips(void **state)
{
	enum { SEED = 10, ROUNDS = 120, THREADS = 6 };
	static struct thread_sample samples[THREADS];

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		size_t count = random_below(&random, THREADS + 1);
		struct snapshot_info info;
		struct snapshot_copy copy;

		random_info(&random, &info);
		for (size_t i = 0; i < count; i++)
			random_thread(&random, &samples[i]);
		info.tally.threads = count;
		read_back(&copy, &info, samples, count);
		check_random(&random, same_info(&info, &copy.info));
		check_random(&random, copy.info.tally.threads == count);
		for (size_t i = 0; i < count; i++)
			check_random(&random,
			             sample_survives(&samples[i], &copy.samples[i], info.rules));
		check_visited(&random, &copy, &info, samples);
		snapshot_copy_done(&copy);
		snapshot_info_done(&info);
	}
	for (size_t i = 0; i < THREADS; i++)
		sample_done(&samples[i]);
}

static void name_all(struct thread_sample *sample, const char *bytes, size_t len)
{
	sample_reset(sample);
	sample->has_cgroup = true;
	strbuf_add(&sample->comm, bytes, len);
	strbuf_add(&sample->pcomm, bytes, len);
	strbuf_add(&sample->cgroup, bytes, len);
	sample->has_exe = true;
	strbuf_add(&sample->exe, bytes, len);
	sample->has_cwd = true;
	strbuf_add(&sample->cwd, bytes, len);
}

/* Every byte there is, alone, before and behind others, and all of them at once. */
static void test_snapshot_every_byte_in_names(void **state)
{
	enum { BYTES = 256, FORMS = 3, OTHERS = 8, THREADS = BYTES * FORMS + OTHERS };
	static struct thread_sample samples[THREADS];
	struct snapshot_info info = plain_info();
	struct snapshot_copy copy;
	char all[BYTES];
	size_t count = 0;

	(void)state;
	for (unsigned byte = 0; byte < BYTES; byte++) {
		const char wrapped[] = {'a', (char)byte, 'b'};

		all[byte] = (char)byte;
		name_all(&samples[count++], wrapped, 3);
		name_all(&samples[count++], wrapped + 1, 1);
		name_all(&samples[count++], wrapped + 1, 2);
	}
	for (size_t from = 0; from < BYTES; from += SAMPLE_COMM_BYTES)
		name_all(&samples[count++], all + from, SAMPLE_COMM_BYTES);
	name_all(&samples[count++], all + 1, SAMPLE_COMM_BYTES - 1);
	name_all(&samples[count++], "", 0);
	name_all(&samples[count++], "\xff\0\xff", 3);
	name_all(&samples[count++], "\xc3\xa9\0", 3);
	assert_int_equal(count, THREADS);
	read_back(&copy, &info, samples, count);
	for (size_t i = 0; i < count; i++) {
		assert_true(sample_survives(&samples[i], &copy.samples[i], info.rules));
		sample_done(&samples[i]);
	}
	snapshot_copy_done(&copy);
}

/* More than the buffers of reader and writer hold. */
static void test_snapshot_many_threads(void **state)
{
	enum { SEED = 11, THREADS = 1500, KINDS = 16 };
	static struct thread_sample samples[KINDS];
	struct memory_sink sink = memory_sink_make(SIZE_MAX);
	struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);
	struct random random = random_start(SEED, 0);
	struct snapshot_info info = plain_info();
	struct snapshot_copy copy;

	(void)state;
	for (size_t i = 0; i < KINDS; i++)
		random_thread(&random, &samples[i]);
	assert_int_equal(snapshot_write_begin(writer, &info), 0);
	for (uint32_t i = 0; i < THREADS; i++) {
		samples[i % KINDS].tid = i;
		assert_int_equal(snapshot_write_thread(writer, &samples[i % KINDS]), 0);
	}
	assert_int_equal(snapshot_write_end(writer, &info), 0);
	snapshot_copy_read(&copy, sink.bytes.data, sink.bytes.len, NULL);
	assert_int_equal(copy.result, 0);
	assert_int_equal(copy.count, THREADS);
	for (uint32_t i = 0; i < THREADS; i++) {
		samples[i % KINDS].tid = i;
		assert_true(sample_survives(&samples[i % KINDS], &copy.samples[i], info.rules));
	}
	snapshot_copy_done(&copy);
	snapshot_writer_freep(&writer);
	strbuf_done(&sink.bytes);
	for (size_t i = 0; i < KINDS; i++)
		sample_done(&samples[i]);
}

static json_t *load_first_row(const struct snapshot_info *info, const struct thread_sample *sample,
                              json_t **ret_root)
{
	struct strbuf file = STRBUF_INIT, json = STRBUF_INIT;
	json_error_t error;

	snapshot_pack(info, sample, 1, &file);
	zstd_unpack(file.data, file.len, &json);
	*ret_root = json_loadb(json.data, json.len, JSON_REJECT_DUPLICATES, &error);
	assert_non_null(*ret_root);
	strbuf_done(&file);
	strbuf_done(&json);
	return json_array_get(json_object_get(*ret_root, "threads"), 0);
}

/* Another reader finds what ctprof-snapshot(5) says: missing values have no key. */
static void test_snapshot_as_json(void **state)
{
	static const char *const keys[] = {"format",
	                                   "version",
	                                   "kind",
	                                   "captured_at_unix_ns",
	                                   "captured_boottime_ns",
	                                   "host",
	                                   "threads",
	                                   "cgroup_stats",
	                                   "cgroup_v1_stats",
	                                   "probe_summary",
	                                   "parse_summary",
	                                   "taskstats_summary",
	                                   "psi",
	                                   "sched_ext",
	                                   "sources",
	                                   "cost"};
	struct snapshot_info info = plain_info();
	static struct thread_sample sample;
	const char *key;
	size_t at = 0;
	json_t *root, *row, *value;

	(void)state;
	info.captured_boottime_ns = 6;
	info.rules[SOURCE_io] = OUTCOME_denied;
	sample.tid = 8;
	sample.tgid = 7;
	sample_name(&sample.comm, "a\xff");
	sample_name(&sample.pcomm, "\xc3\xa9");
	sample_name(&sample.exe, "/bin/\xff\n");
	sample_name(&sample.cwd, "/srv/\xfe");
	sample.has_exe = sample.has_cwd = true;
	sample.uid = UINT32_MAX;
	sample.has_uid = true;
	sample_set(&sample, nice, (struct ordinal_i32){-20});
	sample_set(&sample, run_time_ns, (struct counter_ns){0});
	sample_set(&sample, ext_enabled, (struct label_flag){false});
	sample_set(&sample, state, (struct label_letter){'S'});
	sample_set(&sample, policy, (struct label_text){{"SCHED_OTHER"}});
	sample_set(&sample, thread_count, (struct counter_count){1});
	assert_true(cpu_mask_parse(&sample.cpu_affinity.v, "0,8191", 6));
	metric_set_add(&sample.seen, METRIC_cpu_affinity);
	metric_set_add(&sample.malformed, METRIC_wait_max);
	sample.outcomes[SOURCE_io] = OUTCOME_denied;
	sample.outcomes[SOURCE_sched] = OUTCOME_denied;
	sample.outcomes[SOURCE_stat] = OUTCOME_read;
	row = load_first_row(&info, &sample, &root);
	json_object_foreach(root, key, value) assert_string_equal(key, keys[at++]);
	assert_int_equal(at, ARRAY_SIZE(keys));
	assert_string_equal(json_string_value(json_object_get(root, "format")), "ctprof");
	assert_int_equal(json_integer_value(json_object_get(root, "version")), SNAPSHOT_VERSION);
	assert_string_equal(json_string_value(json_object_get(root, "kind")), "lifetime");

	assert_string_equal(json_string_value(json_object_get(row, "comm")), "a\xef\xbf\xbd");
	assert_string_equal(json_string_value(json_object_get(row, "comm_hex")), "61ff");
	assert_string_equal(json_string_value(json_object_get(row, "pcomm")), "\xc3\xa9");
	assert_null(json_object_get(row, "pcomm_hex"));
	assert_null(json_object_get(row, "cgroup"));
	assert_string_equal(json_string_value(json_object_get(row, "exe")), "/bin/\xef\xbf\xbd\n");
	assert_string_equal(json_string_value(json_object_get(row, "exe_hex")), "2f62696e2fff0a");
	assert_string_equal(json_string_value(json_object_get(row, "cwd_hex")), "2f7372762ffe");
	assert_int_equal(json_integer_value(json_object_get(row, "uid")), UINT32_MAX);
	assert_int_equal(json_integer_value(json_object_get(row, "nice")), -20);
	assert_true(json_is_integer(json_object_get(row, "run_time_ns")));
	assert_true(json_is_false(json_object_get(row, "ext_enabled")));
	assert_string_equal(json_string_value(json_object_get(row, "state")), "S");
	assert_string_equal(json_string_value(json_object_get(row, "policy")), "SCHED_OTHER");
	assert_int_equal(json_array_size(json_object_get(row, "cpu_affinity")), 2);
	assert_null(json_object_get(row, "wait_max"));
	assert_null(json_object_get(row, "wait_time_ns"));
	assert_null(json_object_get(row, "thread_count"));
	value = json_object_get(row, "missing");
	assert_int_equal(json_object_size(value), 2);
	assert_string_equal(json_string_value(json_object_get(value, "sched")), "denied");
	assert_string_equal(json_string_value(json_object_get(value, "wait_max")), "malformed");
	json_decref(root);
	sample_done(&sample);
}

/* Keys are guessed by those of the rows before, which is not to be seen. */
static void test_snapshot_keys_in_any_order(void **state)
{
	static const char *const orders[] = {
	        "\"nice\":1,\"priority\":2,\"minflt\":3",
	        "\"minflt\":3,\"nice\":1,\"priority\":2",
	        "\"nice\":1,\"minflt\":3,\"priority\":2",
	        "\"nice\":1,\"priority\":2,\"minflt\":3",
	        /* A complete snapshot without its end. */
	        "\"minflt\":3,\"priority\":2,\"minfl\":9,\"nice\":1",
	        "\"nice\":1,\"priority\":2,\"minflt\":3",
	        "\"minflt\":3,\"priority\":2,\"minfl_\":9,\"minflt_\":9,\"nice\":1",
	};
	struct snapshot_copy copy = {0};
	struct strbuf json = STRBUF_INIT;

	(void)state;
	strbuf_add_str(&json,
	               "{\"format\":\"ctprof\",\"version\":1,\"kind\":\"lifetime\",\"threads\":[");
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
		strbuf_addf(&json,
		            "%s{\"tid\":8,\"tgid\":7,\"pcomm\":\"p\",\"comm\":\"c\",\"start_time_"
		            "clock_ticks\":5,%s}",
		            i > 0 ? "," : "", orders[i]);
	strbuf_add_str(&json, "]}");
	snapshot_copy_read_json(&copy, json.data, json.len, NULL);
	assert_int_equal(copy.result, 0);
	assert_int_equal(copy.count, ARRAY_SIZE(orders));
	for (size_t i = 0; i < copy.count; i++) {
		assert_seen(&copy.samples[i], nice, 1);
		assert_seen(&copy.samples[i], priority, 2);
		assert_seen(&copy.samples[i], minflt, 3);
	}
	snapshot_copy_done(&copy);
	strbuf_done(&json);
}

static void test_snapshot_parse_summary(void **state)
{
	struct snapshot_info info = plain_info();
	static struct thread_sample sample;
	json_t *root, *summary;

	(void)state;
	info.tally = (struct snapshot_tally){.processes = 10,
	                                     .processes_gone = 2,
	                                     .processes_denied = 3,
	                                     .threads = 40,
	                                     .threads_gone = 5,
	                                     .threads_unreadable = 7,
	                                     .malformed_values = 6};
	info.tally.sources[SOURCE_io][OUTCOME_denied] = 4;
	info.tally.sources[SOURCE_sched][OUTCOME_malformed] = 3;
	info.tally.sources[SOURCE_sched][OUTCOME_denied] = 1;
	info.tally.sources[SOURCE_stat][OUTCOME_off] = 9;
	load_first_row(&info, &sample, &root);
	summary = json_object_get(root, "parse_summary");
	assert_int_equal(json_integer_value(json_object_get(summary, "processes_walked")), 12);
	assert_int_equal(json_integer_value(json_object_get(summary, "processes_gone")), 2);
	assert_int_equal(json_integer_value(json_object_get(summary, "processes_denied")), 3);
	assert_int_equal(json_integer_value(json_object_get(summary, "threads_walked")), 52);
	assert_int_equal(json_integer_value(json_object_get(summary, "threads_unreadable")), 7);
	assert_int_equal(json_integer_value(json_object_get(summary, "threads_gone")), 5);
	assert_int_equal(json_integer_value(json_object_get(summary, "malformed_values")), 6);
	assert_int_equal(json_integer_value(json_object_get(summary, "read_failures")), 8);
	/* A tie goes to the name that sorts first. */
	assert_string_equal(json_string_value(json_object_get(summary, "dominant_read_failure")),
	                    "io");
	json_decref(root);

	info.tally.sources[SOURCE_sched][OUTCOME_denied] = 2;
	load_first_row(&info, &sample, &root);
	summary = json_object_get(root, "parse_summary");
	assert_string_equal(json_string_value(json_object_get(summary, "dominant_read_failure")),
	                    "sched");
	summary = json_object_get(summary, "read_failures_by_file");
	assert_int_equal(json_object_size(summary), 2);
	assert_int_equal(json_integer_value(json_object_get(summary, "sched")), 5);
	json_decref(root);

	memset(&info.tally, 0, sizeof(info.tally));
	load_first_row(&info, &sample, &root);
	summary = json_object_get(root, "parse_summary");
	assert_true(json_is_null(json_object_get(summary, "dominant_read_failure")));
	json_decref(root);
	sample_done(&sample);
}

/* The writer's first failure sticks; the caller sees it at once or at the end. */
static void test_snapshot_sink_fails(void **state)
{
	enum { SEED = 12, THREADS = 400 };
	struct random random = random_start(SEED, 0);
	struct snapshot_info info = plain_info();
	static struct thread_sample sample;

	(void)state;
	random_thread(&random, &sample);
	for (size_t room = 0; room < 20000; room += 2500) {
		struct memory_sink sink = memory_sink_make(room);
		struct snapshot_writer *writer = snapshot_writer_new(&sink.base, 1);
		int first = snapshot_write_begin(writer, &info);

		for (unsigned i = 0; i < THREADS && first == 0; i++) {
			/* Values that differ, so that the file is larger than any room. */
			random_thread(&random, &sample);
			first = snapshot_write_thread(writer, &sample);
		}
		if (first == 0)
			first = snapshot_write_end(writer, &info);
		assert_int_equal(first, -ENOSPC);
		sink.room = SIZE_MAX;
		assert_int_equal(snapshot_write_thread(writer, &sample), -ENOSPC);
		assert_int_equal(snapshot_write_end(writer, &info), -ENOSPC);
		snapshot_writer_freep(&writer);
		assert_null(writer);
		strbuf_done(&sink.bytes);
	}
	sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_snapshot_empty),
	        cmocka_unit_test(test_snapshot_random_round_trips),
	        cmocka_unit_test(test_snapshot_every_byte_in_names),
	        cmocka_unit_test(test_snapshot_many_threads),
	        cmocka_unit_test(test_snapshot_as_json),
	        cmocka_unit_test(test_snapshot_keys_in_any_order),
	        cmocka_unit_test(test_snapshot_parse_summary),
	        cmocka_unit_test(test_snapshot_sink_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
