// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "ctprof/metric/host.h"
#include "ctprof/metric/sample.h"
#include "group/group.h"
#include "measure/measure.h"
#include "metric/fold.h"

/* Names as the command line, CSV and JSON have them: no blanks, no capitals, nothing to quote. */
static void assert_name(const char *name)
{
	assert_non_null(name);
	assert_true(name[0] >= 'a' && name[0] <= 'z');
	assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-"), strlen(name));
}

/* Those of one family have its name in front. */
static void assert_key_name(const char *name)
{
	const char *colon = strrchr(name, ':'), *own = colon ? colon + 1 : name;

	/* A named hierarchy of version 1, and what stands for any. */
	if (strncmp(own, "name=", strlen("name=")) == 0)
		own += strlen("name=");
	if (strcmp(name, group_key_table[GROUP_KEY_cgroup_v1_other].name) == 0)
		own = "name";
	assert_name(own);
	assert_true(name[0] >= 'a' && name[0] <= 'z');
}

static void assert_sentence(const char *text)
{
	assert_non_null(text);
	assert_true(strlen(text) > 3);
	assert_null(strpbrk(text, "\n\t"));
}

/* Every name of a table is there, and once. */
#define assert_names_differ(table_, first_, count_)                                            \
	do {                                                                                   \
		for (size_t a_ = (first_); a_ < (count_); a_++) {                              \
			assert_true((table_)[a_].name[0] != '\0');                             \
			for (size_t b_ = (first_); b_ < a_; b_++)                              \
				assert_string_not_equal((table_)[a_].name, (table_)[b_].name); \
		}                                                                              \
	} while (0)

static void test_metric_rows_complete(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const struct metric_desc *metric = &metric_table[i];

		assert_name(metric->name);
		assert_sentence(metric->description);
		assert_non_null(metric->fold);
		assert_true(metric->type < METRIC_TYPE_COUNT);
		assert_true(metric->source < SOURCE_COUNT);
		assert_true(metric->section < SECTION_COUNT);
		assert_true(metric->sched_class < SCHED_CLASS_COUNT);
		assert_int_equal(__builtin_popcount((unsigned)metric->rule), 1);
		assert_int_equal(__builtin_popcount((unsigned)metric->encoding), 1);
		assert_true(metric_type_table[metric->type].encodings & (unsigned)metric->encoding);
		assert_true(metric->gates[0] < GATE_COUNT && metric->gates[1] < GATE_COUNT);
		assert_false(metric->gates[0] == GATE_none && metric->gates[1] != GATE_none);
		assert_int_equal(metric->key[0] == '\0', metric->source == SOURCE_synthetic ||
		                                                 metric->source == SOURCE_task ||
		                                                 metric->source == SOURCE_affinity);
	}
	assert_names_differ(metric_table, 0, METRIC_COUNT);
}

static size_t size_of(enum metric_representation representation)
{
	switch (representation) {
	case REPRESENTATION_U64:
		return sizeof(uint64_t);
	case REPRESENTATION_I32:
	case REPRESENTATION_U32:
		return sizeof(uint32_t);
	case REPRESENTATION_TEXT:
		return sizeof(struct label_bytes);
	case REPRESENTATION_LETTER:
	case REPRESENTATION_FLAG:
		return 1;
	case REPRESENTATION_CPUS:
		return sizeof(struct cpu_mask);
	}
	return 0;
}

/* Values lie in the sample one behind the other, in the order of the table. */
static void test_metric_offsets(void **state)
{
	size_t end = offsetof(struct thread_sample, outcomes) +
	             sizeof(enum source_outcome[SOURCE_COUNT]);

	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		size_t size = size_of(metric_type_table[metric_table[i].type].representation);

		assert_true(size > 0);
		assert_true(metric_table[i].offset >= end);
		end = metric_table[i].offset + size;
	}
	assert_true(end <= sizeof(struct thread_sample));
}

static void test_metric_find_every_name(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const char *name = metric_table[i].name;
		size_t len = strlen(name);
		char *copy = exact_copy(name, len);
		enum metric_id found = METRIC_COUNT;

		assert_true(metric_find(copy, len, &found));
		assert_int_equal(found, i);
		free(copy);
	}
}

