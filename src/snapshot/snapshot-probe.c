// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>

#include "snapshot-meta.h"
#include "json/json-tree.h"

static const char what[] = "probe_summary";
static const char processes[] = "processes", threads[] = "threads", dominant[] = "dominant_failure",
                  about_rights[] = "privilege_dominant";

static json_t *counts_value(const uint64_t *counts)
{
	json_t *object = tree_new();

	for (unsigned i = 0; i < PROBE_TAG_COUNT; i++)
		if (counts[i] > 0)
			tree_set(object, probe_tag_table[i].name, tree_number(counts[i]));
	return object;
}

/* Writes null if jemalloc was not looked for. */
void snapshot_meta_add_probe_summary(const struct snapshot_info *info, struct strbuf *out)
{
	const struct probe_summary *probe = &info->probe;
	enum probe_tag tag = probe_summary_dominant(probe);
	json_auto_t *object = NULL;

	if (!probe->seen) {
		strbuf_add_str(out, "null");
		return;
	}
	object = tree_new();
	tree_set(object, "tgids_walked", tree_number(probe->tgids_walked));
	tree_set(object, "jemalloc_detected", tree_number(probe->jemalloc_detected));
	tree_set(object, "probed_ok", tree_number(probe->probed_ok));
	tree_set(object, "failed", tree_number(probe->failed));
	tree_set(object, dominant,
	         tag == PROBE_TAG_ok ? json_null() : json_string(probe_tag_table[tag].name));
	tree_set(object, about_rights, json_boolean(probe_summary_is_about_rights(probe)));
	tree_set(object, processes, counts_value(probe->processes));
	tree_set(object, threads, counts_value(probe->threads));
	tree_add_json(object, out);
}

/* A tag of a later version is in none of our counts. */
static int read_counts(const json_t *object, const char *key, uint64_t *counts,
                       struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf place = STRBUF_INIT;
	const json_t *value = json_object_get(object, key);
	int r = 0;

	if (!value)
		return 0;
	if (!json_is_object(value)) {
		strbuf_addf(reterr, "%s.%s: an object was expected", what, key);
		return -EBADMSG;
	}
	strbuf_addf(&place, "%s.%s", what, key);
	for (unsigned i = 0; r == 0 && i < PROBE_TAG_COUNT; i++)
		r = tree_read_number(value, probe_tag_table[i].name, strbuf_str(&place), &counts[i],
		                     NULL, reterr);
	return r;
}

/* Reads the most frequent failure, which is for readers that do not count by tag. */
static int read_dominant(const json_t *object, struct probe_summary *probe, struct strbuf *reterr)
{
	const json_t *name = json_object_get(object, dominant);
	const json_t *rights = json_object_get(object, about_rights);
	enum probe_tag tag;

	if (name && !json_is_null(name) && !json_is_string(name)) {
		strbuf_addf(reterr, "%s.%s: a string was expected", what, dominant);
		return -EBADMSG;
	}
	if (rights && !json_is_boolean(rights)) {
		strbuf_addf(reterr, "%s.%s: true or false was expected", what, about_rights);
		return -EBADMSG;
	}
	probe->said_about_rights = json_is_true(rights);
	if (json_is_string(name) &&
	    probe_tag_find(json_string_value(name), json_string_length(name), &tag) &&
	    probe_tag_is_failure(tag))
		probe->said_dominant = tag;
	return 0;
}

int snapshot_meta_read_probe_summary(const struct strbuf *json, struct snapshot_info *info,
                                     struct strbuf *reterr)
{
	struct probe_summary *probe = &info->probe;
	const struct {
		const char *key;
		uint64_t *number;
	} numbers[] = {
	        {"tgids_walked", &probe->tgids_walked},
	        {"jemalloc_detected", &probe->jemalloc_detected},
	        {"probed_ok", &probe->probed_ok},
	        {"failed", &probe->failed},
	};
	json_auto_t *object = tree_load(json, what, reterr);
	int r = object ? 0 : -EBADMSG;

	probe->seen = true;
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(numbers); i++)
		r = tree_read_number(object, numbers[i].key, what, numbers[i].number, NULL, reterr);
	if (r == 0)
		r = read_dominant(object, probe, reterr);
	if (r == 0)
		r = read_counts(object, processes, probe->processes, reterr);
	return r < 0 ? r : read_counts(object, threads, probe->threads, reterr);
}
