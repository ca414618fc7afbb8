/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* ab-options - what ab-report and compare A='a-*.zst' B='b-*.zst' have in common: their options, and how answers are printed. */
#include "command/options.h"
#include "ctprof/snapshot/snapshot.h"
#include "effect/forecast.h"
#include "effect/gate.h"
#include "findings/findings.h"

struct ab_options {
	struct group_by by;
	enum measure_per per;
	enum findings_format format;
	int color;
	bool verbose, no_pager, csv_raw;
	size_t limit;
	struct snapshot_limits limits;
	/* Shares; negative: as the experiment has it. */
	double margin, min_effect;
	enum trial_blocks_by blocks_by;
	const char *blocks_label; /* borrowed */
	struct gate *gates;       /* owned */
	size_t gate_count, gate_capacity;
};

void ab_options_init(struct ab_options *options);
/* For cleanup_(ab_options_done). */
void ab_options_done(struct ab_options *options);

/* Parses the options of a command by their names; those that it has for other uses are errors. Returns OPTIONS_END, or as
 * options_next(). */
must_check_ int ab_options_parse(struct ab_options *options, const struct command *command,
                                 int argc, char **argv);

/* Loads the units of a trial, whose blocks were found, and prints what they say. Returns the exit status. */
must_check_ int ab_run(const struct ab_options *options, struct trial *trial);

/* Does so and visits what they say, in place of printing it; the findings have no style. Returns the exit status, of the visitor if
 * there was nothing to complain about. */
typedef int ab_visitor(const struct findings *findings, void *context);
must_check_ int ab_visit(const struct ab_options *options, struct trial *trial, ab_visitor *visit,
                         void *context);

/* Reads the units of a trial, whose blocks were found, and says what @blocks blocks will show: *@ret_now is of the blocks that are
 * there. Returns 0, or -1 if they cannot be read. */
must_check_ int ab_run_forecast(const struct ab_options *options, struct trial *trial,
                                size_t blocks, struct forecast *ret, struct forecast *ret_now);

/* Words of --format. */
extern const struct cli_option ab_report_option_table[];

/* Reads the experiment.json of a directory, which the units are read from later, wherever it has been moved. Returns 0, or -errno with the
 * error printed. */
must_check_ int ab_load_directory(struct trial *trial, const char *dir);
/* Does so for one that is open, and stays the caller's. */
must_check_ int ab_load_open_directory(struct trial *trial, const char *dir, int dir_fd);

/* Makes a trial of operands "A=GLOB". Returns 0, or -errno with the error printed. */
must_check_ int ab_load_arms(const struct ab_options *options, struct trial *trial, char **operands,
                             size_t count);

/* Returns whether an operand is an arm: "NAME=GLOB", and no file. */
bool ab_is_arm(const char *operand);

/* Reads all units into the tables, and notes their settings. Returns 0, or -errno with the error printed. */
must_check_ int ab_load_units(const struct ab_options *options, struct trial *trial,
                              struct unit_table *tables, size_t count, struct fact_table *facts,
                              struct settings_seen *settings);
