/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-conditions - options that are conditions on rows. Each function reads the value of the option last returned, adds the
 * condition, and returns 0, or -1 with the error printed. */
#include "query/report-options.h"

/* --where EXPR */
must_check_ int condition_where(const struct option_parser *parser, struct report_options *options);

/* --min-delta N and --min-percent N, which are conditions like any other. */
must_check_ int condition_min_delta(const struct option_parser *parser,
                                    struct report_options *options);
must_check_ int condition_min_percent(const struct option_parser *parser,
                                      struct report_options *options);
