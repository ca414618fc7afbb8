// SPDX-License-Identifier: GPL-2.0-or-later
#include "trials.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

const char *const trial_coins[TRIAL_BLOCKS] = {"ABBA", "BAAB", "BAAB", "ABBA",
                                               "BAAB", "ABBA", "ABBA", "BAAB"};
const double trial_noise[TRIAL_UNITS] = {-.01,  -.003, .003,  -.012, .002,  0,     .001,  .011,
                                         -.012, .013,  -.007, -.011, -.007, .003,  .002,  -.003,
                                         -.01,  -.006, .012,  .002,  -.006, -.009, -.002, -.017,
                                         -.005, -.007, .012,  .01,   -.001, -.011, .009,  .009};

void trial_make(struct trial *trial, const char *const *coins, size_t blocks)
{
	trial->margin = TRIAL_MARGIN;
	trial->min_effect = TRIAL_MIN_EFFECT;
	trial->planned_blocks = blocks;
	*array_add(trial->sessions, trial->session_count, trial->session_capacity) =
	        (struct trial_session){0};
	for (size_t block = 0; block < blocks; block++)
		for (size_t i = 0; i < strlen(coins[block]); i++) {
			const char arm[] = {coins[block][i], '\0'};
			char path[32];
			struct trial_unit *unit;

			(void)trial_arm_of(trial, "A");
			snprintf(path, sizeof(path), "unit-%02zu", 4 * block + i);
			unit = trial_add_unit(trial, path, trial_arm_of(trial, arm));
			unit->block = (int)block;
			unit->start_unix_ns = 8 * block + i;
		}
	trial_find_blocks(trial);
}

void trial_add_effect(struct trial *trial, const char *name, double effect, double noise)
{
	for (size_t i = 0; i < trial->unit_count; i++)
		trial_unit_add_outcome(&trial->units[i], name,
		                       100 * exp((trial->units[i].arm == 1 ? effect : 0) +
		                                 noise * trial_noise[i % TRIAL_UNITS]));
}
