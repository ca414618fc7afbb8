// SPDX-License-Identifier: GPL-2.0-or-later
/* ab-simulation - how often experiments whose truth is known report a row that moved: by the order of the arms, by the
 * correction for many rows, and by the size of an effect. Prints the tables of docs/statistics.md.
 *
 *   ab-simulation [EXPERIMENTS [SEED]]
 *
 * EXPERIMENTS (1000) is the number for each figure, so the standard error of .05 is .007. The same seed prints the same
 * tables.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/adjust.h"
#include "statistics/distribution.h"
#include "statistics/generator.h"
#include "statistics/moments.h"
#include "statistics/p-adjust.h"
#include "statistics/sign-flip.h"
#include "statistics/t-test.h"
#include "statistics/welch.h"

enum { UNITS = 4, ROWS = 300, TENS = 10, BLOCKS_MOST = 20 };
#define ALPHA 0.05

/* The noise of the units of an experiment. */
struct scene {
	const char *name;
	double drift;  /* of all rows over the whole run, as a share */
	double memory; /* the correlation of a unit with the next one */
	double all;    /* the share of the variance that all rows have in common */
	double tens;   /* the share that each ten rows have in common */
	bool is_heavy; /* outliers: Student's t with 3 degrees of freedom, scaled to the same sd */
	double spread; /* the sd of the logarithm of the rows' own sds */
};

static double noise(const struct scene *scene, struct generator *generator)
{
	double z = generator_normal(generator), squares = 0;

	if (!scene->is_heavy)
		return z;
	for (int i = 0; i < 3; i++) {
		double other = generator_normal(generator);

		squares += other * other;
	}
	return z / sqrt(squares / 3) / sqrt(3);
}

/* A series with an sd of 1. */
static void make_series(const struct scene *scene, struct generator *generator, size_t units,
                        double *series)
{
	double before = noise(scene, generator), rest = sqrt(1 - scene->memory * scene->memory);

	for (size_t u = 0; u < units; u++) {
		series[u] = before;
		before = scene->memory * before + rest * noise(scene, generator);
	}
}

/* The contrast of a block: the mean of the B over the mean of the A, as a difference. ABBA is 0 1 1 0. */
static double contrast_of(const double *units, bool is_baab)
{
	double d = (units[1] + units[2] - units[0] - units[3]) / 2;

	return is_baab ? -d : d;
}

/* The contrasts of all rows of an experiment without an effect, in the order of fresh coins; sds[row] is that of a
 * contrast of white noise. */
static void make_rows(const struct scene *scene, struct generator *generator, size_t blocks,
                      const double *sds, double *contrasts)
{
	size_t units = blocks * UNITS;
	double all[BLOCKS_MOST * UNITS], ten[BLOCKS_MOST * UNITS], own[BLOCKS_MOST * UNITS];
	bool coins[BLOCKS_MOST];

	for (size_t b = 0; b < blocks; b++)
		coins[b] = generator_below(generator, 2);
	make_series(scene, generator, units, all);
	for (size_t row = 0; row < ROWS; row++) {
		double rest = sqrt(1 - scene->all - scene->tens);

		if (row % TENS == 0)
			make_series(scene, generator, units, ten);
		make_series(scene, generator, units, own);
		for (size_t u = 0; u < units; u++)
			own[u] = scene->drift * (double)u / (double)units +
			         sds[row] * (rest * own[u] + sqrt(scene->all) * all[u] +
			                     sqrt(scene->tens) * ten[u]);
		for (size_t b = 0; b < blocks; b++)
			contrasts[row * blocks + b] = contrast_of(own + b * UNITS, coins[b]);
	}
}

enum method { BH, STUDENT, FLOORED, BOTH, METHODS };
static const char *const method_names[METHODS] = {
        "Benjamini-Hochberg on t, signs agree",
        "step-down maximum of t",
        "the same with a floor under the sd",
        "both together (kept)",
};

