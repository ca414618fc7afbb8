// SPDX-License-Identifier: GPL-2.0-or-later
/* The answers as one JSON object, or as an object on a line for each row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "effect/host-effect.h"
#include "findings-format.h"
#include "json/json-write.h"

struct output {
	struct strbuf text;
	struct json_writer writer;
	const struct findings *findings;
};

static void put_text(struct output *out, const char *key, const char *text)
{
	cleanup_(strbuf_done) struct strbuf valid = STRBUF_INIT;

	json_write_key(&out->writer, key);
	if (!text) {
		json_write_null(&out->writer);
		return;
	}
	text_add_replaced(&valid, text, strlen(text));
	json_write_text(&out->writer, strbuf_str(&valid), valid.len);
}

static void put_count(struct output *out, const char *key, uint64_t number)
{
	json_write_key(&out->writer, key);
	json_write_u64(&out->writer, number);
}

static void put_real(struct output *out, const char *key, double number)
{
	json_write_key(&out->writer, key);
	json_write_double(&out->writer, number);
}

static void put_flag(struct output *out, const char *key, bool flag)
{
	json_write_key(&out->writer, key);
	json_write_bool(&out->writer, flag);
}

static void put_p(struct output *out, const char *key, struct p_value p)
{
	put_real(out, key, p.is_defined ? p.p : NAN);
}

static void put_texts(struct output *out, const char *key, char *const *texts, size_t count)
{
	json_write_key(&out->writer, key);
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < count; i++) {
		cleanup_(strbuf_done) struct strbuf valid = STRBUF_INIT;

		text_add_replaced(&valid, texts[i], strlen(texts[i]));
		json_write_text(&out->writer, strbuf_str(&valid), valid.len);
	}
	json_write_close(&out->writer, ']');
}

static void put_percent(struct output *out, const char *key, const struct effect *effect,
                        bool is_known, double y)
{
	put_real(out, key, is_known ? effect_percent(effect, y) : NAN);
}

static void put_contrasts(struct output *out, const struct comparison *comparison,
                          const struct effect *effect)
{
	json_write_key(&out->writer, "contrasts");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < comparison->blocks; i++)
		json_write_double(&out->writer, effect->contrasts[i]);
	json_write_close(&out->writer, ']');
}

/* In the order of "units". */
static void put_values(struct output *out, const struct effect *effect)
{
	const struct trial *trial = out->findings->trial;

	json_write_key(&out->writer, "values");
	json_write_open(&out->writer, '[');
	for (size_t block = 0; block < trial->block_count; block++)
		for (size_t i = 0; i < trial->blocks[block].count; i++) {
			double value = effect->values[trial->blocks[block].units[i]];

			if (isfinite(value))
				json_write_double(&out->writer, value);
			else
				json_write_null(&out->writer);
		}
	json_write_close(&out->writer, ']');
}

/* The means of the contrasts by session; blocks are in the order of their sessions. */
static void put_session_contrasts(struct output *out, const struct comparison *comparison,
                                  const struct effect *effect)
{
	const struct trial_block *blocks = comparison->plan.trial->blocks;

	json_write_key(&out->writer, "session_contrasts");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < comparison->blocks;) {
		unsigned session = blocks[i].session;
		size_t count = 0;
		double sum = 0;

		for (; i < comparison->blocks && blocks[i].session == session; i++, count++)
			sum += effect->contrasts[i];
		json_write_double(&out->writer, sum / (double)count);
	}
	json_write_close(&out->writer, ']');
}

static void put_host(struct output *out, const struct comparison *comparison, size_t place)
{
	put_text(out, "host", comparison->parts.hosts[place]);
}

static void put_host_effects(struct output *out, const struct comparison *comparison,
                             const struct effect *effect)
{
	bool is_over_hosts = comparison->parts.kind == PART_HOST;
	size_t count = is_over_hosts ? comparison->parts.count : 0;
	cleanup_(mem_freep) struct host_effect *hosts = mem_calloc(count + 1, sizeof(hosts[0]));
	double noise;

	if (is_over_hosts)
		host_effects_of(comparison, effect, hosts, &noise);
	json_write_key(&out->writer, "host_effects");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < count; i++) {
		const struct host_effect *host = &hosts[i];

		json_write_open(&out->writer, '{');
		put_host(out, comparison, i);
		put_count(out, "blocks", comparison->parts.blocks[i]);
		put_real(out, "contrast", host->y);
		put_percent(out, "percent", effect, true, host->y);
		put_percent(out, "percent_low", effect, host->has_interval, host->ci95.low);
		put_percent(out, "percent_high", effect, host->has_interval, host->ci95.high);
		put_real(out, "z", host->z);
		json_write_close(&out->writer, '}');
	}
	json_write_close(&out->writer, ']');
}

