// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "bpf-load.h"
#include "bpf/thread-end.h"
/* Made from bpf/thread-end.bpf.c by the build, to other rules than ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <thread-end.skel.h>
#pragma GCC diagnostic pop

struct thread_ends {
	struct thread_end_bpf *program; /* owned, as the ring */
	struct ring_buffer *ring;
	void (*take)(void *context, const struct thread_end *end); /* while reading */
	void *context;
};

static int take_end(void *context, void *bytes, size_t len)
{
	struct thread_ends *ends = context;

	if (len >= sizeof(struct thread_end))
		ends->take(ends->context, bytes);
	return 0;
}

static int load(void *context)
{
	struct thread_ends *ends = context;
	int r;

	ends->program = thread_end_bpf__open();
	if (!ends->program)
		return errno ? -errno : -ENOMEM;
	r = thread_end_bpf__load(ends->program);
	if (r < 0)
		return r;
	/* The library goes on where it has found that it cannot map them. */
	if (!ends->program->bss)
		return -EIO;
	ends->ring = ring_buffer__new(bpf_map__fd(ends->program->maps.ring), take_end, ends, NULL);
	if (!ends->ring)
		return errno ? -errno : -ENOMEM;
	return thread_end_bpf__attach(ends->program);
}

int thread_ends_open(struct thread_ends **ret_ends)
{
	cleanup_(thread_ends_freep) struct thread_ends *ends = mem_calloc(1, sizeof(*ends));
	int r = bpf_load(load, ends);

	if (r < 0)
		return r;
	*ret_ends = take_ptr(ends);
	return 0;
}

struct thread_ends *thread_ends_free(struct thread_ends *ends)
{
	if (ends) {
		ring_buffer__free(ends->ring);
		thread_end_bpf__destroy(ends->program);
	}
	free(ends);
	return NULL;
}

void thread_ends_freep(struct thread_ends **ends)
{
	*ends = thread_ends_free(*ends);
}

void thread_ends_read(struct thread_ends *ends,
                      void (*take)(void *context, const struct thread_end *end), void *context)
{
	ends->take = take;
	ends->context = context;
	(void)ring_buffer__consume(ends->ring);
}

uint64_t thread_ends_lost(const struct thread_ends *ends)
{
	return __atomic_load_n(&ends->program->bss->lost, __ATOMIC_RELAXED);
}
