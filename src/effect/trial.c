// SPDX-License-Identifier: GPL-2.0-or-later
#include "effect/trial.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/strmap.h"

void trial_texts_add(struct trial_texts *texts, const char *text)
{
	*array_add(texts->entries, texts->count, texts->capacity) = mem_copy(text, strlen(text));
}

void trial_texts_done(struct trial_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->entries[i]);
	free(texts->entries);
	*texts = (struct trial_texts){0};
}

unsigned trial_arm_of(struct trial *trial, const char *name)
{
	unsigned arm = 0;

	for (; arm < trial->arm_count; arm++)
		if (strcmp(trial->arms[arm].name, name) == 0)
			return arm;
	if (arm < TRIAL_ARMS_MAX)
		trial->arms[trial->arm_count++] =
		        (struct trial_arm){.name = mem_copy(name, strlen(name))};
	return arm;
}

struct trial_unit *trial_add_unit(struct trial *trial, const char *path, unsigned arm)
{
	struct trial_unit *unit = array_add(trial->units, trial->unit_count, trial->unit_capacity);

	*unit = (struct trial_unit){
	        .path = mem_copy(path, strlen(path)),
	        .dir_fd = AT_FDCWD,
	        .arm = arm,
	        .block = TRIAL_BLOCK_UNKNOWN,
	};
	return unit;
}

void trial_unit_add_outcome(struct trial_unit *unit, const char *name, double value)
{
	*array_add(unit->outcomes, unit->outcome_count, unit->outcome_capacity) =
	        (struct trial_outcome){mem_copy(name, strlen(name)), value};
}

void trial_unit_note_time(struct trial_unit *unit, const struct snapshot_info *info)
{
	const uint64_t *numbers = info->window.numbers;

	unit->time = (struct trial_time){
	        .begin_unix_ns = numbers[WINDOW_begin_unix_ns],
	        .end_unix_ns = info->captured_at_unix_ns,
	        .windows = numbers[WINDOW_windows],
	        .gaps = numbers[WINDOW_gaps],
	        .gap_ns = numbers[WINDOW_gap_ns],
	};
	unit->time.has_span = window_find_span(info, &unit->time.span);
}

static int by_time(const void *a_ptr, const void *b_ptr)
{
	const struct trial_unit *a = a_ptr, *b = b_ptr;

	if (a->session != b->session)
		return a->session < b->session ? -1 : 1;
	/* Somebody may set the clock in the middle of an experiment. */
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	if (a->start_unix_ns != b->start_unix_ns)
		return a->start_unix_ns < b->start_unix_ns ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* @known has the blocks in their order. */
static struct trial_block *block_of(struct trial *trial, struct strmap *known,
                                    const struct trial_unit *unit)
{
	const struct {
		int64_t session, block;
	} key = {unit->session, unit->block};
	struct trial_block *block;
	uint32_t place;

	if (strmap_find(known, (const char *)&key, sizeof(key), &place))
		return &trial->blocks[place];
	strmap_add(known, (const char *)&key, sizeof(key));
	block = array_add(trial->blocks, trial->block_count, trial->block_capacity);
	*block = (struct trial_block){.session = unit->session};
	return block;
}

static bool has_all_arms(const struct trial *trial, const struct trial_block *block)
{
	for (unsigned arm = 0; arm < trial->arm_count; arm++) {
		bool found = false;

		for (size_t i = 0; i < block->count; i++)
			found = found || trial->units[block->units[i]].arm == arm;
		if (!found)
			return false;
	}
	return true;
}

static void unit_done(struct trial_unit *unit)
{
	for (size_t i = 0; i < unit->outcome_count; i++)
		free(unit->outcomes[i].name);
	free(unit->outcomes);
	free(unit->path);
}

/* Units that are in no block go, and the others get new places. */
static void keep_units_of_blocks(struct trial *trial)
{
	size_t *places = mem_calloc(trial->unit_count + 1, sizeof(places[0]));
	size_t kept = 0;

	for (size_t i = 0; i < trial->block_count; i++)
		for (size_t k = 0; k < trial->blocks[i].count; k++)
			places[trial->blocks[i].units[k]] = 1;
	for (size_t i = 0; i < trial->unit_count; i++) {
		bool is_kept = places[i] != 0;

		places[i] = kept;
		if (is_kept)
			trial->units[kept++] = trial->units[i];
		else
			unit_done(&trial->units[i]);
	}
	trial->unit_count = kept;
	for (size_t i = 0; i < trial->block_count; i++)
		for (size_t k = 0; k < trial->blocks[i].count; k++)
			trial->blocks[i].units[k] = places[trial->blocks[i].units[k]];
	free(places);
}

void trial_find_blocks(struct trial *trial)
{
	cleanup_(strmap_done) struct strmap known = STRMAP_INIT;
	size_t kept = 0;

	if (trial->unit_count > 0)
		qsort(trial->units, trial->unit_count, sizeof(trial->units[0]), by_time);
	for (size_t i = 0; i < trial->unit_count; i++) {
		struct trial_block *block = block_of(trial, &known, &trial->units[i]);

		*array_add(block->units, block->count, block->capacity) = i;
	}
	for (size_t i = 0; i < trial->block_count; i++) {
		if (has_all_arms(trial, &trial->blocks[i])) {
			trial->blocks[kept++] = trial->blocks[i];
			continue;
		}
		trial->partial++;
		free(trial->blocks[i].units);
	}
	trial->block_count = kept;
	keep_units_of_blocks(trial);
}

static void arm_done(struct trial_arm *arm)
{
	for (size_t i = 0; i < arm->line_count; i++)
		free(arm->lines[i]);
	free(arm->lines);
	free(arm->name);
}

void trial_done(struct trial *trial)
{
	for (size_t i = 0; i < trial->arm_count; i++)
		arm_done(&trial->arms[i]);
	for (size_t i = 0; i < trial->unit_count; i++)
		unit_done(&trial->units[i]);
	for (size_t i = 0; i < trial->session_count; i++) {
		free(trial->sessions[i].boot_id);
		free(trial->sessions[i].host);
	}
	for (size_t i = 0; i < trial->block_count; i++)
		free(trial->blocks[i].units);
	for (size_t i = 0; i < trial->dir_fd_count; i++)
		fd_closep(&trial->dir_fds[i]);
	free(trial->dir_fds);
	free(trial->units);
	free(trial->sessions);
	free(trial->blocks);
	trial_texts_done(&trial->primaries);
	trial_texts_done(&trial->controls);
	trial_texts_done(&trial->guards);
	trial_texts_done(&trial->void_reasons);
	free(trial->name);
	*trial = (struct trial){0};
}
