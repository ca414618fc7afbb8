// SPDX-License-Identifier: GPL-2.0-or-later
#include "db-shards.h"

#include <errno.h>

#include "command/command.h"
#include "shards/shards-load.h"

/* Leaves the sets of keys in the plan that the server does not have of the file yet. */
static void find_missing(const struct shards_loader *loader, struct export_plan *plan)
{
	unsigned count = 0;

	for (unsigned i = 0; i < plan->key_count; i++) {
		cleanup_(strbuf_done) struct strbuf keys = STRBUF_INIT;

		fleet_add_keys(&plan->keys[i], &keys);
		if (!shards_loader_has(loader, (struct span){strbuf_str(&keys), keys.len}))
			plan->keys[count++] = plan->keys[i];
	}
	plan->key_count = count;
}

static void add_file(struct shards_loader *loader, const struct export_plan *all, const char *path,
                     struct db_added *ret)
{
	cleanup_(snapshot_file_done) struct snapshot_file file = SNAPSHOT_FILE_INIT;
	struct export_plan plan = *all;
	int r = snapshot_file_open(&file, path, &all->limits);

	if (r == 0) {
		/* The server's failure is reported at the end, once. */
		if (shards_loader_begin(loader, file.digest) < 0)
			return;
		find_missing(loader, &plan);
		if (plan.key_count > 0)
			r = export_groups(&plan, &file, shards_loader_sink(loader));
		if (r == 0)
			shards_loader_end(loader);
		else
			shards_loader_cancel(loader);
	}
	if (r < 0)
		cli_error("%s: %s", path, snapshot_file_reason(&file, r));
	ret->added += r == 0 && plan.key_count > 0;
	ret->there += r == 0 && plan.key_count == 0;
	ret->failed += r < 0;
}

/* Files whose facts were in memory when their server failed have been counted as added. */
static size_t report_lost(const struct shards_loader *loader, size_t servers)
{
	size_t all = 0;

	for (size_t i = 0; i < servers; i++) {
		const char *host, *reason;
		size_t lost = shards_loader_failure(loader, i, &host, &reason);

		if (lost > 0)
			cli_error("%s: %zu file%s not added: %s", host, lost, lost == 1 ? "" : "s",
			          reason);
		all += lost;
	}
	return all;
}

int db_shards_add(const struct shards_address *address, const struct export_plan *plan,
                  uint64_t patience_ns, char **paths, struct db_added *ret)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(shards_loader_freep) struct shards_loader *loader =
	        shards_loader_new(address, patience_ns, &reason);
	size_t count = 0, lost;

	*ret = (struct db_added){0};
	if (!loader) {
		cli_error("%s", strbuf_str(&reason));
		return -EIO;
	}
	for (; paths[count]; count++)
		add_file(loader, plan, paths[count], ret);
	shards_loader_finish(loader);
	lost = report_lost(loader, address->count);
	ret->failed += lost;
	ret->added = count - ret->there - ret->failed;
	return 0;
}
