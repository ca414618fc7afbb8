// SPDX-License-Identifier: GPL-2.0-or-later
#include "load.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "facts/cgroup-knobs.h"
#include "snapshot/reference.h"

struct grouping {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct load *load;
};

struct load_filler {
	struct grouping grouping; /* must stay the first member */
	struct snapshot_writer *writer;
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

static struct grouping grouping_of(struct load *load)
{
	return (struct grouping){
	        .visitor = {.thread = add_thread,
	                    .cgroup = load->wants_cgroups || load->wants_knobs ? add_cgroup : NULL},
	        .load = load};
}

/* The info may move while the rows come. */
static void use_info(struct load *load, const struct snapshot_info *info)
{
	load->groups.host = &info->host;
	load->groups.info = info;
	load->groups.filter = load->filter.label ? &load->filter : NULL;
}

static void finish_tables(struct load *load)
{
	struct metric_set forgotten = {{0}};

	group_table_finish(&load->groups);
	cgroup_table_finish(&load->cgroups);
	settings_sort(&load->knobs);
	reference_add_metrics(load->info.forgotten | load->forgotten, &forgotten);
	group_table_forget(&load->groups, &forgotten);
}

int load_source(struct load *load, struct byte_source *source)
{
	struct grouping grouping = grouping_of(load);
	int r;

	use_info(load, &load->info);
	r = snapshot_read(source, load->limits, &grouping.visitor, &load->info, &load->error);
	finish_tables(load);
	return r;
}

static int fill_thread(struct snapshot_visitor *self, struct thread_sample *sample)
{
	const struct load_filler *filler = (const struct load_filler *)self;

	use_info(filler->grouping.load, snapshot_writer_info(filler->writer));
	return add_thread(self, sample);
}

struct load_filler *load_filler_new(struct load *load)
{
	struct load_filler *filler = mem_calloc(1, sizeof(*filler));

	filler->grouping = grouping_of(load);
	filler->grouping.visitor.thread = fill_thread;
	filler->writer = snapshot_writer_new_visiting(&filler->grouping.visitor);
	return filler;
}

struct snapshot_writer *load_filler_writer(const struct load_filler *filler)
{
	return filler->writer;
}

void load_filler_finish(struct load_filler *filler, struct snapshot_info *info)
{
	struct load *load = filler->grouping.load;

	load->info = *info;
	*info = (struct snapshot_info){0};
	use_info(load, &load->info);
	finish_tables(load);
}

void load_filler_freep(struct load_filler **filler)
{
	if (*filler)
		snapshot_writer_freep(&(*filler)->writer);
	free(*filler);
	*filler = NULL;
}

static int load_file(struct load *load)
{
	cleanup_(fd_source_done) struct fd_source source = FD_SOURCE_INIT;
	int r = fd_source_open(&source, load->path);

	if (r < 0)
		return r;
	if (load->is_read_again && !fd_source_keep(&source, &load->again)) {
		load->copy = memory_stream_make();
		source.copy = &load->copy.bytes;
	}
	r = load_source(load, &source.source);
	load->file_bytes = source.bytes;
	return r;
}

struct byte_source *load_again(struct load *load)
{
	if (fd_source_is_kept(&load->again))
		return fd_source_rewind(&load->again) ? &load->again.source : NULL;
	load->copy.position = 0;
	return &load->copy.source;
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
	memory_stream_done(&load->copy);
	if (fd_source_is_kept(&load->again))
		fd_source_done(&load->again);
}
