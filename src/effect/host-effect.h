/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* host-effect - the effect of one row on each host of an experiment over several, how much hosts differ, and which ones differ from the
 * others by more than the noise. Values are those of y, see contrast-scale.h. */
#include "effect/effect.h"

/* Fewer hosts show no spread. */
enum { HOST_EFFECT_HOSTS_LEAST = 3 };

/* The row on one host, by its blocks. */
struct host_effect {
	double y;           /* the mean of its contrasts */
	struct t_test test; /* of its blocks */
	bool has_interval;  /* two blocks or more, which are not all the same */
	struct interval ci95;
	double z; /* distance from the median host, in robust standard deviations of the hosts */
};

/* Fills @ret, which has room for each host, for a comparison over hosts. Stores in @ret_noise the standard deviation that the hosts'
 * effects would have by the noise of their blocks alone; NaN if a host has one block. */
void host_effects_of(const struct comparison *comparison, const struct effect *effect,
                     struct host_effect *ret, double *ret_noise);

/* Finds the hosts that differ, and the noise, in all rows of a comparison over hosts, whose answers are known. */
void host_effects_judge(struct comparison *comparison);
