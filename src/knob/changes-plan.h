/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* changes-plan - makes the entries of a journal from the arms, with the old values. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "journal.h"
#include "knob/knob.h"

#define NO_ENTRY ((size_t)-1)

struct plan {
	struct journal journal;
	size_t *partners; /* by entry: the file that the kernel changes along with it, or NO_ENTRY */
	size_t partner_capacity;
	size_t **targets; /* by arm and knob: the entry, or NO_ENTRY */
	size_t arm_count;
};

/* Finds the file of each knob, and reads it. Returns 0, or -errno with a line in @reterr. */
must_check_ int plan_make(struct plan *plan, const struct knob_list *arms, size_t arm_count,
                          struct strbuf *reterr);

void plan_done(struct plan *plan);
