// SPDX-License-Identifier: GPL-2.0-or-later
/* Offsets are worked out here from the order of the members, which is how the kernel's header has them; the table
 * under test has them as numbers. Every 8 bytes of a made-up payload hold a number of their own. */
#include "check.h"

#include <stdio.h>

#include "seen.h"
#include "taskstats-recorded.h"
#include "taskstats/taskstats.h"

enum { KEPT_MAX = TASKSTATS_PAYLOAD_BYTES, NOWHERE = -1 };

/* The places of the peaks and the floors in a layout. */
enum form { APPENDED, MAX_INSIDE, RANGE_INSIDE };

static struct thread_sample sample;
static const struct taskstats_rules all = {
        .cpu_delay = true, .delays = TASKSTATS_DELAYS_BOOT, .irq = true, .io = true};

static int done(void **state)
{
	(void)state;
	sample_done(&sample);
	return 0;
}

/* "name" is 8 bytes, "name:N" is N of them, "name*" is a bucket. */
static const char *const members[] = {
        "head:2",
        "cpu*",
        "blkio*",
        "swapin*",
        "cpu_run_real_total",
        "cpu_run_virtual_total",
        "comm:4",
        "sched:1",
        "identity:3",
        "ac_etime",
        "ac_utime",
        "ac_stime",
        "ac_minflt",
        "ac_majflt",
        "coremem",
        "virtmem",
        "hiwater_rss",
        "hiwater_vm",
        "read_char",
        "write_char",
        "read_syscalls",
        "write_syscalls",
        "read_bytes",
        "write_bytes",
        "cancelled_write_bytes",
        "nvcsw",
        "nivcsw",
        "ac_utimescaled",
        "ac_stimescaled",
        "cpu_scaled_run_real_total",
        "freepages*",
        "thrashing*",
        "btime64",
        "compact*",
        "tgid",
        "tgetime",
        "exe:2",
        "wpcopy*",
        "irq*",
};

static const char *const at_end[] = {"cpu",       "blkio",   "swapin", "freepages",
                                     "thrashing", "compact", "wpcopy", "irq"};

/* The offset of @key among what a bucket has in the middle of the structure; moves *@offset past it. */
static int offset_in_bucket(const char *bucket, size_t len, enum form form, const char *key,
                            int *offset)
{
	static const char *const kinds[] = {"_count", "_delay_total", "_delay_max", "_delay_min"};
	size_t count = form == RANGE_INSIDE ? 4 : form == MAX_INSIDE ? 3 : 2;
	int found = NOWHERE;

	for (size_t i = 0; i < count; i++) {
		if (strncmp(key, bucket, len) == 0 && strcmp(key + len, kinds[i]) == 0)
			found = *offset;
		*offset += 8;
	}
	return found;
}

static int offset_of(const char *key, enum form form)
{
	int offset = 0;

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		size_t len = strcspn(members[i], ":*");
		int found = NOWHERE;

		if (members[i][len] == '*') {
			found = offset_in_bucket(members[i], len, form, key, &offset);
		} else {
			if (strlen(key) == len && strncmp(key, members[i], len) == 0)
				found = offset;
			offset += 8 * (members[i][len] == ':' ? atoi(members[i] + len + 1) : 1);
		}
		if (found != NOWHERE)
			return found;
	}
	for (size_t i = 0; form == APPENDED && i < ARRAY_SIZE(at_end); i++, offset += 16) {
		size_t len = strlen(at_end[i]);

		if (strncmp(key, at_end[i], len) != 0)
			continue;
		if (strcmp(key + len, "_delay_max") == 0)
			return offset;
		if (strcmp(key + len, "_delay_min") == 0)
			return offset + 8;
	}
	return NOWHERE;
}

static uint64_t value_at(int offset)
{
	return 1000 + (uint64_t)offset;
}

