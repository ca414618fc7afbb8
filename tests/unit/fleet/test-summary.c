// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <limits.h>
#include <stdio.h>

#include "fleet/summary.h"
#include "metric/units.h"
#include "random.h"

static void add_number(struct strbuf *out, __int128 number)
{
	units_format_integer(number, out);
	strbuf_add_char(out, ' ');
}

/* All that a summary says, as text. */
static void add_text(const struct summary *summary, struct strbuf *out)
{
	strbuf_addf(out, "%llu of %llu, ", (unsigned long long)summary->seen,
	            (unsigned long long)summary->threads);
	add_number(out, summary->sum);
	strbuf_addf(out, "%s %llx %llx ", summary->square_sum_is_over ? "over" : "exact",
	            (unsigned long long)(summary->square_sum >> 64),
	            (unsigned long long)summary->square_sum);
	if (summary->has_min)
		add_number(out, summary->min);
	strbuf_add_str(out, ".. ");
	if (summary->has_max)
		add_number(out, summary->max);
	strbuf_addf(out, "exited %u ", summary->exited_state);
	add_number(out, (__int128)summary->exited);
	summary_add_histogram(summary, out);
}

#define assert_summary(summary_, expected_)                              \
	do {                                                             \
		cleanup_(strbuf_done) struct strbuf text_ = STRBUF_INIT; \
		add_text((summary_), &text_);                            \
		assert_text(&text_, (expected_));                        \
	} while (0)

static void keeps_what_it_was_given(void **state)
{
	cleanup_(summary_done) struct summary summary = {0};

	(void)state;
	assert_summary(&summary, "0 of 0, 0 exact 0 0 .. exited 0 0 ");
	summary_add_unseen(&summary, 2);
	assert_summary(&summary, "0 of 2, 0 exact 0 0 .. exited 0 0 ");
	summary_add(&summary, 5, false);
	summary_add(&summary, 0, false);
	summary_add(&summary, -3, false);
	assert_summary(&summary, "3 of 5, 2 exact 0 22 -3 .. 5 exited 0 0 -2:1 0:1 3:1");
	summary_add_exited(&summary, true, 7);
	assert_summary(&summary, "3 of 5, 2 exact 0 22 -3 .. 5 exited 1 7 -2:1 0:1 3:1");
	summary_add_exited(&summary, false, 0);
	assert_summary(&summary, "3 of 5, 2 exact 0 22 -3 .. 5 exited 2 0 -2:1 0:1 3:1");
	summary_remove_unseen(&summary, 1);
	assert_summary(&summary, "3 of 4, 2 exact 0 22 -3 .. 5 exited 2 0 -2:1 0:1 3:1");
	summary_remove_unseen(&summary, 2);
	assert_summary(&summary, "3 of 3, 2 exact 0 22 -3 .. 5 exited 2 0 -2:1 0:1 3:1");
}

static void assert_work(struct summary summary, __int128 work)
{
	__int128 found = -1;

	assert_int_equal(summary_work(&summary, &found), work >= 0);
	assert_true(found == work);
}

static void work_is_that_of_all_threads_seen(void **state)
{
	struct summary exited = {.exited_state = SUMMARY_EXITED_KNOWN, .exited = 7};

	(void)state;
	assert_work((struct summary){0}, -1);
	assert_work((struct summary){.threads = 2, .seen = 1, .sum = 5}, 5);
	assert_work(exited, 7);
	/* A thread stands for those exited ones that no total has. */
	exited.threads = 1;
	assert_work(exited, 7);
	exited.exited = 0;
	assert_work(exited, -1);
	exited.threads = 0;
	assert_work(exited, 0);
	exited = (struct summary){.threads = 1,
	                          .seen = 1,
	                          .sum = 5,
	                          .exited_state = SUMMARY_EXITED_KNOWN,
	                          .exited = 7};
	assert_work(exited, 12);
	exited.exited_state = SUMMARY_EXITED_UNKNOWN;
	assert_work(exited, 5);
}

static void assert_rated(const struct summary *summary, uint64_t length_ns, __int128 work)
{
	__int128 found = -1;

	assert_int_equal(summary_rated(summary, length_ns, &found), work >= 0);
	assert_true(found == work);
}

