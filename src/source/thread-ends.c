// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctprof/mem.h"
#include "ctprof/thread-end.h"
/* Made from bpf/thread-end.bpf.c by the build, to other rules than ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <thread-end.skel.h>
#pragma GCC diagnostic pop

/* Ids in the records are those of the initial pid namespace, whose number the kernel has fixed. */
enum { INITIAL_PID_NAMESPACE = 0xeffffffc };

struct thread_ends {
	struct thread_end_bpf *program; /* owned, as the ring */
	struct ring_buffer *ring;
	void (*take)(void *context, const struct thread_end *end); /* while reading */
	void *context;
};

/* Births in the records are by the clock of the host, while in a time namespace those of /proc are by another one. */
enum { INITIAL_TIME_NAMESPACE = 0xeffffffa };

/* Wherever this does not work there is another way, and it says for itself what it lacks. */
static int say_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

/* Kernels without time namespaces, before Linux 5.6, have one clock only. */
static bool is_in_initial_namespaces(void)
{
	struct stat status;

	if (stat("/proc/self/ns/time", &status) == 0 &&
	    status.st_ino != (ino_t)INITIAL_TIME_NAMESPACE)
		return false;
	return stat("/proc/self/ns/pid", &status) == 0 &&
	       status.st_ino == (ino_t)INITIAL_PID_NAMESPACE;
}

static int take_end(void *context, void *bytes, size_t len)
{
	struct thread_ends *ends = context;

	if (len >= sizeof(struct thread_end))
		ends->take(ends->context, bytes);
	return 0;
}

static int load(struct thread_ends *ends)
{
	int r;

	ends->program = thread_end_bpf__open();
	if (!ends->program)
		return errno ? -errno : -ENOMEM;
	r = thread_end_bpf__load(ends->program);
	if (r < 0)
		return r;
	ends->ring = ring_buffer__new(bpf_map__fd(ends->program->maps.ring), take_end, ends, NULL);
	if (!ends->ring)
		return errno ? -errno : -ENOMEM;
	return thread_end_bpf__attach(ends->program);
}

int thread_ends_open(struct thread_ends **ret_ends)
{
	cleanup_(thread_ends_freep) struct thread_ends *ends = NULL;
	libbpf_print_fn_t before;
	int r;

	if (!is_in_initial_namespaces())
		return -EPERM;
	ends = mem_calloc(1, sizeof(*ends));
	before = libbpf_set_print(say_nothing);
	r = load(ends);
	libbpf_set_print(before);
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
