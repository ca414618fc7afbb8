// SPDX-License-Identifier: GPL-2.0-or-later
/* The labels of a snapshot, as they are in it. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "snapshot-meta.h"
#include "json/json-tree.h"

void snapshot_meta_add_labels(const struct snapshot_info *info, struct strbuf *out)
{
	json_auto_t *object = tree_new();

	for (size_t i = 0; i < info->labels.count; i++)
		tree_set(object, info->labels.entries[i].key,
		         tree_text(info->labels.entries[i].value));
	tree_add_json(object, out);
}

int snapshot_meta_read_labels(const struct strbuf *json, struct snapshot_info *info,
                              struct strbuf *reterr)
{
	static const char what[] = "labels";
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	json_auto_t *object = tree_load(json, what, reterr);
	const char *key;
	json_t *value;

	if (!object)
		return -EBADMSG;
	/* A file may have the key twice. */
	labels_done(&info->labels);
	json_object_foreach(object, key, value)
	{
		if (!json_is_string(value)) {
			strbuf_addf(reterr, "%s: a string for each key was expected", what);
			return -EBADMSG;
		}
		if (labels_add(&info->labels, key, strlen(key), json_string_value(value),
		               json_string_length(value), &reason) < 0) {
			strbuf_addf(reterr, "%s: %s", what, strbuf_str(&reason));
			return -EBADMSG;
		}
	}
	return 0;
}
