// SPDX-License-Identifier: GPL-2.0-or-later
#include "work-output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void work_output_init(struct work_output *output, const struct plan *plan)
{
	*output = (struct work_output){.plan = plan};
	/* plan_set() has compiled each of them once, so only memory can be short here. */
	for (size_t i = 0; i < plan->outcome_count; i++)
		if (regcomp(&output->regexes[i], plan->outcomes[i].regex, REG_EXTENDED) != 0)
			mem_exhausted();
}

void work_output_done(struct work_output *output)
{
	for (size_t i = 0; output->plan && i < output->plan->outcome_count; i++)
		regfree(&output->regexes[i]);
	strbuf_done(&output->line);
	strbuf_done(&output->last);
	*output = (struct work_output){0};
}

/* A finite number, perhaps with a unit behind it. */
static bool parse(const char *text, double *ret)
{
	char *end;
	double value;

	value = strtod(text, &end);
	if (end == text || !isfinite(value))
		return false;
	*ret = value;
	return true;
}

static void look_for_work(struct work_output *output, const char *line)
{
	static const char word[] = "ctprof-work ";
	double value;

	if (strncmp(line, word, sizeof(word) - 1) != 0 || !parse(line + sizeof(word) - 1, &value))
		return;
	output->work += value;
	output->has_work = true;
}

static void look_for_outcomes(struct work_output *output, const char *line)
{
	for (size_t i = 0; i < output->plan->outcome_count; i++) {
		regmatch_t matches[2];
		cleanup_(mem_freep) char *text = NULL;
		unsigned which;

		if (regexec(&output->regexes[i], line, ARRAY_SIZE(matches), matches, 0) != 0)
			continue;
		which = output->regexes[i].re_nsub > 0 && matches[1].rm_so >= 0;
		text = mem_copy(line + matches[which].rm_so,
		                (size_t)(matches[which].rm_eo - matches[which].rm_so));
		if (parse(text, &output->values[i]))
			output->found[i] = true;
	}
}

static void end_line(struct work_output *output)
{
	const char *line = strbuf_str(&output->line);

	if (line[strspn(line, " \t\r")] != '\0') {
		strbuf_clear(&output->last);
		strbuf_add_str(&output->last, line);
		if (!output->is_frozen) {
			look_for_work(output, line);
			look_for_outcomes(output, line);
		}
	}
	strbuf_clear(&output->line);
}

void work_output_add(struct work_output *output, const char *bytes, size_t len)
{
	while (len > 0) {
		const char *newline = memchr(bytes, '\n', len);
		size_t part = newline ? (size_t)(newline - bytes) : len;
		size_t room = WORK_LINE_BYTES - output->line.len;

		strbuf_add(&output->line, bytes, part < room ? part : room);
		if (!newline)
			return;
		end_line(output);
		bytes += part + 1;
		len -= part + 1;
	}
}

void work_output_end(struct work_output *output)
{
	end_line(output);
}

void work_output_clear(struct work_output *output)
{
	output->has_work = false;
	output->work = 0;
	memset(output->found, 0, sizeof(output->found));
}

void work_output_freeze(struct work_output *output)
{
	output->is_frozen = true;
}

bool work_output_report(const struct work_output *output, struct unit *unit, struct strbuf *reason)
{
	if (output->has_work)
		unit_add_outcome(unit, "work", output->work);
	for (size_t i = 0; i < output->plan->outcome_count; i++) {
		if (!output->found[i]) {
			strbuf_addf(reason, "the workload has printed no number for %s",
			            output->plan->outcomes[i].name);
			return false;
		}
		unit_add_outcome(unit, output->plan->outcomes[i].name, output->values[i]);
	}
	return true;
}
