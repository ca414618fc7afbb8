/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* settings-compare - what is set differently in two snapshots. */
#include "ctprof/settings/settings.h"
#include "settings/settings-table.h"

/* A setting that both snapshots have; borrowed from them. */
struct setting_pair {
	enum settings_kind kind;
	bool differs;
	const struct setting *baseline;
	const struct setting *candidate;
};

struct setting_pairs {
	struct setting_pair *entries; /* owned */
	size_t count, capacity;
};

/* Finds the settings of both that differ, or, with @same_too, all that both have. A setting that one side does not have is no
 * difference: it may not have been read there. Names of the host are left out. They come in the order of the kinds in
 * registry/settings.def, and by name. @ret is zeroed; setting_pairs_done() frees it. */
void settings_compare(const struct settings *baseline, const struct settings *candidate,
                      bool same_too, struct setting_pairs *ret);

/* For cleanup_(setting_pairs_done). */
void setting_pairs_done(struct setting_pairs *pairs);
