// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/glob.h"
#include "fact-build.h"
#include "settings/settings-compare.h"

static bool is_wanted(const struct fact_build *build, const char *name)
{
	const char *like = build->options->settings_like;

	return !like || glob_match_name(like, name, strlen(name));
}

static void emit_setting(struct fact_build *build, const struct setting *baseline,
                         const struct setting *candidate)
{
	const struct fact_cell cells[SIDE_MAX] = {
	        {.state = FACT_TEXT, .text = baseline->text},
	        {.state = candidate ? FACT_TEXT : FACT_UNSEEN,
	         .text = candidate ? candidate->text : NULL},
	};

	if (is_wanted(build, baseline->name))
		fact_build_row(build, baseline->name, strlen(baseline->name),
		               (struct fact_kind){.unit = UNIT_none}, cells);
}

/* Emits what is set differently on cgroups, whatever the groups are. */
static void emit_knobs(struct fact_build *build)
{
	for (size_t i = 0; i < build->set->knobs.count; i++) {
		const struct knob_change *change = &build->set->knobs.entries[i];
		const struct setting settings[SIDE_MAX] = {
		        {.name = change->name, .text = change->texts[SIDE_BASELINE]},
		        {.name = change->name, .text = change->texts[SIDE_CANDIDATE]}};

		emit_setting(build, &settings[SIDE_BASELINE], &settings[SIDE_CANDIDATE]);
	}
}

void fact_emit_settings(struct fact_build *build)
{
	const struct settings *baseline = &build->sides[SIDE_BASELINE].info->settings;
	cleanup_(setting_pairs_done) struct setting_pairs pairs = {0};

	if (build->set->sides == 1) {
		for (size_t i = 0; i < baseline->count; i++)
			emit_setting(build, &baseline->entries[i], NULL);
		return;
	}
	settings_compare(baseline, &build->sides[SIDE_CANDIDATE].info->settings,
	                 build->options->unchanged, &pairs);
	for (size_t i = 0; i < pairs.count; i++)
		emit_setting(build, pairs.entries[i].baseline, pairs.entries[i].candidate);
	emit_knobs(build);
}
