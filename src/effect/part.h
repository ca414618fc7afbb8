/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* part - the parts of an experiment whose effects are independent of one another, so that rows are tested over them: its hosts if there
 * are several, the boots of its host if there are several of these, and else its blocks. */
#include "effect/trial.h"

enum part_kind { PART_BLOCK, PART_SESSION, PART_HOST, PART_KIND_COUNT };
/* "block", "session", "host". */
extern const char *const part_kind_names[PART_KIND_COUNT];

struct parts {
	enum part_kind kind;
	size_t count;
	size_t *of_block; /* by block; owned */
	size_t *order;    /* the blocks of the first part, those of the second, ...; owned */
	size_t *blocks;   /* how many each part has; owned */
	const char *
	        *hosts; /* PART_HOST: the name of each part, borrowed from the trial; owned array */
};

/* Finds the parts of a trial whose blocks were found. Sessions without a host's name are sessions: they may be of several
 * hosts. parts_done() @ret. */
void parts_find(struct parts *ret, const struct trial *trial);
void parts_done(struct parts *parts);

/* Stores the mean of @contrasts, one for each block, over the blocks of each part. */
void parts_means(const struct parts *parts, const double *contrasts, double *ret);
