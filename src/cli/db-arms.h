/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* db-arms - the options of `ctprof db query arms`. */
#include "command/options.h"
#include "database/arm-plan.h"

/* The defaults, for experiments of every name. */
#define DB_ARMS_INIT ((struct arm_question){.least_effect = 0.01, .margin = 0.02})

/* Checks "A,B". Returns 0, or OPTIONS_ERROR with a message. */
must_check_ int db_arms_check(const struct option_parser *parser);

/* Stores both names, of a text that was checked. Their memory is @ret_names, which the caller frees. */
void db_arms_split(const char *text, char **ret_names, struct arm_question *ret);

/* Parses a percentage as a share between 0 and 1. Returns 0, or OPTIONS_ERROR with a message. */
must_check_ int db_arms_parse_margin(const struct option_parser *parser, double *ret);
