/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* arm-plan - the windows of an experiment over hosts: which ones are of arm a and of arm b, by the labels that `ctprof ab` and
 * `capture --label` give them, and what hosts are compared with. */
#include "ctprof/base/strbuf.h"
#include "database/database.h"

struct arm_question {
	struct database_filter filter; /* has a group_key */
	uint64_t from_unix_ns,
	        to_unix_ns;     /* windows that end within these; 0 and UINT64_MAX: no bound */
	const char *experiment; /* NULL: the only one that there is */
	const char *arms[2];    /* NULL: the only two, in the order of their names */
	double least_effect,
	        margin; /* shares: the least that moved, and the most that is the same */
	double least_z; /* of hosts that differ from the others, in robust standard deviations */
};

enum arm_design {
	ARM_DESIGN_PAIRED,  /* each host has both arms, and an effect of its own */
	ARM_DESIGN_BETWEEN, /* each host has one arm */
	ARM_DESIGN_COUNT
};
extern const char *const arm_design_names[ARM_DESIGN_COUNT];

/* The least number of hosts, or of hosts of each arm. */
enum { ARM_HOSTS_LEAST = 3 };

/* The windows of one host, by arm. */
struct arm_host {
	bool takes_part;
	uint32_t files[2];
	double seconds[2];
	uint64_t position[2]; /* sum of the places of its windows in the order of time */
	bool same_boot;       /* some boot has both arms */
};

struct arm_plan {
	enum arm_design design;
	char *experiment; /* empty: no label names one; owned */
	char *names[2];   /* of the arms; owned */
	/* Uses of files, by id: USE_FIRST, of arm a, or USE_LAST, of arm b, if its host takes part. Owned. */
	unsigned char *uses;
	struct arm_host *hosts; /* by host; owned */
	size_t host_count;      /* of the list */
	size_t both, only[2];   /* hosts that have both arms, or one of them */
	size_t files[2];        /* of hosts that take part */
	size_t incomplete;      /* windows left out, of blocks that lack an arm */
	size_t first[2]; /* ARM_DESIGN_PAIRED: hosts on which this arm came first, on average */
	size_t boots;    /* ARM_DESIGN_PAIRED: hosts on which no boot has both arms */
	struct strbuf failure; /* a sentence if the order leaves everything undecided; else empty */
};

/* Reads the labels of all windows. Returns 0, -EIO, or -ENODATA with a sentence in @reterr if there are no two arms to compare.
 * arm_plan_done() @ret in any case. */
must_check_ int arm_plan_find(struct database *database, const struct arm_question *question,
                              const struct database_list *list, struct arm_plan *ret,
                              struct strbuf *reterr);
void arm_plan_done(struct arm_plan *plan);