/* Nearly a name is no name, and stores nothing. */
static void test_metric_find_nothing_else(void **state)
{
	static const char *const others[] = {"",      "nic",     "nicee",       "Nice", " nice",
	                                     "nice ", "unknown", "avg_wait_ns", "stat"};
	enum metric_id found = METRIC_minflt;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(metric_find(others[i], strlen(others[i]), &found));
	assert_false(metric_find("nice\0", 5, &found));
	assert_false(metric_find("nice\0\0\0\0\0\0\0", 11, &found));
	assert_int_equal(found, METRIC_minflt);
}

static void test_source_table_both_ways(void **state)
{
	enum metric_source found = SOURCE_io;

	(void)state;
	assert_false(source_find("", 0, &found));
	assert_false(source_find("nice", 4, &found));
	assert_false(source_find("sta", 3, &found));
	assert_false(source_find("stat\0", 5, &found));
	assert_int_equal(found, SOURCE_io);
	for (unsigned s = 0; s < SOURCE_COUNT; s++) {
		const char *name = source_table[s].name;

		assert_name(name);
		assert_sentence(source_table[s].what);
		assert_sentence(source_table[s].who);
		assert_true(source_find(name, strlen(name), &found));
		assert_int_equal(found, s);
	}
	assert_names_differ(source_table, 0, SOURCE_COUNT);
}

static void test_outcome_table_both_ways(void **state)
{
	enum source_outcome found = OUTCOME_gone;

	(void)state;
	assert_string_equal(outcome_table[OUTCOME_unneeded].name, "");
	assert_false(outcome_find("", 0, &found));
	assert_false(outcome_find("unneeded", 8, &found));
	assert_false(outcome_find("of", 2, &found));
	assert_int_equal(found, OUTCOME_gone);
	for (unsigned o = OUTCOME_unneeded + 1; o < OUTCOME_COUNT; o++) {
		const char *name = outcome_table[o].name;

		assert_name(name);
		assert_sentence(outcome_table[o].description);
		assert_true(outcome_find(name, strlen(name), &found));
		assert_int_equal(found, o);
	}
	assert_names_differ(outcome_table, 1, OUTCOME_COUNT);
}

/* One object holds the reasons of sources and of metrics. */
static void test_sources_are_no_metrics(void **state)
{
	enum metric_id metric;

	(void)state;
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		assert_false(
		        metric_find(source_table[s].name, strlen(source_table[s].name), &metric));
}

static void test_rule_table(void **state)
{
	static const char *const names[] = {"sum", "max", "min", "range", "mode", "affinity"};

	(void)state;
	assert_int_equal(RULE_INDEX_COUNT, ARRAY_SIZE(names));
	for (unsigned i = 0; i < RULE_INDEX_COUNT; i++) {
		assert_string_equal(rule_table[i].name, names[i]);
		assert_sentence(rule_table[i].description);
		assert_string_equal(metric_rule_name((enum metric_rule)(1u << i)), names[i]);
	}
}

static void test_unit_ladders(void **state)
{
	(void)state;
	for (unsigned u = 0; u < UNIT_COUNT; u++) {
		const struct unit_step *step = unit_table[u].steps;
		double last = 1;

		assert_non_null(unit_table[u].name);
		assert_non_null(unit_table[u].suffix);
		for (; step->divisor > 0; step++) {
			assert_true(step->divisor > last);
			assert_true(step->suffix[0] != '\0');
			last = step->divisor;
		}
		assert_null(step->suffix);
	}
	assert_names_differ(unit_table, UNIT_none + 1, UNIT_COUNT);
	assert_string_equal(unit_table[UNIT_none].name, "");
}

