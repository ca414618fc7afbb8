// SPDX-License-Identifier: GPL-2.0-or-later
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "ctprof/fd.h"

struct fd_source {
	struct byte_source source; /* must stay the first member */
	int fd;
};

static int fd_source_read(struct byte_source *self, void *buffer, size_t size, size_t *ret_len)
{
	const struct fd_source *source = (const struct fd_source *)self;
	ssize_t len;

	do
		len = read(source->fd, buffer, size);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return -errno;
	*ret_len = (size_t)len;
	return 0;
}

struct load_head {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool known;
	uint64_t old_before_ticks;
};

/* The baseline's side: the head is as complete as it will be. */
static void publish_head(struct load_head *head, const struct snapshot_info *info)
{
	const struct host *host = &info->host;
	uint64_t seconds = info->captured_boottime_ns / 1000000000u;
	uint64_t rest_ns = info->captured_boottime_ns % 1000000000u;
	uint64_t hz = host->numbers[HOST_clock_ticks_per_second];

	pthread_mutex_lock(&head->mutex);
	if (!head->known && hz > 0 && hz <= 1000000)
		head->old_before_ticks = seconds * hz + rest_ns * hz / 1000000000u;
	head->known = true;
	pthread_cond_broadcast(&head->changed);
	pthread_mutex_unlock(&head->mutex);
}

static uint64_t await_head(struct load_head *head)
{
	uint64_t ticks;

	pthread_mutex_lock(&head->mutex);
	while (!head->known)
		pthread_cond_wait(&head->changed, &head->mutex);
	ticks = head->old_before_ticks;
	pthread_mutex_unlock(&head->mutex);
	return ticks;
}

struct grouping {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct load *load;
	bool started;
};

static int add_thread(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct grouping *grouping = (struct grouping *)self;
	struct load *load = grouping->load;

	if (!grouping->started && load->is_baseline)
		publish_head(load->head, &load->info);
	if (!grouping->started)
		load->groups.old_before_ticks = await_head(load->head);
	grouping->started = true;
	group_table_add(&load->groups, sample);
	return 0;
}

static int load_file(struct load *load)
{
	struct grouping grouping = {.visitor = {add_thread}, .load = load};
	struct fd_source source = {.source = {fd_source_read}};
	cleanup_(fd_closep) int fd = -1;

	fd = strcmp(load->path, "-") == 0 ? dup(STDIN_FILENO)
	                                  : open(load->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	source.fd = fd;
	return snapshot_read(&source.source, load->limits, &grouping.visitor, &load->info,
	                     &load->error);
}

static void *load_thread(void *context)
{
	struct load *load = context;

	load->result = load_file(load);
	/* Without a row, or after a failure, nobody may wait any longer. */
	if (load->is_baseline)
		publish_head(load->head, &load->info);
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
	struct load_head head = {.mutex = PTHREAD_MUTEX_INITIALIZER,
	                         .changed = PTHREAD_COND_INITIALIZER};
	bool parallel = false;
	pthread_t thread;

	for (unsigned i = 0; i < count; i++) {
		loads[i].head = &head;
		loads[i].is_baseline = i == 0;
	}
	if (count == 2)
		parallel = pthread_create(&thread, NULL, load_thread, &loads[1]) == 0;
	load_thread(&loads[0]);
	if (parallel)
		pthread_join(thread, NULL);
	else if (count == 2)
		load_thread(&loads[1]);
	pthread_mutex_destroy(&head.mutex);
	pthread_cond_destroy(&head.changed);
}

void load_done(struct load *load)
{
	group_table_done(&load->groups);
	snapshot_info_done(&load->info);
	strbuf_done(&load->error);
}