static void judge_bh(const struct contrast_rows *rows, const struct flips *flips, bool *moved)
{
	struct p_value p[ROWS];

	for (size_t i = 0; i < rows->rows; i++) {
		struct t_test test = t_test(rows->contrasts + i * rows->blocks, rows->blocks);

		p[i] = (struct p_value){test.has_t, test.p};
	}
	p_adjust(P_ADJUST_BH, p, rows->rows, p);
	for (size_t i = 0; i < rows->rows; i++)
		moved[i] = p[i].is_defined && p[i].p <= ALPHA &&
		           sign_flip(rows->contrasts + i * rows->blocks, flips).p <= ALPHA;
}

static void judge_max(const struct contrast_rows *rows, const struct flips *flips,
                      const struct max_t_measure *measure, bool *moved)
{
	struct max_t results[ROWS];

	max_t_step_down(rows, flips, measure, results);
	for (size_t i = 0; i < rows->rows; i++)
		moved[i] = results[i].is_in_family && results[i].p <= ALPHA;
}

/* The rows that each method says have moved. */
static void judge(const struct contrast_rows *rows, const struct flips *flips,
                  bool moved[METHODS][ROWS])
{
	struct p_value p[ROWS];
	struct adjusted_family family = adjust_rows(rows, flips, p);
	struct max_t_measure floored = {INFINITY, 1, family.sd_floor};

	judge_bh(rows, flips, moved[BH]);
	judge_max(rows, flips, &max_t_student, moved[STUDENT]);
	judge_max(rows, flips, &floored, moved[FLOORED]);
	for (size_t i = 0; i < rows->rows; i++)
		moved[BOTH][i] = p[i].is_defined && p[i].p <= ALPHA;
}

/* The first @planted rows have an effect, and an sd of @planted_sd. */
struct plan {
	size_t blocks, planted;
	double effect; /* 0.1: 10 % */
	double sd, planted_sd;
};

/* Shares of the experiments, or of the rows in them. */
struct rates {
	double any_false[METHODS];   /* experiments in which a row without an effect moved */
	double found[METHODS];       /* planted rows that moved */
	double false_share[METHODS]; /* of the rows that moved, the mean over experiments */
};

static void count_rows(const struct plan *plan, bool moved[METHODS][ROWS], struct rates *rates)
{
	for (int method = 0; method < METHODS; method++) {
		size_t found = 0, wrong = 0;

		for (size_t i = 0; i < ROWS; i++)
			*(i < plan->planted ? &found : &wrong) += moved[method][i];
		rates->any_false[method] += wrong > 0;
		if (plan->planted > 0)
			rates->found[method] += (double)found / (double)plan->planted;
		if (found + wrong > 0)
			rates->false_share[method] += (double)wrong / (double)(found + wrong);
	}
}

static struct rates simulate(const struct scene *scene, const struct plan *plan,
                             unsigned experiments, uint64_t seed)
{
	struct generator generator = {seed};
	struct flips flips = flips_of_coins(plan->blocks, seed);
	double *contrasts = calloc((size_t)ROWS * plan->blocks, sizeof(contrasts[0]));
	struct contrast_rows rows = {contrasts, ROWS, plan->blocks};
	struct rates rates = {0};

	for (unsigned i = 0; i < experiments; i++) {
		bool moved[METHODS][ROWS];
		double sds[ROWS];

		for (size_t row = 0; row < ROWS; row++)
			sds[row] = row < plan->planted
			                   ? plan->planted_sd
			                   : plan->sd * exp(scene->spread *
			                                    generator_normal(&generator));
		make_rows(scene, &generator, plan->blocks, sds, contrasts);
		for (size_t k = 0; k < plan->planted * plan->blocks; k++)
			contrasts[k] += log1p(plan->effect);
		judge(&rows, &flips, moved);
		count_rows(plan, moved, &rates);
	}
	for (int method = 0; method < METHODS; method++) {
		rates.any_false[method] /= experiments;
		rates.found[method] /= experiments;
		rates.false_share[method] /= experiments;
	}
	free(contrasts);
	flips_done(&flips);
	return rates;
}

/* Welch's p of the units of both arms. @word is the arm of each unit, again and again. */
static double order_welch(const double *units, size_t count, const char *word)
{
	double arms[2][BLOCKS_MOST * UNITS];
	size_t counts[2] = {0}, length = strlen(word);

	for (size_t u = 0; u < count; u++) {
		bool is_b = word[u % length] == 'B';

		arms[is_b][counts[is_b]++] = units[u];
	}
	return welch_test(arms[0], counts[0], arms[1], counts[1]).p;
}

