/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-options - what a run by con-duct's rules is asked for: by options, else by variables DUCT_..., else by default. */
#include <stdbool.h>

#include "command/command.h"
#include "duct/duct-config.h"
#include "job/job-process.h"

/* Some of the two streams; the order is that of con-duct's words. */
enum duct_streams { DUCT_STREAMS_ALL, DUCT_STREAMS_NONE, DUCT_STREAMS_STDOUT, DUCT_STREAMS_STDERR };
enum duct_records { DUCT_RECORDS_ALL, DUCT_RECORDS_SUMMARY, DUCT_RECORDS_SAMPLES };

struct duct_arguments {
	const char *prefix, *summary_format, *message; /* borrowed */
	bool colors, clobber, current_session, pty;
	double sample, report, fail_time; /* seconds */
	enum duct_streams capture, show;
	enum duct_records records;
	enum duct_level level;
	enum job_smaps smaps;
};

extern const struct cli_option duct_options[];

/* The prefix if neither an option nor a variable names one. */
extern const char duct_default_prefix[];

/* Sets the defaults, and what variables say. Returns 0, or EXIT_USAGE with the error printed. */
must_check_ int duct_arguments_init(struct duct_arguments *arguments,
                                    const struct command *command);

/* Parses the options in front of the command. Returns what options_next() returned last. */
must_check_ int duct_arguments_parse(struct duct_arguments *arguments,
                                     const struct command *command, int argc, char **argv);
