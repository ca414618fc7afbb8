// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/pcp-archive.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Their headers need the types of these, and are in this order. */
#include <pcp/pmapi.h>

#include <pcp/import.h>

#include "base/clock.h"
#include "base/library.h"
#include "base/mem.h"
#include "base/text.h"

const char *const pcp_archive_suffixes[PCP_ARCHIVE_FILES] = {".0", ".index", ".meta"};

enum {
	DOMAIN = 245,   /* of imports */
	GROUPS = 1,     /* the number of the instance domain */
	OF_METRICS = 0, /* clusters of metrics */
	OF_WINDOWS = 1,
	MARK_NS = 2 * NS_PER_MS, /* a mark is a millisecond behind the record in front of it */
	/* The library compares a new instance with all others: these take some seconds. */
	GROUPS_MAX = 20000,
	/* These take 16 MiB. */
	VALUES_WAITING = 1 << 20,
	RECORDS_WAITING = 1 << 19,
};

/* Functions of the library, which needs others and reads a configuration. */
struct library {
	__typeof__(&pmiStart) start;
	__typeof__(&pmiEnd) end;
	__typeof__(&pmiSetHostname) set_host;
	__typeof__(&pmiSetTimezone) set_zone;
	__typeof__(&pmiAddMetric) add_metric;
	__typeof__(&pmiAddInstance) add_instance;
	__typeof__(&pmiPutMark) put_mark;
	__typeof__(&pmiPutResult) put_result;
	__typeof__(&pmiPutText) put_text;
	__typeof__(&pmiID) id;
	__typeof__(&pmiInDom) domain;
	__typeof__(&pmiErrStr_r) reason;
};

/* A value as the library takes it: its head, and 8 bytes. */
union block {
	pmValueBlock head;
	struct {
		uint32_t head_bytes;
		char bytes[sizeof(uint64_t)];
	};
};

/* A value of a group in a record. */
struct value {
	double number;
	int instance;
	enum metric_id metric;
};

/* The record of a window. */
struct record {
	uint64_t end_ns, length_ns;
	size_t value_count;
	bool has_mark; /* in front of it: the time before is unknown */
};

struct pcp_archive {
	struct window_writer writer; /* must stay the first member */
	struct library library;
	const struct metric_set *wanted; /* borrowed */
	pmInDom groups;
	/* Records that wait to be written, and the values of all of them, one behind the other; owned. The last one waits until the next
	 * window is known: a group that comes back then did no work in it, and readers draw a line between two values. The
	 * others wait because the library writes the names of all groups again with the first value of a new one. */
	struct record *records;
	size_t record_count, record_capacity;
	struct value *values;
	size_t value_count, value_capacity;
	uint64_t windows;
	bool has_host, is_open;
};

/* It stays loaded. */
static bool load(struct library *functions)
{
	void *library = library_open("libpcp_import.so.1");

	return library && library_find(library, "pmiStart", &functions->start) &&
	       library_find(library, "pmiEnd", &functions->end) &&
	       library_find(library, "pmiSetHostname", &functions->set_host) &&
	       library_find(library, "pmiSetTimezone", &functions->set_zone) &&
	       library_find(library, "pmiAddMetric", &functions->add_metric) &&
	       library_find(library, "pmiAddInstance", &functions->add_instance) &&
	       library_find(library, "pmiPutMark", &functions->put_mark) &&
	       library_find(library, "pmiPutResult", &functions->put_result) &&
	       library_find(library, "pmiPutText", &functions->put_text) &&
	       library_find(library, "pmiID", &functions->id) &&
	       library_find(library, "pmiInDom", &functions->domain) &&
	       library_find(library, "pmiErrStr_r", &functions->reason);
}

/* Returns 0, or -EIO with what the library says of its result. */
static int judge(const struct pcp_archive *archive, int result, struct strbuf *reterr)
{
	char text[PMI_MAXERRMSGLEN];

	if (result >= 0)
		return 0;
	strbuf_addf(reterr, "libpcp_import: %s",
	            archive->library.reason(result, text, sizeof(text)));
	return -EIO;
}

