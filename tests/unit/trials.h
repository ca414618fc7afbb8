/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* trials - experiments with made values. */
#include "effect/effect.h"
#include "effect/trial.h"

/* The coins and the noise of an experiment with eight blocks, and what R makes of it with an effect of .05 in arm B:
 *
 *   eps <- c(TRIAL_NOISE); coins <- c(TRIAL_COINS); for (b in 1:8) { o <- strsplit(coins[b], "")[[1]]
 *   y <- eps[(4*b-3):(4*b)] + ifelse(o == "B", .05, 0); d[b] <- mean(y[o=="B"]) - mean(y[o=="A"]) }; t.test(d) */
enum { TRIAL_BLOCKS = 8, TRIAL_UNITS = 4 * TRIAL_BLOCKS };
extern const char *const trial_coins[TRIAL_BLOCKS];
extern const double trial_noise[TRIAL_UNITS];

/* Makes a tossed trial with these coins, and no outcomes. @trial is zeroed. */
void trial_make(struct trial *trial, const char *const *coins, size_t blocks);

/* Adds an outcome to each unit: 100 exp(effect in arm B + noise). */
void trial_add_effect(struct trial *trial, const char *name, double effect, double noise);

#define assert_near(value_, expected_, error_)                                       \
	do {                                                                         \
		double near_value_ = (value_), near_expected_ = (expected_);         \
		if (!(fabs(near_value_ - near_expected_) <= (error_)))               \
			fail_msg("%.17g is not %.17g", near_value_, near_expected_); \
	} while (0)
