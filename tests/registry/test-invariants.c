// SPDX-License-Identifier: GPL-2.0-or-later
/* Properties between the rows of the registry, which no row can have by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/metric/host.h"
#include "ctprof/metric/sample.h"
#include "ctprof/snapshot/snapshot.h"
#include "facts/fact-derive.h"
#include "facts/fact-rows.h"
#include "measure/measure.h"

/* Metrics and derived metrics share one namespace. */
static void test_measure_names_are_unique(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(measure_name(i), measure_name(j));
}

static void test_measures_are_found_by_name(void **state)
{
	unsigned found;

	(void)state;
	for (unsigned i = 0; i < MEASURE_COUNT; i++) {
		assert_true(measure_find(measure_name(i), strlen(measure_name(i)), &found));
		assert_int_equal(found, i);
		assert_false(measure_find(measure_name(i), strlen(measure_name(i)) - 1, &found) &&
		             found == i);
	}
}

static void assert_no_measure(const char *name)
{
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		assert_string_not_equal(name, measure_name(i));
}

/* A thread's row has the metrics beside its identity, and its "missing" has them beside the sources. */
static void test_keys_do_not_collide(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SOURCE_COUNT; i++)
		assert_no_measure(source_table[i].name);
	for (unsigned i = OUTCOME_unneeded + 1; i < OUTCOME_COUNT; i++)
		assert_no_measure(outcome_table[i].name);
	for (size_t i = 0; i < identity_count; i++)
		assert_no_measure(identity_table[i].name);
}

static void assert_is_name(const char *name)
{
	assert_true(name[0] >= 'a' && name[0] <= 'z');
	assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(name));
}

static void test_names_are_identifiers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		assert_is_name(measure_name(i));
	for (unsigned i = 0; i < SOURCE_COUNT; i++)
		assert_is_name(source_table[i].name);
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		assert_is_name(host_field_table[i].name);
	for (unsigned i = 0; i < COST_COUNT; i++)
		assert_is_name(capture_cost_table[i].name);
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		assert_is_name(cgroup_value_table[i].object);
		assert_is_name(cgroup_value_table[i].key);
	}
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++) {
		assert_is_name(cgroup_list_table[i].object);
		assert_is_name(cgroup_list_table[i].key);
	}
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++)
		assert_is_name(sched_ext_table[i].name);
}

/* Texts go into tables and sentences: something, not a sentence of its own, without blanks at the ends. */
static void assert_is_phrase(const char *text)
{
	size_t len = strlen(text);

	assert_true(len > 0);
	assert_false(isspace((unsigned char)text[0]) || isspace((unsigned char)text[len - 1]));
	assert_true(text[len - 1] != '.');
	assert_null(strpbrk(text, "\n\t"));
}

static void test_descriptions_are_phrases(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		assert_is_phrase(metric_table[i].description);
	for (unsigned i = 0; i < DERIVED_COUNT; i++)
		assert_is_phrase(derived_table[i].description);
	for (unsigned i = 0; i < METRIC_TYPE_COUNT; i++)
		assert_is_phrase(metric_type_table[i].description);
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		assert_is_phrase(host_field_table[i].description);
	for (size_t i = 0; i < identity_count; i++)
		assert_is_phrase(identity_table[i].description);
	for (unsigned i = 0; i < SECTION_COUNT; i++)
		assert_is_phrase(section_table[i].description);
	for (unsigned i = 0; i < COST_COUNT; i++)
		assert_is_phrase(capture_cost_table[i].description);
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		assert_is_phrase(cgroup_value_table[i].description);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		assert_is_phrase(cgroup_list_table[i].description);
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++)
		assert_is_phrase(sched_ext_table[i].description);
	for (unsigned i = 0; i < FORM_COUNT; i++)
		assert_is_phrase(fact_form_table[i].description);
	for (unsigned i = 0; i < FACT_RULE_COUNT; i++)
		assert_is_phrase(fact_rule_table[i].description);
	for (unsigned i = 0; i < PSI_RESOURCE_COUNT; i++)
		assert_is_phrase(psi_resource_descriptions[i]);
}

/* Values and lists of one object have keys of their own, and the objects leave room for what a cgroup has
 * beside them. */
static void test_cgroup_keys_are_unique(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct cgroup_value_desc *value = &cgroup_value_table[i];

		assert_string_not_equal(value->object, "psi");
		assert_string_not_equal(value->object, "path_hex");
		assert_int_equal(value->file_key[0] != '\0',
		                 value->form == FORM_FLAT || value->form == FORM_DEVICES);
		for (unsigned j = 0; j < i; j++)
			assert_false(value->version == cgroup_value_table[j].version &&
			             strcmp(value->object, cgroup_value_table[j].object) == 0 &&
			             strcmp(value->key, cgroup_value_table[j].key) == 0);
		for (unsigned j = 0; j < CGROUP_LIST_COUNT; j++)
			assert_false(strcmp(value->object, cgroup_list_table[j].object) == 0 &&
			             strcmp(value->key, cgroup_list_table[j].key) == 0);
	}
	for (size_t i = 0; i < cgroup_key_count; i++)
		for (size_t j = 0; j < i; j++)
			assert_false(cgroup_key_table[i].list == cgroup_key_table[j].list &&
			             strcmp(cgroup_key_table[i].key, cgroup_key_table[j].key) == 0);
}

