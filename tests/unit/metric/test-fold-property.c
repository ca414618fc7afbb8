// SPDX-License-Identifier: GPL-2.0-or-later
/* Properties of all metrics and any values: folding gives the defined result, in any order, and in parts. */
#include "check.h"

#include "metric/fold.h"
#include "samples.h"

enum { ROUNDS = 150, THREADS = 12 };

static struct thread_sample samples[THREADS];

/* Some of the threads have the metric. */
static size_t random_threads(struct random *random, enum metric_id metric)
{
	size_t count = random_below(random, THREADS + 1);

	for (size_t i = 0; i < count; i++) {
		sample_reset(&samples[i]);
		if (random_chance(random, 90))
			random_value(random, metric, &samples[i]);
	}
	return count;
}

static void fold_one(enum metric_id metric, struct fold_cell *cell,
                     const struct thread_sample *sample)
{
	if (metric_set_has(&sample->seen, metric))
		metric_table[metric].fold(cell, sample_value(sample, metric));
}

static uint32_t label_threads(const struct fold_cell *cell, const char *label)
{
	struct fold_tally_entry entry;

	for (uint32_t at = 0; fold_tally_next(cell->tally, &at, &entry);)
		if (strcmp(entry.label, label) == 0)
			return entry.threads;
	return 0;
}

static bool same_tally(const struct fold_cell *a, const struct fold_cell *b)
{
	struct fold_tally_entry entry;

	if (a->tally->len != b->tally->len)
		return false;
	for (uint32_t at = 0; fold_tally_next(a->tally, &at, &entry);)
		if (label_threads(b, entry.label) != entry.threads)
			return false;
	return true;
}

/* Stricter than fold_equal(): everything in the cell. */
static bool same_cell(enum metric_id metric, const struct fold_cell *a, const struct fold_cell *b)
{
	if (a->seen != b->seen || a->seen == 0)
		return a->seen == b->seen;
	switch (metric_table[metric].rule) {
	case RULE_SUM:
	case RULE_MAX:
	case RULE_MIN:
		return a->number == b->number;
	case RULE_RANGE:
		return a->range.low == b->range.low && a->range.high == b->range.high;
	case RULE_MODE:
		return same_tally(a, b);
	case RULE_AFFINITY:
		return a->affinity->min_cpus == b->affinity->min_cpus &&
		       a->affinity->max_cpus == b->affinity->max_cpus &&
		       a->affinity->uniform == b->affinity->uniform &&
		       (!a->affinity->uniform ||
		        cpu_mask_equal(&a->affinity->first, &b->affinity->first));
	}
	return false;
}

static void test_fold_order_does_not_matter(void **state)
{
	enum { SEED = 6 };

	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		for (unsigned round = 0; round < ROUNDS; round++) {
			struct random random = random_start(SEED + i * 1000, round);
			enum metric_id metric = (enum metric_id)i;
			size_t order[THREADS], count = random_threads(&random, metric);
			struct fold_cell a = {0}, b = {0};

			random_shuffle(&random, order, count);
			for (size_t t = 0; t < count; t++) {
				fold_one(metric, &a, &samples[t]);
				fold_one(metric, &b, &samples[order[t]]);
			}
			check_random(&random, same_cell(metric, &a, &b));
			check_random(&random, fold_equal(metric, &a, &b));
			fold_cell_done(metric, &a);
			fold_cell_done(metric, &b);
		}
}