/* The unit of a second's work. A time in a second has none. */
static pmUnits unit_of(enum metric_id metric)
{
	switch (metric_unit(metric)) {
	case UNIT_bytes:
		return (pmUnits){.dimSpace = 1,
		                 .dimTime = -1,
		                 .scaleSpace = PM_SPACE_BYTE,
		                 .scaleTime = PM_TIME_SEC};
	case UNIT_count:
	case UNIT_ticks:
		return (pmUnits){.dimTime = -1,
		                 .dimCount = 1,
		                 .scaleTime = PM_TIME_SEC,
		                 .scaleCount = PM_COUNT_ONE};
	default:
		return (pmUnits){.dimSpace = 0};
	}
}

static pmID metric_pmid(const struct pcp_archive *archive, enum metric_id metric)
{
	return archive->library.id(DOMAIN, OF_METRICS, (int)metric);
}

static pmID length_pmid(const struct pcp_archive *archive)
{
	return archive->library.id(DOMAIN, OF_WINDOWS, 0);
}

static int add_metric(const struct pcp_archive *archive, enum metric_id metric,
                      struct strbuf *reterr)
{
	const struct library *library = &archive->library;
	const struct metric_desc *desc = &metric_table[metric];
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT, text = STRBUF_INIT;
	pmID id = metric_pmid(archive, metric);
	int r;

	strbuf_addf(&name, "ctprof.%s", desc->name);
	strbuf_addf(&text, "%s of a second (%s/s)", desc->description,
	            unit_table[metric_unit(metric)].name);
	r = library->add_metric(strbuf_str(&name), id, PM_TYPE_DOUBLE, archive->groups,
	                        PM_SEM_INSTANT, unit_of(metric));
	if (r >= 0)
		r = library->put_text(PM_TEXT_PMID, PM_TEXT_ONELINE, id, strbuf_str(&text));
	return judge(archive, r, reterr);
}

static int add_metrics(struct pcp_archive *archive, struct strbuf *reterr)
{
	const struct library *library = &archive->library;
	int r = library->add_metric("ctprof.window.length", length_pmid(archive), PM_TYPE_U64,
	                            PM_INDOM_NULL, PM_SEM_INSTANT,
	                            (pmUnits){.dimTime = 1, .scaleTime = PM_TIME_NSEC});

	r = judge(archive, r, reterr);
	for (unsigned i = 0; r == 0 && i < METRIC_COUNT; i++)
		if (metric_set_has(archive->wanted, (enum metric_id)i))
			r = add_metric(archive, (enum metric_id)i, reterr);
	return r;
}

/* Instances are known by the part of their names in front of the first blank, which no two may share: a name with a blank, or one that
 * looks like these, has its number in front of it. */
static void add_instance_name(const struct rate_group *group, const struct strmap_entry *entry,
                              struct strbuf *out)
{
	if (entry->key_len == 0 || entry->key[0] == '#' || memchr(entry->key, ' ', entry->key_len))
		strbuf_addf(out, "#%llu ", (unsigned long long)group->number);
	text_add_escaped(out, entry->key, entry->key_len);
}

static int add_group(struct pcp_archive *archive, struct rate_group *group,
                     const struct strmap_entry *entry, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf instance = STRBUF_INIT;

	add_instance_name(group, entry, &instance);
	group->is_known = true;
	return judge(archive,
	             archive->library.add_instance(archive->groups, strbuf_str(&instance),
	                                           (int)group->number),
	             reterr);
}

/* Adds to the last record. */
static void put_value(struct pcp_archive *archive, const struct rate_group *group,
                      enum metric_id metric, double number)
{
	*array_add(archive->values, archive->value_count, archive->value_capacity) =
	        (struct value){number, (int)group->number, metric};
	archive->records[archive->record_count - 1].value_count++;
}

