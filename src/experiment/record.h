/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* record - an experiment in a directory: experiment.json, and unit-NNNN.zst, a window file for each unit.
 *
 * experiment.json is replaced as a whole, behind each step. The units are in the order of time. Only a block all of whose units
 * are "done" counts: after a kill there may be a block with fewer. A block that was void is run again under the same number, with
 * the same order. ctprof-ab(1) has the keys. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "experiment/plan.h"
#include "experiment/schedule.h"

enum unit_state {
	UNIT_DONE,
	UNIT_VOID,      /* its block was given up; @reason says why */
	UNIT_DISCARDED, /* of the first block, which does not count */
	UNIT_STATE_COUNT,
};

struct unit_outcome {
	char *name;
	double value;
};

struct unit {
	char *file; /* in the directory; NULL where the unit has none, since it failed */
	unsigned arm, block, position;
	unsigned session; /* from 1 on */
	enum unit_state state;
	char *reason; /* UNIT_VOID; NULL otherwise */
	uint64_t start_unix_ns;
	uint64_t length_ns; /* of the window */
	bool has_exit_status;
	int exit_status; /* of the workload: as the shell has it, 128 + n for signal n */
	struct unit_outcome outcomes[PLAN_OUTCOMES_MAX + 2];
	size_t outcome_count;
};

/* One boot of one host. */
struct session {
	char *boot_id, *host;
	uint64_t start_unix_ns;
};

enum experiment_state {
	EXPERIMENT_RUNNING,
	EXPERIMENT_INTERRUPTED,
	EXPERIMENT_FAILED,
	EXPERIMENT_COMPLETE,
	EXPERIMENT_STATE_COUNT,
};

/* The value of a file before the experiment began. */
struct setting_before {
	char *path, *value;
};

struct experiment {
	char *directory; /* its path, for people */
	int dir_fd; /* O_PATH: the directory itself, which keeps its files wherever it is moved; -1: none yet */
	char *name; /* of the directory, in that of parent_fd, if this process made it; else NULL; owned */
	int parent_fd; /* O_PATH; means something if there is a name */
	struct plan plan;
	struct schedule schedule;
	enum experiment_state state;
	bool is_enough;     /* by plan.until: no further block is needed */
	struct unit *units; /* owned, as what follows */
	size_t unit_count, unit_capacity;
	struct session *sessions;
	size_t session_count, session_capacity;
	struct setting_before *before;
	size_t before_count, before_capacity;
};

/* Takes over the plan, whose seed is set, and sets the schedule. */
void experiment_init(struct experiment *experiment, const char *directory, struct plan *plan);
/* For cleanup_(experiment_done). */
void experiment_done(struct experiment *experiment);

/* Makes the directory and opens it, or takes an empty one in which no other user may write. Returns 0 or -errno with a
 * sentence. */
must_check_ int experiment_make_directory(struct experiment *experiment, struct strbuf *reterr);

/* Removes the directory of an experiment that did not begin, if experiment_make_directory() made it; one that has a file stays. */
void experiment_drop_directory(const struct experiment *experiment);

/* Returns 0 or -errno with a sentence. */
must_check_ int experiment_write(const struct experiment *experiment, struct strbuf *reterr);

/* Reads what experiment_write() wrote, and keeps the directory open. @experiment is zeroed. Returns 0, or -errno with a sentence: -EBADMSG for another file, -EPERM if
 * another user may have written it: a plan has commands. */
must_check_ int experiment_read(struct experiment *experiment, const char *directory,
                                const char *cgroup_root, struct strbuf *reterr);

/* Returns whether the units of a block that are done make the whole of it. */
bool experiment_has_block(const struct experiment *experiment, unsigned block);
/* Returns how many blocks are whole. */
unsigned experiment_blocks_done(const struct experiment *experiment);
/* Returns how often a block was given up. */
unsigned experiment_voids(const struct experiment *experiment, unsigned block);
/* Returns the block to be run next, 0 if none: one that was not tried before one that was given up. */
unsigned experiment_next_block(const struct experiment *experiment);
/* Marks the units of a block that are done as void. */
void experiment_void_block(struct experiment *experiment, unsigned block, const char *reason);

void unit_add_outcome(struct unit *unit, const char *name, double value);
