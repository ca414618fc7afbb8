/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* group-spread - keeps the values of each thread of a group for measures with a distribution. */
#include "group/group.h"

void group_spread_add(const struct group_table *table, struct group *group,
                      const struct thread_sample *sample);