static void put_hosts_apart(struct output *out, const struct comparison *comparison,
                            const struct effect *effect)
{
	json_write_key(&out->writer, "hosts_apart");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < effect->apart_count; i++) {
		const struct effect_host *host = &effect->apart[i];

		json_write_open(&out->writer, '{');
		put_host(out, comparison, host->host);
		put_flag(out, "against", host->is_against);
		put_percent(out, "percent", effect, true, host->y);
		put_percent(out, "percent_of_others", effect, true, host->others);
		put_real(out, "t", host->test.has_t ? host->test.t : NAN);
		put_real(out, "df", host->test.has_t ? host->test.df : NAN);
		put_real(out, "p_t", host->test.has_t ? host->test.p : NAN);
		put_p(out, "p", host->p);
		put_real(out, "z", host->z);
		json_write_close(&out->writer, '}');
	}
	json_write_close(&out->writer, ']');
}

static void put_difference(struct output *out, const char *key, const struct effect *effect,
                           bool is_known, double y)
{
	put_real(out, key, is_known && !effect->scale.is_log ? effect_difference(effect, y) : NAN);
}

static void put_row(struct output *out, const struct comparison *comparison,
                    const struct effect *effect)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;

	put_text(out, "metric", effect->metric);
	effect_add_key(effect, &key);
	put_text(out, "key", effect->by ? strbuf_str(&key) : NULL);
	put_text(out, "group", effect->group);
	put_text(out, "role", effect_role_names[effect->role]);
	put_text(out, "answer", effect_answer_names[effect->answer]);
	put_flag(out, "inside_margin", effect->is_inside_margin);
	put_text(out, "unit", unit_name_per(effect->unit, effect->per));
	put_real(out, "mean_a", effect->means[0]);
	put_real(out, "mean_b", effect->means[1]);
	put_flag(out, "began_before_a", effect->began_before[0]);
	put_flag(out, "began_before_b", effect->began_before[1]);
	put_text(out, "scale", effect_scale_name(effect));
	put_real(out, "one", effect->scale.is_log ? NAN : effect->scale.one);
	put_percent(out, "percent", effect, true, effect->test.mean);
	put_percent(out, "percent_low", effect, effect->has_interval, effect->ci95.low);
	put_percent(out, "percent_high", effect, effect->has_interval, effect->ci95.high);
	put_difference(out, "difference", effect, true, effect->test.mean);
	put_difference(out, "difference_low", effect, effect->has_interval, effect->ci95.low);
	put_difference(out, "difference_high", effect, effect->has_interval, effect->ci95.high);
	put_percent(out, "robust_percent", effect, effect->has_robust, effect->robust);
	put_percent(out, "robust_percent_low", effect, effect->has_robust_interval,
	            effect->robust_ci95.low);
	put_percent(out, "robust_percent_high", effect, effect->has_robust_interval,
	            effect->robust_ci95.high);
	put_real(out, "host_share", effect->share);
	put_real(out, "estimate", effect->test.mean);
	put_real(out, "sd", effect->test.has_sd ? effect->test.sd : NAN);
	put_real(out, "t", effect->test.has_t ? effect->test.t : NAN);
	put_real(out, "p_t", effect->test.has_t ? effect->test.p : NAN);
	put_p(out, "p_flip", effect->flip_p);
	put_p(out, "p", effect->p);
	put_percent(out, "detectable_percent", effect, isfinite(effect->detectable),
	            effect->detectable);
	put_count(out, "blocks_needed", effect->blocks_needed);
	put_p(out, "p_null", effect->null_p);
	put_p(out, "p_drift", effect->drift_p);
	put_percent(out, "drift_percent", effect, effect->drift_p.is_defined, effect->drift);
	put_p(out, "p_carry_over", effect->carry_p);
	put_contrasts(out, comparison, effect);
	put_session_contrasts(out, comparison, effect);
	put_real(out, "noise", effect->noise);
	put_host_effects(out, comparison, effect);
	put_hosts_apart(out, comparison, effect);
	put_values(out, effect);
}

static void put_tally(struct output *out, const char *key, const struct comparison *comparison,
                      size_t check)
{
	struct check_tally tally = effects_tally(comparison, check);

	json_write_key(&out->writer, key);
	json_write_open(&out->writer, '{');
	put_count(out, "rows", tally.rows);
	put_count(out, "p_below_05", tally.low);
	json_write_close(&out->writer, '}');
}

