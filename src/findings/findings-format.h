/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* findings-format - the texts that several formats have, and the printers. */
#include "findings/findings.h"

void findings_print_text(FILE *file, const struct findings *findings);
void findings_print_json(FILE *file, const struct findings *findings, bool lines);
void findings_print_csv(FILE *file, const struct findings *findings);
void findings_print_junit(FILE *file, const struct findings *findings);

/* Appends the lines in front of the tables: the question, arms, n, order. */
void findings_add_head(const struct findings *findings, struct strbuf *out);
/* Appends the lines that say why no answer, or no p, can be believed; none if there is no reason. */
void findings_add_failures(const struct comparison *comparison, struct strbuf *out);
/* Appends the lines about whether the answers can be believed. */
void findings_add_validity(const struct findings *findings, const struct comparison *comparison,
                           struct strbuf *out);
/* Appends the lines behind a comparison's table: the rows that have no line. */
void findings_add_rest(const struct findings *findings, const struct comparison *comparison,
                       struct strbuf *out);

/* Appends a name of a stranger, safe to print. */
void findings_add_name(const char *text, struct strbuf *out);
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
