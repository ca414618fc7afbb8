// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-format.h"

#include "job/job-template.h"

enum text_field { TEXT_COMMAND, TEXT_DIRECTORY, TEXT_CONTAINER, TEXT_CGROUP, TEXT_COUNT };
static const char *const text_names[TEXT_COUNT] = {
        [TEXT_COMMAND] = "command",
        [TEXT_DIRECTORY] = "working_directory",
        [TEXT_CONTAINER] = "container",
        [TEXT_CGROUP] = "cgroup",
};

struct fields {
	const struct job_report *report; /* NULL: names are checked only */
	const char *command;
};

static const char *find_text(const struct fields *fields, enum text_field id)
{
	const struct job_report *report = fields->report;
	const struct job_result *run = report->runs;

	switch (id) {
	case TEXT_COMMAND:
		return fields->command;
	case TEXT_DIRECTORY:
		return report->working_directory;
	case TEXT_CONTAINER:
		return job_container_names[run->container];
	case TEXT_CGROUP:
	case TEXT_COUNT:
		break;
	}
	return run->cgroup.len > 0 ? strbuf_str(&run->cgroup) : NULL;
}

static bool find(const void *context, struct span name, struct job_template_field *ret)
{
	const struct fields *fields = context;
	const struct job_report *report = fields->report;
	enum job_value_id id = job_value_find(name.text, name.len);

	*ret = (struct job_template_field){0};
	for (unsigned i = 0; i < TEXT_COUNT; i++)
		if (span_is(name, text_names[i])) {
			ret->is_text = true;
			ret->text = report ? find_text(fields, (enum text_field)i) : NULL;
			ret->is_known = ret->text != NULL;
			return true;
		}
	if (id == JOB_VALUE_COUNT)
		return false;
	ret->unit = job_value_table[id].unit;
	ret->is_known = report && job_is_whole(&report->runs->values, id);
	ret->number = report ? report->runs->values.numbers[id] : 0;
	return true;
}

int job_format_check(const char *template, struct strbuf *reason)
{
	return job_template_check(&(struct job_template){.text = template,
	                                                 .find = find,
	                                                 .context = &(struct fields){0}},
	                          reason);
}

void job_format_add(const char *template, const struct job_report *report, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf command = STRBUF_INIT;
	struct fields fields = {.report = report};

	job_report_command(report->argv, &command);
	fields.command = strbuf_str(&command);
	job_template_add(&(struct job_template){.text = template, .find = find, .context = &fields},
	                 out);
}
