/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* group-spread - keeps what each thread of a group has of the measures whose distribution is asked for. */
#include "group/group.h"

void group_spread_add(const struct group_table *table, struct group *group,
                      const struct thread_sample *sample);
