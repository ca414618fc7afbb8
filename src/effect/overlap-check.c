// SPDX-License-Identifier: GPL-2.0-or-later
#include "overlap-check.h"

#include <string.h>

#include "base/text.h"

static bool is_compared(const struct comparison *comparison, size_t unit)
{
	unsigned arm = comparison->plan.trial->units[unit].arm;

	return arm == comparison->plan.a || arm == comparison->plan.b;
}

static bool is_one_host(const struct trial *trial, const struct trial_unit *a,
                        const struct trial_unit *b)
{
	const char *host_a = trial->sessions[a->boot].host;
	const char *host_b = trial->sessions[b->boot].host;

	return host_a && host_b && strcmp(host_a, host_b) == 0;
}

static bool is_same_file(const struct trial_time *a, const struct trial_time *b)
{
	return a->inode > 0 && a->inode == b->inode && a->device == b->device;
}

/* Nobody sets the clock of a boot. A sum over several boots has only that of the day. */
static bool overlap(const struct trial *trial, const struct trial_unit *a,
                    const struct trial_unit *b)
{
	const struct trial_time *time_a = &a->time, *time_b = &b->time;

	if (time_a->has_span && time_b->has_span && a->boot == b->boot &&
	    trial->sessions[a->boot].boot_id)
		return window_spans_overlap_ns(&time_a->span, &time_b->span) > 0;
	if (strcmp(a->path, b->path) == 0 || is_same_file(time_a, time_b))
		return true;
	return (!time_a->has_span || !time_b->has_span) && time_a->begin_unix_ns > 0 &&
	       time_b->begin_unix_ns > 0 && time_a->begin_unix_ns < time_b->end_unix_ns &&
	       time_b->begin_unix_ns < time_a->end_unix_ns && is_one_host(trial, a, b);
}

static void fail(struct comparison *comparison, const struct trial_unit *a,
                 const struct trial_unit *b)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	/* A sum does not say where its gaps are. */
	strbuf_addf(&text, "windows overlap%s, so that what was done then counts more than once: ",
	            a->time.gaps > 0 || b->time.gaps > 0 ? ", or one lies in a gap of the other"
	                                                 : "");
	text_add_escaped(&text, a->path, strlen(a->path));
	strbuf_add_str(&text, " and ");
	text_add_escaped(&text, b->path, strlen(b->path));
	trial_texts_add(&comparison->failures, strbuf_str(&text));
}

bool overlap_check(struct comparison *comparison)
{
	const struct trial *trial = comparison->plan.trial;

	/* ctprof ab takes one window after the other. */
	if (trial->order != TRIAL_ORDER_FOUND)
		return false;
	for (size_t i = 0; i < trial->unit_count; i++)
		for (size_t k = 0; is_compared(comparison, i) && k < i; k++) {
			if (!is_compared(comparison, k) ||
			    !overlap(trial, &trial->units[k], &trial->units[i]))
				continue;
			fail(comparison, &trial->units[k], &trial->units[i]);
			return true;
		}
	return false;
}