/* The caller frees it. */
static unsigned char *make_payload(unsigned version, size_t len)
{
	unsigned char bytes[KEPT_MAX + 8];
	uint16_t number = (uint16_t)version;

	for (int offset = 0; offset < KEPT_MAX; offset += 8)
		memcpy(bytes + offset, &(uint64_t){value_at(offset)}, sizeof(uint64_t));
	memcpy(bytes, &number, sizeof(number));
	return (unsigned char *)exact_copy((const char *)bytes, len);
}

static enum source_outcome parse(const unsigned char *bytes, size_t len,
                                 const struct taskstats_rules *rules)
{
	sample_reset(&sample);
	return taskstats_parse(bytes, len, rules, &sample);
}

static enum source_outcome parse_made(unsigned version, size_t len)
{
	unsigned char *payload = make_payload(version, len);
	enum source_outcome outcome = parse(payload, len, &all);

	free(payload);
	return outcome;
}

static uint64_t stored(enum metric_id metric)
{
	uint64_t value;

	memcpy(&value, sample_value(&sample, metric), sizeof(value));
	return value;
}

/* The sample has the metrics of a layout as far as @len goes, and nothing else. */
static void check_metrics(enum form form, size_t len)
{
	bool memory = offset_of("hiwater_vm", form) + 8 <= (int)len;

	for (unsigned metric = 0; metric < METRIC_COUNT; metric++) {
		const struct metric_desc *desc = &metric_table[metric];
		int offset =
		        desc->source == SOURCE_taskstats ? offset_of(desc->key, form) : NOWHERE;
		bool inside = offset != NOWHERE && offset + 8 <= (int)len &&
		              (desc->encoding != ENCODING_STRUCT_KIB || memory);

		if (metric_set_has(&sample.seen, metric) != inside)
			fail_msg("%s: seen is not %d with %zu bytes", desc->name, inside, len);
		if (!inside)
			continue;
		assert_int_equal(stored(metric),
		                 value_at(offset) *
		                         (desc->encoding == ENCODING_STRUCT_KIB ? 1024 : 1));
	}
	assert_int_equal(count_metrics(&sample.malformed), 0);
}

static bool begins(const char *key, const char *with)
{
	return strncmp(key, with, strlen(with)) == 0;
}

/* The sample has the high-water marks, the bucket of the CPU, that of interrupts and the other ones, or has not. */
static void check_buckets(bool memory, bool cpu, bool irq, bool others)
{
	for (unsigned metric = 0; metric < METRIC_COUNT; metric++) {
		const struct metric_desc *desc = &metric_table[metric];
		bool is_other = false, is_seen;

		if (desc->source != SOURCE_taskstats)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(at_end); i++)
			is_other = is_other || begins(desc->key, at_end[i]);
		if (begins(desc->key, "hiwater"))
			is_seen = memory;
		else if (begins(desc->key, "cpu_"))
			is_seen = cpu;
		else if (begins(desc->key, "irq_"))
			is_seen = irq;
		else if (is_other)
			is_seen = others;
		else
			continue;
		if (metric_set_has(&sample.seen, metric) != is_seen)
			fail_msg("%s: seen is not %d", desc->name, is_seen);
	}
}

