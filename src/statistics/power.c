// SPDX-License-Identifier: GPL-2.0-or-later
/* The mean of n contrasts, over its true standard error, is normal around effect * sqrt(n); the estimated sd over the true
 * one, S, is independent of it. So each probability here is the mean over S of one of the normal distribution. This is
 * the non-central t without its library function, which is an approximation where the effect is above 37 standard
 * errors (three blocks at a small alpha), and it serves equivalence as well, of which libRmath has nothing. */
#include "statistics/power.h"

#include <math.h>

#include "statistics/distribution.h"

/* Nodes and weights of Gauss and Legendre's rule with eight points on [-1, 1]; the other four are mirrored. */
static const double rule[4][2] = {
        {0.18343464249564980494, 0.36268378337836198297},
        {0.52553240991632898582, 0.31370664587788728734},
        {0.79666647741362673959, 0.22238103445337447054},
        {0.96028985649753623168, 0.10122853629037625915},
};
enum { PANELS = 24 };

/* The normal distribution beyond this is 0 for all that follows. */
#define NORMAL_REACH 9

struct question {
	double df;
	double center;   /* the mean, in standard errors; or the margin */
	double critical; /* the t that decides */
	double floor;    /* a smaller s counts as this one */
	bool is_margin;
};

/* The probability that decides, if the sd is @s times the true one. */
static double chance_at(const struct question *question, double s)
{
	double room = question->center - question->critical * fmax(s, question->floor);

	return question->is_margin ? 1 - 2 * normal_upper_tail(room) : normal_upper_tail(-room);
}

static double integrate(const struct question *question, double from, double to)
{
	double half = (to - from) / (2 * PANELS), sum = 0;

	for (int panel = 0; panel < PANELS; panel++) {
		double middle = from + half * (2 * panel + 1);

		for (int i = 0; i < 8; i++) {
			double s = middle + (i % 2 ? half : -half) * rule[i / 2][0];

			sum += rule[i / 2][1] * sd_density(s, question->df) *
			       chance_at(question, s);
		}
	}
	return sum * half;
}

/* The mean over S. Below @from the chance does not change, and above @to it is 0, but for what a double cannot hold. */
static double chance(const struct question *question)
{
	double spread = 10 / sqrt(2 * question->df);
	double from = (question->center - NORMAL_REACH) / question->critical;
	double to =
	        (question->center + (question->is_margin ? 0 : NORMAL_REACH)) / question->critical;

	from = fmax(fmax(from, question->floor), fmax(0, 1 - spread));
	to = fmin(to, 1 + spread);
	return chance_at(question, from) * sd_lower_tail(from, question->df) +
	       (to > from ? integrate(question, from, to) : 0);
}

/* The center at which the chance is @power. */
static double solve(struct question *question, double power)
{
	double low = 0, high = (question->critical + 1) * 2;

	question->center = high;
	while (chance(question) < power) {
		low = high;
		high *= 2;
		question->center = high;
	}
	/* Every step is a bit. */
	for (int i = 0; i < 60 && low < high; i++) {
		question->center = low + (high - low) / 2;
		if (chance(question) < power)
			low = question->center;
		else
			high = question->center;
	}
	return high;
}

double power_critical_t(size_t n, double alpha)
{
	return t_quantile(alpha / 2, (double)(n - 1));
}

double power_of_effect(size_t n, double effect, double critical)
{
	struct question question = {
	        .df = (double)(n - 1), .center = effect * sqrt((double)n), .critical = critical};

	return chance(&question);
}

double power_detectable(size_t n, double critical, double power)
{
	struct question question = {.df = (double)(n - 1), .critical = critical};

	return solve(&question, power) / sqrt((double)n);
}

double power_detectable_floored(size_t n, double critical, double floor, double power)
{
	struct question question = {.df = (double)(n - 1), .critical = critical, .floor = floor};

	return solve(&question, power) / sqrt((double)n);
}

double power_of_margin(size_t n, double margin)
{
	struct question question = {.df = (double)(n - 1),
	                            .center = margin * sqrt((double)n),
	                            .critical = power_critical_t(n, 0.1),
	                            .is_margin = true};

	return chance(&question);
}

/* The power of @n blocks for an effect at @alpha, or, if that is 0, for a margin. */
static double power_of_blocks(size_t n, double size, double alpha)
{
	return alpha > 0 ? power_of_effect(n, size, power_critical_t(n, alpha))
	                 : power_of_margin(n, size);
}

/* Power rises with the number of blocks. */
static bool find_blocks(double size, double alpha, double power, size_t *ret)
{
	size_t low = 1, high = 2;

	while (power_of_blocks(high, size, alpha) < power) {
		if (high >= POWER_BLOCKS_MAX)
			return false;
		low = high;
		high = high * 2 < POWER_BLOCKS_MAX ? high * 2 : POWER_BLOCKS_MAX;
	}
	while (high - low > 1) {
		size_t n = low + (high - low) / 2;

		if (power_of_blocks(n, size, alpha) < power)
			low = n;
		else
			high = n;
	}
	*ret = high;
	return true;
}

bool power_blocks_for_effect(double effect, double alpha, double power, size_t *ret)
{
	return find_blocks(effect, alpha, power, ret);
}

bool power_blocks_for_margin(double margin, double power, size_t *ret)
{
	return find_blocks(margin, 0, power, ret);
}