/* Adds to the last record that a known group did no work, if it has no value of it. A metric that is not seen has no zero. */
static void put_idle(struct pcp_archive *archive, const struct rate_group *group)
{
	if (!group->is_known || group->written == archive->windows)
		return;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_set_has(archive->wanted, (enum metric_id)i) && !isnan(group->now[i]))
			put_value(archive, group, (enum metric_id)i, 0);
}

static void put_group(struct pcp_archive *archive, struct rate_group *group)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_set_has(archive->wanted, (enum metric_id)i) &&
		    window_rates_count(&archive->writer.rates, group, (enum metric_id)i))
			put_value(archive, group, (enum metric_id)i, group->now[i]);
	group->written = archive->windows;
}

static pmValueSet *make_set(pmID id, size_t count)
{
	pmValueSet *set = mem_calloc(1, sizeof(*set) + count * sizeof(set->vlist[0]));

	set->pmid = id;
	set->valfmt = PM_VAL_DPTR;
	return set;
}

static void add_to_set(pmValueSet *set, int instance, int type, const void *number,
                       union block *block)
{
	block->head.vtype = (unsigned char)type;
	block->head.vlen = sizeof(*block);
	memcpy(block->bytes, number, sizeof(block->bytes));
	set->vlist[set->numval++] = (pmValue){.inst = instance, .value = {.pval = &block->head}};
}

/* Adds a set for each metric that has values. */
static void add_sets(const struct pcp_archive *archive, const struct value *values, size_t count,
                     pmResult *result, union block *blocks)
{
	size_t counts[METRIC_COUNT] = {0};
	pmValueSet *sets[METRIC_COUNT] = {0};

	for (size_t i = 0; i < count; i++)
		counts[values[i].metric]++;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (counts[i] > 0)
			sets[i] = result->vset[result->numpmid++] =
			        make_set(metric_pmid(archive, (enum metric_id)i), counts[i]);
	for (size_t i = 0; i < count; i++)
		add_to_set(sets[values[i].metric], values[i].instance, PM_TYPE_DOUBLE,
		           &values[i].number, &blocks[i]);
}

/* Writes a record. Values are put all at once: the library compares each one that is put alone with all of its metric. */
static int write_record(const struct pcp_archive *archive, const struct record *record,
                        const struct value *values, struct strbuf *reterr)
{
	cleanup_(mem_freep) pmResult *result =
	        mem_calloc(1, sizeof(*result) + METRIC_COUNT * sizeof(result->vset[0]));
	cleanup_(mem_freep) union block *blocks =
	        mem_calloc(record->value_count + 1, sizeof(*blocks));
	int r = 0;

	if (record->has_mark)
		r = judge(archive, archive->library.put_mark(), reterr);
	if (r < 0)
		return r;
	result->timestamp.tv_sec = (time_t)(record->end_ns / NS_PER_SECOND);
	result->timestamp.tv_usec = (suseconds_t)(record->end_ns % NS_PER_SECOND / NS_PER_US);
	result->vset[result->numpmid++] = make_set(length_pmid(archive), 1);
	add_to_set(result->vset[0], (int)PM_IN_NULL, PM_TYPE_U64, &record->length_ns, blocks);
	add_sets(archive, values, record->value_count, result, blocks + 1);
	r = judge(archive, archive->library.put_result(result), reterr);
	for (int i = 0; i < result->numpmid; i++)
		free(result->vset[i]);
	return r;
}

static int write_records(struct pcp_archive *archive, struct strbuf *reterr)
{
	const struct value *values = archive->values;
	int r = 0;

	for (size_t i = 0; r == 0 && i < archive->record_count; i++) {
		r = write_record(archive, &archive->records[i], values, reterr);
		values += archive->records[i].value_count;
	}
	archive->record_count = 0;
	archive->value_count = 0;
	return r;
}

/* Groups that the last window does not have, nor the one before it, have no value: the last one they have says that they do no
 * work. */
