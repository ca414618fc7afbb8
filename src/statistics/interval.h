/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* interval - two numbers that hold an unknown one between them. */

struct interval {
	double low, high;
};
