/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* settings-seen - the settings of all windows of an experiment: those that differ between arms, and that no line of an arm
 * names. */
#include "base/strmap.h"
#include "ctprof/settings/settings.h"
#include "effect/trial.h"

struct setting_seen {
	char *values[TRIAL_ARMS_MAX]; /* in the windows of each arm; NULL: in none of them; owned */
	bool varies; /* it has not the same value in all windows of an arm, or it changed inside one */
};

struct settings_seen {
	struct strmap map; /* from names to struct setting_seen */
};

void settings_seen_add(struct settings_seen *seen, unsigned arm, const struct settings *settings);

/* Returns whether the setting has one value in arm a, and another one in arm b, and no line of the two names it. */
bool setting_seen_differs(const struct trial *trial, const char *name,
                          const struct setting_seen *setting, unsigned a, unsigned b);

/* For cleanup_(settings_seen_done). */
void settings_seen_done(struct settings_seen *seen);
