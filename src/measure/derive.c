// SPDX-License-Identifier: GPL-2.0-or-later
/* Each formula gets the aggregated inputs in the types of their metrics: a row of derived.def that swaps them, or names
 * a metric of another kind, does not compile. */
#include <math.h>
#include <stdbool.h>

#include "base/clock.h"
#include "ctprof/metric/sample.h"
#include "measure/measure.h"

/* Sums over threads. */
struct sum_count {
	fold_number v;
};
struct sum_ns {
	fold_number v;
};
struct sum_bytes {
	fold_number v;
};
struct sum_level_bytes {
	fold_number v;
};
/* A metric that no formula takes. Its name is in the compiler's message. */
struct sum_of_other_kind {
	fold_number v;
};

/* Counters per second. */
struct rate_count {
	double v;
};
struct rate_ns {
	double v;
};
struct rate_ticks {
	double v;
};
struct rate_bytes {
	double v;
};

static struct quantity quotient(double numerator, double denominator)
{
	return denominator > 0 ? quantity_real(numerator / denominator) : (struct quantity){0};
}

static struct quantity ratio_of_counts(struct sum_count part, struct sum_count whole)
{
	return quotient((double)part.v, (double)whole.v);
}

static struct quantity weight_ratio_of_counts(struct sum_count part, struct sum_count whole)
{
	(void)part;
	return quantity_integer((__int128)whole.v);
}

static struct quantity ratio_of_bytes(struct sum_bytes part, struct sum_bytes whole)
{
	return quotient((double)part.v, (double)whole.v);
}

static struct quantity weight_ratio_of_bytes(struct sum_bytes part, struct sum_bytes whole)
{
	(void)part;
	return quantity_integer((__int128)whole.v);
}

static struct quantity average_ns(struct sum_ns total, struct sum_count count)
{
	return quotient((double)total.v, (double)count.v);
}

static struct quantity weight_average_ns(struct sum_ns total, struct sum_count count)
{
	(void)total;
	return quantity_integer((__int128)count.v);
}

static struct quantity weight_share_of_time(struct sum_ns part, struct sum_ns rest)
{
	return quantity_integer((__int128)(part.v + rest.v));
}

static struct quantity share_of_time(struct sum_ns part, struct sum_ns rest)
{
	return quotient((double)part.v, quantity_double(weight_share_of_time(part, rest)));
}

static struct quantity weight_share_of_counts(struct sum_count part, struct sum_count rest)
{
	return quantity_integer((__int128)(part.v + rest.v));
}

static struct quantity share_of_counts(struct sum_count part, struct sum_count rest)
{
	return quotient((double)part.v, quantity_double(weight_share_of_counts(part, rest)));
}

static struct quantity difference_of_bytes(struct sum_bytes from, struct sum_bytes less)
{
	return quantity_integer((__int128)from.v - (__int128)less.v);
}

enum evicted derive_evicted(fold_number swapin, fold_number thrashing)
{
	return swapin > thrashing ? EVICTED_swapin : EVICTED_thrashing;
}

/* A swap-in of a page evicted a moment ago counts as both, so only the larger one is added. */
static struct quantity total_delay(struct sum_ns cpu, struct sum_ns blkio, struct sum_ns freepages,
                                   struct sum_ns compact, struct sum_ns wpcopy, struct sum_ns irq,
                                   struct sum_ns swapin, struct sum_ns thrashing)
{
	fold_number evicted =
	        derive_evicted(swapin.v, thrashing.v) == EVICTED_swapin ? swapin.v : thrashing.v;

	return quantity_integer(
	        (__int128)(cpu.v + blkio.v + freepages.v + compact.v + wpcopy.v + irq.v + evicted));
}

static struct quantity percent_of_ticks(const struct derive_frame *frame, struct rate_ticks user,
                                        struct rate_ticks system)
{
	return quotient(100 * (user.v + system.v), (double)frame->clock_ticks_per_second);
}

static struct quantity percent_of_cpu(const struct derive_frame *frame, struct rate_ticks user,
                                      struct rate_ticks system)
{
	return frame->kind == KIND_window ? percent_of_ticks(frame, user, system)
	                                  : (struct quantity){0};
}

