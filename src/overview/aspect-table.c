// SPDX-License-Identifier: GPL-2.0-or-later
#include "overview/aspect.h"

#include <string.h>

#include "ctprof/base/macro.h"

/* clang-format off */
#define ONE(a_) {1, {METRIC_##a_}}
#define TWO(a_, b_) {2, {METRIC_##a_, METRIC_##b_}}
#define SOURCES(...) .sources = {__VA_ARGS__}, .source_count = sizeof((struct aspect_source[]){__VA_ARGS__}) / sizeof(struct aspect_source)
#define ASPECT(id_, heading_, life_heading_, kind_, capacity_, weight_, floor_, leaves_, sources_, text_) \
	[ASPECT_##id_] = {.name = #id_, .heading = heading_, .life_heading = life_heading_, .description = text_, \
	                  .kind = ASPECT_KIND_##kind_, .capacity = ASPECT_CAPACITY_##capacity_, \
	                  .weight = (weight_) / 100.0, .floor = floor_, .leaves = leaves_, sources_},
const struct aspect_desc aspect_table[ASPECT_COUNT] = {
#include "aspects.def"
};

/* The sum of two metrics needs one unit. Peaks do not add up, so they have no weight. */
#define KIND_IS_PEAK_THREADS 0
#define KIND_IS_PEAK_TIME 0
#define KIND_IS_PEAK_COUNT 0
#define KIND_IS_PEAK_BYTES 0
#define KIND_IS_PEAK_PEAK 1
#define ASPECT(id_, heading_, life_heading_, kind_, capacity_, weight_, floor_, ...) \
	_Static_assert((weight_) >= 0 && (weight_) <= 100, "aspect " #id_ ": the weight is a percentage"); \
	_Static_assert(!KIND_IS_PEAK_##kind_ || (weight_) == 0, "aspect " #id_ ": peaks do not add up");
#define ASPECT_FLOOR(id_, percent_) const double aspect_floor_##id_ = (percent_) / 100.0;
#include "aspects.def"

#define ASPECTS(a_, b_, c_) {[ASPECT_##a_] = true, [ASPECT_##b_] = true, [ASPECT_##c_] = true}
#define ASPECT_WORD(name_, aspects_, text_) {name_, text_, aspects_},
const struct aspect_word aspect_word_table[] = {
#include "aspects.def"
};
/* clang-format on */

const size_t aspect_word_count = ARRAY_SIZE(aspect_word_table);

static bool is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && memcmp(text, word, len) == 0;
}

enum aspect_id aspect_find(const char *text, size_t len)
{
	unsigned aspect = 0;

	while (aspect < ASPECT_COUNT && !is_word(text, len, aspect_table[aspect].name))
		aspect++;
	return (enum aspect_id)aspect;
}

static void visit_sources(const struct aspect_desc *aspect,
                          void (*visit)(enum metric_id metric, void *context), void *context)
{
	for (unsigned s = 0; s < aspect->source_count; s++)
		for (unsigned i = 0; i < aspect->sources[s].count; i++)
			visit(aspect->sources[s].metrics[i], context);
}

bool aspect_visit_metrics(const char *text, size_t len,
                          void (*visit)(enum metric_id metric, void *context), void *context)
{
	enum aspect_id aspect = aspect_find(text, len);
	bool found = aspect < ASPECT_COUNT;

	if (found)
		visit_sources(&aspect_table[aspect], visit, context);
	for (size_t w = 0; w < aspect_word_count; w++) {
		if (!is_word(text, len, aspect_word_table[w].name))
			continue;
		found = true;
		for (unsigned a = 0; a < ASPECT_COUNT; a++)
			if (aspect_word_table[w].aspects[a])
				visit_sources(&aspect_table[a], visit, context);
	}
	return found;
}
