// SPDX-License-Identifier: GPL-2.0-or-later
/* Each formula takes the aggregated inputs in the types of their metrics: a row of derived.def that swaps
 * them, or names a metric of another kind, does not compile. */
#include <stdbool.h>

#include "ctprof/measure.h"
#include "ctprof/sample.h"

static struct quantity quotient(double numerator, double denominator)
{
	return denominator > 0 ? quantity_real(numerator / denominator) : (struct quantity){0};
}

static struct quantity ratio_of_counts(struct counter_count part, struct counter_count whole)
{
	return quotient((double)part.v, (double)whole.v);
}

static struct quantity weight_ratio_of_counts(struct counter_count part, struct counter_count whole)
{
	(void)part;
	return quantity_integer(whole.v);
}

static struct quantity ratio_of_bytes(struct counter_bytes part, struct counter_bytes whole)
{
	return quotient((double)part.v, (double)whole.v);
}

static struct quantity weight_ratio_of_bytes(struct counter_bytes part, struct counter_bytes whole)
{
	(void)part;
	return quantity_integer(whole.v);
}

static struct quantity average_ns(struct counter_ns total, struct counter_count count)
{
	return quotient((double)total.v, (double)count.v);
}

static struct quantity weight_average_ns(struct counter_ns total, struct counter_count count)
{
	(void)total;
	return quantity_integer(count.v);
}

static struct quantity weight_share_of_time(struct counter_ns part, struct counter_ns rest)
{
	return quantity_integer((__int128)part.v + rest.v);
}

static struct quantity share_of_time(struct counter_ns part, struct counter_ns rest)
{
	return quotient((double)part.v, quantity_double(weight_share_of_time(part, rest)));
}

static struct quantity weight_share_of_counts(struct counter_count part, struct counter_count rest)
{
	return quantity_integer((__int128)part.v + rest.v);
}

static struct quantity share_of_counts(struct counter_count part, struct counter_count rest)
{
	return quotient((double)part.v, quantity_double(weight_share_of_counts(part, rest)));
}

static struct quantity difference_of_bytes(struct counter_bytes from, struct counter_bytes less)
{
	return quantity_integer((__int128)from.v - less.v);
}

static struct quantity weight_difference_of_bytes(struct counter_bytes from,
                                                  struct counter_bytes less)
{
	(void)from;
	(void)less;
	return (struct quantity){0};
}

/* A swap-in of a page evicted a moment ago is counted as both, so only the larger one is added. */
static struct quantity total_delay(struct counter_ns cpu, struct counter_ns blkio,
                                   struct counter_ns freepages, struct counter_ns compact,
                                   struct counter_ns wpcopy, struct counter_ns irq,
                                   struct counter_ns swapin, struct counter_ns thrashing)
{
	struct counter_ns sum = metric_sum(cpu, blkio);

	sum = metric_sum(sum, freepages);
	sum = metric_sum(sum, compact);
	sum = metric_sum(sum, wpcopy);
	sum = metric_sum(sum, irq);
	sum = metric_sum(sum, swapin.v > thrashing.v ? swapin : thrashing);
	return quantity_integer(sum.v);
}

static struct quantity weight_total_delay(struct counter_ns cpu, struct counter_ns blkio,
                                          struct counter_ns freepages, struct counter_ns compact,
                                          struct counter_ns wpcopy, struct counter_ns irq,
                                          struct counter_ns swapin, struct counter_ns thrashing)
{
	(void)cpu, (void)blkio, (void)freepages, (void)compact;
	(void)wpcopy, (void)irq, (void)swapin, (void)thrashing;
	return (struct quantity){0};
}

/* clang-format off */

/* Applies a macro to each of two or of eight inputs. */
#define EACH_COUNT_(a_, b_, c_, d_, e_, f_, g_, h_, n_, ...) n_
#define EACH_COUNT(...) EACH_COUNT_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1)
#define EACH_PASTE_(a_, b_) a_##b_
#define EACH_PASTE(a_, b_) EACH_PASTE_(a_, b_)
#define EACH_2(m_, a_, b_) m_(a_), m_(b_)
#define EACH_8(m_, a_, b_, c_, d_, e_, f_, g_, h_)                                                 \
	m_(a_), m_(b_), m_(c_), m_(d_), m_(e_), m_(f_), m_(g_), m_(h_)
#define EACH(m_, ...) EACH_PASTE(EACH_, EACH_COUNT(__VA_ARGS__))(m_, __VA_ARGS__)

/* The aggregate of a metric, in the metric's own type. */
#define INPUT(id_) (__typeof__(((struct thread_sample *)0)->id_)){.v = cells[METRIC_##id_].number}
#define INPUT_ID(id_) METRIC_##id_

const struct derived_desc derived_table[DERIVED_COUNT] = {
#define DERIVED(id_, function_, unit_, section_, formula_, text_, ...)                             \
	[DERIVED_##id_] = {                                                                        \
		.name = #id_,                                                                      \
		.description = text_,                                                              \
		.formula = formula_,                                                               \
		.unit = UNIT_##unit_,                                                              \
		.section = SECTION_##section_,                                                     \
		.input_count = EACH_COUNT(__VA_ARGS__),                                            \
		.inputs = {EACH(INPUT_ID, __VA_ARGS__)},                                           \
	},
#include CTPROF_DERIVED_DEF
#undef DERIVED
};

static struct quantity evaluate(enum derived_id derived, const struct fold_cell cells[METRIC_COUNT])
{
	switch (derived) {
#define DERIVED(id_, function_, unit_, section_, formula_, text_, ...)                             \
	case DERIVED_##id_:                                                                        \
		return function_(EACH(INPUT, __VA_ARGS__));
#include CTPROF_DERIVED_DEF
#undef DERIVED
	case DERIVED_COUNT:
		break;
	}
	return (struct quantity){0};
}

static struct quantity weigh(enum derived_id derived, const struct fold_cell cells[METRIC_COUNT])
{
	switch (derived) {
#define DERIVED(id_, function_, unit_, section_, formula_, text_, ...)                             \
	case DERIVED_##id_:                                                                        \
		return weight_##function_(EACH(INPUT, __VA_ARGS__));
#include CTPROF_DERIVED_DEF
#undef DERIVED
	case DERIVED_COUNT:
		break;
	}
	return (struct quantity){0};
}
/* clang-format on */

/* Inputs that cover different threads have no quotient and no sum. */
static bool inputs_seen(enum derived_id derived, const struct fold_cell cells[METRIC_COUNT])
{
	const struct derived_desc *desc = &derived_table[derived];

	for (size_t i = 0; i < desc->input_count; i++)
		if (cells[desc->inputs[i]].seen == 0 ||
		    cells[desc->inputs[i]].seen != cells[desc->inputs[0]].seen)
			return false;
	return true;
}

struct quantity derive(enum derived_id derived, const struct fold_cell cells[METRIC_COUNT])
{
	return inputs_seen(derived, cells) ? evaluate(derived, cells) : (struct quantity){0};
}

struct quantity derive_weight(enum derived_id derived, const struct fold_cell cells[METRIC_COUNT])
{
	return inputs_seen(derived, cells) ? weigh(derived, cells) : (struct quantity){0};
}
