// SPDX-License-Identifier: GPL-2.0-or-later
#include "changes-plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "knob/knob-file.h"

/* Files of which the kernel changes one when the other is written: only one of the two is in force. */
static const char *const pairs[][2] = {
        {"/proc/sys/vm/dirty_bytes", "/proc/sys/vm/dirty_ratio"},
        {"/proc/sys/vm/dirty_background_bytes", "/proc/sys/vm/dirty_background_ratio"},
        {"/proc/sys/vm/overcommit_kbytes", "/proc/sys/vm/overcommit_ratio"},
};

static int complain(struct strbuf *reterr, const struct knob *knob, int error, const char *what)
{
	knob_describe(reterr, knob);
	strbuf_addf(reterr, ": %s", what);
	return error;
}

static int complain_of_file(struct strbuf *reterr, const struct knob *knob, int r,
                            const struct strbuf *phrase)
{
	switch (r) {
	case -EMEDIUMTYPE:
		return complain(reterr, knob, r, "this is no regular file");
	case -EPERM:
		return complain(reterr, knob, r,
		                phrase->len > 0 ? strbuf_str(phrase) : strerror(-r));
	case -EFBIG:
		return complain(reterr, knob, r, "the file is too long for a value");
	case -EACCES:
	case -EINVAL:
	case -EIO:
		knob_describe(reterr, knob);
		strbuf_addf(reterr,
		            ": the old value cannot be read (%s), so it could not be restored; "
		            "'exec COMMAND undo COMMAND' needs none",
		            strerror(-r));
		return r;
	default:
		return complain(reterr, knob, r, strerror(-r));
	}
}

static size_t add_entry(struct plan *plan, enum journal_kind kind)
{
	size_t index = plan->journal.count;

	(void)journal_add(&plan->journal, kind);
	array_reserve(plan->partners, plan->partner_capacity, index + 1);
	plan->partners[index] = NO_ENTRY;
	return index;
}

static bool is_same_file(const struct journal_entry *entry, const char *place, enum value_form form,
                         const struct strbuf *old)
{
	if (entry->kind != JOURNAL_FILE || strcmp(entry->place, place) != 0)
		return false;
	/* The flags of one file are settings by themselves. */
	return form != VALUE_FLAG || entry->form != VALUE_FLAG ||
	       strcmp(entry->old, strbuf_str(old)) == 0;
}

/* Finds the entry of a file, and makes it where there is none. */
static int find_or_add_file(struct plan *plan, const char *path, const char *value, size_t *ret,
                            struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf place = STRBUF_INIT, text = STRBUF_INIT,
	                                    old = STRBUF_INIT;
	struct journal_entry *entry;
	enum knob_store store;
	enum value_form form;
	int r = knob_file_find(path, &place, &store, reterr);

	if (r == 0)
		r = knob_file_read(place.data, &text);
	if (r < 0)
		return r;
	form = value_form_of(strbuf_str(&text), text.len, value);
	value_add_old(form, strbuf_str(&text), text.len, value, &old);
	for (size_t i = 0; i < plan->journal.count; i++)
		if (is_same_file(&plan->journal.entries[i], place.data, form, &old)) {
			*ret = i;
			return 0;
		}
	*ret = add_entry(plan, JOURNAL_FILE);
	entry = &plan->journal.entries[*ret];
	entry->form = form;
	entry->store = store;
	entry->any = true;
	entry->place = mem_copy(place.data, place.len);
	entry->old = mem_copy(strbuf_str(&old), old.len);
	entry->old_len = old.len;
	return 0;
}

/* The kernel has no partner if it cannot be read. */
static void add_partner(struct plan *plan, size_t index)
{
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	const char *place = plan->journal.entries[index].place;

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		for (size_t side = 0; side < 2; side++) {
			size_t partner;

			if (strcmp(place, pairs[i][side]) != 0 ||
			    find_or_add_file(plan, pairs[i][!side], "", &partner, &phrase) < 0)
				continue;
			plan->partners[index] = partner;
			plan->partners[partner] = index;
			return;
		}
}

static size_t add_command(struct plan *plan, const struct knob *knob)
{
	enum journal_kind kind = knob->kind == KNOB_EXEC ? JOURNAL_EXEC : JOURNAL_DAEMON;
	struct journal_entry *entry;
	size_t index;

	for (size_t i = 0; i < plan->journal.count; i++) {
		entry = &plan->journal.entries[i];
		if (entry->kind == kind && strcmp(entry->command, knob->value) == 0 &&
		    (kind == JOURNAL_DAEMON || strcmp(entry->undo, knob->undo) == 0))
			return i;
	}
	index = add_entry(plan, kind);
	entry = &plan->journal.entries[index];
	entry->command = mem_copy_text(knob->value);
	entry->undo = mem_copy_text(knob->undo);
	return index;
}

static int add_knob(struct plan *plan, const struct knob *knob, size_t *ret, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	int r;

	*ret = NO_ENTRY;
	if (knob->kind == KNOB_ENV)
		return 0;
	if (knob->kind == KNOB_EXEC || knob->kind == KNOB_DAEMON) {
		*ret = add_command(plan, knob);
		return 0;
	}
	r = find_or_add_file(plan, knob->path, knob->value, ret, &phrase);
	if (r < 0)
		return complain_of_file(reterr, knob, r, &phrase);
	journal_add_value(&plan->journal.entries[*ret], knob->value);
	if (plan->partners[*ret] == NO_ENTRY)
		add_partner(plan, *ret);
	plan->journal.entries[*ret].any = plan->partners[*ret] != NO_ENTRY;
	return 0;
}

static int add_arm(struct plan *plan, const struct knob_list *arm, size_t *targets,
                   struct strbuf *reterr)
{
	for (size_t i = 0; i < arm->count; i++) {
		int r = add_knob(plan, &arm->entries[i], &targets[i], reterr);

		if (r < 0)
			return r;
		for (size_t before = 0; before < i; before++)
			if (targets[i] != NO_ENTRY && targets[before] == targets[i])
				return complain(reterr, &arm->entries[i], -EINVAL,
				                "this arm has it twice");
	}
	return 0;
}

int plan_make(struct plan *plan, const struct knob_list *arms, size_t arm_count,
              struct strbuf *reterr)
{
	int r = 0;

	*plan = (struct plan){.journal = JOURNAL_INIT, .arm_count = arm_count};
	plan->targets = mem_calloc(arm_count + 1, sizeof(plan->targets[0]));
	for (size_t i = 0; i < arm_count && r == 0; i++) {
		plan->targets[i] = mem_calloc(arms[i].count + 1, sizeof(plan->targets[i][0]));
		r = add_arm(plan, &arms[i], plan->targets[i], reterr);
	}
	return r;
}

void plan_done(struct plan *plan)
{
	for (size_t i = 0; i < plan->arm_count && plan->targets; i++)
		free(plan->targets[i]);
	free(plan->targets);
	free(plan->partners);
	journal_done(&plan->journal);
	*plan = (struct plan){.journal = JOURNAL_INIT};
}
