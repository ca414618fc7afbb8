// SPDX-License-Identifier: GPL-2.0-or-later
#include "choices.h"

#include <string.h>

/* Returns whether each id of @ids is in @of, both in rising order. */
static bool is_part_of(const struct id_list *ids, const struct id_list *of)
{
	size_t at = 0;

	for (size_t i = 0; i < ids->count; i++) {
		while (at < of->count && of->ids[at] < ids->ids[i])
			at++;
		if (at == of->count || of->ids[at] != ids->ids[i])
			return false;
	}
	return true;
}

bool choices_are_of_one_boot(const struct host *const hosts[SIDE_MAX])
{
	const char *first = host_text(hosts[SIDE_BASELINE], HOST_boot_id);
	const char *second = host_text(hosts[SIDE_CANDIDATE], HOST_boot_id);

	return first && second && strcmp(first, second) == 0;
}

void choices_note(const struct selection *selection, const struct host *const hosts[SIDE_MAX],
                  unsigned count, bool has_interval, struct id_list *const ids[SIDE_MAX],
                  struct row_options *rows)
{
	bool *is_chosen = rows->is_chosen, is_wider[SIDE_MAX] = {false};

	for (unsigned side = 0; side < count; side++) {
		is_chosen[side] = selection_is_apart(selection, hosts[side], hosts[!side]);
		if (is_chosen[side] && selection_noted_ids(hosts[side], ids[side]))
			rows->chosen_ids[side] = ids[side];
	}
	for (unsigned side = 0; side < count; side++)
		is_wider[side] = rows->chosen_ids[0] && rows->chosen_ids[1] &&
		                 is_part_of(ids[!side], ids[side]);
	for (unsigned side = 0; side < count; side++) {
		is_chosen[side] = is_chosen[side] && !is_wider[side];
		rows->one_sided[!side] = rows->one_sided[!side] || has_interval ||
		                         (rows->one_boot && !is_chosen[side]);
	}
}
