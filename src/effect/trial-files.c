// SPDX-License-Identifier: GPL-2.0-or-later
/* The blocks of windows that were taken elsewhere. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "base/text.h"
#include "effect/trial.h"

/* The part of a path that differs within its arm. */
struct part {
	const char *text;
	size_t len;
};

/* Stores the number of bytes that the names of an arm have in common, at their begin and at their end. */
static void find_common(const struct trial_file *files, size_t count, unsigned arm,
                        size_t *ret_prefix, size_t *ret_suffix)
{
	const char *first = NULL;
	size_t prefix = 0, suffix = 0;

	for (size_t i = 0; i < count; i++) {
		const char *path = files[i].path;
		size_t len = strlen(path), begin = 0, end = 0;

		if (files[i].arm != arm)
			continue;
		if (!first) {
			first = path;
			prefix = suffix = len;
			continue;
		}
		while (begin < prefix && begin < len && path[begin] == first[begin])
			begin++;
		prefix = begin;
		while (end < suffix && end < len &&
		       path[len - 1 - end] == first[strlen(first) - 1 - end])
			end++;
		suffix = end;
	}
	/* Digits in front of the difference belong to it: of a-10 and a-11 it is 10 and 11. */
	while (first && prefix > 0 && first[prefix - 1] >= '0' && first[prefix - 1] <= '9')
		prefix--;
	*ret_prefix = prefix;
	*ret_suffix = suffix;
}

/* The same at the end: of 01-a and 11-a it is 01 and 11. */
static struct part part_of(const char *path, size_t prefix, size_t suffix)
{
	size_t len = strlen(path);

	while (suffix > 0 && path[len - suffix] >= '0' && path[len - suffix] <= '9')
		suffix--;
	if (prefix + suffix > len)
		return (struct part){path + len, 0};
	return (struct part){path + prefix, len - prefix - suffix};
}

/* Gives each different text a number. */
static int number_of(struct strmap *map, const char *text, size_t len)
{
	uint32_t place;

	if (!strmap_find(map, text, len, &place)) {
		strmap_add(map, text, len);
		place = (uint32_t)map->count - 1;
	}
	return (int)place;
}

static void block_by_name(struct trial *trial, const struct trial_file *files, size_t count)
{
	cleanup_(strmap_done) struct strmap names = STRMAP_INIT;

	for (unsigned arm = 0; arm < trial->arm_count; arm++) {
		size_t prefix, suffix;

		find_common(files, count, arm, &prefix, &suffix);
		for (size_t i = 0; i < count; i++) {
			struct part part = part_of(files[i].path, prefix, suffix);

			if (files[i].arm == arm)
				trial->units[i].block = number_of(&names, part.text, part.len);
		}
	}
}

static int block_by_label(struct trial *trial, const struct trial_file *files, size_t count,
                          const char *label, struct strbuf *reterr)
{
	cleanup_(strmap_done) struct strmap values = STRMAP_INIT;

	for (size_t i = 0; i < count; i++) {
		const char *value = labels_find(&files[i].labels, label);

		if (!value) {
			text_add_escaped(reterr, files[i].path, strlen(files[i].path));
			strbuf_addf(reterr, " has no label '%s'", label);
			return -EINVAL;
		}
		trial->units[i].block = number_of(&values, value, strlen(value));
	}
	return 0;
}

static bool all_have(const struct trial_file *files, size_t count, const char *label)
{
	for (size_t i = 0; i < count; i++)
		if (!labels_find(&files[i].labels, label))
			return false;
	return true;
}

/* Returns whether each block name is that of one window in each arm, so that the names are blocks. */
static bool names_agree(const struct trial *trial)
{
	for (size_t i = 0; i < trial->unit_count; i++) {
		unsigned seen[TRIAL_ARMS_MAX] = {0};

		for (size_t k = 0; k < trial->unit_count; k++)
			if (trial->units[k].block == trial->units[i].block)
				seen[trial->units[k].arm]++;
		for (size_t arm = 0; arm < trial->arm_count; arm++)
			if (seen[arm] != 1)
				return false;
	}
	return true;
}

/* Makes a block of the first range of each arm, one of the second, and so on. Returns false if not all are ranges, or an arm has
 * more of them than another. */
static bool block_by_order(struct trial *trial, const struct trial_file *files, size_t count)
{
	int ranges[TRIAL_ARMS_MAX] = {0};

	for (size_t i = 0; i < count; i++) {
		if (!files[i].is_range)
			return false;
		ranges[files[i].arm]++;
	}
	for (size_t arm = 1; arm < trial->arm_count; arm++)
		if (ranges[arm] != ranges[0])
			return false;
	memset(ranges, 0, sizeof(ranges));
	for (size_t i = 0; i < count; i++)
		trial->units[i].block = ranges[files[i].arm]++;
	return true;
}

static unsigned session_of(struct trial *trial, const struct trial_file *file)
{
	struct trial_session *session;

	for (unsigned i = 0; i < trial->session_count; i++) {
		const char *boot_id = trial->sessions[i].boot_id;

		if ((!boot_id && !file->boot_id) ||
		    (boot_id && file->boot_id && strcmp(boot_id, file->boot_id) == 0))
			return i;
	}
	session = array_add(trial->sessions, trial->session_count, trial->session_capacity);
	*session = (struct trial_session){
	        .boot_id = file->boot_id ? mem_copy(file->boot_id, strlen(file->boot_id)) : NULL,
	        .host = file->host ? mem_copy(file->host, strlen(file->host)) : NULL,
	};
	return (unsigned)trial->session_count - 1;
}

/* If a boot has windows of some arms only, boots are no sessions but parts of the arms. */
static void join_boots(struct trial *trial)
{
	for (unsigned session = 0; session < trial->session_count; session++)
		for (unsigned arm = 0; arm < trial->arm_count; arm++) {
			bool found = false;

			for (size_t i = 0; i < trial->unit_count; i++)
				found = found || (trial->units[i].session == session &&
				                  trial->units[i].arm == arm);
			trial->boots_differ = trial->boots_differ || !found;
		}
	for (size_t i = 0; trial->boots_differ && i < trial->unit_count; i++)
		trial->units[i].session = 0;
}

int trial_of_files(struct trial *trial, const struct trial_file *files, size_t count,
                   enum trial_blocks_by by, const char *label, struct strbuf *reterr)
{
	static const char usual[] = "block";

	trial->order = TRIAL_ORDER_FOUND;
	for (size_t i = 0; i < count; i++) {
		struct trial_unit *unit = trial_add_unit(trial, files[i].path, files[i].arm);

		unit->start_unix_ns = files[i].start_unix_ns;
		unit->boot = unit->session = session_of(trial, &files[i]);
	}
	join_boots(trial);
	if (by == TRIAL_BLOCKS_LABEL || (by == TRIAL_BLOCKS_AUTO && all_have(files, count, usual)))
		return block_by_label(trial, files, count, label ? label : usual, reterr);
	if (by == TRIAL_BLOCKS_AUTO && block_by_order(trial, files, count))
		return 0;
	block_by_name(trial, files, count);
	if (by == TRIAL_BLOCKS_AUTO && !names_agree(trial)) {
		trial->blocks_unknown = true;
		for (size_t i = 0; i < count; i++)
			trial->units[i].block = TRIAL_BLOCK_UNKNOWN;
	}
	return 0;
}