/* One bit each, in sample->process_totals_seen; read from a source that knows processes. */
static void test_process_totals(void **state)
{
	(void)state;
	assert_true(PROCESS_TOTAL_COUNT <= 32);
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		enum metric_source source = process_total_table[i].source;

		assert_true(source == SOURCE_process_stat || source == SOURCE_process_io ||
		            source == SOURCE_process_taskstats);
		for (unsigned j = 0; j < i; j++)
			assert_int_not_equal(process_total_table[i].metric,
			                     process_total_table[j].metric);
	}
}

/* Each metric is about the subject of its section. */
static void test_section_subjects(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		assert_int_equal(section_table[metric_table[i].section].subject, SUBJECT_THREADS);
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		assert_int_equal(section_table[cgroup_value_table[i].section].subject,
		                 SUBJECT_CGROUPS);
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		assert_int_equal(section_table[cgroup_list_table[i].section].subject,
		                 SUBJECT_CGROUPS);
}

static bool is_input(const struct derived_desc *derived, const char *word, size_t len)
{
	for (size_t i = 0; i < derived->input_count; i++)
		if (strncmp(metric_table[derived->inputs[i]].name, word, len) == 0 &&
		    metric_table[derived->inputs[i]].name[len] == '\0')
			return true;
	return false;
}

static size_t word_length(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
}

static bool has_word(const char *text, const char *word)
{
	while (*text) {
		size_t len = word_length(text);

		if (len == strlen(word) && strncmp(text, word, len) == 0)
			return true;
		text += len > 0 ? len : 1;
	}
	return false;
}

/* Words that are the same for all: inputs, functions and the factor of percentages. */
static bool is_common_word(const char *word, size_t len)
{
	static const char *const words[] = {"max",         "min",
	                                    "100",         "1024",
	                                    "0",           "clock_ticks_per_second",
	                                    "interval",    "age",
	                                    "online_cpus", "total_memory_kib"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == len && strncmp(words[i], word, len) == 0)
			return true;
	return false;
}

/* The formula that people read names the inputs that the function gets, and nothing else. */
static void test_formulas_name_their_inputs(void **state)
{
	(void)state;
	for (unsigned i = 0; i < DERIVED_COUNT; i++) {
		const struct derived_desc *derived = &derived_table[i];
		const char *text = derived->formula;

		assert_true(derived->input_count >= 1);
		for (size_t j = 0; j < derived->input_count; j++) {
			assert_true(derived->inputs[j] < METRIC_COUNT);
			assert_true(has_word(text, metric_table[derived->inputs[j]].name));
		}
		while (*text) {
			size_t len = word_length(text);

			assert_true(len == 0 || is_input(derived, text, len) ||
			            is_common_word(text, len));
			text += len > 0 ? len : 1;
		}
	}
}

/* A formula of which no part is taken away from another, or divided by one, is a sum of parts: one that is missing leaves the
 * others true. */
static void test_sums_are_of_parts(void **state)
{
	(void)state;
	for (unsigned i = 0; i < DERIVED_COUNT; i++) {
		const char *formula = derived_table[i].formula;

		assert_int_equal(!strstr(formula, " - ") && !strstr(formula, " / "),
		                 derived_table[i].basis == BASIS_PARTS);
	}
}

static bool is_host_number(const char *word, size_t len)
{
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		if (strlen(host_field_table[i].name) == len &&
		    strncmp(host_field_table[i].name, word, len) == 0)
			return host_field_table[i].kind == HOST_KIND_NUMBER;
	return false;
}

/* Names that are explained in their own places. */
static bool is_fact_word(const char *word, size_t len)
{
	static const char *const words[] = {"100", "usage_seconds", "interval_seconds",
	                                    "stat_interval_seconds", "all_clock_ticks",
	                                    /* Values of a cgroup and those above it. */
	                                    "cgroup", "above", "with", "of", "up", "to", "the",
	                                    "root", "all", "cgroups", "largest", "smallest", "0",
	                                    "nr_throttled", "throttled_usec", "max", "high",
	                                    "max_quota_us", "max_period_us", "cpu_limit_percent",
	                                    "memory_limit", "memory_high_limit", "pids_limit"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == len && strncmp(words[i], word, len) == 0)
			return true;
	return false;
}

