// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "ctprof/metric/probe.h"
#include "report/report-text.h"

/* The parts of the line: tags of processes, or those of single threads, whose process has another tag. */
enum part {
	FAILED,       /* an error or a missing permission */
	LEFT_ALONE,   /* on purpose */
	OUT_OF_REACH, /* it is built so that nothing can be read */
	NO_WORDS,     /* there was nothing to read, or it was gone */
};

static enum part part_of(enum probe_tag tag)
{
	/* The capture's own process is always left out. */
	if (tag == PROBE_TAG_own_process)
		return NO_WORDS;
	if (probe_tag_is_failure(tag))
		return FAILED;
	switch (probe_tag_table[tag].outcome) {
	case OUTCOME_skipped:
		return LEFT_ALONE;
	case OUTCOME_off:
		return OUT_OF_REACH;
	default:
		return NO_WORDS;
	}
}

/* Returns the count of a tag, without threads whose process is counted with it. */
static uint64_t count_of(const struct probe_summary *probe, enum probe_tag tag, bool threads)
{
	if (!threads)
		return probe->processes[tag];
	return probe->processes[tag] == 0 ? probe->threads[tag] : 0;
}

struct tag_count {
	enum probe_tag tag;
	uint64_t count;
};

static int compare_counts(const void *a, const void *b)
{
	const struct tag_count *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return strcmp(probe_tag_table[one->tag].name, probe_tag_table[other->tag].name);
}

/* Returns the tags of a part, the most frequent one first. */
static size_t collect(const struct probe_summary *probe, enum part part, bool threads,
                      struct tag_count counts[PROBE_TAG_COUNT])
{
	size_t n = 0;

	for (unsigned i = 0; i < PROBE_TAG_COUNT; i++) {
		enum probe_tag tag = (enum probe_tag)i;
		uint64_t count = count_of(probe, tag, threads);

		if (count > 0 && part_of(tag) == part)
			counts[n++] = (struct tag_count){tag, count};
	}
	qsort(counts, n, sizeof(counts[0]), compare_counts);
	return n;
}

static void add_hint(enum probe_tag tag, struct strbuf *out)
{
	if (probe_tag_table[tag].hint[0] != '\0')
		strbuf_addf(out, " (%s)", probe_tag_table[tag].hint);
}

/* Adds "3 not-permitted (run as root), 1 worker-panic": the hint is that of the most frequent one. */
static void add_tags(const struct tag_count *counts, size_t n, struct strbuf *out)
{
	for (size_t i = 0; i < n; i++) {
		strbuf_addf(out, "%s%llu %s", i > 0 ? ", " : "",
		            (unsigned long long)counts[i].count,
		            probe_tag_table[counts[i].tag].name);
		if (i == 0)
			add_hint(counts[i].tag, out);
	}
}

static void add_part(const struct probe_summary *probe, enum part part, bool threads,
                     const char *words, struct strbuf *out)
{
	struct tag_count counts[PROBE_TAG_COUNT];
	size_t n = collect(probe, part, threads, counts);

	if (n == 0)
		return;
	strbuf_addf(out, "; %s%s: ", threads ? "threads " : "", words);
	add_tags(counts, n, out);
}

static void add_failed(const struct probe_summary *probe, struct strbuf *out)
{
	struct tag_count counts[PROBE_TAG_COUNT];
	size_t n = collect(probe, FAILED, false, counts);

	if (probe->failed == 0)
		return;
	strbuf_addf(out, "; %llu failed", (unsigned long long)probe->failed);
	if (n == 1 && counts[0].count == probe->failed) {
		strbuf_addf(out, ": %s", probe_tag_table[counts[0].tag].name);
		add_hint(counts[0].tag, out);
	} else if (n > 0) {
		strbuf_add_str(out, ": ");
		add_tags(counts, n, out);
	} else if (probe->said_dominant != PROBE_TAG_ok) {
		strbuf_addf(out, ", mostly %s", probe_tag_table[probe->said_dominant].name);
		add_hint(probe->said_dominant, out);
	}
}

/* Adds the threads of the processes with jemalloc, if not all of them were read. */
static void add_threads(const struct probe_summary *probe, struct strbuf *out)
{
	uint64_t all = 0, read = probe->threads[PROBE_TAG_ok];

	for (unsigned i = 0; i < PROBE_TAG_COUNT; i++)
		saturating_add_to(&all, probe->threads[i]);
	if (read > 0 && read < all)
		strbuf_addf(out, ", %llu of %llu threads", (unsigned long long)read,
		            (unsigned long long)all);
}

void report_add_probe(const struct probe_summary *probe, struct strbuf *out)
{
	bool is_unknown = probe->failed > 0 || probe->processes[PROBE_TAG_not_built_in] > 0;

	if (!probe->seen)
		return;
	strbuf_addf(out, "probe     %llu %s: ", (unsigned long long)probe->tgids_walked,
	            probe->tgids_walked == 1 ? "process" : "processes");
	/* Processes that could not be examined may have it. */
	if (probe->jemalloc_detected == 0)
		strbuf_addf(out, "none %swith jemalloc", is_unknown ? "seen " : "");
	else
		strbuf_addf(out, "%llu with jemalloc, %llu read",
		            (unsigned long long)probe->jemalloc_detected,
		            (unsigned long long)probe->probed_ok);
	add_threads(probe, out);
	add_failed(probe, out);
	add_part(probe, FAILED, true, "failed", out);
	add_part(probe, LEFT_ALONE, false, "left alone", out);
	add_part(probe, LEFT_ALONE, true, "left alone", out);
	add_part(probe, OUT_OF_REACH, false, "out of reach", out);
	strbuf_add_char(out, '\n');
}
