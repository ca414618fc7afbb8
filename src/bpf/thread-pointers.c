// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "bpf-load.h"
#include "bpf/thread-pointer.h"
#include "ctprof/base/strbuf.h"
/* Made from bpf/thread-pointer.bpf.c by the build, to other rules than ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <thread-pointer.skel.h>
#pragma GCC diagnostic pop

enum {
	READ_BYTES = 32 << 10, /* what the kernel gives at once */
	TRIES_MAX = 1000,
};

struct thread_pointers {
	struct thread_pointer_bpf *program; /* owned, as the others */
	struct bpf_link *whole;             /* over all threads of the host */
	bool only_whole;
	struct strbuf records;
};

/* The kernel's parameters of an iterator over one process, since Linux 6.1; headers may be older. */
struct process_parameter {
	uint32_t tid;
	uint32_t tgid;
	uint32_t pid_fd;
};

static int load(void *context)
{
	struct thread_pointers *pointers = context;
	int r;

	pointers->program = thread_pointer_bpf__open();
	if (!pointers->program)
		return errno ? -errno : -ENOMEM;
	r = thread_pointer_bpf__load(pointers->program);
	if (r < 0)
		return r;
	/* The library goes on where it has found that it cannot map them. */
	if (!pointers->program->bss)
		return -EIO;
	errno = 0;
	pointers->whole = bpf_program__attach_iter(pointers->program->progs.thread_pointer, NULL);
	if (!pointers->whole)
		return errno ? -errno : -ENOMEM;
	return 0;
}

int thread_pointers_open(struct thread_pointers **ret_pointers)
{
	cleanup_(thread_pointers_freep) struct thread_pointers *pointers =
	        mem_calloc(1, sizeof(*pointers));
	int r = bpf_load(load, pointers);

	if (r < 0)
		return r;
	*ret_pointers = take_ptr(pointers);
	return 0;
}

void thread_pointers_freep(struct thread_pointers **pointers)
{
	if (*pointers) {
		bpf_link__destroy((*pointers)->whole);
		thread_pointer_bpf__destroy((*pointers)->program);
		strbuf_done(&(*pointers)->records);
	}
	free(*pointers);
	*pointers = NULL;
}

/* The kernel says EAGAIN where it has met very many threads of others and none of ours: it goes on from there. */
static int read_records(int fd, struct strbuf *records)
{
	unsigned tries = 0;

	for (;;) {
		char *end = strbuf_reserve(records, READ_BYTES);
		ssize_t n = read(fd, end, READ_BYTES);

		if (n == 0)
			return 0;
		if (n > 0)
			records->len += (size_t)n;
		else if ((errno != EAGAIN && errno != EINTR) || ++tries > TRIES_MAX)
			return -errno;
	}
}

static int walk(struct thread_pointers *pointers, int link_fd)
{
	cleanup_(fd_closep) int fd = bpf_iter_create(link_fd);

	strbuf_clear(&pointers->records);
	pointers->program->bss->thread_count = 0;
	if (fd < 0)
		return -errno;
	return read_records(fd, &pointers->records);
}

static int walk_process(struct thread_pointers *pointers, uint32_t tgid)
{
	struct process_parameter parameter = {.tgid = tgid};
	LIBBPF_OPTS(bpf_link_create_opts, options, .iter_info = (void *)&parameter,
	            .iter_info_len = sizeof(parameter));
	int program_fd = bpf_program__fd(pointers->program->progs.thread_pointer);
	cleanup_(fd_closep) int fd = bpf_link_create(program_fd, 0, BPF_TRACE_ITER, &options);

	if (fd < 0)
		return -errno;
	return walk(pointers, fd);
}

static size_t count_of(const struct thread_pointers *pointers)
{
	return pointers->records.len / sizeof(struct thread_pointer);
}

static int compare_tids(const void *a, const void *b)
{
	const struct thread_pointer *left = a, *right = b;

	return (left->tid > right->tid) - (left->tid < right->tid);
}

ssize_t thread_pointers_read(struct thread_pointers *pointers, uint32_t tgid,
                             const struct thread_pointer **ret_threads)
{
	int r;

	pointers->program->bss->wanted_tgid = tgid;
	if (!pointers->only_whole && walk_process(pointers, tgid) < 0)
		pointers->only_whole = true;
	/* Some kernels end early where the thread that they have come to exits. */
	if (pointers->only_whole || count_of(pointers) < pointers->program->bss->thread_count) {
		r = walk(pointers, bpf_link__fd(pointers->whole));
		if (r < 0)
			return r;
	}
	if (count_of(pointers) == 0)
		return 0;
	qsort(pointers->records.data, count_of(pointers), sizeof(struct thread_pointer),
	      compare_tids);
	*ret_threads = (const struct thread_pointer *)(const void *)pointers->records.data;
	return (ssize_t)count_of(pointers);
}
