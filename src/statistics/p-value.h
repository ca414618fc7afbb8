/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* p-value - the p of a test, or none: a row that could not be tested has none, and no number stands for that. */
#include <stdbool.h>

struct p_value {
	bool is_defined;
	double p; /* 0 to 1, if it is defined */
};
