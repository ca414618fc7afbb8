/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* question - the shipped questions about a fleet. A series is one metric of one group; each host has one value of it: work per
 * second, or for the number of threads the number. Only metrics with the rule sum have series. */
#include "database/database.h"

enum question_kind {
	QUESTION_OUTLIERS, /* hosts that differ most from their fleet */
	QUESTION_MOVERS,   /* series that moved most between two times */
	QUESTION_GROUP,    /* one group over all hosts */
	QUESTION_COUNT,
};
extern const char *const question_names[QUESTION_COUNT + 1]; /* ended by NULL */

struct question {
	enum question_kind kind;
	struct database_filter filter;
	/* Files that end within these; of QUESTION_MOVERS, the two times. 0 and UINT64_MAX: no bound. */
	uint64_t from_unix_ns, to_unix_ns;
	/* QUESTION_OUTLIERS: the least distance from the median in robust standard deviations, and the least share of what a host
	 * of the fleet has of the metric. */
	double least_z, least_impact;
};

/* A host needs others to differ from. */
enum { QUESTION_HOSTS_LEAST = 5, QUESTION_NO_HOST = UINT32_MAX };

struct answer_row {
	uint32_t host; /* QUESTION_NO_HOST: all of them */
	size_t metric; /* its place in the list */
	int64_t group;
	size_t place;    /* of the group, in the order of keys and names */
	double value;    /* of the host; of QUESTION_MOVERS, the later one */
	double other;    /* median of all hosts; of QUESTION_MOVERS, the earlier value */
	double z;        /* NaN: none */
	double impact;   /* NaN: not known */
	uint32_t hosts;  /* that have the series */
	bool is_partial; /* not all threads were seen in it */
};

struct answer {
	struct answer_row *rows; /* owned */
	size_t count, capacity;
	size_t hosts; /* that have files in the question's time */
	size_t files; /* of those */
	size_t unlike; /* hosts that were left out, since their windows have the ends of threads in another way */
	size_t series;  /* that were looked at */
	size_t few;     /* others, which have too few hosts for QUESTION_OUTLIERS */
	bool is_window; /* the files are windows, and not lifetime snapshots */
};

/* Answers the question: rows in the order of their importance, those of one host together. Returns 0, -EIO if the database cannot be
 * read, or -ENODATA with a sentence in @reterr if nothing in it can answer. */
must_check_ int question_ask(struct database *database, const struct question *question,
                             const struct database_list *list, struct answer *ret,
                             struct strbuf *reterr);
void answer_done(struct answer *answer);
