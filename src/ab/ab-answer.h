/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* ab-answer - the report of an experiment at its end, by the options of ctprof ab-report that ctprof ab has as well. */
#include "ab/ab-options.h"

struct ab_answer {
	char **words; /* "--format=junit"; owned, as are they */
	size_t count, capacity;
	struct ab_options options;
};

/* For cleanup_(ab_answer_done); a zeroed one is good. */
void ab_answer_done(struct ab_answer *answer);

/* Adds an option with its value; NULL: it takes none. */
void ab_answer_add(struct ab_answer *answer, const char *name, const char *value);

/* Parses the options. An experiment may take hours, so this is done before it begins. Returns 0, or -1 with the error printed. */
must_check_ int ab_answer_parse(struct ab_answer *answer);

/* Prints the report of a directory, which is open. Returns the exit status of ctprof ab-report. */
must_check_ int ab_answer_print(const struct ab_answer *answer, const char *directory, int dir_fd);
