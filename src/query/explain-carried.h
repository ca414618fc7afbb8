/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* explain-carried - a group that --explain names and that goes on under another name, since its process executed a program, changed
 * its name or was moved. Its threads are in one snapshot under one name and in the other one under the other. */
#include "input/load.h"
#include "query/report-options.h"

/* Loads the side that lacks the group again, with the threads of the name that compare pairs it with there, and gives that name.
 * The loads are of one boot and have kept their bytes. Returns 0 or -errno, with a sentence in @reterr where there is one; leaves
 * @ret_label empty where both sides or none have the group, or it goes on under no other name. */
must_check_ int explain_carried(const struct report_options *options, struct load loads[SIDE_MAX],
                                struct strbuf *ret_label, struct strbuf *reterr);
