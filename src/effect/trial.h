/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* trial - the order of an experiment: its arms, and its units by block. It comes from the experiment.json that ctprof ab
 * writes, or from windows that were taken elsewhere. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/snapshot/labels.h"
#include "ctprof/snapshot/snapshot.h"

enum {
	TRIAL_ARMS_MAX = 8,
	TRIAL_UNITS_MAX = 1 << 16, /* of all directories */
	TRIAL_FILES_MAX = 1 << 14, /* windows that were taken elsewhere */
	TRIAL_OUTCOMES_MAX = 64,
	TRIAL_BLOCK_UNKNOWN = -1,
};

struct trial_outcome {
	char *name;
	double value;
};

/* When a window was. An unknown number is 0. */
struct trial_time {
	bool has_span;
	struct window_span span; /* by the clock of the boot */
	uint64_t begin_unix_ns, end_unix_ns;
	uint64_t windows, gaps, gap_ns; /* of a sum of windows */
	uint64_t device, inode;         /* of the file; 0: it is none */
};

/* One window of an arm. Texts are owned. */
struct trial_unit {
	char *path;
	int dir_fd; /* borrowed: where its last part is looked up; AT_FDCWD: all of it where we are */
	unsigned arm;
	int block;        /* number in its session, from 0 on; TRIAL_BLOCK_UNKNOWN */
	unsigned session; /* place in the sessions */
	size_t number;    /* in the order of time, by experiment.json; 0: by start_unix_ns */
	uint64_t start_unix_ns;
	uint64_t length_ns; /* 0: not known */
	unsigned
	        boot; /* place in the sessions, also where boots are joined to one; by trial_of_files() */
	struct trial_time time; /* by trial_unit_note_time() */
	struct trial_outcome *outcomes;
	size_t outcome_count, outcome_capacity;
};

struct trial_arm {
	char *name;
	char **lines; /* that set it */
	size_t line_count, line_capacity;
};

/* One boot of one host. */
struct trial_session {
	char *boot_id, *host; /* NULL: not known */
	unsigned first;       /* the place of the first one of this boot; by trial_read() */
};

/* The units of one block of one session, in the order of time. */
struct trial_block {
	unsigned session;
	size_t *units; /* owned */
	size_t count, capacity;
};

struct trial_texts {
	char **entries; /* owned, as are they */
	size_t count, capacity;
};

/* The reason for the order of the units. */
enum trial_order {
	TRIAL_ORDER_TOSSED,     /* the coins of ctprof ab */
	TRIAL_ORDER_SEQUENTIAL, /* one arm behind the other, by the plan */
	TRIAL_ORDER_FOUND,      /* windows that were taken elsewhere: the reason is not known */
};

struct trial {
	char *name;
	enum trial_order order;
	struct trial_arm arms[TRIAL_ARMS_MAX];
	size_t arm_count;
	struct trial_unit *units; /* that count */
	size_t unit_count, unit_capacity;
	struct trial_session *sessions;
	size_t session_count, session_capacity;
	int *dir_fds; /* owned; of directories that units are in, or -1 */
	size_t dir_fd_count, dir_fd_capacity;
	struct trial_block *blocks; /* that have units of all arms; by trial_find_blocks() */
	size_t block_count, block_capacity;
	struct trial_texts primaries, controls, guards;
	struct trial_texts void_reasons; /* of each block that was given up */
	double margin, min_effect;       /* shares */
	uint64_t seed, settle_ns;
	size_t planned_blocks;             /* 0: not known */
	size_t voided, discarded, partial; /* blocks */
	bool is_unfinished;                /* it was interrupted, or it runs */
	bool boots_differ; /* a boot has windows of some arms only: boots are part of the difference */
	bool blocks_unknown; /* the windows name no blocks */
};

/* Defaults. */
#define TRIAL_MARGIN .02
#define TRIAL_MIN_EFFECT .01

void trial_texts_add(struct trial_texts *texts, const char *text);
void trial_texts_done(struct trial_texts *texts);

/* Finds an arm, or adds it. Returns its place; TRIAL_ARMS_MAX if there are too many. */
unsigned trial_arm_of(struct trial *trial, const char *name);

/* Adds a unit; @path is copied. */
struct trial_unit *trial_add_unit(struct trial *trial, const char *path, unsigned arm);
/* Notes when the window was that was read for the unit. */
void trial_unit_note_time(struct trial_unit *unit, const struct snapshot_info *info);
void trial_unit_add_outcome(struct trial_unit *unit, const char *name, double value);

/* Puts the units in the order of time, and fills the blocks. Units of blocks that lack an arm are
 * removed. */
void trial_find_blocks(struct trial *trial);

/* Reads the text of DIR/experiment.json, and adds its units and sessions; @dir is the directory in their paths. Another
 * experiment may have been read before: then both must have the same arms, and no unit in common; what ran in one boot is one
 * session. Returns 0, or -EBADMSG with a sentence. */
must_check_ int trial_read(struct trial *trial, const char *dir, const struct strbuf *json,
                           struct strbuf *reterr);

/* The head of a window that was taken elsewhere, and the arm that the caller gives it. */
struct trial_file {
	const char *path;
	unsigned arm;
	struct labels labels;
	char *boot_id, *host; /* NULL: not known; owned */
	uint64_t start_unix_ns;
	bool is_range; /* of a recording: the path is no name that somebody gave it */
};

/* The way to find the windows that belong together. */
enum trial_blocks_by { TRIAL_BLOCKS_AUTO, TRIAL_BLOCKS_LABEL, TRIAL_BLOCKS_NAME };

/* Makes the units of windows that were taken elsewhere. AUTO is the label "block", or, if not all windows have it, the
 * part of the file name that differs within its arm; the nth ranges of the arms are a block if all are ranges, and each arm has as
 * many. Returns 0, or -EINVAL with a sentence if a label was asked for and a
 * window does not have it. */
must_check_ int trial_of_files(struct trial *trial, const struct trial_file *files, size_t count,
                               enum trial_blocks_by by, const char *label, struct strbuf *reterr);

/* Frees everything. For cleanup_(trial_done). */
void trial_done(struct trial *trial);
