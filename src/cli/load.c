// SPDX-License-Identifier: GPL-2.0-or-later
#include "load.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "facts/cgroup-knobs.h"
#include "fd-source.h"
#include "snapshot/reference.h"

struct grouping {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct load *load;
};

static int add_thread(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct load *load = ((struct grouping *)self)->load;

	group_table_add(&load->groups, sample);
	if (load->wants_smaps)
		smaps_table_add(&load->smaps, sample);
	return 0;
}

static int add_cgroup(struct snapshot_visitor *self, const struct cgroup_stats *stats)
{
	struct load *load = ((struct grouping *)self)->load;

	if (load->wants_knobs)
		cgroup_knobs_add(&load->knobs, stats);
	if (load->wants_cgroups)
		cgroup_table_add(&load->cgroups,
		                 group_table_cgroup(&load->groups, strbuf_str(&stats->path),
		                                    stats->path.len, stats->is_v1),
		                 stats);
	return 0;
}

int load_source(struct load *load, struct byte_source *source)
{
	struct grouping grouping = {
	        .visitor = {.thread = add_thread,
	                    .cgroup = load->wants_cgroups || load->wants_knobs ? add_cgroup : NULL},
	        .load = load};
	struct metric_set forgotten = {{0}};
	int r;

	load->groups.host = &load->info.host;
	load->groups.info = &load->info;
	load->groups.filter = load->filter.label ? &load->filter : NULL;
	r = snapshot_read(source, load->limits, &grouping.visitor, &load->info, &load->error);
	group_table_finish(&load->groups);
	cgroup_table_finish(&load->cgroups);
	settings_sort(&load->knobs);
	reference_add_metrics(load->info.forgotten | load->forgotten, &forgotten);
	group_table_forget(&load->groups, &forgotten);
	return r;
}

static int load_file(struct load *load)
{
	cleanup_(fd_source_done) struct fd_source source = FD_SOURCE_INIT;
	int r = fd_source_open(&source, load->path);

	if (r < 0)
		return r;
	source.copy = load->keeps_bytes ? &load->bytes : NULL;
	r = load_source(load, &source.source);
	load->file_bytes = source.bytes;
	return r;
}

static void *load_thread(void *context)
{
	struct load *load = context;

	load->result = load_file(load);
	if (load->result == -EBADMSG || load->result == -E2BIG) {
		cleanup_(strbuf_done) struct strbuf sentence = STRBUF_INIT;

		strbuf_addf(&sentence, "%s: %s",
		            load->result == -E2BIG ? "over a limit (see --read-limit)"
		                                   : "not a ctprof snapshot",
		            strbuf_str(&load->error));
		strbuf_clear(&load->error);
		strbuf_add(&load->error, sentence.data, sentence.len);
	} else if (load->result < 0 && load->error.len == 0) {
		strbuf_add_str(&load->error, strerror(-load->result));
	}
	return NULL;
}

void load_run(struct load *loads, unsigned count)
{
	pthread_t thread;
	bool parallel = count == 2 && pthread_create(&thread, NULL, load_thread, &loads[1]) == 0;

	load_thread(&loads[0]);
	if (parallel)
		pthread_join(thread, NULL);
	else if (count == 2)
		load_thread(&loads[1]);
}

void load_done(struct load *load)
{
	group_table_done(&load->groups);
	group_filter_done(&load->filter);
	cgroup_table_done(&load->cgroups);
	settings_done(&load->knobs);
	smaps_table_done(&load->smaps);
	snapshot_info_done(&load->info);
	strbuf_done(&load->error);
	strbuf_done(&load->bytes);
}