static int put_groups(struct pcp_archive *archive, struct strbuf *reterr)
{
	const struct window_rates *rates = &archive->writer.rates;
	int r = 0;

	for (size_t i = 0; r == 0 && i < rates->changing_count; i++) {
		const struct strmap_entry *entry = &rates->groups.entries[rates->changing[i]];
		struct rate_group *group = entry->value;

		if (!group->is_known)
			r = add_group(archive, group, entry, reterr);
		if (r == 0)
			put_group(archive, group);
	}
	return r;
}

/* Completes the record of the window in front of the last one. */
static int end_record(struct pcp_archive *archive, struct strbuf *reterr)
{
	const struct window_rates *rates = &archive->writer.rates;

	for (size_t i = 0; archive->windows > 0 && i < rates->changing_count; i++)
		put_idle(archive, rates->groups.entries[rates->changing[i]].value);
	if (archive->value_count < VALUES_WAITING && archive->record_count < RECORDS_WAITING)
		return 0;
	return write_records(archive, reterr);
}

static int write_window(struct window_writer *self, struct strbuf *reterr)
{
	struct pcp_archive *archive = (struct pcp_archive *)self;
	const struct window_rates *rates = &self->rates;
	const char *host = strbuf_str(&rates->host);
	int r = 0;

	if (rates->groups.count > GROUPS_MAX) {
		strbuf_addf(reterr,
		            "an archive of more than %d groups would take libpcp_import too long; "
		            "another --group-by may make fewer",
		            GROUPS_MAX);
		return -E2BIG;
	}
	if (!archive->has_host && host[0])
		r = judge(archive, archive->library.set_host(host), reterr);
	archive->has_host = true;
	if (r == 0)
		r = end_record(archive, reterr);
	archive->windows++;
	*array_add(archive->records, archive->record_count, archive->record_capacity) =
	        (struct record){.end_ns = rates->end_ns,
	                        .length_ns = rates->length_ns,
	                        .has_mark = rates->gap_ns >= MARK_NS};
	return r == 0 ? put_groups(archive, reterr) : r;
}

struct pcp_archive *pcp_archive_new(int dir_fd, const char *name, const struct metric_set *wanted,
                                    struct strbuf *reterr)
{
	cleanup_(pcp_archive_freep) struct pcp_archive *archive = mem_calloc(1, sizeof(*archive));
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	archive->writer.write = write_window;
	archive->wanted = wanted;
	if (!load(&archive->library)) {
		library_add_reason(reterr, "libpcp_import.so.1");
		return NULL;
	}
	strbuf_addf(&path, "/proc/self/fd/%d", dir_fd);
	if (access(strbuf_str(&path), F_OK) < 0) {
		strbuf_add_str(reterr,
		               "libpcp_import writes by way of /proc/self/fd, and there is none");
		return NULL;
	}
	strbuf_addf(&path, "/%s", name);
	if (judge(archive, archive->library.start(strbuf_str(&path), 0), reterr) < 0)
		return NULL;
	archive->is_open = true;
	archive->groups = archive->library.domain(DOMAIN, GROUPS);
	if (judge(archive, archive->library.set_zone("UTC"), reterr) < 0 ||
	    add_metrics(archive, reterr) < 0)
		return NULL;
	return take_ptr(archive);
}

struct window_writer *pcp_archive_writer(struct pcp_archive *archive)
{
	return &archive->writer;
}

int pcp_archive_end(struct pcp_archive *archive, struct strbuf *reterr)
{
	int r = write_records(archive, reterr), end;

	archive->is_open = false;
	end = archive->library.end();
	return r < 0 ? r : judge(archive, end, reterr);
}

void pcp_archive_freep(struct pcp_archive **pointer)
{
	struct pcp_archive *archive = *pointer;

	if (!archive)
		return;
	if (archive->is_open)
		(void)archive->library.end();
	free(archive->records);
	free(archive->values);
	window_rates_done(&archive->writer.rates);
	free(archive);
	*pointer = NULL;
}
