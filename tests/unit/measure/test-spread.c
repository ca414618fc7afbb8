// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <float.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/spread.h"
#include "random.h"

#define assert_integer(quantity_, expected_)                            \
	do {                                                            \
		struct quantity integer_ = (quantity_);                 \
		assert_int_equal(integer_.kind, QUANTITY_INTEGER);      \
		assert_true(integer_.integer == (__int128)(expected_)); \
	} while (0)

#define assert_real(quantity_, expected_)                    \
	do {                                                 \
		struct quantity real_ = (quantity_);         \
		assert_int_equal(real_.kind, QUANTITY_REAL); \
		assert_true(real_.real == (expected_));      \
	} while (0)

#define assert_near(quantity_, expected_)                              \
	do {                                                           \
		struct quantity near_ = (quantity_);                   \
		double near_expected_ = (expected_);                   \
		assert_int_equal(near_.kind, QUANTITY_REAL);           \
		assert_true(fabs(near_.real - near_expected_) <=       \
		            1e-12 * fmax(fabs(near_expected_), 1e-3)); \
	} while (0)

#define assert_none(quantity_) assert_int_equal((quantity_).kind, QUANTITY_NONE)

static struct spread_summary summary_of_u64(const uint64_t *values, size_t count)
{
	cleanup_(spread_done) struct spread spread = {0};
	struct spread_summary summary;

	for (size_t i = 0; i < count; i++)
		spread_add_u64(&spread, values[i]);
	spread_summarise(&spread, &summary);
	return summary;
}

static struct spread_summary summary_of_i64(const int64_t *values, size_t count)
{
	cleanup_(spread_done) struct spread spread = {0};
	struct spread_summary summary;

	for (size_t i = 0; i < count; i++)
		spread_add_i64(&spread, values[i]);
	spread_summarise(&spread, &summary);
	return summary;
}

static struct spread_summary summary_of_real(const double *values, size_t count)
{
	cleanup_(spread_done) struct spread spread = {0};
	struct spread_summary summary;

	for (size_t i = 0; i < count; i++)
		spread_add_real(&spread, values[i]);
	spread_summarise(&spread, &summary);
	return summary;
}