static void put_settings(struct output *out, const struct comparison *comparison)
{
	const struct strmap *map = &out->findings->settings->map;
	const struct contrast_plan *plan = &comparison->plan;

	json_write_key(&out->writer, "settings_differ");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < map->count; i++) {
		const struct setting_seen *setting = map->entries[i].value;

		if (!setting_seen_differs(plan->trial, map->entries[i].key, setting, plan->a,
		                          plan->b))
			continue;
		json_write_open(&out->writer, '{');
		put_text(out, "name", map->entries[i].key);
		put_text(out, "a", setting->values[plan->a]);
		put_text(out, "b", setting->values[plan->b]);
		json_write_close(&out->writer, '}');
	}
	json_write_close(&out->writer, ']');
}

static void put_comparison(struct output *out, const struct comparison *comparison)
{
	const struct trial *trial = out->findings->trial;

	json_write_open(&out->writer, '{');
	put_text(out, "a", trial->arms[comparison->plan.a].name);
	put_text(out, "b", trial->arms[comparison->plan.b].name);
	put_flag(out, "valid", comparison->failures.count == 0);
	put_texts(out, "failures", comparison->failures.entries, comparison->failures.count);
	put_flag(out, "doubtful", comparison->doubts.count > 0);
	put_texts(out, "doubts", comparison->doubts.entries, comparison->doubts.count);
	put_count(out, "n", comparison->n);
	put_text(out, "over", part_kind_names[comparison->parts.kind]);
	for (unsigned i = 0; i < ANSWER_COUNT; i++)
		put_count(out, effect_answer_names[i], comparison->by_answer[i]);
	put_count(out, "tested", comparison->family.rows);
	put_count(out, "equal", comparison->equal);
	put_count(out, "rare", comparison->rare);
	put_count(out, "unseen", comparison->unseen);
	put_count(out, "repeats", comparison->repeats);
	put_count(out, "unlike", comparison->unlike);
	put_real(out, "smallest_p_flip", comparison->smallest_flip_p);
	put_real(out, "critical_t", comparison->family.critical_t);
	put_tally(out, "drift", comparison, offsetof(struct effect, drift_p));
	put_tally(out, "null", comparison, offsetof(struct effect, null_p));
	put_p(out, "null_p", comparison->nulls.p);
	put_tally(out, "carry_over", comparison, offsetof(struct effect, carry_p));
	put_real(out, "unaccounted_percent_a", comparison->unaccounted_percent[0]);
	put_real(out, "unaccounted_percent_b", comparison->unaccounted_percent[1]);
	put_settings(out, comparison);
	json_write_key(&out->writer, "rows");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < comparison->count; i++) {
		json_write_open(&out->writer, '{');
		put_row(out, comparison, &comparison->effects[i]);
		json_write_close(&out->writer, '}');
	}
	json_write_close(&out->writer, ']');
	json_write_close(&out->writer, '}');
}

static void put_arms(struct output *out)
{
	const struct trial *trial = out->findings->trial;

	json_write_key(&out->writer, "arms");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < trial->arm_count; i++) {
		json_write_open(&out->writer, '{');
		put_text(out, "name", trial->arms[i].name);
		put_texts(out, "lines", trial->arms[i].lines, trial->arms[i].line_count);
		json_write_close(&out->writer, '}');
	}
	json_write_close(&out->writer, ']');
}

/* Adds when the windows of a range of a recording really are. */
static void put_range(struct output *out, const struct trial_time *time)
{
	json_write_key(&out->writer, "range");
	json_write_open(&out->writer, '{');
	put_count(out, "begin", time->begin_unix_ns);
	put_count(out, "end", time->end_unix_ns);
	put_count(out, "windows", time->windows);
	put_count(out, "gaps", time->gaps);
	put_count(out, "gap_ns", time->gap_ns);
	json_write_close(&out->writer, '}');
}

static void put_units(struct output *out)
{
	const struct trial *trial = out->findings->trial;

	json_write_key(&out->writer, "units");
	json_write_open(&out->writer, '[');
	for (size_t block = 0; block < trial->block_count; block++)
		for (size_t i = 0; i < trial->blocks[block].count; i++) {
			const struct trial_unit *unit =
			        &trial->units[trial->blocks[block].units[i]];

			json_write_open(&out->writer, '{');
			put_text(out, "file", unit->path);
			put_text(out, "arm", trial->arms[unit->arm].name);
			put_count(out, "block", block);
			put_count(out, "session", unit->session + (uint64_t)1);
			put_count(out, "start", unit->start_unix_ns);
			if (unit->time.windows > 0)
				put_range(out, &unit->time);
			json_write_close(&out->writer, '}');
		}
	json_write_close(&out->writer, ']');
}

