// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <jansson.h>
#include <stdio.h>

#include "listing/metric-list.h"
#include "measure/measure.h"

static const char *const none[] = {NULL};

static void check_tags(enum metric_id metric, const char *expected)
{
	struct strbuf tags = STRBUF_INIT;

	metric_add_tags(metric, &tags);
	assert_text(&tags, expected);
	strbuf_done(&tags);
}

static void test_tags(void **state)
{
	(void)state;
	check_tags(METRIC_nice, "");
	check_tags(METRIC_run_time_ns, "[SCHED_INFO]");
	check_tags(METRIC_slice_max, "[cfs-only] [SCHEDSTATS]");
	check_tags(METRIC_core_forceidle_sum, "[SCHED_CORE] [SCHEDSTATS]");
	check_tags(METRIC_cpu_delay_count, "[TASKSTATS] [TASK_DELAY_ACCT]");
	check_tags(METRIC_fair_slice_ns, "[fair-policy]");
}

/* Every row of the registry is in its part of the list, and no line has blanks at its end. */
static void test_metric_list_text(void **state)
{
	const struct table_style style = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	const char *sections;

	(void)state;
	assert_true(metric_list_print(file, &style, none));
	assert_int_equal(fclose(file), 0);
	sections = strstr(text, "\n## Sections\n");
	assert_non_null(sections);
	for (unsigned i = 0; i < MEASURE_COUNT; i++) {
		struct strbuf line = STRBUF_INIT;
		const char *found, *again;

		strbuf_addf(&line, "\n%s ", measure_name(i));
		/* A section has the name of a metric. */
		found = strstr(text, line.data);
		assert_non_null(found);
		again = strstr(found + 1, line.data);
		assert_true(!again || again > sections);
		strbuf_done(&line);
	}
	assert_contains(text, "\n## Derived metrics\n");
	assert_contains(text, "\n## Cgroup values\n");
	assert_contains(text, "\npsi.*.*.avg300 ");
	assert_contains(text, "\nprocess_totals.irq_delay_total_ns ");
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		assert_contains(text, cgroup_value_table[i].description);
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		assert_contains(text, host_field_table[i].description);
	for (unsigned i = 0; i < COST_COUNT; i++)
		assert_contains(text, capture_cost_table[i].description);
	for (unsigned i = 0; i < WINDOW_NUMBER_COUNT; i++)
		assert_contains(text, window_number_table[i].description);
	assert_null(strstr(text, " \n"));
	assert_int_equal(strncmp(text, "## Metrics\n", 11), 0);
	/* The legend comes last. */
	assert_null(strstr(strstr(text, "\n## Tag legend\n") + 1, "\n## "));
	free(text);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	assert_non_null(text);
	return text;
}

static void check_derived(const json_t *object, const struct derived_desc *derived)
{
	const json_t *inputs = json_object_get(object, "inputs");

	assert_string_equal(text_of(object, "name"), derived->name);
	assert_string_equal(text_of(object, "formula"), derived->formula);
	assert_string_equal(text_of(object, "unit"), unit_table[derived->unit].name);
	assert_string_equal(text_of(object, "section"), section_table[derived->section].name);
	assert_int_equal(json_array_size(inputs), derived->input_count);
	for (size_t i = 0; i < derived->input_count; i++)
		assert_string_equal(json_string_value(json_array_get(inputs, i)),
		                    metric_table[derived->inputs[i]].name);
}

static const json_t *item(const json_t *root, const char *array, size_t at)
{
	const json_t *object = json_array_get(json_object_get(root, array), at);

	assert_non_null(object);
	return object;
}

