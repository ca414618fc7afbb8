/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* power - what a number of blocks can show. Contrasts are taken as normal, and effects and margins are in units of their
 * standard deviation: an effect of 2 is twice the sd of the contrasts. Tests have two sides. */
#include <stdbool.h>
#include <stddef.h>

/* More blocks than that are never asked for. */
#define POWER_BLOCKS_MAX 100000

/* The |t| that is reached by chance with probability @alpha, 0 < alpha < 1, with @n > 1 blocks. */
double power_critical_t(size_t n, double alpha);

/* The probability that @n > 1 blocks with this @effect give a t above @critical, on the right side. */
double power_of_effect(size_t n, double effect, double critical);

/* The smallest effect that @n > 1 blocks find with probability @power, .5 <= power < 1: that give a t above
 * @critical. */
double power_detectable(size_t n, double critical, double power);

/* The same if an estimated sd below @floor is taken as @floor, which is in units of the true one. */
double power_detectable_floored(size_t n, double critical, double floor, double power);

/* The smallest number of blocks that find @effect > 0 at @alpha with @power. Returns false, and leaves *@ret, if it is
 * larger than POWER_BLOCKS_MAX. */
bool power_blocks_for_effect(double effect, double alpha, double power, size_t *ret);

/* The probability that the 90 % interval of @n > 1 blocks without an effect lies within -@margin and @margin. */
double power_of_margin(size_t n, double margin);

/* The smallest number of blocks that show with @power that a mean of 0 lies within @margin > 0; like
 * power_blocks_for_effect(). */
bool power_blocks_for_margin(double margin, double power, size_t *ret);
