// SPDX-License-Identifier: GPL-2.0-or-later
/* ab-null - experiments without an effect, made of windows that were recorded on a real host: the windows are called A and B by
 * fresh coins, in blocks of ABBA or BAAB and in the order of time, and each toss is judged as ctprof ab-report would. Prints how
 * many experiments have a row that moved, by the correction that ctprof uses and by others.
 *
 *   ab-null EXPERIMENTS WINDOW... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "effect/effect.h"
#include "input/fd-source.h"
#include "statistics/generator.h"
#include "statistics/p-adjust.h"

enum { BLOCK = 4 };

static const double alpha = .05;

static void make_trial(struct trial *trial, char **paths, size_t blocks)
{
	trial->margin = TRIAL_MARGIN;
	trial->min_effect = 0;
	(void)trial_arm_of(trial, "A");
	(void)trial_arm_of(trial, "B");
	*array_add(trial->sessions, trial->session_count, trial->session_capacity) =
	        (struct trial_session){0};
	for (size_t i = 0; i < BLOCK * blocks; i++) {
		struct trial_unit *unit = trial_add_unit(trial, paths[i], i % BLOCK % 3 != 0);

		unit->block = (int)(i / BLOCK);
		unit->start_unix_ns = i;
	}
	trial_find_blocks(trial);
}

static void toss(struct trial *trial, uint64_t seed)
{
	struct generator generator = {seed};

	for (size_t block = 0; block < trial->block_count; block++) {
		unsigned first = (unsigned)generator_below(&generator, 2);

		for (size_t i = 0; i < BLOCK; i++)
			trial->units[trial->blocks[block].units[i]].arm =
			        i == 0 || i == BLOCK - 1 ? first : !first;
	}
	trial->seed = seed;
}

static int load(struct unit_table *table, struct fact_table *facts, char **paths, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		cleanup_(fd_source_done) struct fd_source source = FD_SOURCE_INIT;
		cleanup_(snapshot_info_done) struct snapshot_info info = {0};
		cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
		int r = fd_source_open(&source, paths[i], &reason);

		if (r == 0)
			r = unit_tables_read(table, 1, facts, i, &source.source,
			                     &snapshot_default_limits, &info, &reason);
		if (r < 0) {
			fprintf(stderr, "ab-null: %s: %s %s\n", paths[i], strerror(-r),
			        strbuf_str(&reason));
			return r;
		}
	}
	return 0;
}

/* Returns whether the smallest p, corrected in this way, is low. */
static bool has_low(const struct comparison *comparison, enum p_adjustment how, bool corrected)
{
	struct p_value *p = mem_calloc(comparison->count + 1, sizeof(p[0]));
	bool low = false;

	for (size_t i = 0; i < comparison->count; i++)
		p[i] = (struct p_value){comparison->effects[i].test.has_t,
		                        comparison->effects[i].test.p};
	if (corrected)
		p_adjust(how, p, comparison->count, p);
	for (size_t i = 0; i < comparison->count; i++)
		low = low || (p[i].is_defined && p[i].p <= alpha);
	free(p);
	return low;
}

int main(int argc, char **argv)
{
	size_t experiments = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	size_t blocks = argc > 2 ? (size_t)(argc - 2) / BLOCK : 0;
	size_t doubtful = 0, moved = 0, rows = 0, low = 0, none = 0, bh = 0, holm = 0;
	struct trial trial = {0};
	struct unit_table table;
	struct fact_table facts;

	if (experiments == 0 || blocks < 6) {
		fputs("Usage: ab-null EXPERIMENTS WINDOW...   (24 windows or more)\n", stderr);
		return 2;
	}
	make_trial(&trial, argv + 2, blocks);
	unit_table_init(&table, group_by_key(GROUP_KEY_pcomm, false), PER_second, BLOCK * blocks);
	fact_table_init(&facts, false, PER_second, BLOCK * blocks);
	if (load(&table, &facts, argv + 2, BLOCK * blocks) < 0)
		return 1;
	for (size_t seed = 1; seed <= experiments; seed++) {
		const struct effect_options options = {
		        .trial = &trial, .tables = &table, .table_count = 1, .facts = &facts};
		struct comparison comparison;
		size_t here = 0;

		toss(&trial, seed);
		comparison_init(&comparison, &options, 1);
		for (size_t i = 0; i < comparison.count; i++)
			here += comparison.effects[i].test.has_t &&
			        comparison.effects[i].test.p <= alpha;
		low += here;
		rows += comparison.count;
		doubtful += comparison.doubts.count > 0;
		moved += comparison.by_answer[ANSWER_MOVED] > 0;
		none += has_low(&comparison, P_ADJUST_HOLM, false);
		bh += has_low(&comparison, P_ADJUST_BH, true);
		holm += has_low(&comparison, P_ADJUST_HOLM, true);
		comparison_done(&comparison);
	}
	printf("%zu experiments of %zu blocks, %.0f rows each; rows with p <= .05: %.1f %%\n"
	       "experiments with a row that moved: %zu by ctprof; with a low p: %zu uncorrected, "
	       "%zu by "
	       "Benjamini-Hochberg of t, %zu by Holm of t\n",
	       experiments, blocks, (double)rows / (double)experiments,
	       100 * (double)low / (double)rows, moved, none, bh, holm);
	/* The contrasts whose truth is zero are the same for all tosses. */
	printf("doubtful: %zu\n", doubtful);
	fact_table_done(&facts);
	unit_table_done(&table);
	trial_done(&trial);
	return 0;
}
