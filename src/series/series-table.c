// SPDX-License-Identifier: GPL-2.0-or-later
#include "series/series.h"

const struct series_panel_row series_panels[SERIES_PANEL_COUNT] = {
#define SERIES_PANEL(id_, heading_, unit_, default_) \
	[SERIES_PANEL_##id_] = {#id_, heading_, SERIES_UNIT_##unit_, default_},
#include "series.def"
};

const struct series_row series_rows[SERIES_COUNT] = {
#define SERIES(id_, panel_, place_, label_, description_) \
	[SERIES_##id_] = {#id_, SERIES_PANEL_##panel_, place_, label_, description_},
#include "series.def"
};

const char *const series_names[] = {
#define SERIES(id_, ...) #id_,
#include "series.def"
        NULL,
};