static struct quantity percent_of_host(const struct derive_frame *frame, struct rate_ticks user,
                                       struct rate_ticks system)
{
	struct quantity percent = percent_of_cpu(frame, user, system);

	if (percent.kind == QUANTITY_NONE)
		return percent;
	return quotient(quantity_double(percent), (double)frame->online_cpus);
}

static struct quantity lifetime_percent_of_cpu(const struct derive_frame *frame,
                                               struct rate_ticks user, struct rate_ticks system)
{
	return frame->kind == KIND_lifetime ? percent_of_ticks(frame, user, system)
	                                    : (struct quantity){0};
}

static struct quantity lifetime_percent_of_wait(const struct derive_frame *frame,
                                                struct rate_ns wait)
{
	return frame->kind == KIND_lifetime ? quotient(100 * wait.v, NS_PER_SECOND)
	                                    : (struct quantity){0};
}

static struct quantity percent_of_memory(const struct derive_frame *frame,
                                         struct sum_level_bytes resident)
{
	return quotient(100 * (double)resident.v, frame ? (double)frame->memory_bytes : 0);
}

static struct quantity share_of_life(struct sum_ns life, struct sum_ns part)
{
	return quotient(100 * (double)part.v, (double)life.v);
}

static struct sum_ns larger(struct sum_ns a, struct sum_ns b)
{
	return a.v > b.v ? a : b;
}

static struct quantity larger_share_of_life(struct sum_ns life, struct sum_ns a, struct sum_ns b)
{
	return share_of_life(life, larger(a, b));
}

/* Returns a life less total_delay() and the time on a CPU; below zero if these are longer. */
static double life_left(struct sum_ns life, struct sum_ns run, struct sum_ns wait,
                        struct sum_ns blkio, struct sum_ns swapin, struct sum_ns thrashing,
                        struct sum_ns freepages, struct sum_ns compact, struct sum_ns wpcopy,
                        struct sum_ns irq)
{
	struct quantity delays =
	        total_delay(wait, blkio, freepages, compact, wpcopy, irq, swapin, thrashing);

	return (double)life.v - (double)run.v - quantity_double(delays);
}

static struct quantity rest_of_life(struct sum_ns life, struct sum_ns run, struct sum_ns wait,
                                    struct sum_ns blkio, struct sum_ns swapin,
                                    struct sum_ns thrashing, struct sum_ns freepages,
                                    struct sum_ns compact, struct sum_ns wpcopy, struct sum_ns irq)
{
	double left = life_left(life, run, wait, blkio, swapin, thrashing, freepages, compact,
	                        wpcopy, irq);

	return quotient(100 * fmax(left, 0), (double)life.v);
}

static struct quantity excess_of_life(struct sum_ns life, struct sum_ns run, struct sum_ns wait,
                                      struct sum_ns blkio, struct sum_ns swapin,
                                      struct sum_ns thrashing, struct sum_ns freepages,
                                      struct sum_ns compact, struct sum_ns wpcopy,
                                      struct sum_ns irq)
{
	double left = life_left(life, run, wait, blkio, swapin, thrashing, freepages, compact,
	                        wpcopy, irq);

	return quotient(100 * fmin(left, 0), (double)life.v);
}

/* The number of inputs, from the first one on, that a function of the basis LIFE needs. If that is only the life, one
 * of the others must be there: rest_of_life() subtracts those that are. */
enum {
	NEEDED_share_of_life = 2,
	NEEDED_larger_share_of_life = 1,
	NEEDED_rest_of_life = 3,
	NEEDED_excess_of_life = 3,
};

/* The functions whose inputs can only add to the result, so that a row of the bases PARTS and RATE_PARTS may have them. Such a row needs none
 * of its inputs by itself. */
enum {
	ONLY_ADDS_total_delay = 0,
	ONLY_ADDS_percent_of_cpu = 0,
	ONLY_ADDS_percent_of_host = 0,
	ONLY_ADDS_lifetime_percent_of_cpu = 0,
};

/* clang-format off */