/* A wait of 100 of which 20 were in the thread's time, a value that was read 4 % later than the others, and one by the window's length. */
static void rates_are_by_times_of_their_own(void **state)
{
	cleanup_(summary_done) struct summary summary = {0}, other = {0};

	(void)state;
	assert_rated(&summary, 1000, -1);
	summary_add(&summary, 100, false);
	summary_add_rate(&summary, 100, 20, 1000);
	assert_rated(&summary, 1000, 20);
	assert_rated(&summary, 500, 10);
	summary_add(&other, 5200, false);
	summary_add_rate(&other, 5200, 5200, 1040);
	assert_rated(&other, 1000, 5000);
	summary_add(&other, 7, false);
	summary_merge(&summary, &other);
	assert_rated(&summary, 1000, 5027);
	summary_add(&other, UINT64_MAX, false);
	summary_add_rate(&other, UINT64_MAX, UINT64_MAX, 1);
	/* A number beyond all sums is cut off. */
	assert_true(summary_rated(&other, UINT64_MAX, &(__int128){0}));
}

/* One event in a day, of each of many threads, is not rounded away, and ticks of 1000 a second become ticks of 100. */
static void rates_are_exact(void **state)
{
	const uint64_t day_ns = UINT64_C(86400000000000);
	cleanup_(summary_done) struct summary days = {0}, ticks = {0}, most = {0};

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		summary_add(&days, 1, false);
		summary_add_rate(&days, 1, 1, day_ns);
	}
	assert_rated(&days, day_ns, 1000);
	summary_add_unscaled(&ticks, 6000, 600, false);
	summary_add_rate(&ticks, 6000, 6000, 1200);
	summary_scale(&ticks, 100, 1000);
	assert_rated(&ticks, 1000, 500);
	for (unsigned i = 0; i < 3; i++)
		summary_add_rate(&most, UINT64_MAX, UINT64_MAX, 1);
	summary_scale(&most, 1000, 1);
	assert_true(most.rates.fixed == ~(unsigned __int128)0);
}

static void leaves_zero_out_of_a_floor(void **state)
{
	cleanup_(summary_done) struct summary summary = {0};

	(void)state;
	summary_add(&summary, 0, true);
	assert_summary(&summary, "1 of 1, 0 exact 0 0 .. 0 exited 0 0 0:1");
	summary_add(&summary, 9, true);
	assert_summary(&summary, "2 of 2, 9 exact 0 51 9 .. 9 exited 0 0 0:1 4:1");
}

/* (2^64-1)^2 is 2^128 - 2^65 + 1: one fits, and two do not. */
static void is_exact_to_128_bits(void **state)
{
	cleanup_(summary_done) struct summary summary = {0};

	(void)state;
	summary_add(&summary, UINT64_MAX, false);
	assert_summary(&summary, "1 of 1, 18446744073709551615 exact fffffffffffffffe 1 "
	                         "18446744073709551615 .. 18446744073709551615 exited 0 0 64:1");
	summary_add(&summary, UINT64_MAX, false);
	assert_summary(&summary, "2 of 2, 36893488147419103230 over 0 0 "
	                         "18446744073709551615 .. 18446744073709551615 exited 0 0 64:2");
}

static void bins_are_powers_of_two(void **state)
{
	(void)state;
	assert_int_equal(summary_bin(0), 0);
	assert_int_equal(summary_bin(1), 1);
	for (int bin = 2; bin <= SUMMARY_BIN_MOST; bin++) {
		__int128 first = (__int128)1 << (bin - 1);

		assert_int_equal(summary_bin(first), bin);
		assert_int_equal(summary_bin(first * 2 - 1), bin);
		assert_int_equal(summary_bin(-first), -bin);
		assert_int_equal(summary_bin(1 - first * 2), -bin);
	}
}

enum { SEED = 24, ROUNDS = 300, LEAVES = 40 };

/* Adds a thread, threads without a value, or work of exited threads to the leaf, and to the sum without any merging. */
static void random_leaf(struct random *random, struct summary *leaf, struct summary *all)
{
	unsigned kind = (unsigned)random_below(random, 12);
	uint64_t number = random_number(random), few = random_below(random, 3);
	bool chance = random_chance(random, kind == 1 ? 90 : 20);
	struct summary *const both[] = {leaf, all};

	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		if (kind == 0)
			summary_add_unseen(both[i], few);
		else if (kind == 1)
			summary_add_exited(both[i], chance, number);
		else if (kind < 6)
			summary_add(both[i], -(__int128)number, false);
		else
			summary_add(both[i], number, chance);
	}
}