/* The fields of schedstat are at the layout's places; a zero among them may be a value that was not kept. */
static void test_taskstats_of_schedstat(void **state)
{
	static const struct taskstats_rules none = {.delays = TASKSTATS_DELAYS_BOOT};
	static const struct {
		unsigned version;
		size_t len;
		enum form form;
	} cases[] = {{8, 328, APPENDED},
	             {14, 496, MAX_INSIDE},
	             {15, 560, RANGE_INSIDE},
	             {16, 560, APPENDED}};
	static const char *const keys[] = {"cpu_count", "cpu_run_virtual_total", "ac_etime"};
	unsigned char *payload;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum form form = cases[i].form;

		payload = make_payload(cases[i].version, cases[i].len);
		sample_reset(&sample);
		taskstats_parse_schedstat(payload, cases[i].len, &all, &sample);
		assert_int_equal(count_metrics(&sample.seen), 3);
		assert_int_equal(stored(METRIC_run_time_ns),
		                 value_at(offset_of("cpu_run_virtual_total", form)));
		assert_int_equal(stored(METRIC_wait_time_ns),
		                 value_at(offset_of("cpu_delay_total", form)));
		assert_int_equal(stored(METRIC_timeslices), value_at(offset_of("cpu_count", form)));

		sample_reset(&sample);
		taskstats_parse_schedstat(payload, cases[i].len, &none, &sample);
		taskstats_parse_schedstat(payload, 1, &all, &sample);
		assert_int_equal(count_metrics(&sample.seen), 0);
		free(payload);
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		bool is_age = strcmp(keys[i], "ac_etime") == 0;
		uint64_t value = 0, run = UINT64_C(5000000000);

		payload = make_payload(16, 560);
		memcpy(payload + offset_of(keys[i], APPENDED), &value, sizeof(value));
		/* Five seconds on a CPU in no life at all. */
		if (is_age)
			memcpy(payload + offset_of("cpu_run_virtual_total", APPENDED), &run,
			       sizeof(run));
		sample_reset(&sample);
		taskstats_parse_schedstat(payload, 560, &all, &sample);
		assert_int_equal(count_metrics(&sample.seen), 0);
		free(payload);
	}
}

