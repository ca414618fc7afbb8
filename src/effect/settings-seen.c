// SPDX-License-Identifier: GPL-2.0-or-later
#include "effect/settings-seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void add_one(struct settings_seen *seen, unsigned arm, const struct setting *setting)
{
	struct strmap_entry *entry = strmap_add(&seen->map, setting->name, strlen(setting->name));
	struct setting_seen *known = entry->value;

	if (!known)
		known = entry->value = mem_calloc(1, sizeof(*known));
	known->varies = known->varies || setting->before;
	if (!known->values[arm])
		known->values[arm] = mem_copy(setting->text, strlen(setting->text));
	else if (strcmp(known->values[arm], setting->text) != 0)
		known->varies = true;
}

void settings_seen_add(struct settings_seen *seen, unsigned arm, const struct settings *settings)
{
	for (size_t i = 0; i < settings->count; i++)
		add_one(seen, arm, &settings->entries[i]);
}

static bool is_named(const struct trial_arm *arm, const char *name)
{
	for (size_t i = 0; i < arm->line_count; i++)
		if (strstr(arm->lines[i], name))
			return true;
	return false;
}

bool setting_seen_differs(const struct trial *trial, const char *name,
                          const struct setting_seen *setting, unsigned a, unsigned b)
{
	return !setting->varies && setting->values[a] && setting->values[b] &&
	       strcmp(setting->values[a], setting->values[b]) != 0 &&
	       !is_named(&trial->arms[a], name) && !is_named(&trial->arms[b], name);
}

void settings_seen_done(struct settings_seen *seen)
{
	for (size_t i = 0; i < seen->map.count; i++) {
		struct setting_seen *setting = seen->map.entries[i].value;

		for (unsigned arm = 0; setting && arm < TRIAL_ARMS_MAX; arm++)
			free(setting->values[arm]);
		free(setting);
	}
	strmap_done(&seen->map);
}
