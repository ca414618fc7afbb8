// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "ctprof/metric/probe.h"

/* clang-format off */
const struct probe_tag_desc probe_tag_table[PROBE_TAG_COUNT] = {
#define PROBE_TAG(id_, name_, kind_, outcome_, text_, hint_)                                       \
	[PROBE_TAG_##id_] = {name_, PROBE_##kind_, OUTCOME_##outcome_, text_, hint_},
#include "probe-tags.def"
#undef PROBE_TAG
};
/* clang-format on */

_Static_assert(PROBE_TAG_ok == 0, "what is zeroed has not failed");

bool probe_tag_find(const char *name, size_t len, enum probe_tag *ret_tag)
{
	for (unsigned i = 0; i < PROBE_TAG_COUNT; i++)
		if (strlen(probe_tag_table[i].name) == len &&
		    memcmp(probe_tag_table[i].name, name, len) == 0) {
			*ret_tag = (enum probe_tag)i;
			return true;
		}
	return false;
}

bool probe_tag_is_failure(enum probe_tag tag)
{
	return probe_tag_table[tag].kind == PROBE_DENIED ||
	       probe_tag_table[tag].kind == PROBE_FAILED;
}

void probe_summary_add_process(struct probe_summary *summary, enum probe_tag tag, bool has_jemalloc)
{
	summary->seen = true;
	summary->tgids_walked++;
	summary->jemalloc_detected += has_jemalloc;
	summary->probed_ok += tag == PROBE_TAG_ok;
	summary->failed += probe_tag_is_failure(tag);
	summary->processes[tag]++;
}

void probe_summary_add_thread(struct probe_summary *summary, enum probe_tag tag)
{
	summary->seen = true;
	summary->threads[tag]++;
}

void probe_summary_add_counts(struct probe_summary *summary, const struct probe_summary *other)
{
	summary->tgids_walked += other->tgids_walked;
	summary->jemalloc_detected += other->jemalloc_detected;
	summary->probed_ok += other->probed_ok;
	summary->failed += other->failed;
	for (unsigned tag = 0; tag < PROBE_TAG_COUNT; tag++) {
		summary->processes[tag] += other->processes[tag];
		summary->threads[tag] += other->threads[tag];
	}
}

enum probe_tag probe_summary_dominant(const struct probe_summary *summary)
{
	enum probe_tag dominant = PROBE_TAG_ok;
	uint64_t most = 0;

	for (unsigned i = 0; i < PROBE_TAG_COUNT; i++) {
		enum probe_tag tag = (enum probe_tag)i;
		uint64_t count = summary->processes[tag];

		if (!probe_tag_is_failure(tag) || count == 0 || count < most)
			continue;
		if (count == most &&
		    strcmp(probe_tag_table[tag].name, probe_tag_table[dominant].name) > 0)
			continue;
		most = count;
		dominant = tag;
	}
	return most > 0 ? dominant : summary->said_dominant;
}

bool probe_summary_is_about_rights(const struct probe_summary *summary)
{
	uint64_t denied = 0, failed = 0;

	for (unsigned i = 0; i < PROBE_TAG_COUNT; i++)
		if (probe_tag_table[i].kind == PROBE_DENIED)
			saturating_add_to(&denied, summary->processes[i]);
		else if (probe_tag_table[i].kind == PROBE_FAILED)
			saturating_add_to(&failed, summary->processes[i]);
	if (denied == 0 && failed == 0)
		return summary->said_about_rights;
	return denied >= failed;
}
