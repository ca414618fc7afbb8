/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-pick - rows by name: METRIC@KEY:GROUP, such as wait_time_ns@pcomm:nginx, METRIC@host, or the name of an outcome. METRIC
 * and GROUP are globs. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "group/group-by.h"

struct row_pick {
	char *metric; /* owned */
	/* Without a key: rows of any group of the report, and outcomes. */
	bool has_key;
	struct group_by by; /* without keys: the host */
	char *group;        /* owned; NULL: any */
};

/* Returns 0, or -EINVAL with a sentence, whose bytes are safe to print. */
must_check_ int row_pick_parse(struct row_pick *pick, const char *text, struct strbuf *reterr);

/* Returns whether the row of this measure and group, by one key, is one of these; of an outcome @by and @label are
 * NULL. */
bool row_pick_matches(const struct row_pick *pick, const char *measure, const struct group_by *by,
                      const char *label);

/* Returns whether two groupings have the same names: their key, and whether names are literal. */
bool group_bys_equal(const struct group_by *a, const struct group_by *b);

/* For cleanup_(row_pick_done). */
void row_pick_done(struct row_pick *pick);
