/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* walk-team - several threads walk the processes of a host, each with readers of its own; the rows reach the one writer in
 * the order that a single walk gives them. */
#include "walk.h"

/* How many walkers are worth their while: one for each CPU that we may run on, and one alone for a small host or another
 * system's tree. */
unsigned walk_team_size(const struct walk *walk);

/* As walk_each(), behind walk_find(). @walk is initialised; its jemalloc reader, writer, tally and cgroups serve all, and its times become those of
 * all. @options are the ones it was initialised with, @rules those of the snapshot. */
must_check_ int walk_team_all(struct walk *walk, const struct walk_options *options,
                              const enum source_outcome rules[SOURCE_COUNT], unsigned members,
                              const char *root, struct strbuf *reterr);