static void test_taskstats_layouts(void **state)
{
	static const struct {
		unsigned version;
		size_t len;
		enum form form;
	} cases[] = {
	        {8, 328, APPENDED},     {9, 344, APPENDED},      {10, 352, APPENDED},
	        {11, 368, APPENDED},    {12, 400, APPENDED},     {13, 416, APPENDED},
	        {14, 432, APPENDED},    {14, 496, MAX_INSIDE},   {14, 560, RANGE_INSIDE},
	        {16, 560, APPENDED},    {15, 560, RANGE_INSIDE}, {17, 688, APPENDED},
	        {18, 688, APPENDED},    {18, 1024, APPENDED},    {99, 704, APPENDED},
	        {65535, 696, APPENDED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(parse_made(cases[i].version, cases[i].len), OUTCOME_read);
		check_metrics(cases[i].form, cases[i].len);
	}
}

/* A metric whose key no layout has would never be seen. Those of 496 bytes have no floors. */
static void test_taskstats_keys(void **state)
{
	(void)state;
	for (unsigned metric = 0; metric < METRIC_COUNT; metric++)
		if (metric_table[metric].source == SOURCE_taskstats) {
			const char *key = metric_table[metric].key;

			assert_true(offset_of(key, APPENDED) >= 16);
			assert_true(offset_of(key, RANGE_INSIDE) >= 16);
			assert_true(offset_of(key, MAX_INSIDE) >= 16 || strstr(key, "_delay_min"));
		}
	for (unsigned total = 0; total < PROCESS_TOTAL_COUNT; total++)
		if (process_total_table[total].source == SOURCE_process_taskstats)
			assert_true(offset_of(process_total_table[total].key, APPENDED) >= 16);
}

static void test_taskstats_every_length(void **state)
{
	(void)state;
	for (size_t len = 0; len <= 600; len++) {
		enum source_outcome outcome = parse_made(16, len);

		assert_int_equal(outcome, len < 2 ? OUTCOME_malformed : OUTCOME_read);
		check_metrics(APPENDED, outcome == OUTCOME_read ? len : 0);
	}
	for (size_t len = 2; len <= 352; len++) {
		assert_int_equal(parse_made(10, len), OUTCOME_read);
		check_metrics(APPENDED, len);
	}
}

/* Either a layout that is known, whole or cut, or nothing at all. */
static void test_taskstats_every_version_and_length(void **state)
{
	static const size_t whole[] = {328, 344, 352, 368, 400, 416};

	(void)state;
	for (unsigned version = 0; version <= 20; version++)
		for (size_t len = 2; len <= KEPT_MAX; len++) {
			enum source_outcome outcome = parse_made(version, len);
			enum form form = APPENDED;
			bool known = version >= 16 ||
			             (version >= 8 && version <= 13 && len <= whole[version - 8]) ||
			             (version == 14 && (len == 432 || len == 496 || len == 560)) ||
			             (version == 15 && len == 560);

			assert_int_equal(outcome, known ? OUTCOME_read : OUTCOME_malformed);
			if (version == 14 || version == 15)
				form = len == 560   ? RANGE_INSIDE
				       : len == 496 ? MAX_INSIDE
				                    : APPENDED;
			check_metrics(form, known ? len : 0);
		}
	assert_int_equal(parse_made(65535, 16), OUTCOME_read);
	assert_int_equal(count_metrics(&sample.seen), 0);
}

static void put(unsigned char *payload, int offset, uint64_t value)
{
	memcpy(payload + offset, &value, sizeof(value));
}

/* A payload of version 16 with zeros. */
static void clear_payload(unsigned char payload[static 560])
{
	memset(payload, 0, 560);
	put(payload, 0, 0);
	memcpy(payload, &(uint16_t){16}, sizeof(uint16_t));
}

static void test_taskstats_rules(void **state)
{
	struct taskstats_rules rules = {0};
	unsigned char *payload = make_payload(16, 560);

	(void)state;
	assert_int_equal(parse(payload, 560, &rules), OUTCOME_read);
	check_buckets(true, false, false, false);
	assert_unseen(&sample, cpu_delay_count);
	rules.cpu_delay = true;
	assert_int_equal(parse(payload, 560, &rules), OUTCOME_read);
	check_buckets(true, true, false, false);
	assert_seen(&sample, cpu_delay_min_ns, value_at(440));
	rules.delays = TASKSTATS_DELAYS_LATER;
	assert_int_equal(parse(payload, 560, &rules), OUTCOME_read);
	check_buckets(true, true, true, true);
	clear_payload(payload);
	assert_int_equal(parse(payload, 560, &rules), OUTCOME_read);
	check_buckets(false, true, false, false);
	assert_seen(&sample, cpu_delay_total_ns, 0);
	rules.delays = TASKSTATS_DELAYS_BOOT;
	assert_int_equal(parse(payload, 560, &rules), OUTCOME_read);
	check_buckets(false, true, false, true);
	assert_unseen(&sample, irq_delay_count);
	assert_unseen(&sample, irq_delay_min_ns);
	rules.irq = true;
	assert_int_equal(parse(payload, 560, &rules), OUTCOME_read);
	check_buckets(false, true, true, true);
	assert_seen(&sample, irq_delay_count, 0);
	/* Nothing happened yet, which is a floor of zero that the fold passes over. */
	assert_seen(&sample, wpcopy_delay_min_ns, 0);
	free(payload);
}

/* One count or one total above zero is a delay record, with zeros that are true in the other buckets. */
static void test_taskstats_traces_of_a_record(void **state)
{
	static const char *const buckets[] = {"blkio",   "swapin", "freepages", "thrashing",
	                                      "compact", "wpcopy", "irq"};
	const struct taskstats_rules rules = {.cpu_delay = true, .delays = TASKSTATS_DELAYS_LATER};
	unsigned char *payload = make_payload(16, 560);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(buckets); i++)
		for (int total = 0; total < 2; total++) {
			cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;
			bool irq = strcmp(buckets[i], "irq") == 0;

			strbuf_addf(&key, "%s%s", buckets[i], total ? "_delay_total" : "_count");
			clear_payload(payload);
			put(payload, offset_of(strbuf_str(&key), APPENDED), 1);
			assert_int_equal(parse(payload, 560, &rules), OUTCOME_read);
			check_buckets(false, true, irq, true);
			assert_seen(&sample, blkio_delay_max_ns, 0);
		}
	/* A peak alone is none, nor is the cpu bucket. */
	clear_payload(payload);
	put(payload, offset_of("wpcopy_delay_max", APPENDED), 1);
	put(payload, offset_of("cpu_count", APPENDED), 1);
	assert_int_equal(parse(payload, 560, &rules), OUTCOME_read);
	check_buckets(false, true, false, false);
	free(payload);
}