/* Computed values of cgroups and the host have names of their own, and formulas of existing names. */
static void test_fact_derived(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FACT_DERIVED_COUNT; i++) {
		const struct fact_derived_desc *derived = &fact_derived_table[i];
		const char *text = derived->formula;

		assert_is_name(derived->name);
		assert_no_measure(derived->name);
		assert_is_phrase(derived->description);
		assert_is_phrase(derived->tool);
		assert_true(derived->per == PER_total || derived->per == PER_second);
		for (unsigned j = 0; j < CGROUP_VALUE_COUNT; j++)
			assert_string_not_equal(derived->name, cgroup_value_table[j].name);
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(derived->name, fact_derived_table[j].name);
		while (*text) {
			size_t len = word_length(text);

			assert_true(len == 0 || is_host_number(text, len) ||
			            is_fact_word(text, len));
			text += len > 0 ? len : 1;
		}
	}
}

/* The sums over devices have places between the values and what is computed. */
static void test_fact_places(void **state)
{
	size_t keys = 0;

	(void)state;
	for (size_t i = 0; i < cgroup_key_count; i++)
		keys += cgroup_key_table[i].list == CGROUP_LIST_io_stat;
	assert_true(CGROUP_VALUE_COUNT + keys <= FACT_ID_DERIVED);
}

static void test_sections_follow_sources(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		assert_int_equal(metric_table[i].section,
		                 i == METRIC_lived_ns                ? SECTION_state
		                 : i == METRIC_cpu_run_real_total_ns ? SECTION_cpu
		                 : metric_table[i].source == SOURCE_taskstats
		                         ? SECTION_taskstats_delay
		                         : SECTION_primary);
	/* A derived metric is where its inputs are, if all are delays; those of time have sections of their own. */
	for (unsigned i = 0; i < DERIVED_COUNT; i++) {
		bool delays = true;

		if (basis_is_of_rates(derived_table[i].basis) ||
		    derived_table[i].basis == BASIS_LIFE) {
			assert_int_equal(derived_table[i].section,
			                 basis_is_of_rates(derived_table[i].basis) ? SECTION_cpu
			                                                           : SECTION_state);
			continue;
		}
		for (size_t j = 0; j < derived_table[i].input_count; j++)
			delays = delays && metric_table[derived_table[i].inputs[j]].source ==
			                           SOURCE_taskstats;
		assert_int_equal(derived_table[i].section,
		                 delays ? SECTION_taskstats_delay : SECTION_derived);
	}
}

/* Two metrics may share a source's key only as the parts of a difference do. */
static void test_keys_are_unique_within_a_source(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		for (unsigned j = 0; j < i; j++)
			assert_false(metric_table[i].source == metric_table[j].source &&
			             metric_table[i].encoding == metric_table[j].encoding &&
			             strcmp(metric_table[i].key, metric_table[j].key) == 0);
}

static void test_fallbacks_are_second_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < metric_fallback_count; i++)
		assert_int_not_equal(metric_fallback_table[i].source,
		                     metric_table[metric_fallback_table[i].metric].source);
}

/* The keys of these sources are numbers of fields that the kernel prints. */
static void test_keys_of_fields(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const char *key = metric_table[i].key;
		char *end;
		long number = strtol(key, &end, 10);

		if (metric_table[i].source != SOURCE_stat &&
		    metric_table[i].source != SOURCE_schedstat)
			continue;
		assert_true(key[0] >= '1' && key[0] <= '9' && *end == '\0');
		assert_in_range(number, metric_table[i].source == SOURCE_stat ? 3 : 1,
		                metric_table[i].source == SOURCE_stat ? 52 : 3);
	}
}

/* NO_GATES, GATES1 and GATES2 leave no hole in front of a gate, which ends every list of them. */
static void test_gates_have_no_holes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const enum metric_gate *gates = metric_table[i].gates;

		assert_true(gates[0] != GATE_none || gates[1] == GATE_none);
		assert_true(gates[0] == GATE_none || gates[0] != gates[1]);
	}
}

static void test_ladders_rise(void **state)
{
	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT; i++)
		for (const struct unit_step *step = unit_table[i].steps; step->suffix; step++) {
			assert_true(step->divisor > 1);
			assert_true(!step[1].suffix || step[1].divisor > step->divisor);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_measure_names_are_unique),
	        cmocka_unit_test(test_measures_are_found_by_name),
	        cmocka_unit_test(test_keys_do_not_collide),
	        cmocka_unit_test(test_names_are_identifiers),
	        cmocka_unit_test(test_descriptions_are_phrases),
	        cmocka_unit_test(test_formulas_name_their_inputs),
	        cmocka_unit_test(test_sums_are_of_parts),
	        cmocka_unit_test(test_sections_follow_sources),
	        cmocka_unit_test(test_keys_are_unique_within_a_source),
	        cmocka_unit_test(test_fallbacks_are_second_places),
	        cmocka_unit_test(test_keys_of_fields),
	        cmocka_unit_test(test_gates_have_no_holes),
	        cmocka_unit_test(test_ladders_rise),
	        cmocka_unit_test(test_cgroup_keys_are_unique),
	        cmocka_unit_test(test_process_totals),
	        cmocka_unit_test(test_section_subjects),
	        cmocka_unit_test(test_fact_derived),
	        cmocka_unit_test(test_fact_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