/* Applies a macro to each of one to ten inputs. */
#define EACH_COUNT_(a_, b_, c_, d_, e_, f_, g_, h_, i_, j_, n_, ...) n_
#define EACH_COUNT(...) EACH_COUNT_(__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
#define EACH_PASTE_(a_, b_) a_##b_
#define EACH_PASTE(a_, b_) EACH_PASTE_(a_, b_)
#define EACH_1(m_, a_) m_(a_)
#define EACH_2(m_, a_, b_) m_(a_), m_(b_)
#define EACH_3(m_, a_, b_, c_) m_(a_), m_(b_), m_(c_)
#define EACH_8(m_, a_, b_, c_, d_, e_, f_, g_, h_)                                                 \
	m_(a_), m_(b_), m_(c_), m_(d_), m_(e_), m_(f_), m_(g_), m_(h_)
#define EACH_10(m_, a_, b_, c_, d_, e_, f_, g_, h_, i_, j_)                                        \
	EACH_8(m_, a_, b_, c_, d_, e_, f_, g_, h_), m_(i_), m_(j_)
#define EACH(m_, ...) EACH_PASTE(EACH_, EACH_COUNT(__VA_ARGS__))(m_, __VA_ARGS__)

/* The aggregate of a metric, in the type of the metric's sums, and the same per second. */
#define INPUT_OF(id_, number_)                                                                     \
	_Generic(((struct thread_sample *)0)->id_,                                                 \
		struct counter_count: (struct sum_count){number_},                                 \
		struct counter_ns: (struct sum_ns){number_},                                       \
		struct counter_bytes: (struct sum_bytes){number_},                                 \
		struct level_bytes: (struct sum_level_bytes){number_},                             \
		default: (struct sum_of_other_kind){number_})
