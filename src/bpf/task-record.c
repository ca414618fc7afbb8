// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/task-record.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/boot-clock.h"
#include "base/clock.h"
#include "base/fd.h"
#include "bpf-load.h"
#include "task-record-program.h"
#include "task-record-store.h"

enum {
	READ_BYTES = 32 << 10, /* the most bytes that the kernel returns at once */
	TRIES_MAX = 1000,
	SYS_FILE_BYTES = 1 << 16,
};

struct task_record_reader {
	struct task_record_program program; /* owned, as the others */
	enum bpf_loader loader;
	struct task_record_store store, process;
	bool only_whole;   /* the kernel has no iterators over one process */
	bool ext_is_known; /* the threads that a sched_ext scheduler runs are known */
	struct strbuf text;
};

/* Reads a set of CPUs of /sys; empty if there is none. */
static void read_cpus(struct strbuf *text, const char *path, struct cpu_mask *ret_cpus)
{
	cpu_mask_clear(ret_cpus);
	if (fd_read_all_at(AT_FDCWD, path, text, SYS_FILE_BYTES) < 0)
		return;
	while (text->len > 0 && text->data[text->len - 1] == '\n')
		text->len--;
	if (!cpu_mask_parse(ret_cpus, strbuf_str(text), text->len))
		cpu_mask_clear(ret_cpus);
}

/* Kernels are built for many more CPUs than a machine can have. */
static uint32_t bytes_of_possible_cpus(struct strbuf *text)
{
	struct cpu_mask possible;

	read_cpus(text, "/sys/devices/system/cpu/possible", &possible);
	if (possible.used_words == 0)
		return TASK_RECORD_CPUS_MAX / 8;
	return possible.used_words * (uint32_t)sizeof(possible.words[0]);
}

static bool is_before(unsigned long major, unsigned long minor)
{
	struct utsname system;
	unsigned long own_major;
	char *end;

	if (uname(&system) < 0)
		return false;
	own_major = strtoul(system.release, &end, 10);
	if (own_major != major || *end != '.')
		return own_major < major;
	return strtoul(end + 1, NULL, 10) < minor;
}

/* Each way that fails is followed by the next one. An older kernel refuses the light one at the cost of a few system
 * calls. The first capture since the boot has libbpf load the program, so that it can be kept. */
static int load_cheapest(const struct task_record_constants *constants,
                         struct task_record_reader *reader)
{
	const enum bpf_loader first = bpf_loader_first();
	bool keep = false;

	if (first <= BPF_LOADER_KEPT) {
		int r = task_record_load_kept(constants, &reader->program);

		reader->loader = BPF_LOADER_KEPT;
		if (r == 0)
			return 0;
		keep = r == -ENOENT;
	}
	if (first <= BPF_LOADER_LIGHT && !keep) {
		reader->loader = BPF_LOADER_LIGHT;
		if (task_record_load_light(constants, &reader->program) == 0)
			return 0;
	}
	reader->loader = BPF_LOADER_LIBBPF;
	return task_record_load_libbpf(constants, keep, &reader->program);
}

static int load(void *context)
{
	struct task_record_reader *reader = context;
	const struct task_record_constants constants = {
	        .cpu_bytes = bytes_of_possible_cpus(&reader->text),
	        .workers_have_full_names = !is_before(6, 11),
	        .has_rdonly_cast = !is_before(6, 2),
	};

	return load_cheapest(&constants, reader);
}

int task_record_open(struct task_record_reader **ret_reader)
{
	cleanup_(task_record_freep) struct task_record_reader *reader =
	        mem_calloc(1, sizeof(*reader));
	int r = bpf_load(load, reader);

	if (r < 0)
		return r;
	*ret_reader = take_ptr(reader);
	return 0;
}

void task_record_freep(struct task_record_reader **reader)
{
	if (*reader) {
		if ((*reader)->program.skeleton)
			(*reader)->program.destroy((*reader)->program.skeleton);
		task_record_store_done(&(*reader)->store);
		task_record_store_done(&(*reader)->process);
		strbuf_done(&(*reader)->text);
	}
	free(*reader);
	*reader = NULL;
}

const char *task_record_loader(const struct task_record_reader *reader)
{
	return bpf_loader_name(reader->loader);
}

uint32_t task_record_kept(const struct task_record_reader *reader)
{
	uint32_t kept = reader->program.control->kept;

	return reader->ext_is_known ? kept : kept & ~(uint32_t)TASK_RECORD_EXT;
}

/* Finds the address of the class, which needs a privilege. The file is long, but is only read while a scheduler of
 * sched_ext is loaded. */
