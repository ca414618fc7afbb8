// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/export-file.h"

#include <errno.h>
#include <string.h>

#include "fleet/fleet-threads.h"
#include "measure/measure.h"
#include "query/report-lists.h"

void export_plan_init(struct export_plan *plan)
{
	*plan = (struct export_plan){.limits = snapshot_default_limits};
	plan->keys[plan->key_count++] = group_by_key(GROUP_KEY_pcomm, false);
	plan->keys[plan->key_count++] = group_by_key(GROUP_KEY_cgroup_service, false);
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		metric_set_add(&plan->wanted, (enum metric_id)i);
}

static bool is_same_set(const struct group_by *a, const struct group_by *b)
{
	return a->count == b->count && memcmp(a->keys, b->keys, a->count * sizeof(a->keys[0])) == 0;
}

int export_add_keys(const struct option_parser *parser, struct export_plan *plan)
{
	struct group_by by = group_by_key(GROUP_KEY_pcomm, false);
	int r = list_group_keys(parser, &by);

	if (r < 0)
		return r;
	if (by.count == 0)
		return options_error(parser, "no key is named");
	if (!plan->keys_given)
		plan->key_count = 0;
	plan->keys_given = true;
	for (unsigned i = 0; i < plan->key_count; i++)
		if (is_same_set(&plan->keys[i], &by))
			return options_error(parser, "'%s' is there twice", parser->value);
	if (plan->key_count == EXPORT_KEYS_MAX)
		return options_error(parser, "more than %d sets of keys", EXPORT_KEYS_MAX);
	plan->keys[plan->key_count++] = by;
	return 0;
}

int export_set_metrics(const struct option_parser *parser, struct export_plan *plan)
{
	bool given, listed[MEASURE_COUNT];
	int r = list_metrics(parser, &given, listed);

	if (r < 0 || !given)
		return r;
	plan->wanted = (struct metric_set){{0}};
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (listed[i] && fleet_has_metric((enum metric_id)i))
			metric_set_add(&plan->wanted, (enum metric_id)i);
	return 0;
}

bool export_has_metrics(const struct export_plan *plan)
{
	if (!metric_set_is_empty(&plan->wanted))
		return true;
	cli_error(
	        "--metrics: nothing is left: only metrics of threads whose values are numbers are "
	        "exported");
	return false;
}

struct grouping {
	struct snapshot_visitor visitor; /* must stay the first member */
	const struct snapshot_info *info;
	struct fleet_groups *groups;
	unsigned count;
};

static int add_to_groups(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct grouping *grouping = (struct grouping *)self;

	for (unsigned i = 0; i < grouping->count; i++)
		fleet_groups_add(&grouping->groups[i], grouping->info, sample);
	return 0;
}

int export_group(const struct export_plan *plan, struct snapshot_file *file,
                 struct snapshot_info *ret_info, struct fleet_groups *ret_groups)
{
	struct grouping grouping = {.visitor = {.thread = add_to_groups},
	                            .info = ret_info,
	                            .groups = ret_groups,
	                            .count = plan->key_count};
	int r;

	for (unsigned i = 0; i < plan->key_count; i++)
		fleet_groups_init(&ret_groups[i], &plan->keys[i], &plan->wanted);
	r = snapshot_file_read(file, &plan->limits, &grouping.visitor, ret_info);
	for (unsigned i = 0; r == 0 && i < plan->key_count; i++)
		fleet_groups_finish(&ret_groups[i], ret_info);
	return r;
}

/* Makes sure that a snapshot has the sums of one host. */
static int check_host(const struct snapshot_info *info, struct strbuf *reterr)
{
	if (host_text(&info->host, HOST_selection))
		strbuf_add_str(reterr, "it has only some processes of its host");
	else if (info->host.seen[HOST_hosts])
		strbuf_add_str(reterr, "it has several hosts: add the file of each");
	else
		return 0;
	return -EINVAL;
}

int export_groups(const struct export_plan *plan, struct snapshot_file *file,
                  struct fleet_sink *sink)
{
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	struct fleet_groups groups[EXPORT_KEYS_MAX] = {0};
	int r = export_group(plan, file, &info, groups);

	if (r == 0 && plan->whole_hosts)
		r = check_host(&info, &file->error);
	if (r == 0) {
		cleanup_(fleet_file_done) struct fleet_file shared;

		fleet_file_init(&shared, file->digest, &info);
		for (unsigned i = 0; r == 0 && i < plan->key_count; i++)
			r = fleet_groups_rows(&groups[i], &shared, sink);
	}
	for (unsigned i = 0; i < plan->key_count; i++)
		fleet_groups_done(&groups[i]);
	return r;
}

struct threading {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct fleet_threads *threads;
	unsigned count;
};

static int add_to_threads(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct threading *threading = (struct threading *)self;
	int r = 0;

	for (unsigned i = 0; r == 0 && i < threading->count; i++)
		r = fleet_threads_add(&threading->threads[i], sample);
	return r;
}

static int ignore_thread(struct snapshot_visitor *self, struct thread_sample *sample)
{
	(void)self;
	(void)sample;
	return 0;
}

static int read_threads(const struct export_plan *plan, struct snapshot_file *file,
                        struct fleet_threads *threads)
{
	struct threading threading = {.visitor = {.thread = add_to_threads},
	                              .threads = threads,
	                              .count = plan->key_count};
	cleanup_(snapshot_info_done) struct snapshot_info again = {0};

	return snapshot_file_read(file, &plan->limits, &threading.visitor, &again);
}

/* The rows of threads have values that are behind the threads in the file, so it is read twice. */
int export_threads(const struct export_plan *plan, struct snapshot_file *file,
                   struct fleet_sink *sink)
{
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(fleet_file_done) struct fleet_file shared = {0};
	struct snapshot_visitor visitor = {.thread = ignore_thread};
	struct fleet_threads threads[EXPORT_KEYS_MAX] = {0};
	int r = snapshot_file_read(file, &plan->limits, &visitor, &info);

	if (r < 0)
		return r;
	fleet_file_init(&shared, file->digest, &info);
	for (unsigned i = 0; i < plan->key_count; i++)
		fleet_threads_init(&threads[i], &plan->keys[i], &shared, &info, &plan->wanted,
		                   sink);
	r = read_threads(plan, file, threads);
	for (unsigned i = 0; i < plan->key_count; i++)
		fleet_threads_done(&threads[i]);
	return r;
}