static void check_facts(const json_t *root)
{
	static const struct {
		const char *name;
		size_t count;
	} arrays[] = {
	        {"process_totals", PROCESS_TOTAL_COUNT},
	        {"cgroup_values", CGROUP_VALUE_COUNT},
	        {"cgroup_lists", CGROUP_LIST_COUNT},
	        {"cgroup_rules", FACT_RULE_COUNT},
	        {"cgroup_forms", FORM_COUNT},
	        {"psi", PSI_RESOURCE_COUNT + PSI_ROW_COUNT + PSI_AVERAGE_COUNT + 1},
	        {"sched_ext", SCHED_EXT_COUNT},
	        {"host", HOST_FIELD_COUNT},
	        {"cost", COST_COUNT},
	        {"window", WINDOW_NUMBER_COUNT},
	};
	const json_t *object;

	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++)
		assert_int_equal(json_array_size(json_object_get(root, arrays[i].name)),
		                 arrays[i].count);
	object = item(root, "cgroup_values", CGROUP_VALUE_cpu_max_quota_us);
	assert_int_equal(json_integer_value(json_object_get(object, "version")), 2);
	assert_string_equal(text_of(object, "object"), "cpu");
	assert_string_equal(text_of(object, "key"), "max_quota_us");
	assert_string_equal(text_of(object, "file"), "cpu.max");
	assert_true(json_is_null(json_object_get(object, "file_key")));
	assert_string_equal(text_of(object, "form"), "field_limit");
	assert_string_equal(text_of(object, "rule"), "max_limit");
	assert_string_equal(text_of(object, "unit"), "us");
	assert_string_equal(text_of(object, "section"), "cgroup-limits");
	assert_string_equal(text_of(object, "column"), "cpu.max");
	object = item(root, "cgroup_lists", CGROUP_LIST_io_stat);
	assert_int_equal(json_array_size(json_object_get(object, "keys")), 6);
	object = item(object, "keys", 0);
	assert_string_equal(text_of(object, "name"), "rbytes");
	assert_string_equal(text_of(object, "rule"), "sum");
	assert_string_equal(text_of(object, "unit"), "bytes");
	object = item(root, "host", HOST_kernel_config);
	assert_string_equal(text_of(object, "form"), "map");
	assert_int_equal(json_is_true(json_object_get(object, "compared")), 1);
	object = item(root, "process_totals", PROCESS_TOTAL_wait_time_ns);
	assert_string_equal(text_of(object, "name"), "wait_time_ns");
	assert_string_equal(text_of(object, "source"), "process_taskstats");
	assert_string_equal(text_of(object, "unit"), "ns");
	object = item(root, "psi", PSI_RESOURCE_COUNT + PSI_ROW_COUNT + PSI_AVERAGE_COUNT);
	assert_string_equal(text_of(object, "name"), "total");
	assert_string_equal(text_of(object, "level"), "value");
	assert_string_equal(text_of(object, "unit"), "us");
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++)
		assert_string_equal(text_of(item(root, "sched_ext", i), "unit"), "");
	object = item(root, "sections", SECTION_smaps_rollup);
	assert_string_equal(text_of(object, "subject"), "processes");
}

static void test_metric_list_json(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	json_t *root, *metrics, *derived;

	(void)state;
	assert_true(metric_list_print_json(file, none));
	assert_int_equal(fclose(file), 0);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	metrics = json_object_get(root, "metrics");
	derived = json_object_get(root, "derived");
	assert_int_equal(json_array_size(metrics), METRIC_COUNT);
	assert_int_equal(json_array_size(derived), DERIVED_COUNT);
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const json_t *object = json_array_get(metrics, i);
		const struct metric_desc *metric = &metric_table[i];
		size_t gates = 0;

		while (gates < ARRAY_SIZE(metric->gates) && metric->gates[gates] != GATE_none)
			gates++;
		assert_string_equal(text_of(object, "name"), metric->name);
		assert_string_equal(text_of(object, "type"), metric_type_table[metric->type].name);
		assert_string_equal(text_of(object, "rule"), metric_rule_name(metric->rule));
		assert_string_equal(text_of(object, "unit"),
		                    unit_table[metric_unit((enum metric_id)i)].name);
		assert_string_equal(text_of(object, "section"),
		                    section_table[metric->section].name);
		assert_string_equal(text_of(object, "source"), source_table[metric->source].name);
		assert_string_equal(text_of(object, "key"), metric->key);
		assert_string_equal(text_of(object, "description"), metric->description);
		assert_int_equal(json_array_size(json_object_get(object, "gates")), gates);
		assert_int_equal(json_is_null(json_object_get(object, "sched_class")),
		                 metric->sched_class == SCHED_CLASS_any);
	}
	for (unsigned d = 0; d < DERIVED_COUNT; d++)
		check_derived(json_array_get(derived, d), &derived_table[d]);
	assert_int_equal(json_array_size(json_object_get(root, "sources")), SOURCE_COUNT);
	assert_int_equal(json_array_size(json_object_get(root, "sections")), SECTION_COUNT);
	assert_int_equal(json_array_size(json_object_get(root, "gates")), GATE_COUNT - 1);
	assert_int_equal(json_array_size(json_object_get(root, "rules")), RULE_INDEX_COUNT);
	check_facts(root);
	json_decref(root);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_tags),
	        cmocka_unit_test(test_metric_list_text),
	        cmocka_unit_test(test_metric_list_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