/* Merges the leaves in any order and over any tree: two of the rest at a time. */
static void merge_at_random(struct random *random, const struct summary *leaves, size_t count,
                            struct summary *ret)
{
	struct summary rest[LEAVES] = {0};

	for (size_t i = 0; i < count; i++)
		summary_merge(&rest[i], &leaves[i]);
	while (count > 1) {
		size_t into = random_below(random, count), from = random_below(random, count - 1);

		from += from >= into;
		summary_merge(&rest[into], &rest[from]);
		summary_done(&rest[from]);
		rest[from] = rest[count - 1];
		rest[--count] = (struct summary){0};
	}
	*ret = rest[0];
}

static void any_tree_gives_the_same_bytes(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		size_t count = 1 + random_below(&random, LEAVES);
		struct summary leaves[LEAVES] = {0};
		cleanup_(summary_done) struct summary first = {0}, second = {0}, all = {0};
		cleanup_(strbuf_done) struct strbuf a = STRBUF_INIT, b = STRBUF_INIT,
		                                    c = STRBUF_INIT;

		for (size_t i = 0; i < count; i++)
			random_leaf(&random, &leaves[i], &all);
		merge_at_random(&random, leaves, count, &first);
		merge_at_random(&random, leaves, count, &second);
		add_text(&first, &a);
		add_text(&second, &b);
		add_text(&all, &c);
		check_random(&random, strcmp(strbuf_str(&a), strbuf_str(&b)) == 0);
		check_random(&random, strcmp(strbuf_str(&a), strbuf_str(&c)) == 0);
		for (size_t i = 0; i < count; i++)
			summary_done(&leaves[i]);
	}
}

/* The text has rising bins, and each thread that was seen in one of them. */
static void histograms_have_all_threads(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED + 1, round);
		cleanup_(summary_done) struct summary summary = {0}, same = {0};
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
		unsigned long long threads, sum = 0;
		int last = INT_MIN, bin, len;

		for (uint64_t i = random_below(&random, LEAVES); i > 0; i--)
			random_leaf(&random, &summary, &same);
		summary_add_histogram(&summary, &text);
		for (const char *at = strbuf_str(&text); *at; at += len) {
			len = 0;
			check_random(&random, sscanf(at, "%d:%llu%n", &bin, &threads, &len) == 2);
			check_random(&random, bin > last && threads > 0);
			last = bin;
			sum += threads;
			len += at[len] == ' ';
		}
		check_random(&random, sum == summary.seen);
	}
}

/* Five times 15 at 1000 in a second are 7.5 at 100; cut off one by one, they would be 5. */
static void is_cut_off_once(void **state)
{
	cleanup_(summary_done) struct summary summary = {0}, large = {0}, small = {0};

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		summary_add_unscaled(&summary, 15, 1, false);
	summary_add_exited(&summary, true, 99);
	summary_scale(&summary, 100, 1000);
	/* 5 * 1.5 * 1.5 = 11.25. */
	assert_summary(&summary, "5 of 5, 7 exact 0 b 1 .. 1 exited 1 9 1:5");
	summary_add_unscaled(&large, UINT64_MAX, UINT64_MAX, false);
	summary_scale(&large, 100, 10);
	assert_true(large.square_sum_is_over);
	assert_true(large.sum == (__int128)UINT64_MAX * 10);
	for (unsigned i = 0; i < 3; i++)
		summary_add_unscaled(&small, 7, 0, false);
	summary_scale(&small, 100, 1000);
	/* 3 * 0.49 = 1.47 is cut off to 1, and 2 is the least for a sum of 2. */
	assert_summary(&small, "3 of 3, 2 exact 0 2 0 .. 0 exited 0 0 0:3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(work_is_that_of_all_threads_seen),
	        cmocka_unit_test(keeps_what_it_was_given),
	        cmocka_unit_test(rates_are_by_times_of_their_own),
	        cmocka_unit_test(rates_are_exact),
	        cmocka_unit_test(leaves_zero_out_of_a_floor),
	        cmocka_unit_test(is_exact_to_128_bits),
	        cmocka_unit_test(bins_are_powers_of_two),
	        cmocka_unit_test(is_cut_off_once),
	        cmocka_unit_test(any_tree_gives_the_same_bytes),
	        cmocka_unit_test(histograms_have_all_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
