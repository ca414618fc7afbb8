/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* knob - the settings of an arm of an experiment, in the order in which they are applied. */
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

enum knob_kind {
	KNOB_SYSCTL, /* a file below /proc/sys */
	KNOB_WRITE,  /* any other file that has a value: of sysfs, debugfs, a cgroup */
	KNOB_EXEC,   /* a command that changes something, and one that changes it back */
	KNOB_DAEMON, /* a command that runs as long as its arm holds */
	KNOB_ENV,    /* a variable in the environment of the work; changes.h does nothing with it */
};

struct knob {
	enum knob_kind kind;
	char *name;  /* as the user has it: of a sysctl, or of the variable; NULL otherwise */
	char *path;  /* of SYSCTL and WRITE, absolute; NULL otherwise */
	char *value; /* the value, or the command line for /bin/sh -c */
	char *undo;  /* of EXEC: the command line that undoes it */
};

struct knob_list {
	struct knob *entries; /* owned, with their texts */
	size_t count, capacity;
};

/* Adds a knob to an arm. @name is the sysctl, the path or the variable, and NULL for commands. Names of sysctls are those of
 * sysctl(8): "net.ipv4.conf.eth0/100.rp_filter" is net/ipv4/conf/eth0.100/rp_filter, and where the first separator is a slash, dots are
 * themselves. Texts are copied. Returns 0, or -EINVAL with a phrase in @reterr. Opens
 * nothing. */
must_check_ int knob_add(struct knob_list *arm, enum knob_kind kind, const char *name,
                         const char *value, const char *undo, struct strbuf *reterr);

/* Appends the line of a plan that @knob is: "sysctl kernel.sched_rt_runtime_us = -1". Safe to print. */
void knob_describe(struct strbuf *out, const struct knob *knob);

/* For cleanup_(knob_list_done). */
void knob_list_done(struct knob_list *arm);
