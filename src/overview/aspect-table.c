// SPDX-License-Identifier: GPL-2.0-or-later
#include "overview/aspect.h"

/* clang-format off */
#define ONE(a_) {1, {METRIC_##a_}}
#define TWO(a_, b_) {2, {METRIC_##a_, METRIC_##b_}}
#define SOURCES(...) .sources = {__VA_ARGS__}, .source_count = sizeof((struct aspect_source[]){__VA_ARGS__}) / sizeof(struct aspect_source)
#define ASPECT(id_, heading_, life_heading_, kind_, capacity_, weight_, floor_, leaves_, sources_, text_) \
	[ASPECT_##id_] = {.name = #id_, .heading = heading_, .life_heading = life_heading_, .description = text_, \
	                  .kind = ASPECT_KIND_##kind_, .capacity = ASPECT_CAPACITY_##capacity_, \
	                  .weight = (weight_) / 100.0, .floor = floor_, .leaves = leaves_, sources_},
#define ASPECT_FLOOR(id_, percent_)
const struct aspect_desc aspect_table[ASPECT_COUNT] = {
#include "aspects.def"
};
#undef ASPECT
#undef ASPECT_FLOOR

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
#undef ASPECT
#undef ASPECT_FLOOR
/* clang-format on */
