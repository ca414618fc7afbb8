// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "bpf-load.h"
#include "bpf/thread-end.h"
/* The build makes this file from bpf/thread-end.bpf.c; it does not follow our rules. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <thread-end.skel.h>
#pragma GCC diagnostic pop

struct thread_end_reader {
	struct thread_end_bpf *program; /* owned, as the ring */
	struct ring_buffer *ring;
	void (*handle)(void *context, const struct thread_end *end); /* while reading */
	void *context;
};

static int handle_end(void *context, void *bytes, size_t len)
{
	struct thread_end_reader *reader = context;

	if (len >= sizeof(struct thread_end))
		reader->handle(reader->context, bytes);
	return 0;
}

static int load(void *context)
{
	struct thread_end_reader *reader = context;
	int r;

	reader->program = thread_end_bpf__open();
	if (!reader->program)
		return errno ? -errno : -ENOMEM;
	r = thread_end_bpf__load(reader->program);
	if (r < 0)
		return r;
	/* libbpf continues after it failed to map them. */
	if (!reader->program->bss)
		return -EIO;
	reader->ring =
	        ring_buffer__new(bpf_map__fd(reader->program->maps.ring), handle_end, reader, NULL);
	if (!reader->ring)
		return errno ? -errno : -ENOMEM;
	return thread_end_bpf__attach(reader->program);
}

int thread_end_reader_open(struct thread_end_reader **ret_reader)
{
	cleanup_(thread_end_reader_freep) struct thread_end_reader *reader =
	        mem_calloc(1, sizeof(*reader));
	int r = bpf_load(load, reader);

	if (r < 0)
		return r;
	*ret_reader = take_ptr(reader);
	return 0;
}

void thread_end_reader_freep(struct thread_end_reader **reader)
{
	if (*reader) {
		ring_buffer__free((*reader)->ring);
		thread_end_bpf__destroy((*reader)->program);
	}
	free(*reader);
	*reader = NULL;
}

void thread_end_reader_read(struct thread_end_reader *reader,
                            void (*handle)(void *context, const struct thread_end *end),
                            void *context)
{
	reader->handle = handle;
	reader->context = context;
	(void)ring_buffer__consume(reader->ring);
}

uint64_t thread_end_reader_lost(const struct thread_end_reader *reader)
{
	return __atomic_load_n(&reader->program->bss->lost, __ATOMIC_RELAXED);
}
