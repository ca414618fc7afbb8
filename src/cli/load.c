// SPDX-License-Identifier: GPL-2.0-or-later
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "ctprof/fd.h"
#include "ctprof/reference.h"

struct fd_source {
	struct byte_source source; /* must stay the first member */
	int fd;
	uint64_t bytes; /* read so far */
};

static int fd_source_read(struct byte_source *self, void *buffer, size_t size, size_t *ret_len)
{
	struct fd_source *source = (struct fd_source *)self;
	ssize_t len;

	do
		len = read(source->fd, buffer, size);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return -errno;
	source->bytes += (uint64_t)len;
	*ret_len = (size_t)len;
	return 0;
}

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

	cgroup_table_add(&load->cgroups,
	                 group_table_cgroup(&load->groups, strbuf_str(&stats->path),
	                                    stats->path.len, stats->is_v1),
	                 stats);
	return 0;
}

static int load_file(struct load *load)
{
	struct grouping grouping = {.visitor = {.thread = add_thread,
	                                        .cgroup = load->wants_cgroups ? add_cgroup : NULL},
	                            .load = load};
	struct fd_source source = {.source = {fd_source_read}};
	struct metric_set forgotten = {{0}};
	cleanup_(fd_closep) int fd = -1;
	int r;

	fd = strcmp(load->path, "-") == 0 ? dup(STDIN_FILENO)
	                                  : open(load->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	source.fd = fd;
	load->groups.host = &load->info.host;
	load->groups.info = &load->info;
	load->groups.filter = load->filter.label ? &load->filter : NULL;
	r = snapshot_read(&source.source, load->limits, &grouping.visitor, &load->info,
	                  &load->error);
	group_table_finish(&load->groups);
	reference_add_metrics(load->info.forgotten, &forgotten);
	group_table_forget(&load->groups, &forgotten);
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
	smaps_table_done(&load->smaps);
	snapshot_info_done(&load->info);
	strbuf_done(&load->error);
}
