// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "job/job-template.h"

const char duct_summary_default[] = "Summary:\n"
                                    "Exit Code: {exit_code!E}\n"
                                    "Command: {command}\n"
                                    "Log files location: {logs_prefix}\n"
                                    "Wall Clock Time: {wall_clock_time:.3f} sec\n"
                                    "Memory Peak Usage (RSS): {peak_rss!S}\n"
                                    "Memory Average Usage (RSS): {average_rss!S}\n"
                                    "Virtual Memory Peak Usage (VSZ): {peak_vsz!S}\n"
                                    "Virtual Memory Average Usage (VSZ): {average_vsz!S}\n"
                                    "Memory Peak Percentage: {peak_pmem:.2f!N}%\n"
                                    "Memory Average Percentage: {average_pmem:.2f!N}%\n"
                                    "CPU Peak Usage: {peak_pcpu:.2f!N}%\n"
                                    "Average CPU Usage: {average_pcpu:.2f!N}%\n";

static struct duct_value *add(struct duct_summary *summary, const char *prefix, const char *key)
{
	struct duct_value *value = &summary->values[summary->count++];

	*value = (struct duct_value){0};
	snprintf(value->key, sizeof(value->key), "%s%s", prefix, key);
	return value;
}

static void add_text(struct duct_summary *summary, const char *key, const char *text)
{
	struct duct_value *value = add(summary, "", key);

	value->is_text = true;
	value->is_known = text != NULL;
	value->text = text;
}

static void add_count(struct duct_summary *summary, const char *key, uint64_t count)
{
	struct duct_value *value = add(summary, "", key);

	value->is_known = true;
	value->number = (double)count;
	value->unit = JOB_UNIT_count;
}

static void add_value(struct duct_summary *summary, const char *prefix,
                      const struct job_values *values, enum job_value_id id)
{
	struct duct_value *value = add(summary, prefix, job_value_table[id].name);

	value->is_known = job_is_whole(values, id);
	value->number = values->numbers[id];
	value->unit = job_value_table[id].unit;
}

/* The names that con-duct has as well, in its order. */
static const enum job_value_id usual[] = {
        JOB_peak_rss,  JOB_average_rss,  JOB_peak_vsz,  JOB_average_vsz,
        JOB_peak_pmem, JOB_average_pmem, JOB_peak_pcpu, JOB_average_pcpu,
};

static bool is_own(enum job_value_id id)
{
	static const enum job_value_id others[] = {JOB_exit_code, JOB_start_time, JOB_end_time,
	                                           JOB_wall_clock_time, JOB_num_samples};

	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (usual[i] == id)
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i] == id)
			return false;
	return true;
}

/* No rate is less than the mean. */
static void raise_peaks(struct job_values *values, const struct duct_run_facts *facts)
{
	if (facts->recorded.has_peak)
		job_set(values, JOB_peak_pcpu, JOB_SOURCE_samples, facts->recorded.peak_pcpu);
	if (values->seen[JOB_peak_pcpu] && values->seen[JOB_average_pcpu])
		values->numbers[JOB_peak_pcpu] =
		        fmax(values->numbers[JOB_peak_pcpu], values->numbers[JOB_average_pcpu]);
}

void duct_summary_make(struct duct_summary *summary, const struct duct_run_facts *facts,
                       const struct job_result *result)
{
	struct job_values values = {0};

	_Static_assert(JOB_VALUE_COUNT + 6 <= DUCT_SUMMARY_MAX, "DUCT_SUMMARY_MAX is too small");
	summary->count = 0;
	if (result)
		values = result->values;
	raise_peaks(&values, facts);
	add_value(summary, "", &values, JOB_exit_code);
	add_text(summary, "command", facts->command);
	add_text(summary, "logs_prefix", facts->prefix);
	add_value(summary, "", &values, JOB_wall_clock_time);
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		add_value(summary, "", &values, usual[i]);
	add_count(summary, "num_samples", facts->recorded.samples);
	add_count(summary, "num_reports", facts->recorded.reports);
	add_value(summary, "", &values, JOB_start_time);
	add_value(summary, "", &values, JOB_end_time);
	add_text(summary, "working_directory", facts->working_directory);
	for (unsigned id = 0; id < JOB_VALUE_COUNT; id++)
		if (is_own((enum job_value_id)id))
			add_value(summary, "ctprof_", &values, (enum job_value_id)id);
	add_text(summary, "ctprof_container",
	         result ? job_container_names[result->container] : NULL);
}

void duct_summary_add(const struct duct_summary *summary, struct duct_json *json)
{
	duct_json_open(json, '{');
	for (unsigned i = 0; i < summary->count; i++) {
		const struct duct_value *value = &summary->values[i];
		bool is_whole = (value->unit == JOB_UNIT_bytes || value->unit == JOB_UNIT_count) &&
		                floor(value->number) == value->number;

		duct_json_key(json, value->key);
		if (!value->is_known)
			duct_json_null(json);
		else if (value->is_text)
			duct_json_text(json, value->text);
		else if (is_whole)
			duct_json_int(json, (int64_t)value->number);
		else
			duct_json_real(json, value->number);
	}
	duct_json_close(json, '}');
}

static bool find(const void *context, struct span name, struct job_template_field *ret)
{
	const struct duct_summary *summary = context;

	for (unsigned i = 0; i < summary->count; i++) {
		const struct duct_value *value = &summary->values[i];

		if (!span_is(name, value->key))
			continue;
		*ret = (struct job_template_field){
		        .is_known = value->is_known,
		        .is_text = value->is_text,
		        .text = value->text,
		        .number = value->number,
		        .unit = value->unit,
		};
		return true;
	}
	return false;
}

int duct_summary_check(const char *template, struct strbuf *reason)
{
	struct duct_summary summary;

	duct_summary_make(&summary, &(struct duct_run_facts){0}, NULL);
	return job_template_check(
	        &(struct job_template){.text = template, .find = find, .context = &summary},
	        reason);
}

void duct_summary_format(const struct duct_summary *summary, const char *template, bool colors,
                         struct strbuf *out)
{
	job_template_add(
	        &(struct job_template){
	                .text = template, .find = find, .context = summary, .colors = colors},
	        out);
}
