/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* trigger - what makes a recording dense: pressure of the host or of a cgroup, or the load average. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/psi.h"
#include "trigger/trigger-past.h"

enum trigger_kind { TRIGGER_PSI, TRIGGER_LOAD };

struct trigger {
	char *text; /* as it was given, fit for a label; owned */
	enum trigger_kind kind;
	/* TRIGGER_PSI: threads stood still for @stall_usec in @window_usec. */
	char *cgroup; /* path in the hierarchy of version 2; NULL: the host; owned */
	enum psi_resource resource;
	enum psi_row row;
	uint64_t stall_usec, window_usec;
	struct trigger_past past;
	double load; /* TRIGGER_LOAD: the average of the last minute is above it */
	int fd;      /* of the pressure file or of /proc/loadavg; -1: not open, or gone */
};

/* Parses "psi cpu some 150ms/1s", "psi cgroup:/a.slice memory full 100ms/2s" or "load > 4". Returns 0, or -EINVAL with a sentence.
 * @ret is to be freed in any case. */
must_check_ int trigger_parse(const char *text, struct trigger *ret, struct strbuf *reterr);

/* Registers the trigger with the kernel (/proc/pressure since Linux 5.2, cgroups of version 2), or opens /proc/loadavg. Returns 0, or
 * -errno with a sentence that says what to do. */
must_check_ int trigger_open(struct trigger *trigger, struct strbuf *reterr);

/* The result of a look at a trigger. */
enum trigger_state {
	TRIGGER_QUIET,
	TRIGGER_FIRED,
	TRIGGER_GONE, /* its cgroup was removed: the trigger is closed */
};

/* Reads the total of the pressure, of one that has it, for later judgements. @now_ns: CLOCK_MONOTONIC. */
void trigger_note_pressure(struct trigger *trigger, uint64_t now_ns);

/* Judges the events of poll(2), of one that has pressure: POLLPRI, or POLLERR. The kernel wakes those who have a new trigger whatever
 * the pressure is, so the trigger is quiet if the totals that were read say that the pressure cannot have been met. */
enum trigger_state trigger_judge_events(struct trigger *trigger, short events, uint64_t now_ns);

/* Reads the load average, of one that has it. */
enum trigger_state trigger_judge_load(const struct trigger *trigger);

/* The answer of the kernel that refused a trigger. */
struct trigger_refusal {
	int error;         /* -errno */
	bool written;      /* it was the write(2) */
	bool has_pressure; /* the file about CPUs is there */
	bool has_file;     /* the file of the trigger is there, and is of: */
	uid_t owner;
	mode_t mode;
};

/* Appends why the kernel refused the trigger, and what to do. Pure. */
void trigger_add_reason(const struct trigger *trigger, const struct trigger_refusal *refusal,
                        struct strbuf *out);

/* For cleanup_(trigger_done). */
void trigger_done(struct trigger *trigger);