static uint64_t find_ext_class(void)
{
	static const char name[] = " ext_sched_class";
	FILE *symbols = fopen("/proc/kallsyms", "re");
	uint64_t address = 0;
	char *line = NULL;
	size_t size = 0;

	if (!symbols)
		return 0;
	while (address == 0 && getline(&line, &size, symbols) > 0) {
		const char *found = strstr(line, name);

		if (found && found[strlen(name)] == '\n')
			address = strtoull(line, NULL, 16);
	}
	free(line);
	(void)fclose(symbols);
	return address;
}

/* While no scheduler is loaded or loading, no thread runs under one. */
static void prepare_ext(struct task_record_reader *reader)
{
	static const char path[] = "/sys/kernel/sched_ext/state", off[] = "disabled\n";

	reader->program.control->ext_class = 0;
	reader->ext_is_known = true;
	if (fd_read_all_at(AT_FDCWD, path, &reader->text, SYS_FILE_BYTES) < 0 ||
	    strcmp(strbuf_str(&reader->text), off) == 0)
		return;
	reader->program.control->ext_class = find_ext_class();
	reader->ext_is_known = reader->program.control->ext_class != 0;
}

/* The kernel returns EAGAIN after very many threads without a record, and continues from there. If its own buffer is
 * larger than ours, a record may come in two parts. */
static int read_records(int fd, struct task_record_store *store)
{
	uint64_t buffer[READ_BYTES / sizeof(uint64_t)];
	char *bytes = (char *)buffer;
	size_t len = 0;
	unsigned tries = 0;

	for (;;) {
		ssize_t n = read(fd, bytes + len, sizeof(buffer) - len);
		ssize_t used;

		if (n == 0)
			return len == 0 ? 0 : -EBADMSG;
		if (n < 0) {
			if ((errno != EAGAIN && errno != EINTR) || ++tries > TRIES_MAX)
				return -errno;
			continue;
		}
		len += (size_t)n;
		used = task_record_store_add(store, bytes, len);
		if (used < 0)
			return (int)used;
		len -= (size_t)used;
		memmove(bytes, bytes + used, len);
	}
}

/* Has the kernel go through threads: those of the process, or of the host where @tgid is 0. */
static int walk(struct task_record_reader *reader, int link_fd, uint32_t tgid,
                const struct cpu_mask *online, struct task_record_store *store)
{
	cleanup_(fd_closep) int fd = bpf_iter_create(link_fd);

	if (fd < 0)
		return -errno;
	task_record_store_clear(store, online);
	reader->program.control->has_last_cpus = 0;
	reader->program.control->wanted_tgid = tgid;
	reader->program.control->wanted_threads = 0;
	return read_records(fd, store);
}

int task_record_read(struct task_record_reader *reader, struct task_record_pass *ret_pass)
{
	struct cpu_mask online;
	int r;

	read_cpus(&reader->text, "/sys/devices/system/cpu/online", &online);
	prepare_ext(reader);
	*ret_pass = (struct task_record_pass){.begin_boottime_ns = boot_clock_now_ns()};
	r = walk(reader, reader->program.link_fd, 0, &online, &reader->store);
	if (r < 0)
		return r;
	ret_pass->end_boottime_ns = boot_clock_now_ns();
	task_record_store_finish(&reader->store, ret_pass);
	return 0;
}

/* The kernel's parameters of an iterator over one process, since Linux 6.1; headers may be older. */
struct process_parameter {
	uint32_t tid;
	uint32_t tgid;
	uint32_t pid_fd;
};

static int walk_process(struct task_record_reader *reader, uint32_t tgid)
{
	static const struct cpu_mask unknown;
	struct process_parameter parameter = {.tgid = tgid};
	LIBBPF_OPTS(bpf_link_create_opts, options, .iter_info = (void *)&parameter,
	            .iter_info_len = sizeof(parameter));
	int program_fd = reader->program.program_fd;
	cleanup_(fd_closep) int fd = bpf_link_create(program_fd, 0, BPF_TRACE_ITER, &options);

	return fd < 0 ? -errno : walk(reader, fd, tgid, &unknown, &reader->process);
}

ssize_t task_record_read_process(struct task_record_reader *reader, uint32_t tgid,
                                 const struct task_record **ret_threads)
{
	static const struct cpu_mask unknown;
	struct task_record_store *store = &reader->process;
	int r = 0;

	if (!reader->only_whole && walk_process(reader, tgid) < 0)
		reader->only_whole = true;
	/* Some kernels end early where the thread that they have come to exits. */
	if (reader->only_whole || store->thread_count < reader->program.control->wanted_threads)
		r = walk(reader, reader->program.link_fd, tgid, &unknown, store);
	*ret_threads = store->threads;
	return r < 0 ? r : (ssize_t)store->thread_count;
}