static void test_other_tables(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRIC_TYPE_COUNT; i++) {
		assert_name(metric_type_table[i].name);
		assert_sentence(metric_type_table[i].description);
		assert_true(metric_type_table[i].unit < UNIT_COUNT);
		assert_int_not_equal(metric_type_table[i].encodings, 0);
	}
	for (unsigned i = 0; i < ENCODING_INDEX_COUNT; i++)
		assert_sentence(encoding_table[i].description);
	for (unsigned i = 0; i < SECTION_COUNT; i++) {
		assert_name(section_table[i].name);
		assert_sentence(section_table[i].heading);
		assert_sentence(section_table[i].description);
	}
	for (unsigned i = GATE_none + 1; i < GATE_COUNT; i++)
		assert_sentence(gate_table[i].description);
	for (unsigned i = 0; i < SCHED_CLASS_COUNT; i++)
		assert_sentence(sched_class_table[i].description);
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++) {
		assert_name(host_field_table[i].name);
		assert_sentence(host_field_table[i].description);
	}
	for (unsigned i = 0; i < GROUP_KEY_COUNT; i++) {
		assert_key_name(group_key_table[i].name);
		assert_name(group_key_table[i].column);
		assert_true(group_key_table[i].heading[0] != '\0');
		assert_sentence(group_key_table[i].description);
	}
	for (size_t i = 0; i < identity_count; i++) {
		assert_name(identity_table[i].name);
		assert_sentence(identity_table[i].description);
	}
	assert_names_differ(metric_type_table, 0, METRIC_TYPE_COUNT);
	assert_names_differ(encoding_table, 0, ENCODING_INDEX_COUNT);
	assert_names_differ(section_table, 0, SECTION_COUNT);
	assert_names_differ(gate_table, GATE_none + 1, GATE_COUNT);
	assert_names_differ(sched_class_table, SCHED_CLASS_any + 1, SCHED_CLASS_COUNT);
	assert_names_differ(host_field_table, 0, HOST_FIELD_COUNT);
	assert_names_differ(group_key_table, 0, GROUP_KEY_COUNT);
	assert_names_differ(identity_table, 0, identity_count);
}

/* Keys of a row of a snapshot: identities and metrics share one object. */
static void test_identities_are_no_metrics(void **state)
{
	enum metric_id metric;

	(void)state;
	for (size_t i = 0; i < identity_count; i++)
		assert_false(metric_find(identity_table[i].name, strlen(identity_table[i].name),
		                         &metric));
}

static void test_fallbacks(void **state)
{
	(void)state;
	assert_true(metric_fallback_count > 0);
	for (size_t i = 0; i < metric_fallback_count; i++) {
		const struct metric_fallback_desc *fallback = &metric_fallback_table[i];
		const struct metric_desc *metric = &metric_table[fallback->metric];

		assert_true(fallback->source != metric->source);
		assert_true(fallback->key[0] != '\0');
		assert_true(metric_type_table[metric->type].encodings &
		            (unsigned)fallback->encoding);
	}
}

static void test_host_fields(void **state)
{
	struct host host = {0};

	(void)state;
	host_set_text(&host, HOST_hostname, "first name", 5);
	assert_string_equal(host_text(&host, HOST_hostname), "first");
	host_set_text(&host, HOST_hostname, "second", 6);
	assert_string_equal(host_text(&host, HOST_hostname), "second");
	assert_null(host_text(&host, HOST_boot_id));
	host_set_number(&host, HOST_online_cpus, 4);
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		assert_int_equal(host.seen[i], i == HOST_hostname || i == HOST_online_cpus);
	assert_int_equal(host.numbers[HOST_online_cpus], 4);
	host_done(&host);
	assert_false(host.seen[HOST_hostname]);
	host_done(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_metric_rows_complete),
	        cmocka_unit_test(test_metric_offsets),
	        cmocka_unit_test(test_metric_find_every_name),
	        cmocka_unit_test(test_metric_find_nothing_else),
	        cmocka_unit_test(test_source_table_both_ways),
	        cmocka_unit_test(test_outcome_table_both_ways),
	        cmocka_unit_test(test_sources_are_no_metrics),
	        cmocka_unit_test(test_rule_table),
	        cmocka_unit_test(test_unit_ladders),
	        cmocka_unit_test(test_other_tables),
	        cmocka_unit_test(test_identities_are_no_metrics),
	        cmocka_unit_test(test_fallbacks),
	        cmocka_unit_test(test_host_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
