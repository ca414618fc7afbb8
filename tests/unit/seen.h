/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* seen - what a sample has, and has not. Metrics are named without their prefix. */
#include "check.h"
#include "ctprof/metric/sample.h"

#define assert_seen(sample_, id_, expected_)                                       \
	do {                                                                       \
		assert_true(metric_set_has(&(sample_)->seen, METRIC_##id_));       \
		assert_false(metric_set_has(&(sample_)->malformed, METRIC_##id_)); \
		assert_int_equal((sample_)->id_.v, (expected_));                   \
	} while (0)

/* The value is missing without a reason of its own. */
#define assert_unseen(sample_, id_)                                                \
	do {                                                                       \
		assert_false(metric_set_has(&(sample_)->seen, METRIC_##id_));      \
		assert_false(metric_set_has(&(sample_)->malformed, METRIC_##id_)); \
	} while (0)

/* Beyond its bound, and kept. */
#define assert_impossible(sample_, id_, value_)                                    \
	do {                                                                       \
		assert_false(metric_set_has(&(sample_)->seen, METRIC_##id_));      \
		assert_false(metric_set_has(&(sample_)->malformed, METRIC_##id_)); \
		assert_true(metric_set_has(&(sample_)->impossible, METRIC_##id_)); \
		assert_int_equal((sample_)->id_.v, (value_));                      \
	} while (0)

#define assert_malformed(sample_, id_)                                            \
	do {                                                                      \
		assert_false(metric_set_has(&(sample_)->seen, METRIC_##id_));     \
		assert_true(metric_set_has(&(sample_)->malformed, METRIC_##id_)); \
	} while (0)

static inline unsigned count_metrics(const struct metric_set *set)
{
	unsigned count = 0;

	for (size_t i = 0; i < METRIC_SET_WORDS; i++)
		count += (unsigned)__builtin_popcountll(set->words[i]);
	return count;
}

/* Returns how many metrics the registry has of a source. */
static inline unsigned count_of_source(enum metric_source source)
{
	unsigned count = 0;

	for (unsigned i = 0; i < METRIC_COUNT; i++)
		count += metric_table[i].source == source;
	return count;
}