enum order_test {
	SEQUENTIAL,
	ABAB,
	ABAB_PAIRS,
	ABBA,
	ABBA_BLOCKS,
	COIN_BLOCKS,
	COIN_SIGNS,
	ORDER_TESTS
};
static const char *const order_names[ORDER_TESTS] = {
        "AAAA…BBBB, Welch's t", "ABAB…, Welch's t",   "ABAB…, t of pairs",
        "ABBA…, Welch's t",     "ABBA…, t of blocks", "ABBA or BAAB by coins, t of blocks",
        "the same, sign flips",
};

/* The p of one row of units in each order. */
static void test_orders(const double *units, size_t blocks, const bool *coins,
                        const struct flips *flips, double p[ORDER_TESTS])
{
	double pairs[BLOCKS_MOST * UNITS / 2], fixed[BLOCKS_MOST], tossed[BLOCKS_MOST];

	for (size_t i = 0; i < blocks * UNITS / 2; i++)
		pairs[i] = units[2 * i + 1] - units[2 * i];
	for (size_t b = 0; b < blocks; b++) {
		fixed[b] = contrast_of(units + b * UNITS, false);
		tossed[b] = contrast_of(units + b * UNITS, coins[b]);
	}
	p[SEQUENTIAL] = welch_test(units, blocks * UNITS / 2, units + blocks * UNITS / 2,
	                           blocks * UNITS / 2)
	                        .p;
	p[ABAB] = order_welch(units, blocks * UNITS, "AB");
	p[ABAB_PAIRS] = t_test(pairs, blocks * UNITS / 2).p;
	p[ABBA] = order_welch(units, blocks * UNITS, "ABBA");
	p[ABBA_BLOCKS] = t_test(fixed, blocks).p;
	p[COIN_BLOCKS] = t_test(tossed, blocks).p;
	p[COIN_SIGNS] = sign_flip(tossed, flips).p;
}

static const struct scene order_scenes[] = {
        {.name = "white noise"},
        {.name = "drift of 6 %", .drift = 0.06},
        {.name = "AR(1), .6", .memory = 0.6},
        {.name = "both", .drift = 0.06, .memory = 0.6},
};
enum { ORDER_SCENES = sizeof(order_scenes) / sizeof(order_scenes[0]) };

static void print_orders(unsigned experiments, uint64_t seed)
{
	enum { BLOCKS = 8 };
	struct flips flips = flips_of_coins(BLOCKS, seed);
	double rates[ORDER_SCENES][ORDER_TESTS] = {{0}};

	for (size_t s = 0; s < ORDER_SCENES; s++) {
		struct generator generator = {seed + s};

		for (unsigned i = 0; i < experiments; i++) {
			double units[BLOCKS * UNITS], p[ORDER_TESTS];
			bool coins[BLOCKS];

			make_series(&order_scenes[s], &generator, BLOCKS * UNITS, units);
			for (size_t u = 0; u < BLOCKS * UNITS; u++)
				units[u] = 0.03 * units[u] +
				           order_scenes[s].drift * (double)u / (BLOCKS * UNITS);
			for (size_t b = 0; b < BLOCKS; b++)
				coins[b] = generator_below(&generator, 2);
			test_orders(units, BLOCKS, coins, &flips, p);
			for (int test = 0; test < ORDER_TESTS; test++)
				rates[s][test] += (p[test] < ALPHA) / (double)experiments;
		}
	}
	printf("One row, 8 blocks of 4 units, unit sd 3 %%, no effect: share of %u experiments "
	       "with p < .05\n\n|",
	       experiments);
	for (size_t s = 0; s < ORDER_SCENES; s++)
		printf(" | %s", order_scenes[s].name);
	printf(" |\n|---|---|---|---|---|\n");
	for (int test = 0; test < ORDER_TESTS; test++) {
		printf("| %s", order_names[test]);
		for (size_t s = 0; s < ORDER_SCENES; s++)
			printf(" | %.3f", rates[s][test]);
		printf(" |\n");
	}
	flips_done(&flips);
}

