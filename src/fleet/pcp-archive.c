// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/pcp-archive.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
};

static const char length_name[] = "ctprof.window.length";

/* Functions of the library, which needs others and reads a configuration. */
struct library {
	__typeof__(&pmiStart) start;
	__typeof__(&pmiEnd) end;
	__typeof__(&pmiSetHostname) set_host;
	__typeof__(&pmiSetTimezone) set_zone;
	__typeof__(&pmiAddMetric) add_metric;
	__typeof__(&pmiAddInstance) add_instance;
	__typeof__(&pmiGetHandle) get_handle;
	__typeof__(&pmiPutValueHandle) put_handle;
	__typeof__(&pmiPutMark) put_mark;
	__typeof__(&pmiPutText) put_text;
	__typeof__(&pmiWrite) write;
	__typeof__(&pmiID) id;
	__typeof__(&pmiInDom) domain;
	__typeof__(&pmiErrStr_r) reason;
};

struct pcp_archive {
	struct window_writer writer; /* must stay the first member */
	struct library library;
	const struct metric_set *wanted; /* borrowed */
	pmInDom groups;
	int length;                 /* the handle of the windows' length */
	int *handles[METRIC_COUNT]; /* by the number of a group, from 1 on; owned */
	size_t handle_capacities[METRIC_COUNT];
	bool has_host, is_open;
};

/* It stays loaded. */
static bool load(struct library *functions)
{
	void *library = dlopen("libpcp_import.so.1", RTLD_NOW | RTLD_LOCAL);

	return library && library_find(library, "pmiStart", &functions->start) &&
	       library_find(library, "pmiEnd", &functions->end) &&
	       library_find(library, "pmiSetHostname", &functions->set_host) &&
	       library_find(library, "pmiSetTimezone", &functions->set_zone) &&
	       library_find(library, "pmiAddMetric", &functions->add_metric) &&
	       library_find(library, "pmiAddInstance", &functions->add_instance) &&
	       library_find(library, "pmiGetHandle", &functions->get_handle) &&
	       library_find(library, "pmiPutValueHandle", &functions->put_handle) &&
	       library_find(library, "pmiPutMark", &functions->put_mark) &&
	       library_find(library, "pmiPutText", &functions->put_text) &&
	       library_find(library, "pmiWrite", &functions->write) &&
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

static void add_name(enum metric_id metric, struct strbuf *out)
{
	strbuf_addf(out, "ctprof.%s", metric_table[metric].name);
}

static int add_metric(const struct pcp_archive *archive, enum metric_id metric,
                      struct strbuf *reterr)
{
	const struct library *library = &archive->library;
	const struct metric_desc *desc = &metric_table[metric];
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT, text = STRBUF_INIT;
	pmID id = library->id(DOMAIN, OF_METRICS, (int)metric);
	int r;

	add_name(metric, &name);
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
	int r = library->add_metric(length_name, library->id(DOMAIN, OF_WINDOWS, 0), PM_TYPE_U64,
	                            PM_INDOM_NULL, PM_SEM_INSTANT,
	                            (pmUnits){.dimTime = 1, .scaleTime = PM_TIME_NSEC});

	if (r >= 0)
		archive->length = r = library->get_handle(length_name, NULL);
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

/* Adds an instance, and gets a handle for each of its values. */
static int add_group(struct pcp_archive *archive, struct rate_group *group,
                     const struct strmap_entry *entry, struct strbuf *reterr)
{
	const struct library *library = &archive->library;
	cleanup_(strbuf_done) struct strbuf instance = STRBUF_INIT;
	int r;

	add_instance_name(group, entry, &instance);
	r = library->add_instance(archive->groups, strbuf_str(&instance), (int)group->number);
	for (unsigned i = 0; r >= 0 && i < METRIC_COUNT; i++) {
		cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

		if (!metric_set_has(archive->wanted, (enum metric_id)i))
			continue;
		add_name((enum metric_id)i, &name);
		array_reserve(archive->handles[i], archive->handle_capacities[i],
		              group->number + 1);
		r = library->get_handle(strbuf_str(&name), strbuf_str(&instance));
		archive->handles[i][group->number] = r;
	}
	group->is_known = true;
	return judge(archive, r, reterr);
}

static int put_number(const struct pcp_archive *archive, int handle, const char *number,
                      struct strbuf *reterr)
{
	return judge(archive, archive->library.put_handle(handle, number), reterr);
}

static int put_group(struct pcp_archive *archive, const struct rate_group *group,
                     struct strbuf *reterr)
{
	int r = 0;

	for (unsigned i = 0; r == 0 && i < METRIC_COUNT; i++) {
		cleanup_(strbuf_done) struct strbuf number = STRBUF_INIT;

		if (!metric_set_has(archive->wanted, (enum metric_id)i))
			continue;
		if (!window_rates_count(&archive->writer.rates, group, (enum metric_id)i))
			continue;
		strbuf_addf(&number, "%.17g", group->now[i]);
		r = put_number(archive, archive->handles[i][group->number], strbuf_str(&number),
		               reterr);
	}
	return r;
}

static int put_length(struct pcp_archive *archive, struct strbuf *reterr)
{
	const struct window_rates *rates = &archive->writer.rates;
	cleanup_(strbuf_done) struct strbuf number = STRBUF_INIT;

	strbuf_addf(&number, "%llu", (unsigned long long)rates->length_ns);
	return put_number(archive, archive->length, strbuf_str(&number), reterr);
}

static int write_window(struct window_writer *self, struct strbuf *reterr)
{
	struct pcp_archive *archive = (struct pcp_archive *)self;
	const struct window_rates *rates = &self->rates;
	const struct library *library = &archive->library;
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
		r = library->set_host(host);
	archive->has_host = true;
	if (r >= 0 && rates->gap_ns >= MARK_NS)
		r = library->put_mark();
	r = judge(archive, r, reterr);
	if (r == 0)
		r = put_length(archive, reterr);
	for (size_t i = 0; r == 0 && i < rates->groups.count; i++) {
		const struct strmap_entry *entry = &rates->groups.entries[i];
		struct rate_group *group = entry->value;

		if (!group->is_known)
			r = add_group(archive, group, entry, reterr);
		if (r == 0)
			r = put_group(archive, group, reterr);
	}
	return r == 0 ? judge(archive,
	                      library->write((int)(rates->end_ns / NS_PER_SECOND),
	                                     (int)(rates->end_ns % NS_PER_SECOND / NS_PER_US)),
	                      reterr)
	              : r;
}

struct pcp_archive *pcp_archive_new(int dir_fd, const char *name, const struct metric_set *wanted,
                                    struct strbuf *reterr)
{
	cleanup_(pcp_archive_freep) struct pcp_archive *archive = mem_calloc(1, sizeof(*archive));
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	archive->writer.write = write_window;
	archive->wanted = wanted;
	if (!load(&archive->library)) {
		strbuf_add_str(reterr, "libpcp_import.so.1 is missing or cannot be loaded");
		return NULL;
	}
	strbuf_addf(&path, "/proc/self/fd/%d/%s", dir_fd, name);
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
	archive->is_open = false;
	return judge(archive, archive->library.end(), reterr);
}

void pcp_archive_freep(struct pcp_archive **pointer)
{
	struct pcp_archive *archive = *pointer;

	if (!archive)
		return;
	if (archive->is_open)
		(void)archive->library.end();
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		free(archive->handles[i]);
	window_rates_done(&archive->writer.rates);
	free(archive);
	*pointer = NULL;
}
