// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/group-pack.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ctprof/base/strbuf.h"

/* Flags in the first byte of a packed group. */
enum { HAS_RATES = 1, HAS_BEFORE = 2 };

/* The first byte of a number: how many bytes follow, and in the upper half in how many threads it was seen. */
enum { SEEN_NONE, SEEN_ONE, SEEN_FOLLOWS, SEEN_SHIFT = 4, LEN_MASK = 15 };

/* A packed group ends with so many bytes more, so that every number can be read as if it were a whole word. */
enum { PADDING = sizeof(fold_number) };

/* Room for most groups. malloc(3) is slow for a little more than that. */
enum { FIRST_ROOM = 1000 };

/* Metrics whose cells are not numbers, and own memory. */
static const bool is_owner[METRIC_COUNT] = {
/* clang-format off */
#define METRIC(id_, type_, bound_, rule_, ...) \
	[METRIC_##id_] = RULE_##rule_ == RULE_MODE || RULE_##rule_ == RULE_AFFINITY,
#include "metrics.def"
#undef METRIC
        /* clang-format on */
};

static unsigned len_of(uint64_t word)
{
	return word == 0 ? 0 : 8 - (unsigned)__builtin_clzll(word) / 8;
}

/* Appends a number below 2^120. */
static void put(struct strbuf *out, unsigned flags, fold_number number)
{
	uint64_t words[2] = {(uint64_t)number, (uint64_t)(number >> 64)};
	unsigned len = words[1] == 0 ? len_of(words[0]) : 8 + len_of(words[1]);

	for (unsigned i = 0; i < 2; i++)
		words[i] = htole64(words[i]);
	if (out->capacity - out->len < 1 + sizeof(words))
		strbuf_reserve(out, 1 + sizeof(words));
	out->data[out->len] = (char)(flags << SEEN_SHIFT | len);
	memcpy(out->data + out->len + 1, words, sizeof(words));
	out->len += 1 + len;
}

static uint64_t low_bytes(uint64_t word, unsigned len)
{
	return len == 0 ? 0 : le64toh(word) & UINT64_MAX >> 8 * (8 - len);
}

static fold_number get(const unsigned char **at, unsigned *ret_flags)
{
	unsigned len = **at & LEN_MASK;
	uint64_t words[2];

	*ret_flags = **at >> SEEN_SHIFT;
	memcpy(words, *at + 1, sizeof(words));
	*at += 1 + len;
	if (len <= 8)
		return low_bytes(words[0], len);
	return (fold_number)low_bytes(words[1], len - 8) << 64 | le64toh(words[0]);
}

static uint64_t get_word(const unsigned char **at)
{
	unsigned flags;

	return (uint64_t)get(at, &flags);
}

static void put_tally(struct strbuf *out, const struct fold_tally *tally)
{
	put(out, 0, tally->len);
	strbuf_add(out, tally->entries, tally->len);
}

static struct fold_tally *get_tally(const unsigned char **at)
{
	uint32_t len = (uint32_t)get_word(at);
	struct fold_tally *tally = mem_realloc(NULL, 1, sizeof(*tally) + len);

	tally->len = len;
	memcpy(tally->entries, *at, len);
	*at += len;
	return tally;
}

static void put_affinity(struct strbuf *out, const struct fold_affinity *affinity)
{
	put(out, affinity->uniform, affinity->min_cpus);
	put(out, 0, affinity->max_cpus);
	put(out, 0, affinity->first.used_words);
	for (unsigned i = 0; i < affinity->first.used_words; i++)
		put(out, 0, affinity->first.words[i]);
}

static struct fold_affinity *get_affinity(const unsigned char **at)
{
	unsigned uniform, min_cpus = (unsigned)get(at, &uniform), max_cpus = (unsigned)get_word(at);
	uint32_t words = (uint32_t)get_word(at);
	struct fold_affinity *affinity =
	        mem_calloc(1, offsetof(struct fold_affinity, first) +
	                              offsetof(struct cpu_mask, words) + words * sizeof(uint64_t));

	affinity->uniform = uniform != 0;
	affinity->min_cpus = min_cpus;
	affinity->max_cpus = max_cpus;
	affinity->first.used_words = words;
	for (unsigned i = 0; i < words; i++)
		affinity->first.words[i] = get_word(at);
	return affinity;
}

static void put_cell(struct strbuf *out, enum metric_id metric, const struct fold_cell *cell)
{
	unsigned seen = cell->seen <= SEEN_ONE ? cell->seen : SEEN_FOLLOWS;

	put(out, seen, is_owner[metric] ? 0 : cell->number);
	if (seen == SEEN_FOLLOWS)
		put(out, 0, cell->seen);
	if (!is_owner[metric] || seen == SEEN_NONE)
		return;
	if (metric_table[metric].rule == RULE_MODE)
		put_tally(out, cell->tally);
	else
		put_affinity(out, cell->affinity);
}

/* Reads the number of a cell and the count of its threads. */
static void get_number(const unsigned char **at, struct fold_cell *ret)
{
	unsigned seen;

	ret->number = get(at, &seen);
	ret->seen = seen == SEEN_FOLLOWS ? (uint32_t)get_word(at) : seen;
}

static void get_cell(const unsigned char **at, enum metric_id metric, struct fold_cell *ret)
{
	get_number(at, ret);
	if (!is_owner[metric] || ret->seen == 0)
		return;
	if (metric_table[metric].rule == RULE_MODE)
		ret->tally = get_tally(at);
	else
		ret->affinity = get_affinity(at);
}

static void skip_cell(const unsigned char **at, enum metric_id metric)
{
	struct fold_cell cell;
	uint64_t left;

	get_number(at, &cell);
	if (!is_owner[metric] || cell.seen == 0)
		return;
	if (metric_table[metric].rule == RULE_MODE) {
		left = get_word(at);
		*at += left;
		return;
	}
	(void)get_word(at);
	(void)get_word(at);
	for (left = get_word(at); left > 0; left--)
		(void)get_word(at);
}

static void put_rate(struct strbuf *out, struct rate_sum rate)
{
	put(out, 0, (uint64_t)rate.fixed);
	put(out, 0, (uint64_t)(rate.fixed >> 64));
}

static struct rate_sum get_rate(const unsigned char **at)
{
	uint64_t low = get_word(at);

	return (struct rate_sum){(unsigned __int128)get_word(at) << 64 | low};
}

/* Reads the rates, which follow the cells. */
static void get_rates(const unsigned char **at, struct rate_sum *rates, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		rates[i] = get_rate(at);
}

static void get_before(const unsigned char **at, struct wait_before *before)
{
	unsigned flags;

	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		before[i].beyond_ns = get(at, &flags);
		before[i].threads = (uint32_t)get_word(at);
		before[i].beyond_rate = get_rate(at);
	}
}

