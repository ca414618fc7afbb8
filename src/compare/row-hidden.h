/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-hidden - threads that ended in a window and are in no row of it: how much a group may lack of their work. */
#include "compare/rows.h"

/* Returns the number of threads of the group that ended on the side; of a group of exited threads alone, which has those that other rows
 * lack, of all that ended there, and 1 at least. */
uint32_t row_ended_in(const struct row_set *set, const struct row_group *group, unsigned side);

/* Returns whether the window may lack threads that ended in it. */
bool row_may_have_missed(const struct derive_frame *frame);

/* Returns whether one of the windows misses more than a tenth as many threads as ended in the group on the side with more of them. Any of
 * them may be of the group. */
bool row_has_missed_many(const struct row_set *set, const struct row_group *group);

/* Returns whether threads of the group may have used a tenth or more of the CPU time that the group has on the side with more of it, and
 * have ended unseen in the window. @more_ns is CPU time of other rows that may be of the group. */
bool row_hides_many(const struct row_set *set, const struct row_group *group, unsigned side,
                    double more_ns);
