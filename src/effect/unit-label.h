/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* unit-label - the label of a group in all units: its name if they have the same one, else the pattern. */
#include "group/group-by.h"

/* Notes the name that the group with @pattern has in one more unit. @label is owned by the caller, NULL at first, and safe to
 * print. */
void unit_label_note(char **label, const struct key_names *names, struct span pattern);