struct fold_cell *group_pack_leaving_cells(struct group *group)
{
	struct fold_cell *cells = group->cells;
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	if (!cells)
		return NULL;
	strbuf_reserve(&out, FIRST_ROOM);
	strbuf_add_char(&out,
	                (char)((group->rates ? HAS_RATES : 0) | (group->before ? HAS_BEFORE : 0)));
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		put_cell(&out, (enum metric_id)i, &cells[i]);
		if (is_owner[i])
			fold_cell_done((enum metric_id)i, &cells[i]);
	}
	for (unsigned i = 0; group->rates && i < group->rate_count; i++)
		put_rate(&out, group->rates[i]);
	for (unsigned i = 0; group->before && i < METRIC_COUNT; i++) {
		put(&out, 0, group->before[i].beyond_ns);
		put(&out, 0, group->before[i].threads);
		put_rate(&out, group->before[i].beyond_rate);
	}
	free(group->rates);
	free(group->before);
	group->cells = NULL;
	group->rates = NULL;
	group->before = NULL;
	strbuf_reserve(&out, PADDING);
	memset(out.data + out.len, 0, PADDING);
	group->packed = (unsigned char *)mem_copy(out.data, out.len + PADDING);
	memset(cells, 0, METRIC_COUNT * sizeof(cells[0]));
	return cells;
}

void group_pack(struct group *group)
{
	free(group_pack_leaving_cells(group));
}

/* Fills @group, whose pointers are NULL or of memory that is large enough, from @packed. */
static void unpack(const unsigned char *packed, struct group *group)
{
	unsigned flags = *packed++;

	for (unsigned i = 0; i < METRIC_COUNT; i++)
		get_cell(&packed, (enum metric_id)i, &group->cells[i]);
	if (flags & HAS_RATES && !group->rates)
		group->rates = mem_calloc(group->rate_count, sizeof(group->rates[0]));
	if (flags & HAS_RATES)
		get_rates(&packed, group->rates, group->rate_count);
	if (flags & HAS_BEFORE && !group->before)
		group->before = mem_calloc(METRIC_COUNT, sizeof(group->before[0]));
	if (flags & HAS_BEFORE)
		get_before(&packed, group->before);
}

void group_open(struct group *group)
{
	if (group->cells)
		return;
	group->cells = mem_calloc(METRIC_COUNT, sizeof(group->cells[0]));
	if (!group->packed)
		return;
	unpack(group->packed, group);
	free(group->packed);
	group->packed = NULL;
}

static void forget_copy(struct group_reader *reader)
{
	for (unsigned i = 0; reader->copy.cells && i < METRIC_COUNT; i++)
		if (is_owner[i])
			fold_cell_done((enum metric_id)i, &reader->copy.cells[i]);
	if (reader->copy.packed) {
		free(reader->copy.rates);
		free(reader->copy.before);
	}
	reader->of = NULL;
}

const struct group *group_read(struct group_reader *reader, const struct group *group)
{
	struct fold_cell *cells = reader->copy.cells;

	if (!group || group->cells || group == reader->of)
		return group == reader->of && group ? &reader->copy : group;
	forget_copy(reader);
	if (!cells)
		cells = mem_calloc(METRIC_COUNT, sizeof(cells[0]));
	reader->copy = *group;
	reader->copy.cells = cells;
	reader->of = group;
	if (group->packed)
		unpack(group->packed, &reader->copy);
	return &reader->copy;
}

void group_reader_done(struct group_reader *reader)
{
	forget_copy(reader);
	free(reader->copy.cells);
	*reader = (struct group_reader){0};
}

struct fold_cell group_number(const struct group *group, enum metric_id metric)
{
	const unsigned char *at = group->packed;
	struct fold_cell cell = {0};

	if (group->cells)
		return group->cells[metric];
	if (!at)
		return cell;
	at++;
	for (unsigned i = 0; i < metric; i++)
		skip_cell(&at, (enum metric_id)i);
	get_number(&at, &cell);
	return cell;
}
