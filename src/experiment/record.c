// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record-directory.h"

void experiment_init(struct experiment *experiment, const char *directory, struct plan *plan)
{
	_Static_assert((int)PLAN_ARMS_MAX == (int)SCHEDULE_ARMS_MAX, "arms without a schedule");

	*experiment = (struct experiment){
	        .directory = mem_copy_text(directory),
	        .dir_fd = -1,
	        .plan = *plan,
	        .state = EXPERIMENT_RUNNING,
	        .schedule = {.order = plan->order == PLAN_ORDER_ABBA ? SCHEDULE_BLOCKS
	                                                             : SCHEDULE_SEQUENTIAL,
	                     .arm_count = (unsigned)plan->arm_count,
	                     .blocks = plan->blocks,
	                     .seed = plan->seed},
	};
	*plan = (struct plan){0};
}

static void unit_done(struct unit *unit)
{
	free(unit->file);
	free(unit->reason);
	for (size_t i = 0; i < unit->outcome_count; i++)
		free(unit->outcomes[i].name);
}

void experiment_done(struct experiment *experiment)
{
	/* A zeroed one has none. */
	if (experiment->directory)
		experiment_leave_directory(experiment);
	free(experiment->directory);
	experiment_plan_done(&experiment->plan);
	for (size_t i = 0; i < experiment->unit_count; i++)
		unit_done(&experiment->units[i]);
	free(experiment->units);
	for (size_t i = 0; i < experiment->session_count; i++) {
		free(experiment->sessions[i].boot_id);
		free(experiment->sessions[i].host);
	}
	free(experiment->sessions);
	for (size_t i = 0; i < experiment->before_count; i++) {
		free(experiment->before[i].path);
		free(experiment->before[i].value);
	}
	free(experiment->before);
	*experiment = (struct experiment){0};
}

static unsigned count_units(const struct experiment *experiment, unsigned block,
                            enum unit_state state)
{
	unsigned count = 0;

	for (size_t i = 0; i < experiment->unit_count; i++)
		count += experiment->units[i].block == block && experiment->units[i].state == state;
	return count;
}

bool experiment_has_block(const struct experiment *experiment, unsigned block)
{
	return count_units(experiment, block, UNIT_DONE) ==
	       schedule_block_length(&experiment->schedule);
}

unsigned experiment_blocks_done(const struct experiment *experiment)
{
	unsigned count = 0;

	for (unsigned block = 1; block <= experiment->plan.blocks; block++)
		count += experiment_has_block(experiment, block);
	return count;
}

/* Counts units at position 1: each try of a block has one. */
unsigned experiment_voids(const struct experiment *experiment, unsigned block)
{
	unsigned count = 0;

	for (size_t i = 0; i < experiment->unit_count; i++)
		count += experiment->units[i].block == block &&
		         experiment->units[i].state == UNIT_VOID &&
		         experiment->units[i].position == 1;
	return count;
}

unsigned experiment_next_block(const struct experiment *experiment)
{
	unsigned best = 0, fewest = 0;

	for (unsigned block = 1; block <= experiment->plan.blocks && !experiment->is_enough;
	     block++) {
		unsigned voids = experiment_voids(experiment, block);

		if (experiment_has_block(experiment, block) || (best > 0 && voids >= fewest))
			continue;
		best = block;
		fewest = voids;
	}
	return best;
}

void experiment_void_block(struct experiment *experiment, unsigned block, const char *reason)
{
	for (size_t i = 0; i < experiment->unit_count; i++) {
		struct unit *unit = &experiment->units[i];

		if (unit->block != block || unit->state != UNIT_DONE)
			continue;
		unit->state = UNIT_VOID;
		unit->reason = mem_copy_text(reason);
	}
}

void unit_add_outcome(struct unit *unit, const char *name, double value)
{
	if (unit->outcome_count < ARRAY_SIZE(unit->outcomes))
		unit->outcomes[unit->outcome_count++] =
		        (struct unit_outcome){mem_copy_text(name), value};
}