#define summary_of(type_, ...)                                   \
	summary_of_##type_((const type_##_value[]){__VA_ARGS__}, \
	                   ARRAY_SIZE(((const type_##_value[]){__VA_ARGS__})))
typedef uint64_t u64_value;
typedef int64_t i64_value;
typedef double real_value;

static void test_empty(void **state)
{
	struct spread_summary summary = {.n = 7, .max = quantity_integer(7)};
	struct spread spread = {0}, other = {0};

	(void)state;
	spread_merge(&spread, &other);
	spread_summarise(&spread, &summary);
	assert_int_equal(summary.n, 0);
	assert_none(summary.p50);
	assert_none(summary.p90);
	assert_none(summary.p99);
	assert_none(summary.max);
	assert_none(summary.busiest_share);
	assert_none(summary.variation);
	spread_done(&spread);
	spread_done(&spread);
}

static void test_one(void **state)
{
	struct spread_summary summary = summary_of(u64, 5);

	(void)state;
	assert_int_equal(summary.n, 1);
	assert_integer(summary.p50, 5);
	assert_integer(summary.p90, 5);
	assert_integer(summary.p99, 5);
	assert_integer(summary.max, 5);
	assert_real(summary.busiest_share, 1);
	assert_real(summary.variation, 0);
}

static void test_zeros(void **state)
{
	struct spread_summary summary = summary_of(u64, 0, 0, 0);

	(void)state;
	assert_int_equal(summary.n, 3);
	assert_integer(summary.p50, 0);
	assert_integer(summary.max, 0);
	assert_none(summary.busiest_share);
	assert_none(summary.variation);
	summary = summary_of(real, 0.0, -0.0);
	assert_int_equal(summary.n, 2);
	assert_real(summary.max, 0.0);
	assert_false(signbit(summary.max.real));
	assert_none(summary.busiest_share);
	summary = summary_of(real, -0.0, 3);
	assert_real(summary.p50, 0.0);
	assert_false(signbit(summary.p50.real));
	assert_real(summary.busiest_share, 1);
}

/* Ranks are rounded up, and a value is always that of a thread. */
static void test_ranks(void **state)
{
	cleanup_(spread_done) struct spread spread = {0};
	struct spread_summary summary = summary_of(u64, 4, 1, 3, 2);

	(void)state;
	assert_integer(summary.p50, 2);
	assert_integer(summary.p90, 4);
	summary = summary_of(u64, 5, 1, 3, 2, 4);
	assert_integer(summary.p50, 3);
	for (uint64_t i = 100; i > 0; i--)
		spread_add_u64(&spread, i);
	spread_summarise(&spread, &summary);
	assert_integer(summary.p50, 50);
	assert_integer(summary.p90, 90);
	assert_integer(summary.p99, 99);
	assert_integer(summary.max, 100);
	/* More can follow. */
	spread_add_u64(&spread, 101);
	spread_summarise(&spread, &summary);
	assert_int_equal(summary.n, 101);
	assert_integer(summary.p50, 51);
	assert_integer(summary.p90, 91);
	assert_integer(summary.p99, 100);
	assert_integer(summary.max, 101);
}

static void test_zeros_have_ranks(void **state)
{
	struct spread_summary summary = summary_of(u64, 0, 0, 0, 0, 0, 7, 0, 0, 0, 9);

	(void)state;
	assert_integer(summary.p50, 0);
	assert_integer(summary.p90, 7);
	assert_integer(summary.p99, 9);
	assert_real(summary.busiest_share, 9.0 / 16);
	/* Zeros stand between what is below and what is above. */
	summary = summary_of(i64, -3, 0, 5, -7);
	assert_integer(summary.p50, -3);
	assert_integer(summary.p90, 5);
	summary = summary_of(i64, -3, 0, 5);
	assert_integer(summary.p50, 0);
	summary = summary_of(i64, -3, 0, 0);
	assert_integer(summary.max, 0);
	summary = summary_of(real, -0.5, 0, 0.25);
	assert_real(summary.p50, 0);
	assert_real(summary.max, 0.25);
}

static void test_shares(void **state)
{
	(void)state;
	assert_real(summary_of(u64, 1, 2, 5).busiest_share, 0.625);
	assert_real(summary_of(i64, 1, 2, 5).busiest_share, 0.625);
	assert_real(summary_of(real, 0.5, 1.5).busiest_share, 0.75);
	assert_none(summary_of(i64, 1, 2, -1).busiest_share);
	assert_none(summary_of(real, 0.5, -1.5).busiest_share);
	assert_none(summary_of(i64, -1, -2).busiest_share);
}

static void test_variation(void **state)
{
	(void)state;
	/* Mean 5, variance 4, of all and not of a sample. */
	assert_near(summary_of(u64, 2, 4, 4, 4, 5, 5, 7, 9).variation, 0.4);
	assert_near(summary_of(i64, -2, -4, -4, -4, -5, -5, -7, -9).variation, 0.4);
	assert_near(summary_of(real, 0.2, 0.4, 0.4, 0.4, 0.5, 0.5, 0.7, 0.9).variation, 0.4);
	assert_near(summary_of(u64, 0, 0, 0, 4).variation, sqrt(3));
	assert_none(summary_of(i64, -5, 5).variation);
	assert_none(summary_of(real, -0.5, 0.5).variation);
	/* Far away from zero, close together: one pass of squares would lose it all. */
	assert_near(summary_of(u64, UINT64_C(1) << 60, (UINT64_C(1) << 60) + 2048).variation,
	            1024.0 / (double)((UINT64_C(1) << 60) + 1024));
}

/* Doubles would lose digits. */
static void test_extremes(void **state)
{
	struct spread_summary summary = summary_of(u64, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 2);

	(void)state;
	assert_integer(summary.p50, UINT64_MAX - 1);
	assert_integer(summary.max, UINT64_MAX);
	assert_near(summary.busiest_share, 1.0 / 3);
	summary = summary_of(u64, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX);
	assert_real(summary.variation, 0);
	assert_real(summary.busiest_share, 0.2);
	summary = summary_of(i64, INT64_MIN, INT64_MIN + 1, INT64_MAX);
	assert_integer(summary.p50, INT64_MIN + 1);
	assert_integer(summary.max, INT64_MAX);
	assert_none(summary.busiest_share);
	summary = summary_of(i64, INT64_MIN);
	assert_integer(summary.p50, INT64_MIN);
	assert_real(summary.variation, 0);
	summary = summary_of(i64, INT64_MAX, INT64_MIN, 1);
	assert_none(summary.variation);
	summary = summary_of(real, DBL_MAX, -DBL_MAX, DBL_TRUE_MIN, -DBL_TRUE_MIN);
	assert_real(summary.p50, -DBL_TRUE_MIN);
	assert_real(summary.max, DBL_MAX);
}

static void test_not_finite(void **state)
{
	struct spread_summary summary = summary_of(real, NAN, INFINITY, 0.5, -INFINITY, NAN);

	(void)state;
	assert_int_equal(summary.n, 1);
	assert_real(summary.max, 0.5);
	summary = summary_of(real, NAN);
	assert_int_equal(summary.n, 0);
	assert_none(summary.max);
}

enum { MOST = 300 };

/* The same by the plainest means. */
struct oracle {
	long double values[MOST];
	size_t n;
};

static long double oracle_rank(const struct oracle *oracle, unsigned percent)
{
	size_t rank = (size_t)ceill((long double)(percent * oracle->n) / 100);

	for (size_t i = 0;; i++) {
		size_t less = 0, equal = 0;

		for (size_t j = 0; j < oracle->n; j++) {
			less += oracle->values[j] < oracle->values[i];
			equal += oracle->values[j] == oracle->values[i];
		}
		if (less < rank && rank <= less + equal)
			return oracle->values[i];
	}
}

static long double exact(struct quantity quantity)
{
	return quantity.kind == QUANTITY_INTEGER ? (long double)quantity.integer
	                                         : (long double)quantity.real;
}

static void check_oracle(const struct oracle *oracle, const struct spread_summary *summary)
{
	long double sum = 0, squares = 0, mean, low = INFINITY, high = -INFINITY, magnitude = 0;

	assert_int_equal(summary->n, oracle->n);
	for (size_t i = 0; i < oracle->n; i++) {
		sum += oracle->values[i];
		magnitude += fabsl(oracle->values[i]);
		low = fminl(low, oracle->values[i]);
		high = fmaxl(high, oracle->values[i]);
	}
	assert_true(exact(summary->p50) == oracle_rank(oracle, 50));
	assert_true(exact(summary->p90) == oracle_rank(oracle, 90));
	assert_true(exact(summary->p99) == oracle_rank(oracle, 99));
	assert_true(exact(summary->max) == high);
	assert_int_equal(summary->busiest_share.kind == QUANTITY_REAL, low >= 0 && sum > 0);
	if (low >= 0 && sum > 0)
		assert_near(summary->busiest_share, (double)(high / sum));
	mean = sum / (long double)oracle->n;
	for (size_t i = 0; i < oracle->n; i++)
		squares += (oracle->values[i] - mean) * (oracle->values[i] - mean);
	/* A mean that is nearly nothing has no digits left to compare. */
	if (fabsl(sum) > magnitude * 1e-6L)
		assert_near(summary->variation,
		            (double)(sqrtl(squares / (long double)oracle->n) / fabsl(mean)));
}

static void add_random(struct random *random, enum spread_kind kind, struct spread *spread,
                       long double *ret)
{
	uint64_t number = random_chance(random, 60) ? 0 : random_number(random);

	if (kind == SPREAD_U64) {
		spread_add_u64(spread, number);
		*ret = (long double)number;
	} else if (kind == SPREAD_I64) {
		spread_add_i64(spread, (int64_t)number);
		*ret = (long double)(int64_t)number;
	} else {
		double value = (double)(int64_t)number / 1024;

		spread_add_real(spread, value);
		*ret = (long double)value;
	}
}

static void test_oracle(void **state)
{
	enum { SEED = 77, ROUNDS = 900 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		enum spread_kind kind = (enum spread_kind)(SPREAD_U64 + round % 3);
		struct oracle oracle = {.n = 1 + random_below(&random, round % 5 ? 20 : MOST)};
		struct spread spread = {0};
		struct spread_summary summary;

		for (size_t i = 0; i < oracle.n; i++)
			add_random(&random, kind, &spread, &oracle.values[i]);
		spread_summarise(&spread, &summary);
		check_oracle(&oracle, &summary);
		spread_done(&spread);
	}
}

static bool same(struct quantity a, struct quantity b)
{
	return a.kind == b.kind && (a.kind != QUANTITY_INTEGER || a.integer == b.integer) &&
	       (a.kind != QUANTITY_REAL || memcmp(&a.real, &b.real, sizeof(a.real)) == 0);
}

/* In parts, in another order: the same to the last bit. */
static void test_merge_order(void **state)
{
	enum { SEED = 78, ROUNDS = 300, PARTS = 5 };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		struct spread whole = {0}, merged = {0}, parts[PARTS] = {0};
		size_t n = random_below(&random, MOST), order[MOST];
		static double values[MOST];
		struct spread_summary a, b;

		for (size_t i = 0; i < n; i++) {
			values[i] = random_chance(&random, 30)
			                    ? 0
			                    : (double)(int64_t)random_number(&random) / 3;
			spread_add_real(&whole, values[i]);
		}
		if (n > 0)
			random_shuffle(&random, order, n);
		for (size_t i = 0; i < n; i++)
			spread_add_real(&parts[random_below(&random, PARTS)], values[order[i]]);
		if (random_chance(&random, 50))
			spread_summarise(&parts[0], &b);
		for (size_t i = 0; i < PARTS; i++) {
			spread_merge(&merged, &parts[(i + round) % PARTS]);
			spread_done(&parts[(i + round) % PARTS]);
		}
		spread_summarise(&whole, &a);
		spread_summarise(&merged, &b);
		check_random(&random, a.n == n && b.n == n);
		check_random(&random, same(a.p50, b.p50) && same(a.p90, b.p90) &&
		                              same(a.p99, b.p99) && same(a.max, b.max));
		check_random(&random, same(a.busiest_share, b.busiest_share));
		check_random(&random, same(a.variation, b.variation));
		spread_done(&whole);
		spread_done(&merged);
	}
}

/* Only zeros on one side; and the other side stays as it was. */
static void test_merge_zeros(void **state)
{
	cleanup_(spread_done) struct spread zeros = {0}, into = {0};
	struct spread_summary summary;

	(void)state;
	spread_add_u64(&zeros, 0);
	spread_merge(&into, &zeros);
	spread_merge(&into, &zeros);
	spread_summarise(&into, &summary);
	assert_int_equal(summary.n, 2);
	assert_integer(summary.max, 0);
	spread_add_u64(&into, 3);
	spread_merge(&zeros, &into);
	spread_summarise(&zeros, &summary);
	assert_int_equal(summary.n, 4);
	assert_integer(summary.max, 3);
	spread_summarise(&into, &summary);
	assert_int_equal(summary.n, 3);
}

static void add_zero(void)
{
	struct spread full = {.kind = SPREAD_U64, .zeros = UINT32_MAX};

	spread_add_u64(&full, 0);
}

static void add_value(void)
{
	struct spread full = {.kind = SPREAD_U64, .count = UINT32_MAX, .capacity = UINT32_MAX};

	spread_add_u64(&full, 1);
}

static void merge_zeros(void)
{
	struct spread half = {.kind = SPREAD_U64, .zeros = UINT32_C(1) << 31}, other = half;

	spread_merge(&half, &other);
}

static void merge_values(void)
{
	struct spread half = {.kind = SPREAD_U64, .count = UINT32_C(1) << 31}, other = half;

	spread_merge(&half, &other);
}

/* More than can be counted ends the program, as any lack of memory. */
static void test_overflow(void **state)
{
	static void (*const too_many[])(void) = {add_zero, add_value, merge_zeros, merge_values};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(too_many); i++) {
		pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (child == 0) {
			close(STDERR_FILENO);
			/* The tests' own handler would go on here. */
			signal(SIGSEGV, SIG_DFL);
			too_many[i]();
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 1);
	}
}

/* The two counts of one spread may be more than either can hold. */
static void test_many(void **state)
{
	struct spread spread = {.kind = SPREAD_U64, .zeros = UINT32_MAX - 1};
	struct spread_summary summary;

	(void)state;
	spread_add_u64(&spread, 0);
	spread_add_u64(&spread, 8);
	spread_summarise(&spread, &summary);
	assert_true(summary.n == UINT64_C(1) << 32);
	assert_integer(summary.p99, 0);
	assert_integer(summary.max, 8);
	spread_done(&spread);
}

/* One for each group and metric: what it takes is in ctprof-metrics(7). */
static void test_size(void **state)
{
	(void)state;
	assert_true(sizeof(struct spread) <= 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_empty),
	        cmocka_unit_test(test_one),
	        cmocka_unit_test(test_zeros),
	        cmocka_unit_test(test_ranks),
	        cmocka_unit_test(test_zeros_have_ranks),
	        cmocka_unit_test(test_shares),
	        cmocka_unit_test(test_variation),
	        cmocka_unit_test(test_extremes),
	        cmocka_unit_test(test_not_finite),
	        cmocka_unit_test(test_oracle),
	        cmocka_unit_test(test_merge_order),
	        cmocka_unit_test(test_merge_zeros),
	        cmocka_unit_test(test_overflow),
	        cmocka_unit_test(test_many),
	        cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