static void test_taskstats_memory(void **state)
{
	unsigned char *payload = make_payload(16, 560);

	(void)state;
	put(payload, 200, UINT64_MAX / 1024 + 1);
	put(payload, 208, UINT64_MAX / 1024);
	assert_int_equal(parse(payload, 560, &all), OUTCOME_read);
	assert_seen(&sample, hiwater_rss_bytes, UINT64_MAX);
	assert_seen(&sample, hiwater_vm_bytes, UINT64_MAX / 1024 * 1024);
	put(payload, 200, 0);
	assert_int_equal(parse(payload, 560, &all), OUTCOME_read);
	assert_seen(&sample, hiwater_rss_bytes, 0);
	/* A kernel thread. */
	put(payload, 200, 5);
	put(payload, 208, 0);
	assert_int_equal(parse(payload, 560, &all), OUTCOME_read);
	assert_unseen(&sample, hiwater_rss_bytes);
	assert_unseen(&sample, hiwater_vm_bytes);
	free(payload);
}

static void test_taskstats_replaces_nothing(void **state)
{
	unsigned char *payload = make_payload(16, 560);

	(void)state;
	sample_reset(&sample);
	sample_set(&sample, rchar, (struct counter_bytes){1025});
	sample_set(&sample, cpu_delay_count, (struct counter_count){7});
	assert_int_equal(taskstats_parse(payload, 560, &all, &sample), OUTCOME_read);
	assert_seen(&sample, rchar, 1025);
	assert_seen(&sample, cpu_delay_count, 7);
	assert_seen(&sample, cpu_delay_total_ns, value_at(24));
	assert_int_equal(count_metrics(&sample.seen), count_of_source(SOURCE_taskstats) + 1);
	free(payload);
}

static enum source_outcome parse_process(const unsigned char *bytes, size_t len,
                                         const struct taskstats_rules *rules)
{
	sample_reset(&sample);
	return taskstats_parse_process(bytes, len, rules, &sample);
}

/* Returns how many totals there are; each has its own value. */
static unsigned check_totals(enum form form, size_t len)
{
	unsigned count = 0;

	for (unsigned total = 0; total < PROCESS_TOTAL_COUNT; total++) {
		const struct process_total_desc *desc = &process_total_table[total];
		int offset = desc->source == SOURCE_process_taskstats ? offset_of(desc->key, form)
		                                                      : NOWHERE;
		bool inside = offset != NOWHERE && offset + 8 <= (int)len;

		assert_int_equal(sample.process_totals_seen >> total & 1, inside);
		if (!inside)
			continue;
		assert_int_equal(sample.process_totals[total], value_at(offset));
		count++;
	}
	assert_int_equal(count_metrics(&sample.seen), 0);
	return count;
}

