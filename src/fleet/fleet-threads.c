// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/fleet-threads.h"

#include <string.h>

#include "base/text.h"
#include "group/group.h"
#include "snapshot/reference.h"

void fleet_threads_init(struct fleet_threads *threads, const struct group_by *by,
                        const struct fleet_file *file, const struct snapshot_info *info,
                        const struct metric_set *wanted, struct fleet_sink *sink)
{
	*threads = (struct fleet_threads){
	        .by = *by, .info = info, .wanted = wanted, .sink = sink, .row = file->row};
	reference_add_metrics(info->forgotten, &threads->forgotten);
	fleet_add_keys(by, &threads->keys);
	fleet_set_text(&threads->row, FLEET_COLUMN_level,
	               (struct span){"thread", strlen("thread")});
	fleet_set_text(&threads->row, FLEET_COLUMN_group_key,
	               (struct span){strbuf_str(&threads->keys), threads->keys.len});
}

void fleet_threads_done(struct fleet_threads *threads)
{
	for (unsigned key = 0; key < GROUP_KEYS_MAX; key++)
		key_names_done(&threads->names[key]);
	strbuf_done(&threads->keys);
	strbuf_done(&threads->name);
	strbuf_done(&threads->comm);
	strbuf_done(&threads->histogram);
}

static void set_name(struct fleet_threads *threads, const struct thread_sample *sample)
{
	strbuf_clear(&threads->name);
	for (unsigned key = 0; key < threads->by.count; key++) {
		struct key_names *names = &threads->names[key];
		uint32_t number =
		        key_names_of_thread(names, &threads->by, key, sample, &threads->info->host);
		const struct strmap_entry *pattern = &names->map.entries[number];

		if (key > 0)
			strbuf_add_str(&threads->name, " / ");
		text_add_replaced(&threads->name, pattern->key, pattern->key_len);
	}
	fleet_set_text(&threads->row, FLEET_COLUMN_group_name,
	               (struct span){strbuf_str(&threads->name), threads->name.len});
}

static void set_thread(struct fleet_threads *threads, const struct thread_sample *sample)
{
	struct fleet_row *row = &threads->row;

	set_name(threads, sample);
	strbuf_clear(&threads->comm);
	text_add_replaced(&threads->comm, strbuf_str(&sample->comm), sample->comm.len);
	fleet_set_text(row, FLEET_COLUMN_comm,
	               (struct span){strbuf_str(&threads->comm), threads->comm.len});
	fleet_set_integer(row, FLEET_COLUMN_tgid, sample->tgid);
	fleet_set_integer(row, FLEET_COLUMN_tid, sample->tid);
	fleet_set_integer(row, FLEET_COLUMN_start_clock_ticks, sample->start_time_clock_ticks);
}

/* Two metrics are made when threads are grouped, and are no part of a snapshot. */
static bool find_value(const struct fleet_threads *threads, const struct thread_sample *sample,
                       enum metric_id metric, __int128 *ret)
{
	if (metric == METRIC_thread_count) {
		*ret = 1;
		return true;
	}
	if (!metric_set_has(&sample->seen, metric) || metric_set_has(&threads->forgotten, metric))
		return false;
	*ret = fleet_value(&threads->info->host, sample, metric);
	return true;
}

int fleet_threads_add(struct fleet_threads *threads, const struct thread_sample *sample)
{
	int r = 0;

	set_thread(threads, sample);
	for (unsigned i = 0; r == 0 && i < METRIC_COUNT; i++) {
		cleanup_(summary_done) struct summary summary = {0};
		enum metric_id metric = (enum metric_id)i;
		__int128 value;

		if (!fleet_has_metric(metric) || !metric_set_has(threads->wanted, metric) ||
		    metric == METRIC_lived_ns || !group_counts_thread(sample, metric))
			continue;
		if (find_value(threads, sample, metric, &value)) {
			summary_add(&summary, value, fleet_zero_is_none(metric));
			fleet_add_rate(&summary, sample, metric, value);
		} else {
			summary_add_unseen(&summary, 1);
		}
		fleet_set_metric(&threads->row, metric, &summary, &threads->histogram);
		r = threads->sink->row(threads->sink, &threads->row);
	}
	return r;
}
