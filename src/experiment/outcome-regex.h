/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* outcome-regex - extended regular expressions from the plan of a stranger. The C library copies what is repeated, a "+" twice and
 * "{N}" N times, and so needs memory without end for "a++++++++++++++++++++++++++++++++++++++++", and more time than there is for one that
 * refers back to a group. */
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Compiles the expression on trial. Returns 0, or -EINVAL with a sentence. */
must_check_ int outcome_regex_check(const char *regex, struct strbuf *reterr);
