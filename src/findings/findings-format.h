/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* findings-format - the texts that several formats have, and the printers. */
#include "findings/findings-list.h"
#include "findings/findings.h"

void findings_print_text(FILE *file, const struct findings *findings);
void findings_print_json(FILE *file, const struct findings *findings, bool lines);
void findings_print_csv(FILE *file, const struct findings *findings);
void findings_print_junit(FILE *file, const struct findings *findings);

/* Appends "vm.swappiness 60 → 10", at most @most of them; returns how many settings differ that nobody named. */
size_t findings_add_settings(const struct findings *findings, const struct comparison *comparison,
                             size_t most, struct strbuf *out);

/* A group that is not in all units: how many of each arm have it. */
struct group_presence {
	const struct unit_group *group;
	size_t in[TRIAL_ARMS_MAX], of[TRIAL_ARMS_MAX];
};
/* Returns the groups that are in some units only, those first whose presence differs most between the arms. The caller
 * frees the array. */
struct group_presence *findings_find_partial(const struct findings *findings, size_t *ret_count);

/* Appends a standard deviation of y for people. */
void findings_add_spread(const struct effect *effect, double y, struct strbuf *out);

/* Appends a line with the effect on each host, of a comparison over hosts. */
void findings_add_host_effects(const struct comparison *comparison, const struct effect *effect,
                               bool verbose, struct strbuf *out);

/* Appends the hosts that differ from the others; nothing if the comparison is not over three hosts or more. */
void findings_add_hosts(const struct comparison *comparison, bool verbose, struct strbuf *out);