static void put_presence(struct output *out)
{
	const struct findings *findings = out->findings;
	size_t count;
	struct group_presence *found = findings_find_partial(findings, &count);

	json_write_key(&out->writer, "groups_apart");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < count; i++) {
		json_write_open(&out->writer, '{');
		put_text(out, "group", found[i].group->label);
		json_write_key(&out->writer, "units");
		json_write_open(&out->writer, '[');
		for (size_t arm = 0; arm < findings->trial->arm_count; arm++)
			json_write_u64(&out->writer, found[i].in[arm]);
		json_write_close(&out->writer, ']');
		json_write_close(&out->writer, '}');
	}
	json_write_close(&out->writer, ']');
	free(found);
}

static void put_gates(struct output *out)
{
	const struct findings *findings = out->findings;

	json_write_key(&out->writer, "gates");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < findings->gate_count; i++) {
		const struct gate_finding *gate = &findings->gates[i];
		const struct contrast_plan *plan = &findings->comparisons[gate->comparison].plan;

		json_write_open(&out->writer, '{');
		put_text(out, "gate", gate->gate->text);
		put_text(out, "b", findings->trial->arms[plan->b].name);
		put_text(out, "result", gate_result_names[gate->result]);
		put_text(out, "reason", gate->reason);
		json_write_close(&out->writer, '}');
	}
	json_write_close(&out->writer, ']');
}

static void put_document(struct output *out)
{
	static const char *const orders[] = {"tossed", "sequential", "found"};
	const struct findings *findings = out->findings;
	const struct trial *trial = findings->trial;

	json_write_open(&out->writer, '{');
	put_text(out, "ctprof", CTPROF_VERSION);
	put_text(out, "experiment", trial->name);
	put_text(out, "order", orders[trial->order]);
	put_count(out, "seed", trial->seed);
	put_count(out, "settle_ns", trial->settle_ns);
	put_count(out, "blocks", trial->block_count);
	put_count(out, "planned_blocks", trial->planned_blocks);
	put_count(out, "voided_blocks", trial->voided);
	put_count(out, "partial_blocks", trial->partial);
	put_count(out, "sessions", findings->count > 0 ? findings->comparisons[0].sessions : 0);
	put_real(out, "margin", trial->margin);
	put_real(out, "min_effect", trial->min_effect);
	put_arms(out);
	put_units(out);
	put_texts(out, "primaries", trial->primaries.entries, trial->primaries.count);
	put_texts(out, "controls", trial->controls.entries, trial->controls.count);
	put_texts(out, "guards", trial->guards.entries, trial->guards.count);
	put_texts(out, "void_reasons", trial->void_reasons.entries, trial->void_reasons.count);
	put_presence(out);
	put_gates(out);
	json_write_key(&out->writer, "comparisons");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < findings->count; i++)
		put_comparison(out, &findings->comparisons[i]);
	json_write_close(&out->writer, ']');
	json_write_close(&out->writer, '}');
	strbuf_add_char(&out->text, '\n');
}

static void print_line(FILE *file, const struct findings *findings,
                       const struct comparison *comparison, const struct effect *effect)
{
	struct output out = {.findings = findings};

	out.writer = JSON_WRITER_INIT(&out.text);
	json_write_open(&out.writer, '{');
	put_text(&out, "b", findings->trial->arms[comparison->plan.b].name);
	put_flag(&out, "valid", comparison->failures.count == 0);
	put_flag(&out, "doubtful", comparison->doubts.count > 0);
	put_row(&out, comparison, effect);
	json_write_close(&out.writer, '}');
	strbuf_add_char(&out.text, '\n');
	fputs(strbuf_str(&out.text), file);
	strbuf_done(&out.text);
}

void findings_print_json(FILE *file, const struct findings *findings, bool lines)
{
	struct output out = {.findings = findings};

	for (size_t i = 0; lines && i < findings->count; i++)
		for (size_t k = 0; k < findings->comparisons[i].count; k++)
			print_line(file, findings, &findings->comparisons[i],
			           &findings->comparisons[i].effects[k]);
	if (lines)
		return;
	out.writer = JSON_WRITER_INIT(&out.text);
	put_document(&out);
	fputs(strbuf_str(&out.text), file);
	strbuf_done(&out.text);
}
