// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "bpf-load.h"
#include "bpf/thread-end.h"
#include "thread-end-program.h"

struct thread_end_reader {
	struct thread_end_program program; /* owned, as the ring */
	uint64_t wanted_cgroup;
	struct ring_buffer *ring;
	struct thread_end_handler *handler; /* borrowed, while reading */
};

_Static_assert(sizeof(struct thread_end) != sizeof(struct thread_end_cgroup),
               "a record's length says what it is");

static int handle_record(void *context, void *bytes, size_t len)
{
	struct thread_end_reader *reader = context;

	if (len == sizeof(struct thread_end))
		reader->handler->end(reader->handler, bytes);
	else if (len == sizeof(struct thread_end_cgroup))
		reader->handler->cgroup(reader->handler, bytes);
	return 0;
}

static int load(void *context)
{
	struct thread_end_reader *reader = context;

	if (bpf_loader_first() == BPF_LOADER_LIBBPF ||
	    thread_end_load_light(reader->wanted_cgroup, &reader->program) < 0) {
		int r = thread_end_load_libbpf(reader->wanted_cgroup, &reader->program);

		if (r < 0)
			return r;
	}
	errno = 0;
	reader->ring = ring_buffer__new(reader->program.ring_fd, handle_record, reader, NULL);
	if (!reader->ring)
		return errno ? -errno : -ENOMEM;
	return 0;
}

int thread_end_reader_open(uint64_t wanted_cgroup, struct thread_end_reader **ret_reader)
{
	cleanup_(thread_end_reader_freep) struct thread_end_reader *reader =
	        mem_calloc(1, sizeof(*reader));
	int r;

	reader->wanted_cgroup = wanted_cgroup;
	r = bpf_load(load, reader);

	if (r < 0)
		return r;
	*ret_reader = take_ptr(reader);
	return 0;
}

void thread_end_reader_freep(struct thread_end_reader **reader)
{
	if (*reader) {
		ring_buffer__free((*reader)->ring);
		if ((*reader)->program.skeleton)
			(*reader)->program.destroy((*reader)->program.skeleton);
	}
	free(*reader);
	*reader = NULL;
}

void thread_end_reader_read(struct thread_end_reader *reader, struct thread_end_handler *handler)
{
	reader->handler = handler;
	(void)ring_buffer__consume(reader->ring);
}

uint64_t thread_end_reader_pending(const struct thread_end_reader *reader)
{
	/* In this order, so that no end is counted whose begin is not. */
	uint64_t ended = __atomic_load_n(reader->program.ended, __ATOMIC_ACQUIRE),
	         begun = __atomic_load_n(reader->program.begun, __ATOMIC_ACQUIRE);

	return begun > ended ? begun - ended : 0;
}

uint64_t thread_end_reader_lost(const struct thread_end_reader *reader)
{
	return __atomic_load_n(reader->program.lost, __ATOMIC_RELAXED);
}