static void test_taskstats_process(void **state)
{
	struct taskstats_rules rules = all;
	unsigned char *payload = make_payload(16, 560), *inside = make_payload(15, 560);

	(void)state;
	for (size_t len = 2; len <= 560; len++) {
		unsigned char *part = make_payload(17, len);

		assert_int_equal(parse_process(part, len, &all), OUTCOME_read);
		check_totals(APPENDED, len);
		free(part);
	}
	assert_int_equal(parse_process(payload, 560, &all), OUTCOME_read);
	assert_int_equal(check_totals(APPENDED, 560), 18);
	assert_int_equal(parse_process(inside, 560, &all), OUTCOME_read);
	assert_int_equal(check_totals(RANGE_INSIDE, 560), 18);
	assert_int_equal(parse_process(inside, 552, &all), OUTCOME_malformed);
	assert_int_equal(sample.process_totals_seen, 0);

	rules.delays = TASKSTATS_DELAYS_OFF;
	rules.irq = false;
	put(payload, 416, 0);
	put(payload, 424, 0);
	assert_int_equal(parse_process(payload, 560, &rules), OUTCOME_read);
	assert_int_equal(__builtin_popcount(sample.process_totals_seen), 6);
	rules.delays = TASKSTATS_DELAYS_LATER;
	assert_int_equal(parse_process(payload, 560, &rules), OUTCOME_read);
	assert_int_equal(__builtin_popcount(sample.process_totals_seen), 16);
	clear_payload(payload);
	assert_int_equal(parse_process(payload, 560, &rules), OUTCOME_read);
	assert_int_equal(__builtin_popcount(sample.process_totals_seen), 6);
	rules.cpu_delay = false;
	assert_int_equal(parse_process(payload, 560, &rules), OUTCOME_read);
	assert_int_equal(sample.process_totals_seen, 0);
	free(payload);
	free(inside);
}

/* Longer than the thread has lived, by more than two clocks can differ. */
static void test_taskstats_senseless_wait(void **state)
{
	enum { ETIME = 144, LIMIT_NS = 1001010000 }; /* of a thread that has lived for 1 ms */
	unsigned char *payload = make_payload(16, 560);

	(void)state;
	put(payload, ETIME, 1000);
	put(payload, 40, LIMIT_NS);
	put(payload, 448, LIMIT_NS + 1);
	put(payload, 456, LIMIT_NS + 1);
	put(payload, 32, UINT64_MAX);
	put(payload, 24, UINT64_MAX);
	assert_int_equal(parse(payload, 560, &all), OUTCOME_read);
	assert_seen(&sample, blkio_delay_total_ns, LIMIT_NS);
	assert_impossible(&sample, blkio_delay_max_ns, LIMIT_NS + 1);
	assert_impossible(&sample, blkio_delay_min_ns, LIMIT_NS + 1);
	assert_impossible(&sample, cpu_delay_total_ns, UINT64_MAX);
	/* A number of waits, and bytes, have no such limit. */
	assert_seen(&sample, blkio_delay_count, UINT64_MAX);
	put(payload, 200, UINT64_MAX / 1024);
	put(payload, ETIME, UINT64_MAX);
	assert_int_equal(parse(payload, 560, &all), OUTCOME_read);
	assert_seen(&sample, cpu_delay_total_ns, UINT64_MAX);
	assert_seen(&sample, hiwater_rss_bytes, UINT64_MAX / 1024 * 1024);
	free(payload);
}

static void test_taskstats_recorded(void **state)
{
	static const struct taskstats_rules rules = {.cpu_delay = true,
	                                             .delays = TASKSTATS_DELAYS_LATER};

	(void)state;
	assert_int_equal(parse(recorded_v16, sizeof(recorded_v16), &rules), OUTCOME_read);
#define RECORDED(metric_, value_) assert_seen(&sample, metric_, (value_##U));
#define SENSELESS(metric_) assert_true(metric_set_has(&sample.impossible, METRIC_##metric_));
	RECORDED_VALUES
#undef RECORDED
#undef SENSELESS
	/* That kernel does not account for interrupt time. */
	assert_unseen(&sample, irq_delay_count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_taskstats_layouts),
	        cmocka_unit_test(test_taskstats_of_schedstat),
	        cmocka_unit_test(test_taskstats_keys),
	        cmocka_unit_test(test_taskstats_every_length),
	        cmocka_unit_test(test_taskstats_every_version_and_length),
	        cmocka_unit_test(test_taskstats_rules),
	        cmocka_unit_test(test_taskstats_traces_of_a_record),
	        cmocka_unit_test(test_taskstats_memory),
	        cmocka_unit_test(test_taskstats_replaces_nothing),
	        cmocka_unit_test(test_taskstats_process),
	        cmocka_unit_test(test_taskstats_senseless_wait),
	        cmocka_unit_test(test_taskstats_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
