/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* choices - which groups a side lacks because its processes were chosen, or because it is of another boot. */
#include <stdbool.h>

#include "base/fd.h"
#include "compare/rows.h"
#include "where/selection.h"

/* Returns whether both hosts are known to be of one boot. */
bool choices_are_of_one_boot(const struct host *const hosts[SIDE_MAX]);

/* Sets is_chosen, chosen_ids and one_sided of @rows. Within one boot, a group that one side does not have was not there, but for what its
 * choice left out; a choice by id leaves out nothing of a smaller one. @selection was noted in both hosts; @ids are empty, and must
 * outlive the rows. */
void choices_note(const struct selection *selection, const struct host *const hosts[SIDE_MAX],
                  unsigned count, bool has_interval, struct id_list *const ids[SIDE_MAX],
                  struct row_options *rows);
