/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-copy - shows what a command writes into files: a thread copies what is new in them to descriptors. The command writes into
 * the files itself, so that what it and its descendants write is there whatever becomes of ctprof. */
#include <stdbool.h>

#include "ctprof/base/macro.h"

enum { DUCT_COPIES = 2 };

struct duct_copies;

/* Starts to copy from the files @from, as they grow, to the descriptors @to. @from is owned: descriptors for reading; below 0:
 * not this one. Files must be empty. Returns 0 or -errno. */
must_check_ int duct_copies_start(const int from[DUCT_COPIES], const int to[DUCT_COPIES],
                                  struct duct_copies **ret);

/* Copies the rest, and ends. For NULL it does nothing. */
void duct_copies_stop(struct duct_copies *copies);
