// SPDX-License-Identifier: GPL-2.0-or-later
/* Gates as test cases, for CI: a failure is a test that failed, and an experiment that cannot answer is an error. Without
 * gates the primaries are listed, and none fails. The validity of the answers is a case of its own. */
#include <string.h>

#include "base/text.h"
#include "findings-format.h"

/* XML 1.0 has no characters below U+0020 but three; the text is escaped for a terminal first, which leaves none. */
static void print_escaped(FILE *file, const char *text)
{
	cleanup_(strbuf_done) struct strbuf safe = STRBUF_INIT;

	text_add_escaped(&safe, text, strlen(text));
	for (const char *c = strbuf_str(&safe); *c; c++)
		switch (*c) {
		case '&':
			fputs("&amp;", file);
			break;
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		default:
			putc(*c, file);
		}
}

static void open_case(FILE *file, const struct findings *findings, size_t comparison,
                      const char *name)
{
	const struct contrast_plan *plan = &findings->comparisons[comparison].plan;

	fputs("  <testcase classname=\"", file);
	print_escaped(file, findings->trial->arms[plan->b].name);
	fputs(" against ", file);
	print_escaped(file, findings->trial->arms[plan->a].name);
	fputs("\" name=\"", file);
	print_escaped(file, name);
	fputs("\">", file);
}

static void print_gate(FILE *file, const struct findings *findings, const struct gate_finding *gate)
{
	const char *tag = gate->result == GATE_FAILED ? "failure" : "error";

	open_case(file, findings, gate->comparison, gate->gate->text);
	if (gate->result != GATE_PASSED) {
		fprintf(file, "<%s message=\"", tag);
		print_escaped(file, gate->reason);
		fputs("\"/>", file);
	}
	fputs("</testcase>\n", file);
}

static void print_errors(FILE *file, const struct trial_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++) {
		fputs("<error message=\"", file);
		print_escaped(file, texts->entries[i]);
		fputs("\"/>", file);
	}
}

static void print_validity(FILE *file, const struct findings *findings, size_t comparison)
{
	open_case(file, findings, comparison, "validity");
	print_errors(file, &findings->comparisons[comparison].failures);
	print_errors(file, &findings->comparisons[comparison].doubts);
	fputs("</testcase>\n", file);
}

/* Returns how many comparisons cannot be believed. */
static size_t count_invalid(const struct findings *findings)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++)
		count += findings->comparisons[i].failures.count > 0 ||
		         findings->comparisons[i].doubts.count > 0;
	return count;
}

static size_t count_results(const struct findings *findings, enum gate_result result)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->gate_count; i++)
		count += findings->gates[i].result == result;
	return count;
}

static size_t count_primaries(const struct findings *findings)
{
	size_t count = 0;

	for (size_t i = 0; findings->gate_count == 0 && i < findings->count; i++)
		for (size_t k = 0; k < findings->comparisons[i].count; k++)
			count += findings->comparisons[i].effects[k].role == ROLE_PRIMARY;
	return count;
}

static void print_primary(FILE *file, const struct findings *findings, size_t comparison,
                          const struct effect *effect)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	effect_add_name(effect, &name);
	open_case(file, findings, comparison, strbuf_str(&name));
	strbuf_clear(&name);
	effect_add_change(effect, effect->test.mean, &name);
	fprintf(file, "<system-out>%s %s</system-out></testcase>\n",
	        effect_answer_names[effect->answer], strbuf_str(&name));
}

void findings_print_junit(FILE *file, const struct findings *findings)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"ctprof ", file);
	print_escaped(file, findings->trial->name ? findings->trial->name : "");
	fprintf(file, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
	        findings->count + findings->gate_count + count_primaries(findings),
	        count_results(findings, GATE_FAILED),
	        count_invalid(findings) + count_results(findings, GATE_INVALID));
	for (size_t i = 0; i < findings->count; i++)
		print_validity(file, findings, i);
	for (size_t i = 0; i < findings->gate_count; i++)
		print_gate(file, findings, &findings->gates[i]);
	for (size_t i = 0; findings->gate_count == 0 && i < findings->count; i++)
		for (size_t k = 0; k < findings->comparisons[i].count; k++)
			if (findings->comparisons[i].effects[k].role == ROLE_PRIMARY)
				print_primary(file, findings, i,
				              &findings->comparisons[i].effects[k]);
	fputs("</testsuite>\n", file);
}
