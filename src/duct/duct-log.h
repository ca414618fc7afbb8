/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-log - messages in con-duct's form: a time, a level, and who says it. */
#include "ctprof/base/macro.h"
#include "duct/duct-config.h"

/* The words for the levels, in any case. Ended by NULL. */
extern const char *const duct_level_names[];

/* Prints a line on standard error if @level is among those that are shown. Its words must be safe to print. */
void duct_log(enum duct_level shown, enum duct_level level, const char *format, ...) printf_(3, 4);