#define INPUT_SUM(id_) INPUT_OF(id_, in->cells[METRIC_##id_].number) /* 0 where unseen */
#define INPUT_INSIDE(id_) INPUT_OF(id_, without_before(in, METRIC_##id_, in->cells[METRIC_##id_].number))
#define INPUT_ROUNDED(id_) INPUT_OF(id_, rounded_rate(in, METRIC_##id_))
#define INPUT_LIFE(id_) INPUT_OF(id_, living_part(in, METRIC_##id_))
#define INPUT_RATE(id_)                                                                            \
	_Generic(((struct thread_sample *)0)->id_,                                                 \
		struct counter_count: (struct rate_count){derive_rate(in, METRIC_##id_)},          \
		struct counter_ns: (struct rate_ns){derive_rate(in, METRIC_##id_)},                \
		struct counter_ticks: (struct rate_ticks){derive_rate(in, METRIC_##id_)},          \
		struct counter_bytes: (struct rate_bytes){derive_rate(in, METRIC_##id_)})
#define INPUT_ID(id_) METRIC_##id_

/* The call of a function, by its basis. */
#define CALL_SUMS(function_, ...) function_(EACH(INPUT_SUM, __VA_ARGS__))
#define CALL_SHARE(function_, ...) function_(EACH(INPUT_INSIDE, __VA_ARGS__))
#define CALL_ADDS(function_, ...) function_(EACH(INPUT_SUM, __VA_ARGS__))
#define CALL_PARTS(function_, ...) function_(EACH(INPUT_SUM, __VA_ARGS__))
#define CALL_RATES(function_, ...) function_(in->frame, EACH(INPUT_RATE, __VA_ARGS__))
#define CALL_RATE_PARTS(function_, ...) function_(in->frame, EACH(INPUT_RATE, __VA_ARGS__))
#define CALL_LEVELS(function_, ...) function_(in->frame, EACH(INPUT_SUM, __VA_ARGS__))
#define CALL_LIFE(function_, ...) function_(EACH(INPUT_LIFE, __VA_ARGS__))

/* The inputs do not show the whole of which a sum, or a result of rates, is a part; a share of a life is a part of the
 * life. */
#define WEIGH_SUMS(function_, ...) weight_##function_(EACH(INPUT_SUM, __VA_ARGS__))
#define WEIGH_SHARE(function_, ...) weight_##function_(EACH(INPUT_INSIDE, __VA_ARGS__))
#define WEIGH_ADDS(function_, ...) ((struct quantity){0})
#define WEIGH_PARTS(function_, ...) ((struct quantity){0})
#define WEIGH_RATES(function_, ...) ((struct quantity){0})
#define WEIGH_RATE_PARTS(function_, ...) ((struct quantity){0})
#define WEIGH_LEVELS(function_, ...) ((struct quantity){0})
#define WEIGH_LIFE(function_, life_, ...) quantity_integer((__int128)in->cells[METRIC_##life_].number)

#define RESCALE_SUMS(function_, ...) ((struct quantity){0})
#define RESCALE_SHARE(function_, ...) ((struct quantity){0})
#define RESCALE_ADDS(function_, ...) function_(EACH(INPUT_ROUNDED, __VA_ARGS__))
#define RESCALE_PARTS(function_, ...) function_(EACH(INPUT_ROUNDED, __VA_ARGS__))
#define RESCALE_RATES(function_, ...) ((struct quantity){0})
#define RESCALE_RATE_PARTS(function_, ...) ((struct quantity){0})
#define RESCALE_LEVELS(function_, ...) ((struct quantity){0})
#define RESCALE_LIFE(function_, ...) ((struct quantity){0})

#define NEEDED_SUMS(function_, ...) EACH_COUNT(__VA_ARGS__)
#define NEEDED_SHARE(function_, ...) EACH_COUNT(__VA_ARGS__)
#define NEEDED_ADDS(function_, ...) EACH_COUNT(__VA_ARGS__)
#define NEEDED_PARTS(function_, ...) ONLY_ADDS_##function_
#define NEEDED_RATES(function_, ...) EACH_COUNT(__VA_ARGS__)
#define NEEDED_RATE_PARTS(function_, ...) ONLY_ADDS_##function_
#define NEEDED_LEVELS(function_, ...) EACH_COUNT(__VA_ARGS__)
#define NEEDED_LIFE(function_, ...) NEEDED_##function_

const struct derived_desc derived_table[DERIVED_COUNT] = {
#define DERIVED(id_, basis_, function_, unit_, section_, formula_, text_, ...)                     \
	[DERIVED_##id_] = {                                                                        \
		.name = #id_,                                                                      \
		.description = text_,                                                              \
		.formula = formula_,                                                               \
		.basis = BASIS_##basis_,                                                           \
		.unit = UNIT_##unit_,                                                              \
		.section = SECTION_##section_,                                                     \
		.input_count = EACH_COUNT(__VA_ARGS__),                                            \
		.needed_count = NEEDED_##basis_(function_, __VA_ARGS__),                           \
		.inputs = {EACH(INPUT_ID, __VA_ARGS__)},                                           \
	},
#include CTPROF_DERIVED_DEF
#undef DERIVED
};

/* Returns whether the rates of all inputs are kept. */
static bool has_rates(const struct derive_inputs *in, enum derived_id derived)
{
	const struct derived_desc *desc = &derived_table[derived];

	for (size_t i = 0; i < desc->input_count; i++)
		if (!in->rates || !in->rate_list || in->rate_list->places[desc->inputs[i]] == 0)
			return false;
	return true;
}

double derive_rate(const struct derive_inputs *in, enum metric_id metric)
{
	unsigned place = in->rates && in->rate_list ? in->rate_list->places[metric] : 0;

	return place > 0 ? rate_value(in->rates[place - 1]) : 0;
}

static uint64_t rounded_rate(const struct derive_inputs *in, enum metric_id metric)
{
	return (uint64_t)llround(derive_rate(in, metric));
}

uint32_t derive_began_before(const struct derive_inputs *in, enum metric_id metric)
{
	return in->before ? in->before[metric].threads : 0;
}

/* Returns the part of a sum that can have been in the window. */
static fold_number without_before(const struct derive_inputs *in, enum metric_id metric,
                                  fold_number number)
{
	fold_number beyond_ns = in->before ? in->before[metric].beyond_ns : 0;

	return number > beyond_ns ? number - beyond_ns : 0;
}

/* Returns the cell of a metric without what only totals of processes have: work of the group's own threads. */
static struct fold_cell own_cell(const struct derive_inputs *in, enum metric_id metric)
{
	struct fold_cell cell = in->cells[metric];

	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (process_total_table[i].metric == metric) {
			cell.number -= in->exited ? in->exited[i] : 0;
			cell.seen -= in->covered ? in->covered[i] : 0;
		}
	return cell;
}

/* Returns the value of the group's living threads, without exited ones; nothing if some of the threads lack it. */
static fold_number living_part(const struct derive_inputs *in, enum metric_id metric)
{
	struct fold_cell cell = own_cell(in, metric);

	return cell.seen == in->cells[METRIC_lived_ns].seen
	               ? without_before(in, metric, cell.number)
	               : 0;
}

/* The result of a derived metric. */
enum computed { COMPUTED_VALUE, COMPUTED_WEIGHT, COMPUTED_PER_SECOND };

static struct quantity compute(enum computed what, enum derived_id derived, const struct derive_inputs *in)
{
	switch (derived) {
#define DERIVED(id_, basis_, function_, unit_, section_, formula_, text_, ...)                     \
	case DERIVED_##id_:                                                                        \
		return what == COMPUTED_VALUE    ? CALL_##basis_(function_, __VA_ARGS__)           \
		       : what == COMPUTED_WEIGHT ? WEIGH_##basis_(function_, __VA_ARGS__)          \
						 : RESCALE_##basis_(function_, __VA_ARGS__);
#include CTPROF_DERIVED_DEF
#undef DERIVED
	case DERIVED_COUNT:
		break;
	}
	return (struct quantity){0};
}
/* clang-format on */

/* Returns how many threads have an input. A share of a life is of the threads themselves. */
static uint32_t input_seen(const struct derived_desc *desc, const struct derive_inputs *in,
                           size_t i)
{
	return desc->basis == BASIS_LIFE ? own_cell(in, desc->inputs[i]).seen
	                                 : in->cells[desc->inputs[i]].seen;
}

static bool covers_first(const struct derived_desc *desc, const struct derive_inputs *in, size_t i)
{
	uint32_t seen = input_seen(desc, in, i);

	return seen > 0 && seen == input_seen(desc, in, 0);
}

static uint32_t most_seen(const struct derived_desc *desc, const struct derive_inputs *in)
{
	uint32_t most = 0;

	for (size_t i = 0; i < desc->input_count; i++)
		if (input_seen(desc, in, i) > most)
			most = input_seen(desc, in, i);
	return most;
}

/* Inputs that cover different threads have no quotient and no difference. */
static bool inputs_seen(enum derived_id derived, const struct derive_inputs *in)
{
	const struct derived_desc *desc = &derived_table[derived];

	if (basis_is_of_rates(desc->basis) && (!in->frame || !has_rates(in, derived)))
		return false;
	if (basis_is_of_parts(desc->basis))
		return most_seen(desc, in) > 0;
	for (size_t i = 0; i < desc->needed_count; i++)
		if (!covers_first(desc, in, i))
			return false;
	if (desc->needed_count > 1 || desc->input_count == 1)
		return true;
	for (size_t i = 1; i < desc->input_count; i++)
		if (covers_first(desc, in, i))
			return true;
	return false;
}

struct quantity derive(enum derived_id derived, const struct derive_inputs *in)
{
	return inputs_seen(derived, in) ? compute(COMPUTED_VALUE, derived, in)
	                                : (struct quantity){0};
}

/* A share of a life that needs the life only is the larger of its parts. The others that need not all of their inputs subtract them
 * from a life. */
bool derive_only_adds(enum derived_id derived)
{
	const struct derived_desc *desc = &derived_table[derived];

	return basis_is_of_parts(desc->basis) ||
	       (desc->basis == BASIS_LIFE && desc->needed_count == 1);
}

/* A part of a life is the threads' whose life is known, see living_part(). */
static bool lacks_input(const struct derived_desc *desc, const struct derive_inputs *in, size_t i)
{
	return desc->basis == BASIS_LIFE ? !covers_first(desc, in, i)
	                                 : input_seen(desc, in, i) < most_seen(desc, in);
}

struct metric_set derive_missing(enum derived_id derived, const struct derive_inputs *in)
{
	const struct derived_desc *desc = &derived_table[derived];
	struct metric_set missing = {{0}};

	if (desc->needed_count == desc->input_count || !inputs_seen(derived, in))
		return missing;
	for (size_t i = 0; i < desc->input_count; i++)
		if (lacks_input(desc, in, i))
			metric_set_add(&missing, desc->inputs[i]);
	return missing;
}

uint32_t derive_threads(enum derived_id derived, const struct derive_inputs *in)
{
	const struct derived_desc *desc = &derived_table[derived];
	uint32_t fewest = UINT32_MAX;

	if (basis_is_of_parts(desc->basis))
		return most_seen(desc, in);
	for (size_t i = 0; i < desc->needed_count; i++)
		if (input_seen(desc, in, i) < fewest)
			fewest = input_seen(desc, in, i);
	return fewest;
}

struct quantity derive_weight(enum derived_id derived, const struct derive_inputs *in)
{
	return inputs_seen(derived, in) ? compute(COMPUTED_WEIGHT, derived, in)
	                                : (struct quantity){0};
}

struct quantity derive_per_second(enum derived_id derived, const struct derive_inputs *in)
{
	struct quantity sum;
	struct rate_sum beyond;

	if (!inputs_seen(derived, in) || !has_rates(in, derived))
		return (struct quantity){0};
	sum = compute(COMPUTED_PER_SECOND, derived, in);
	if (derived_table[derived].basis != BASIS_PARTS || !in->delays_beyond)
		return sum;
	beyond = in->delays_beyond
	                 ->rates[derive_evicted(rounded_rate(in, METRIC_swapin_delay_total_ns),
	                                        rounded_rate(in, METRIC_thrashing_delay_total_ns))];
	if (beyond.fixed == 0)
		return sum;
	return quantity_integer(llround(fmax(quantity_double(sum) - rate_value(beyond), 0)));
}

static bool is_of_several(const struct host *host)
{
	return host->seen[HOST_hosts] && host->numbers[HOST_hosts] > 1;
}

static void set_unaccounted(const struct snapshot_window *window, const struct host *host,
                            struct derive_frame *frame)
{
	uint64_t ticks = window->has_unchosen ? window->unchosen_clock_ticks
	                                      : window->numbers[WINDOW_unaccounted_clock_ticks];

	frame->unaccounted_known =
	        (window->has_unchosen || window->seen[WINDOW_unaccounted_clock_ticks]) &&
	        frame->clock_ticks_per_second > 0;
	/* The number lacks the error, and is 0 where it is no larger than that. */
	saturating_add_to(&ticks, host_ticks_error(host));
	if (frame->unaccounted_known)
		frame->unaccounted_ns =
		        saturating_multiply(ticks, NS_PER_SECOND / frame->clock_ticks_per_second);
}

struct derive_frame derive_frame_of(const struct snapshot_info *info)
{
	const struct host *host = &info->host;
	struct derive_frame frame = {.kind = info->kind};

	if (info->kind == KIND_window) {
		frame.length_ns = info->window.numbers[WINDOW_length_ns];
		frame.shortest_ns = info->window.seen[WINDOW_shortest_length_ns]
		                            ? info->window.numbers[WINDOW_shortest_length_ns]
		                            : frame.length_ns;
		if (info->window.numbers[WINDOW_gaps] == 0)
			frame.begin_ns = info->window.numbers[WINDOW_begin_boottime_ns];
		frame.exits = info->window.exits;
		frame.exits_also = info->window.exits_also;
		frame.is_sum = info->window.numbers[WINDOW_windows] > 1;
		frame.gaps = info->window.numbers[WINDOW_gaps];
		frame.missed_known = info->window.seen[WINDOW_threads_lost] &&
		                     info->window.seen[WINDOW_threads_missed];
		frame.missed = info->window.numbers[WINDOW_threads_lost] +
		               info->window.numbers[WINDOW_threads_missed];
		frame.read_skew_known = info->window.seen[WINDOW_read_skew_ns];
		frame.read_skew_ns = info->window.numbers[WINDOW_read_skew_ns];
		frame.hides_passes = is_of_several(host) && !host_is_read_by_bpf(host);
	}
	if (host->seen[HOST_clock_ticks_per_second])
		frame.clock_ticks_per_second = host->numbers[HOST_clock_ticks_per_second];
	if (info->kind == KIND_window)
		set_unaccounted(&info->window, host, &frame);
	if (host->seen[HOST_online_cpus])
		frame.online_cpus = host->numbers[HOST_online_cpus];
	/* The memory of several hosts is a sum, and no host has a part of it. */
	if (host->seen[HOST_total_memory_kib] && !is_of_several(host))
		frame.memory_bytes =
		        saturating_multiply(host->numbers[HOST_total_memory_kib], 1024);
	return frame;
}