/* merge(fold(A), fold(B)) is fold(A and B), whatever goes into which part. */
static void test_fold_in_parts(void **state)
{
	enum { SEED = 7, PARTS = 3 };

	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		for (unsigned round = 0; round < ROUNDS; round++) {
			struct random random = random_start(SEED + i * 1000, round);
			enum metric_id metric = (enum metric_id)i;
			size_t count = random_threads(&random, metric);
			struct fold_cell whole = {0}, merged = {0}, parts[PARTS];

			memset(parts, 0, sizeof(parts));
			for (size_t t = 0; t < count; t++) {
				fold_one(metric, &whole, &samples[t]);
				fold_one(metric, &parts[random_below(&random, PARTS)], &samples[t]);
			}
			for (size_t p = 0; p < PARTS; p++)
				fold_merge(metric, &merged, &parts[p]);
			check_random(&random, same_cell(metric, &whole, &merged));
			for (size_t p = 1; p < PARTS; p++)
				fold_merge(metric, &parts[0], &parts[p]);
			check_random(&random, same_cell(metric, &whole, &parts[0]));
			for (size_t p = 0; p < PARTS; p++)
				fold_cell_done(metric, &parts[p]);
			fold_cell_done(metric, &whole);
			fold_cell_done(metric, &merged);
		}
}

static int64_t plain_number(enum metric_id metric, const struct thread_sample *sample)
{
	const void *value = sample_value(sample, metric);

	if (metric_type_table[metric_table[metric].type].representation == REPRESENTATION_I32)
		return *(const int32_t *)value;
	return *(const uint32_t *)value;
}

struct plain {
	unsigned __int128 sum;
	uint64_t max, min;
	int64_t low, high;
	uint32_t seen, nonzero;
};

/* The rules once more, in the plainest way. */
static struct plain fold_plainly(enum metric_id metric, size_t count)
{
	struct plain plain = {.min = UINT64_MAX, .low = INT64_MAX, .high = INT64_MIN};
	bool range = metric_table[metric].rule == RULE_RANGE;

	for (size_t t = 0; t < count; t++) {
		uint64_t number = 0;

		if (!metric_set_has(&samples[t].seen, metric))
			continue;
		plain.seen++;
		if (range) {
			int64_t place = plain_number(metric, &samples[t]);

			plain.low = place < plain.low ? place : plain.low;
			plain.high = place > plain.high ? place : plain.high;
			continue;
		}
		memcpy(&number, sample_value(&samples[t], metric), sizeof(number));
		plain.sum += number;
		plain.max = number > plain.max ? number : plain.max;
		plain.min = number > 0 && number < plain.min ? number : plain.min;
		plain.nonzero += number > 0;
	}
	return plain;
}

static bool agrees(enum metric_id metric, const struct fold_cell *cell, const struct plain *plain)
{
	switch (metric_table[metric].rule) {
	case RULE_SUM:
		return cell->seen == plain->seen && cell->number == plain->sum;
	case RULE_MAX:
		return cell->seen == plain->seen &&
		       (plain->seen == 0 || cell->number == plain->max);
	case RULE_MIN:
		return cell->seen == plain->nonzero &&
		       (plain->nonzero == 0 || cell->number == plain->min);
	case RULE_RANGE:
		return cell->seen == plain->seen &&
		       (plain->seen == 0 ||
		        (fold_range_bound(metric, cell->range.low) == plain->low &&
		         fold_range_bound(metric, cell->range.high) == plain->high));
	case RULE_MODE:
	case RULE_AFFINITY:
		break;
	}
	return false;
}

static void test_fold_agrees_with_plain_rules(void **state)
{
	enum { SEED = 8 };

	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		for (unsigned round = 0; round < ROUNDS; round++) {
			struct random random = random_start(SEED + i * 1000, round);
			enum metric_id metric = (enum metric_id)i;
			struct fold_cell cell = {0};
			struct plain plain;
			size_t count;

			if (metric_table[i].rule == RULE_MODE ||
			    metric_table[i].rule == RULE_AFFINITY)
				continue;
			count = random_threads(&random, metric);
			for (size_t t = 0; t < count; t++)
				fold_one(metric, &cell, &samples[t]);
			plain = fold_plainly(metric, count);
			check_random(&random, agrees(metric, &cell, &plain));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_fold_order_does_not_matter),
	        cmocka_unit_test(test_fold_in_parts),
	        cmocka_unit_test(test_fold_agrees_with_plain_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
