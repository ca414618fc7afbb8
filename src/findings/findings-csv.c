// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "base/csv-text.h"
#include "findings-format.h"
#include "json/json-write.h"

static void print_number(FILE *file, double number)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&text);

	putc(',', file);
	if (!isfinite(number))
		return;
	json_write_double(&writer, number);
	fputs(strbuf_str(&text), file);
}

static void print_text(FILE *file, const struct findings *findings, const char *text)
{
	putc(',', file);
	csv_print_text(file, text, findings->csv_raw);
}

static void print_difference(FILE *file, const struct effect *effect, bool is_known, double y)
{
	print_number(file, is_known && !effect->scale.is_log ? effect_difference(effect, y) : NAN);
}

/* The names of the hosts that differ and go against the others, or beyond them. */
static void print_apart(FILE *file, const struct findings *findings,
                        const struct comparison *comparison, const struct effect *effect,
                        bool are_against)
{
	cleanup_(strbuf_done) struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < effect->apart_count; i++) {
		if (effect->apart[i].is_against != are_against)
			continue;
		strbuf_add_str(&names, names.len > 0 ? " " : "");
		findings_add_name(comparison->parts.hosts[effect->apart[i].host], &names);
	}
	print_text(file, findings, strbuf_str(&names));
}

/* Cells of experiments over hosts, which are empty otherwise. */
static void print_hosts(FILE *file, const struct findings *findings,
                        const struct comparison *comparison, const struct effect *effect)
{
	bool is_over_hosts = comparison->parts.kind == PART_HOST;

	print_number(file, is_over_hosts ? (double)comparison->parts.count : NAN);
	print_number(file, is_over_hosts ? effect->noise : NAN);
	print_apart(file, findings, comparison, effect, true);
	print_apart(file, findings, comparison, effect, false);
}

static void print_row(FILE *file, const struct findings *findings,
                      const struct comparison *comparison, const struct effect *effect)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT, name = STRBUF_INIT;

	effect_add_key(effect, &key);
	findings_add_name(findings->trial->arms[comparison->plan.b].name, &name);
	csv_print_text(file, strbuf_str(&name), findings->csv_raw);
	strbuf_clear(&name);
	findings_add_name(effect->metric, &name);
	print_text(file, findings, strbuf_str(&name));
	print_text(file, findings, strbuf_str(&key));
	print_text(file, findings, effect->group ? effect->group : "");
	print_text(file, findings, effect_role_names[effect->role]);
	print_text(file, findings, effect_answer_names[effect->answer]);
	print_number(file, effect->means[0]);
	print_number(file, effect->means[1]);
	print_number(file, effect_percent(effect, effect->test.mean));
	print_number(file, effect->has_interval ? effect_percent(effect, effect->ci95.low) : NAN);
	print_number(file, effect->has_interval ? effect_percent(effect, effect->ci95.high) : NAN);
	print_number(file, effect->share);
	print_number(file, effect->test.has_t ? effect->test.p : NAN);
	print_number(file, effect->flip_p.is_defined ? effect->flip_p.p : NAN);
	print_number(file, effect->p.is_defined ? effect->p.p : NAN);
	print_number(file, isfinite(effect->detectable) ? effect_percent(effect, effect->detectable)
	                                                : NAN);
	print_text(file, findings, effect_scale_name(effect));
	print_text(file, findings, unit_name_per(effect->unit, effect->per));
	print_difference(file, effect, true, effect->test.mean);
	print_difference(file, effect, effect->has_interval, effect->ci95.low);
	print_difference(file, effect, effect->has_interval, effect->ci95.high);
	print_text(file, findings, comparison->failures.count == 0 ? "true" : "false");
	print_text(file, findings, comparison->doubts.count > 0 ? "true" : "false");
	print_number(file, effect->test.has_sd ? effect->test.sd : NAN);
	print_hosts(file, findings, comparison, effect);
	print_text(file, findings, effect->began_before[0] ? "true" : "false");
	print_text(file, findings, effect->began_before[1] ? "true" : "false");
	putc('\n', file);
}

void findings_print_csv(FILE *file, const struct findings *findings)
{
	fputs("b,metric,key,group,role,answer,mean_a,mean_b,percent,percent_low,percent_high,"
	      "host_share,p_t,p_flip,p,detectable_percent,scale,unit,difference,"
	      "difference_low,difference_high,valid,doubtful,sd,hosts,noise,against,beyond,"
	      "began_before_a,began_before_b\n",
	      file);
	for (size_t i = 0; i < findings->count; i++)
		for (size_t k = 0; k < findings->comparisons[i].count; k++)
			print_row(file, findings, &findings->comparisons[i],
			          &findings->comparisons[i].effects[k]);
}