static const struct scene scenes[] = {
        {.name = "independent rows"},
        {.name = "all rows share half", .all = 0.5},
        {.name = "tens share .8", .tens = 0.8},
        {.name = "tens, sds differ", .tens = 0.8, .spread = 0.8},
        {.name = "tens, sds differ, outliers", .tens = 0.8, .spread = 0.8, .is_heavy = true},
        {.name = "tens, drift, AR(1)", .tens = 0.8, .drift = 0.06, .memory = 0.6},
};
enum { SCENES = sizeof(scenes) / sizeof(scenes[0]) };

/* A line of the table for each scene, of a figure for each method. */
static void print_heads(const char *first)
{
	printf("\n| %s", first);
	for (int method = 0; method < METHODS; method++)
		printf(" | %s", method_names[method]);
	printf(" |\n|---");
	for (int method = 0; method < METHODS; method++)
		printf("|---");
	printf("|\n");
}

static void print_figures(const double figures[METHODS])
{
	for (int method = 0; method < METHODS; method++)
		printf(" | %.3f", figures[method]);
	printf(" |\n");
	fflush(stdout);
}

static void print_families(unsigned experiments, uint64_t seed)
{
	struct plan plan = {.blocks = 10, .sd = 0.04};

	printf("\nA = A, %d rows, 10 blocks: share of %u experiments with a row that moved\n", ROWS,
	       experiments);
	print_heads("rows");
	for (size_t s = 0; s < SCENES; s++) {
		struct rates rates = simulate(&scenes[s], &plan, experiments, seed + 100 + s);

		printf("| %s", scenes[s].name);
		print_figures(rates.any_false);
	}
}

static void print_power(const char *title, const struct scene *scene, struct plan plan,
                        unsigned experiments, uint64_t seed)
{
	static const double effects[] = {0.02, 0.05, 0.1, 0.2};

	printf("\n%s\n", title);
	print_heads("effect");
	for (size_t e = 0; e < sizeof(effects) / sizeof(effects[0]); e++) {
		struct rates rates;

		plan.effect = effects[e];
		rates = simulate(scene, &plan, experiments, seed + 200 + e);
		printf("| %.0f %%", 100 * effects[e]);
		print_figures(rates.found);
		if (plan.planted > 1) {
			printf("| of those that moved, false");
			print_figures(rates.false_share);
		}
	}
}

static void print_blocks(unsigned experiments, uint64_t seed)
{
	static const size_t blocks[] = {5, 6, 8, 10, 12, 16};

	printf("\n10 %% in one of %d rows, tens share .8, contrast sd 4 %%, by the number of "
	       "blocks\n",
	       ROWS);
	print_heads("blocks");
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		struct plan plan = {blocks[i], 1, 0.1, 0.04, 0.04};
		struct rates rates = simulate(&scenes[2], &plan,
		                              blocks[i] > 12 ? experiments / 5 + 1 : experiments,
		                              seed + 300 + i);

		printf("| %zu", blocks[i]);
		print_figures(rates.found);
	}
}

int main(int argc, char **argv)
{
	unsigned experiments = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct plan one = {10, 1, 0, 0.04, 0.04}, quiet = {10, 1, 0, 0.04, 0.01};
	struct plan many = {10, 30, 0, 0.04, 0.04};

	if (experiments == 0 || argc > 3) {
		fprintf(stderr, "Usage: ab-simulation [EXPERIMENTS [SEED]]\n");
		return 2;
	}
	print_orders(10 * experiments, seed);
	print_families(experiments, seed);
	print_power("One of 300 rows has an effect, contrast sd 4 % in all, 10 blocks: found in",
	            &scenes[0], one, experiments, seed);
	print_power("The same, tens share .8 and the other sds differ", &scenes[3], one,
	            experiments, seed + 1);
	print_power("The same, and the row with the effect has a contrast sd of 1 %", &scenes[3],
	            quiet, experiments, seed + 2);
	print_power("30 of 300 rows have an effect, tens share .8, contrast sd 4 %: share found",
	            &scenes[2], many, experiments, seed + 3);
	print_blocks(experiments, seed);
	return 0;
}
