// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "facts/cgroup-gone.h"
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

	if (load->selection && !selection_has(load->selection, sample)) {
		metric_set_add_all(&load->groups.seen_elsewhere, &sample->seen);
		return 0;
	}
	load->selected++;
	group_table_add(&load->groups, sample);
	/* The time of an end without a record is not known. */
	if (load->wants_ended && sample->interval_ns > 0 && sample_ended_inside(sample))
		thread_store_add(&load->ended, sample);
	if (load->wants_smaps)
		smaps_table_add(&load->smaps, sample);
	/* Its cgroup may have been made and removed inside, so that no reading has it. */
	if (load->wants_cgroups && sample->has_cgroup && sample_ended_inside(sample))
		cgroup_gone_add(&load->cgroups,
		                group_table_cgroup(&load->groups, strbuf_str(&sample->cgroup),
		                                   sample->cgroup.len, sample->cgroup_is_v1),
		                &sample->cgroup, sample->cgroup_is_v1);
	return 0;
}

static int add_cgroup(struct snapshot_visitor *self, const struct cgroup_stats *stats)
{
	struct load *load = ((struct grouping *)self)->load;

	if (load->selection &&
	    !selection_has_cgroup(load->selection, strbuf_str(&stats->path), stats->path.len))
		return 0;
	if (load->wants_knobs && !stats->is_gone)
		cgroup_knobs_add(&load->knobs, stats);
	if (load->wants_containers)
		container_table_add(&load->containers, stats);
	if (load->wants_cgroups)
		cgroup_table_add(&load->cgroups,
		                 group_table_cgroup(&load->groups, strbuf_str(&stats->path),
		                                    stats->path.len, stats->is_v1),
		                 stats);
	return 0;
}

static struct grouping grouping_of(struct load *load)
{
	return (struct grouping){.visitor = {.thread = add_thread,
	                                     .cgroup = load->wants_cgroups || load->wants_knobs ||
	                                                               load->wants_containers
	                                                       ? add_cgroup
	                                                       : NULL},
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
	if (load->selection)
		selection_note(load->selection, &load->info);
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
	if (load->selection)
		selection_note(load->selection, &load->info);
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

void load_done(struct load *load)
{
	group_table_done(&load->groups);
	group_filter_done(&load->filter);
	cgroup_table_done(&load->cgroups);
	container_table_done(&load->containers);
	settings_done(&load->knobs);
	smaps_table_done(&load->smaps);
	thread_store_done(&load->ended);
	snapshot_info_done(&load->info);
	strbuf_done(&load->error);
	memory_stream_done(&load->copy);
	if (fd_source_is_kept(&load->again))
		fd_source_done(&load->again);
}
