// SPDX-License-Identifier: GPL-2.0-or-later
/* trial: any bytes are the experiment.json of a directory, or are refused with a reason; and what can be said of its outcomes is
 * printed in all formats, without a byte that a terminal obeys. */
#include <string.h>

#include "base/text.h"
#include "effect/effect.h"
#include "effect/gate.h"
#include "effect/trial.h"
#include "findings/findings.h"
#include "fuzz.h"

enum { BLOCKS_MOST = 10, OUTCOMES_MOST = 6, UNITS_MOST = 64 };

static void check_harmless(const char *text, size_t len)
{
	uint32_t c;

	for (size_t pos = 0, step; pos < len; pos += step) {
		step = text_decode(text + pos, len - pos, &c);
		require(step > 0 && (c == '\n' || text_is_harmless(c)), "safe to print");
	}
}

static void check_rows(const struct comparison *comparison)
{
	size_t answers = 0;

	for (size_t i = 0; i < comparison->count; i++) {
		const struct effect *effect = &comparison->effects[i];

		require(!effect->p.is_defined || (effect->p.p >= 0 && effect->p.p <= 1), "p");
		require(!effect->flip_p.is_defined ||
		                (effect->flip_p.p > 0 && effect->flip_p.p <= 1),
		        "p of the coins");
		require(!effect->has_interval || effect->ci95.low <= effect->ci95.high, "interval");
		require(effect->answer == ANSWER_UNKNOWN || comparison->failures.count == 0 ||
		                effect->role == ROLE_CONTROL,
		        "no answer where nothing is valid");
	}
	for (unsigned i = 0; i < ANSWER_COUNT; i++)
		answers += comparison->by_answer[i];
	require(answers <= comparison->count, "answers of rows");
}

static void print_all(const struct findings *findings)
{
	for (unsigned format = 0; format < FINDINGS_FORMAT_COUNT; format++) {
		char *text = NULL;
		size_t len = 0;
		FILE *file = open_memstream(&text, &len);

		if (!file)
			abort();
		findings_print(file, findings, (enum findings_format)format);
		fclose(file);
		check_harmless(text, len);
		free(text);
	}
}

static void compare(struct trial *trial)
{
	struct comparison comparisons[TRIAL_ARMS_MAX];
	struct unit_table table;
	struct settings_seen settings = {0};
	struct findings findings = {.trial = trial,
	                            .table = &table,
	                            .comparisons = comparisons,
	                            .count = trial->arm_count - 1,
	                            .settings = &settings,
	                            .verbose = true,
	                            .style = {.width = 80}};
	const struct effect_options options = {.trial = trial};

	unit_table_init(&table, group_by_key(GROUP_KEY_pcomm, false), PER_second,
	                trial->unit_count);
	for (unsigned b = 1; b < trial->arm_count; b++) {
		comparison_init(&comparisons[b - 1], &options, b);
		check_rows(&comparisons[b - 1]);
	}
	print_all(&findings);
	for (unsigned b = 1; b < trial->arm_count; b++)
		comparison_done(&comparisons[b - 1]);
	unit_table_done(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_(strbuf_done) struct strbuf json = STRBUF_INIT, error = STRBUF_INIT;
	cleanup_(trial_done) struct trial trial = {0};
	size_t outcomes = 0;

	strbuf_add(&json, data, size);
	if (trial_read(&trial, "dir", &json, &error) < 0) {
		require(error.len > 0, "a reason");
		return 0;
	}
	trial_find_blocks(&trial);
	for (size_t i = 0; i < trial.unit_count; i++)
		if (trial.units[i].outcome_count > outcomes)
			outcomes = trial.units[i].outcome_count;
	/* More costs time and meets nothing new. */
	if (trial.block_count <= BLOCKS_MOST && outcomes <= OUTCOMES_MOST &&
	    trial.unit_count <= UNITS_MOST)
		compare(&trial);
	return 0;
}
