/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* record-serve - the options of record about what --serve serves, and where. */
#include "query/report-options.h"
#include "recorder/record-run.h"

enum { RECORD_SERVE_ARGUMENTS = 64 };

struct record_serve {
	const char *address; /* as given; NULL: nobody is served */
	bool to_network;     /* other addresses than those of loopback are fine */
	char *arguments
	        [RECORD_SERVE_ARGUMENTS]; /* of show, for the report; those of argv, borrowed */
	int argument_count;
	struct serve_address where;
	struct report_options report;
};

void record_serve_init(struct record_serve *serve);
void record_serve_done(struct record_serve *serve);

/* Notes an option of the report. Returns 0, or -1 with the error printed. */
must_check_ int record_serve_add(struct record_serve *serve, const struct option_parser *parser);

/* Checks all of it, and gives it to the recorder. Returns 0, or the exit status with the error printed. */
must_check_ int record_serve_settle(struct record_serve *serve, const struct command *command,
                                    struct record_options *ret);
