/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-options - what show and compare have in common: their options and how a report is printed. */
#include "compare/rows.h"
#include "ctprof/snapshot/snapshot.h"
#include "facts/fact-rows.h"
#include "query/cycle-options.h"
#include "query/report-lists.h"
#include "report/report.h"
#include "rollup/rollup.h"
#include "where/selection.h"
#include "where/where.h"
#include "window/window-sum.h"

/* The tree that --rollup asks for. */
struct rollup_choice {
	bool given;
	bool metrics_given, share_given;
	const char *other; /* the first option that it has no use for; NULL: none */
	enum group_key key;
	struct rollup_options options;
};

struct report_options {
	unsigned sides;
	struct group_by by;
	const char **flatten; /* what by.flatten points at; owned, the texts are argv's */
	size_t flatten_capacity;
	enum report_format format;
	bool csv_raw;      /* as in struct report */
	bool host;         /* as in struct report */
	bool delays;       /* as in struct report */
	bool cpus, memory; /* tables of the host in place of groups */
	bool containers;   /* the containers of the host, in place of groups */
	bool exits;        /* the threads that ended, in place of groups */
	bool limit_given;
	size_t limit;
	bool list;          /* metrics are listed, in place of the overview */
	bool overview;      /* one line for each group */
	bool verbose;       /* as in struct report */
	bool with_own;      /* as for overview_init() */
	int color;          /* 0 auto, 1 always, 2 never */
	bool all_metrics;   /* lists have metrics that repeat others, too */
	bool page;          /* for a page: no terminal's width, colours or characters */
	bool wrap;          /* lines below in place of an ellipsis */
	bool no_pager;      /* what is taller than the terminal is the terminal's */
	bool without_rows;  /* no section of threads' metrics is asked for */
	size_t facts_limit; /* as in struct report */
	struct fact_row_options facts;
	bool omitted[SECTION_COUNT]; /* asked for by name, but not with this grouping */
	struct snapshot_limits limits;
	struct row_options rows; /* its sort keys and conditions point at members below */
	struct sort_keys sort;
	struct where **conditions; /* owned, as are they */
	size_t condition_count, condition_capacity;
	/* Metrics whose rates are kept, see struct group_table. */
	struct rate_list lifetime_rates;
	struct rate_list window_rates;
	const struct display_desc *display;
	struct column_list columns; /* none: the default ones */
	bool spread;
	uint16_t spread_measures[MEASURE_COUNT];
	size_t spread_count;
	struct rollup_choice rollup;
	struct cycle_choice cycles; /* of top */
	struct selection selection; /* the processes that are wanted; all zero: all */
	char *explains; /* label of the group whose threads are the rows; owned; NULL: none */
	const char *
	        explained_metric; /* glob for the metrics of these rows; points into explains; NULL: all */
};

enum { OPT_REPORT_FIRST = 100, OPT_REPORT_ONLY_ONE = 200 };
extern const struct cli_option report_option_table[];

/* Sets the defaults. */
void report_options_init(struct report_options *options, unsigned sides);
void report_options_done(struct report_options *options);

/* Parses all options; those that only one command has are in its own table. Returns OPTIONS_END, or as options_next(). */
must_check_ int report_options_parse(struct report_options *options, const struct command *command,
                                     int argc, char **argv);

/* Finishes options that were set without report_options_parse(), for an overview of all groups. */
void report_options_finish_overview(struct report_options *options);

/* Gets a report, which is good until it returns. Returns an exit status. */
typedef int report_visitor(const struct report *report, void *context);

/* Loads one snapshot or two, and visits their report. Returns the exit status, of the visitor if there was nothing to complain
 * about. */
must_check_ int report_visit(const struct report_options *options, char **paths, unsigned count,
                             report_visitor *visit, void *context);

/* Visits the report of one window that a sum writes, which is done once. Gives the info of the window: snapshot_info_done() it in
 * any case. Returns the exit status, with an error printed. */
must_check_ int report_visit_sum(const struct report_options *options, struct window_sum *sum,
                                 report_visitor *visit, void *context,
                                 struct snapshot_info *ret_info);

/* Writes a window. Returns 0 or -errno, with a sentence in @reterr where there is one. */
typedef int report_writer(struct snapshot_writer *writer, struct snapshot_info *ret_info,
                          struct strbuf *reterr, void *context);

/* Prints the report of one window that @write writes, as --rollup and --format ask, and leaves @file open. Returns the exit
 * status, with an error printed. */
must_check_ int report_print_written(const struct report_options *options, report_writer *write,
                                     void *context, FILE *file);

/* Visits the report of the one snapshot that @source has, with @name as its name. Returns 0 or -errno, with a sentence in @reterr
 * where there is one. */
must_check_ int report_visit_source(const struct report_options *options, const char *name,
                                    struct byte_source *source, struct strbuf *reterr,
                                    report_visitor *visit, void *context);

/* Runs show (one snapshot) or compare (two): parses the call, loads and prints. Returns the exit status. */
must_check_ int report_command(const struct command *command, int argc, char **argv,
                               unsigned count);

/* Returns the style of tables on standard output; @color as in struct report_options. */
struct table_style report_style(int color);

/* Ids of the options that only one of the two has. One snapshot has nothing to take a percentage of, so that its
 * orders are others. */
enum {
	OPT_UNCHANGED = OPT_REPORT_ONLY_ONE,
	OPT_ORDER,
	OPT_SHOW_ORDER,
	OPT_ROWS_FORMAT,
	OPT_SHOW_FORMAT,
	OPT_DISPLAY,
	OPT_MIN_DELTA,
	OPT_MIN_PERCENT,
	OPT_NO_RENAMES,
	OPT_HOST,
	OPT_DELAYS,
	OPT_SHOW_EXITS,
	OPT_SHOW_CPUS,
	OPT_MEMORY,
	OPT_CONTAINERS,
	OPT_COLUMNS,
	OPT_BLOCKS_BY,
	OPT_FAIL_IF,
	OPT_FAIL_UNLESS_SAME,
	OPT_BATCH,
	OPT_EVERY,
	OPT_CYCLES,
	OPT_CYCLE_FORMAT,
};

/* Words that options have as their values; each list ends with NULL. */
extern const char *const report_orders[];
extern const char *const report_show_orders[];
extern const char *const report_formats[];
extern const char *const report_show_formats[];
extern const char *const report_colors[];
extern const char *const report_displays[];
extern const char *const report_show_columns[];
extern const char *const report_compare_columns[];
