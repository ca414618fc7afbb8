// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/text.h"
#include "job-statistics.h"
#include "job/job-report.h"
#include "json/json-write.h"

static void put_text(struct json_writer *writer, const char *key, const char *bytes, size_t len)
{
	cleanup_(strbuf_done) struct strbuf valid = STRBUF_INIT;

	if (key)
		json_write_key(writer, key);
	text_add_replaced(&valid, bytes, len);
	json_write_text(writer, strbuf_str(&valid), valid.len);
}

static void put_number(struct json_writer *writer, const char *key, enum job_unit unit, bool known,
                       double number)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	json_write_key(writer, key);
	if (!known) {
		json_write_null(writer);
		return;
	}
	job_number_plain(unit, number, &text);
	json_write_raw(writer, strbuf_str(&text), text.len);
}

static void put_count(struct json_writer *writer, const char *key, double number)
{
	put_number(writer, key, JOB_UNIT_count, true, number);
}

static void put_values(struct json_writer *writer, const struct job_values *values)
{
	json_write_key(writer, "values");
	json_write_open(writer, '{');
	for (unsigned id = 0; id < JOB_VALUE_COUNT; id++)
		put_number(writer, job_value_table[id].name, job_value_table[id].unit,
		           values->seen[id], values->numbers[id]);
	json_write_close(writer, '}');
	json_write_key(writer, "sources");
	json_write_open(writer, '{');
	for (unsigned id = 0; id < JOB_VALUE_COUNT; id++) {
		if (!values->seen[id])
			continue;
		json_write_key(writer, job_value_table[id].name);
		json_write_str(writer, job_source_table[values->sources[id]].name);
	}
	json_write_close(writer, '}');
	json_write_key(writer, "impossible");
	json_write_open(writer, '{');
	for (unsigned id = 0; id < JOB_VALUE_COUNT; id++)
		if (values->impossible[id] > 0)
			put_count(writer, job_value_table[id].name, values->impossible[id]);
	json_write_close(writer, '}');
}

static void put_groups(struct json_writer *writer, const struct job_groups *groups)
{
	json_write_key(writer, "groups");
	json_write_open(writer, '[');
	for (size_t i = 0; i < groups->count; i++) {
		const struct job_group *group = &groups->entries[i];

		json_write_open(writer, '{');
		put_text(writer, "name", group->name, strlen(group->name));
		put_number(writer, "cpu_time", JOB_UNIT_s, true, group->cpu_time);
		put_count(writer, "processes", group->processes);
		put_count(writer, "threads", group->threads);
		json_write_close(writer, '}');
	}
	json_write_close(writer, ']');
}

static void put_left(struct json_writer *writer, const struct job_result *run)
{
	json_write_key(writer, "left");
	json_write_open(writer, '[');
	for (size_t i = 0; i < run->left_count; i++) {
		json_write_open(writer, '{');
		put_count(writer, "pid", run->left[i].pid);
		put_text(writer, "name", run->left[i].comm, strlen(run->left[i].comm));
		json_write_close(writer, '}');
	}
	json_write_close(writer, ']');
}

static void put_run(struct json_writer *writer, const struct job_result *run)
{
	json_write_open(writer, '{');
	json_write_key(writer, "container");
	json_write_str(writer, job_container_names[run->container]);
	json_write_key(writer, "cgroup");
	if (run->cgroup.len > 0)
		put_text(writer, NULL, run->cgroup.data, run->cgroup.len);
	else
		json_write_null(writer);
	json_write_key(writer, "reason");
	if (run->reason.len > 0)
		put_text(writer, NULL, run->reason.data, run->reason.len);
	else
		json_write_null(writer);
	put_values(writer, &run->values);
	put_groups(writer, &run->groups);
	put_left(writer, run);
	json_write_close(writer, '}');
}

static void put_statistics(struct json_writer *writer, const struct job_report *report)
{
	json_write_key(writer, "statistics");
	json_write_open(writer, '{');
	for (unsigned id = 0; id < JOB_VALUE_COUNT; id++) {
		enum job_unit unit = job_value_table[id].unit;
		struct job_statistics statistics;

		if (!job_statistics_apply((enum job_value_id)id) ||
		    !job_statistics_of(report, (enum job_value_id)id, &statistics))
			continue;
		json_write_key(writer, job_value_table[id].name);
		json_write_open(writer, '{');
		put_number(writer, "mean", unit, true, statistics.mean);
		put_number(writer, "sd", unit, statistics.has_sd, statistics.sd);
		put_number(writer, "low", unit, statistics.has_interval, statistics.low);
		put_number(writer, "high", unit, statistics.has_interval, statistics.high);
		put_number(writer, "min", unit, true, statistics.least);
		put_number(writer, "max", unit, true, statistics.most);
		json_write_close(writer, '}');
	}
	json_write_close(writer, '}');
}

void job_report_json(const struct job_report *report, struct strbuf *out)
{
	struct json_writer writer = JSON_WRITER_INIT(out);

	json_write_open(&writer, '{');
	json_write_key(&writer, "ctprof_version");
	json_write_str(&writer, CTPROF_VERSION);
	json_write_key(&writer, "command");
	json_write_open(&writer, '[');
	for (size_t i = 0; report->argv[i]; i++)
		put_text(&writer, NULL, report->argv[i], strlen(report->argv[i]));
	json_write_close(&writer, ']');
	json_write_key(&writer, "working_directory");
	if (report->working_directory)
		put_text(&writer, NULL, report->working_directory,
		         strlen(report->working_directory));
	else
		json_write_null(&writer);
	put_count(&writer, "exit_code", report->code);
	json_write_key(&writer, "runs");
	json_write_open(&writer, '[');
	for (size_t i = 0; i < report->count; i++)
		put_run(&writer, &report->runs[i]);
	json_write_close(&writer, ']');
	if (report->count > 1)
		put_statistics(&writer, report);
	json_write_close(&writer, '}');
	strbuf_add_char(out, '\n');
}
