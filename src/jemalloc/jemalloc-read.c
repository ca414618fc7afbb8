// SPDX-License-Identifier: GPL-2.0-or-later
#include "jemalloc/jemalloc-read.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/watch.h"
#include "procfs/procfs.h"

/* A process may have as many mappings as it has memory; and all processes together may cost no more than this. */
enum { MAPS_BYTES = 256 << 20, LINK_BYTES = 1 << 16 };
static const uint64_t budget_ns = 20 * NS_PER_SECOND;

void jemalloc_reader_init(struct jemalloc_reader *reader, enum jemalloc_mode mode, bool live,
                          struct jemalloc_files *files)
{
	memset(reader, 0, sizeof(*reader));
	reader->rule = live && files && mode != JEMALLOC_MODE_OFF ? OUTCOME_read : OUTCOME_skipped;
	reader->by_stopping = mode == JEMALLOC_MODE_PTRACE;
	reader->summary.seen = reader->rule == OUTCOME_read;
	reader->files = files;
	reader->prober = memory_prober_new();
	memory_prober_set_guard(reader->prober, files ? &files->guard : NULL);
}

void jemalloc_reader_done(struct jemalloc_reader *reader)
{
	memory_prober_freep(&reader->prober);
	if (reader->files)
		jemalloc_files_rest(reader->files);
	reader->files = NULL;
	strbuf_done(&reader->text);
	strbuf_done(&reader->link);
	free(reader->request.threads);
	reader->request.threads = NULL;
}

static bool is_own_process(uint32_t tgid)
{
	return tgid == (uint32_t)getpid();
}

static int open_thread(int process_fd, uint32_t tid)
{
	char name[32];

	snprintf(name, sizeof(name), "task/%" PRIu32, tid);
	return fd_open_path_at(process_fd, name);
}

static enum probe_tag read_maps(struct jemalloc_reader *reader, int thread_fd)
{
	uint64_t since_ns = clock_now_ns(CLOCK_MONOTONIC),
	         until_ns = jemalloc_files_until_ns(reader->files, since_ns);
	int r = thread_fd < 0
	                ? thread_fd
	                : fd_read_all_until(thread_fd, "maps", &reader->text, MAPS_BYTES, until_ns);

	(void)jemalloc_files_spend(reader->files, &since_ns);
	if (error_is_denied(r))
		return PROBE_TAG_not_permitted;
	switch (-r) {
	case 0:
		return reader->text.len > 0 ? PROBE_TAG_ok : PROBE_TAG_readlink_failure;
	case ENOENT:
		return PROBE_TAG_pid_missing;
	/* It has given up its memory, as a zombie has. */
	case ESRCH:
		return PROBE_TAG_readlink_failure;
	case ETIME:
		return PROBE_TAG_budget;
	default:
		return PROBE_TAG_maps_read_failure;
	}
}

/* A process as one of its threads sees it. */
struct seen_process {
	uint32_t tid;
	int thread_fd;
};

static void seen_process_done(struct seen_process *seen)
{
	fd_closep(&seen->thread_fd);
}

/* A leader that has exited before the others has no memory any more, nor a root; some other thread has them. Kernel threads
 * and zombies have no maps. */
static enum probe_tag find_maps(struct jemalloc_reader *reader, int process_fd,
                                const struct id_list *threads, struct seen_process *ret_seen)
{
	const size_t candidates[] = {0, 1, threads->count / 2, threads->count - 1};
	enum probe_tag tag = PROBE_TAG_pid_missing, first = tag;

	for (size_t i = 0; i < ARRAY_SIZE(candidates) && candidates[i] < threads->count; i++) {
		seen_process_done(ret_seen);
		ret_seen->tid = threads->ids[candidates[i]];
		ret_seen->thread_fd = open_thread(process_fd, ret_seen->tid);
		tag = read_maps(reader, ret_seen->thread_fd);
		if (i == 0)
			first = tag;
		if (tag != PROBE_TAG_readlink_failure && tag != PROBE_TAG_pid_missing)
			return tag;
		if (threads->count == 1)
			break;
	}
	return first;
}

/* Only the program itself has its storage at a distance that the linker knew. Asked by its path, for its file system need not
 * answer. */
static bool is_program(struct jemalloc_reader *reader, int thread_fd,
                       const struct mapped_file *mapped)
{
	return fd_read_link_at(thread_fd, "exe", &reader->link, LINK_BYTES) == 0 &&
	       reader->link.len == mapped->path.len &&
	       memcmp(reader->link.data, mapped->path.text, mapped->path.len) == 0;
}

/* Adds the place of the counters of an object with jemalloc to the request. */
static enum probe_tag add_place(struct jemalloc_reader *reader, int thread_fd,
                                const struct jemalloc_object *object,
                                const struct mapped_file *mapped)
{
	struct memory_probe_request *request = &reader->request;
	struct memory_probe_place place = {.allocated = object->allocated,
	                                   .deallocated = object->deallocated};

	if (object->tag != PROBE_TAG_ok)
		return object->tag;
	if (mapped->first_offset != object->first_offset ||
	    request->place_count == MEMORY_PROBE_PLACES_MAX)
		return PROBE_TAG_tls_arithmetic;
	if (object->has_slot)
		place.slot = object->slot_address + mapped->first_start - object->first_address;
	else if (!is_program(reader, thread_fd, mapped))
		return PROBE_TAG_tls_arithmetic;
	request->places[request->place_count++] = place;
	return PROBE_TAG_ok;
}

/* All copies of jemalloc in the process have to be read. If none is found, a file that could not be inspected may have
 * one. */
static enum probe_tag find_places(struct jemalloc_reader *reader, uint32_t tid, int thread_fd,
                                  bool *ret_is_found)
{
	enum probe_tag tag = PROBE_TAG_ok, unknown = PROBE_TAG_jemalloc_not_found;
	uint64_t since_ns = clock_now_ns(CLOCK_MONOTONIC);
	struct mapping_process process;
	struct mapped_file mapped;
	struct maps_reader maps;

	reader->request.place_count = 0;
	mapping_process_init(&process, reader->request.tgid, tid, thread_fd);
	maps_begin(&maps, strbuf_str(&reader->text), reader->text.len);
	while (maps_next(&maps, &mapped)) {
		const struct jemalloc_object *object =
		        jemalloc_files_find(reader->files, &process, &mapped);

		if (object->is_found) {
			enum probe_tag added = add_place(reader, thread_fd, object, &mapped);

			*ret_is_found = true;
			tag = tag == PROBE_TAG_ok ? added : tag;
		} else if (unknown == PROBE_TAG_jemalloc_not_found) {
			unknown = object->tag;
		}
		if (!jemalloc_files_spend(reader->files, &since_ns))
			return PROBE_TAG_budget;
	}
	(void)jemalloc_files_spend(reader->files, &since_ns);
	return *ret_is_found ? tag : unknown;
}

static bool ask_for_files(struct jemalloc_files *files, const struct mapping_process *process,
                          struct strbuf *key, uint64_t *since_ns, enum probe_tag *ret_tag)
{
	cleanup_(fd_closep) int maps_fd =
	        process->thread_fd < 0 ? -1 : fd_open_file_at(process->thread_fd, "maps");
	struct maps_query query = {.fd = maps_fd};
	struct mapped_file mapped;
	int r = maps_fd < 0 ? maps_fd : maps_query_next(&query, &mapped);

	*ret_tag = PROBE_TAG_jemalloc_not_found;
	for (; r > 0; r = maps_query_next(&query, &mapped)) {
		const struct jemalloc_object *object =
		        key ? jemalloc_files_find_known(files, process, &mapped, key)
		            : jemalloc_files_find(files, process, &mapped);

		if (!object || object->is_found)
			return false;
		if (*ret_tag == PROBE_TAG_jemalloc_not_found)
			*ret_tag = object->tag;
		if (!jemalloc_files_spend(files, since_ns)) {
			*ret_tag = PROBE_TAG_budget;
			return true;
		}
	}
	return r == 0;
}

/* Asks for the files with code alone, which takes a third of the time of reading the maps. Returns whether that says it all: no
 * file has jemalloc, or there is no more time to look for one, and @ret_tag is that of the process. With @key, a buffer, no file is
 * looked into that is not known. */
static bool has_none(struct jemalloc_files *files, const struct mapping_process *process,
                     struct strbuf *key, enum probe_tag *ret_tag)
{
	uint64_t since_ns = clock_now_ns(CLOCK_MONOTONIC);
	bool has;

	*ret_tag = PROBE_TAG_budget;
	if (!jemalloc_files_spend(files, &since_ns))
		return true;
	has = !ask_for_files(files, process, key, &since_ns, ret_tag);
	(void)jemalloc_files_spend(files, &since_ns);
	return !has;
}

static bool thread_has_none(struct jemalloc_reader *reader, int process_fd, uint32_t tid,
                            enum probe_tag *ret_tag)
{
	cleanup_(seen_process_done) struct seen_process seen = {
	        .tid = tid, .thread_fd = open_thread(process_fd, tid)};
	struct mapping_process process;

	mapping_process_init(&process, reader->request.tgid, tid, seen.thread_fd);
	return has_none(reader->files, &process, NULL, ret_tag);
}

static void list_threads(struct jemalloc_reader *reader, const struct id_list *threads)
{
	struct memory_probe_request *request = &reader->request;

	array_reserve(request->threads, reader->capacity, threads->count);
	request->thread_count = threads->count;
	for (size_t i = 0; i < threads->count; i++)
		request->threads[i] = (struct memory_probe_thread){.tid = threads->ids[i]};
}

static enum probe_tag tag_of_flags(uint32_t flags)
{
	if (flags & THREAD_POINTER_EXITING)
		return PROBE_TAG_pid_missing;
	if (flags & THREAD_POINTER_TRACED)
		return PROBE_TAG_traced;
	if (flags & THREAD_POINTER_STOPPED)
		return PROBE_TAG_stopped;
	if (flags & THREAD_POINTER_UNINTERRUPTIBLE)
		return PROBE_TAG_uninterruptible;
	return PROBE_TAG_ok;
}

static int compare_tids(const void *key, const void *member)
{
	const uint32_t *tid = key;
	const struct thread_pointer *thread = member;

	return (*tid > thread->tid) - (*tid < thread->tid);
}

/* Says how many threads were in uninterruptible sleep, which ends soon as a rule. */
static size_t match_pointers(struct memory_probe_request *request,
                             const struct thread_pointer *known, size_t count)
{
	size_t asleep = 0;

	for (size_t i = 0; i < request->thread_count; i++) {
		struct memory_probe_thread *thread = &request->threads[i];
		const struct thread_pointer *found =
		        bsearch(&thread->tid, known, count, sizeof(*known), compare_tids);

		thread->has_pointer = found != NULL;
		thread->pointer = found ? found->pointer : 0;
		thread->tag = found ? tag_of_flags(found->flags) : PROBE_TAG_pid_missing;
		asleep += thread->tag == PROBE_TAG_uninterruptible;
	}
	return asleep;
}

static void forget_pointers(struct memory_probe_request *request)
{
	for (size_t i = 0; i < request->thread_count; i++)
		request->threads[i] = (struct memory_probe_thread){.tid = request->threads[i].tid};
}

/* Finds thread pointers without stopping a thread. If that does not work, the prober stops the threads for them; so it does
 * for a process that the host hides from BPF. */
static void find_pointers(struct jemalloc_reader *reader, const struct known_pointers *given)
{
	enum { ATTEMPTS = 4 };
	static const struct timespec pause = {.tv_nsec = NS_PER_MS};
	struct thread_pointers *pointers;
	const struct thread_pointer *known;
	ssize_t count;

	if (given && !reader->by_stopping &&
	    match_pointers(&reader->request, given->threads, given->count) == 0)
		return;
	if (given)
		forget_pointers(&reader->request);
	pointers = reader->by_stopping ? NULL : jemalloc_files_pointers(reader->files);
	for (int i = 0; pointers && i < ATTEMPTS; i++) {
		if (i > 0)
			nanosleep(&pause, NULL);
		count = thread_pointers_read(pointers, reader->request.tgid, &known);
		if (count < 0)
			jemalloc_files_drop_pointers(reader->files);
		if (count <= 0) {
			forget_pointers(&reader->request);
			return;
		}
		if (match_pointers(&reader->request, known, (size_t)count) == 0)
			return;
	}
}

/* Returns the tag of a process: ok if anything was read, else the most frequent one of its threads. */
static enum probe_tag count_threads(struct jemalloc_reader *reader)
{
	const struct memory_probe_request *request = &reader->request;
	size_t counts[PROBE_TAG_COUNT] = {0};
	enum probe_tag most = PROBE_TAG_pid_missing;

	for (size_t i = 0; i < request->thread_count; i++) {
		enum probe_tag tag = request->threads[i].tag;

		probe_summary_add_thread(&reader->summary, tag);
		if (++counts[tag] > counts[most])
			most = tag;
	}
	return counts[PROBE_TAG_ok] > 0 ? PROBE_TAG_ok : most;
}

static enum probe_tag probe(struct jemalloc_reader *reader, const struct id_list *threads,
                            const struct known_pointers *known)
{
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC);

	if (reader->used_ns > budget_ns)
		return PROBE_TAG_budget;
	list_threads(reader, threads);
	find_pointers(reader, known);
	memory_prober_run(reader->prober, &reader->request);
	reader->used_ns += clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
	return PROBE_TAG_ok;
}

bool jemalloc_reader_prepare_process(struct jemalloc_reader *reader, int process_fd, uint32_t tgid)
{
	cleanup_(id_list_done) struct id_list threads = {0};
	cleanup_(seen_process_done) struct seen_process seen = {.thread_fd = -1};
	cleanup_(fd_closep) int task_fd = fd_open_dir_at(process_fd, "task");
	enum probe_tag tag;
	bool is_found = false;

	if (!CTPROF_HAS_JEMALLOC || is_own_process(tgid) || task_fd < 0 ||
	    fd_list_ids(task_fd, &threads, &reader->text) < 0 || threads.count == 0)
		return false;
	reader->request.tgid = tgid;
	if (!thread_has_none(reader, process_fd, threads.ids[0], &tag) &&
	    find_maps(reader, process_fd, &threads, &seen) == PROBE_TAG_ok)
		(void)find_places(reader, seen.tid, seen.thread_fd, &is_found);
	return is_found;
}

void jemalloc_reader_prepare_pointers(struct jemalloc_reader *reader)
{
	if (!reader->by_stopping)
		(void)jemalloc_files_pointers(reader->files);
}

struct jemalloc_buffers jemalloc_reader_lose_buffers(struct jemalloc_reader *reader)
{
	const struct jemalloc_buffers lost = {reader->text, reader->link, reader->request.threads};

	reader->text = reader->link = (struct strbuf)STRBUF_INIT;
	reader->request.threads = NULL;
	reader->capacity = 0;
	return lost;
}

void jemalloc_buffers_done(struct jemalloc_buffers *buffers)
{
	strbuf_done(&buffers->text);
	strbuf_done(&buffers->link);
	free(buffers->threads);
}

void jemalloc_pass_process(struct jemalloc_reader *reader)
{
	reader->tag = PROBE_TAG_readlink_failure;
	if (reader->rule == OUTCOME_read)
		probe_summary_add_process(&reader->summary, reader->tag, false);
}

/* Between vfork and exec, and after clone with CLONE_VM alone, a process has its parent's memory, and mostly its parent's
 * thread-local storage as well, whose counters would count twice. A kernel that does not say counts as
 * "memory of its own". The comparison is made for a thread that has memory: two that have given up theirs are the same. */
static bool is_memory_of_parent(const struct seen_process *seen, uint64_t parent)
{
	long r;

	/* 0: out of our pid namespace. */
	if (parent == 0 || parent > INT32_MAX)
		return false;
	watch_enter();
	r = syscall(SYS_kcmp, (pid_t)seen->tid, (pid_t)parent, KCMP_VM, 0UL, 0UL);
	watch_leave();
	return r == 0;
}

/* Looks whether the process has its parent's memory, or a copy of it. Every thread that was made by fork or clone has the flag until it
 * executes a program; only in the leader it says something of the memory. */
static enum probe_tag look_at_descent(struct jemalloc_reader *reader,
                                      const struct seen_process *seen)
{
	enum { STAT_BYTES = 1 << 16, FIELD_PARENT = 4, FIELD_FLAGS = 9 };
	enum { FORKED = 0x40 }; /* PF_FORKNOEXEC of include/linux/sched.h */
	uint64_t parent, flags;

	reader->is_forked = false;
	if (fd_read_all_at(seen->thread_fd, "stat", &reader->text, STAT_BYTES) < 0)
		return PROBE_TAG_ok;
	if (stat_field(strbuf_str(&reader->text), reader->text.len, FIELD_FLAGS, &flags))
		reader->is_forked = seen->tid == reader->request.tgid && (flags & FORKED);
	if (stat_field(strbuf_str(&reader->text), reader->text.len, FIELD_PARENT, &parent) &&
	    is_memory_of_parent(seen, parent))
		return PROBE_TAG_shared_memory;
	return PROBE_TAG_ok;
}

static enum probe_tag look(struct jemalloc_reader *reader, int process_fd,
                           const struct id_list *threads, bool *ret_is_found)
{
	cleanup_(seen_process_done) struct seen_process seen = {.thread_fd = -1};
	enum probe_tag tag = find_maps(reader, process_fd, threads, &seen);

	if (tag == PROBE_TAG_ok)
		tag = find_places(reader, seen.tid, seen.thread_fd, ret_is_found);
	return tag == PROBE_TAG_ok ? look_at_descent(reader, &seen) : tag;
}

/* Few processes have one. Everything is read of these again, with the program that they run, so that no exec in between mixes
 * two programs. */
static enum probe_tag read_process(struct jemalloc_reader *reader, int process_fd, uint32_t tgid,
                                   const struct id_list *threads,
                                   const struct known_pointers *known, bool *ret_is_found)
{
	enum probe_tag tag;

	if (is_own_process(tgid))
		return PROBE_TAG_own_process;
	if (!CTPROF_HAS_JEMALLOC)
		return PROBE_TAG_not_built_in;
	reader->request.tgid = tgid;
	if (thread_has_none(reader, process_fd, threads->ids[0], &tag))
		return tag;
	tag = look(reader, process_fd, threads, ret_is_found);
	if (tag != PROBE_TAG_ok)
		return tag;
	if (!process_identity_read(tgid, &reader->request.identity))
		return PROBE_TAG_pid_missing;
	*ret_is_found = false;
	tag = look(reader, process_fd, threads, ret_is_found);
	return tag == PROBE_TAG_ok ? probe(reader, threads, known) : tag;
}

void jemalloc_read_process(struct jemalloc_reader *reader, int process_fd, uint32_t tgid,
                           const struct id_list *threads, const struct known_pointers *known)
{
	bool is_found = false;

	if (reader->rule != OUTCOME_read)
		return;
	reader->tag = read_process(reader, process_fd, tgid, threads, known, &is_found);
	if (reader->tag == PROBE_TAG_ok) {
		probe_summary_add_process(&reader->summary, count_threads(reader), is_found);
		return;
	}
	probe_summary_add_process(&reader->summary, reader->tag, is_found);
	for (size_t i = 0; is_found && i < threads->count; i++)
		probe_summary_add_thread(&reader->summary, reader->tag);
}

bool jemalloc_read_known(struct jemalloc_reader *reader, struct jemalloc_files *files,
                         int process_fd, uint32_t tgid)
{
	struct mapping_process process;

	if (reader->rule != OUTCOME_read || !CTPROF_HAS_JEMALLOC || is_own_process(tgid))
		return false;
	mapping_process_init(&process, tgid, tgid, process_fd);
	if (!has_none(files, &process, &reader->text, &reader->tag))
		return false;
	probe_summary_add_process(&reader->summary, reader->tag, false);
	return true;
}

void jemalloc_leave_process(struct jemalloc_reader *reader)
{
	reader->tag = PROBE_TAG_pid_missing;
	if (reader->rule == OUTCOME_read)
		probe_summary_add_process(&reader->summary, reader->tag, false);
}

bool jemalloc_has_counters(const struct jemalloc_reader *reader)
{
	return reader->rule == OUTCOME_read && reader->tag == PROBE_TAG_ok;
}

void jemalloc_forget_process(struct jemalloc_reader *reader)
{
	reader->tag = PROBE_TAG_pid_missing;
}

/* clang-format off */
#define METRIC(id_, type_, bound_, rule_, encoding_, source_, ...)                                 \
	_Static_assert(((int)SOURCE_##source_ == (int)SOURCE_jemalloc) ==                          \
			       ((int)BOUND_##bound_ == (int)BOUND_program),                        \
		       "metric " #id_ ": what jemalloc counts has the bound program, and nothing else");   \
	_Static_assert((int)SOURCE_##source_ != (int)SOURCE_jemalloc ||                            \
			       (int)METRIC_##id_ == (int)METRIC_allocated_bytes ||                 \
			       (int)METRIC_##id_ == (int)METRIC_deallocated_bytes,                 \
		       "metric " #id_ ": jemalloc_take_thread() does not set it");
#include CTPROF_METRICS_DEF
#undef METRIC
/* clang-format on */

/* Returns a number of 16 bits and one more, or 0 if the addresses are hidden. The code and the stack lie at addresses that are chosen
 * apart, so that such a number says of neither where it is. */
static uint32_t program_of(const struct process_identity *identity)
{
	/* Odd numbers, whose products have every bit below in their highest ones. */
	const uint64_t of_stack = 0x9e3779b97f4a7c15, of_both = 0xd6e8feb86659fd93;

	if (identity->start_stack <= 1)
		return 0;
	return (uint32_t)(((identity->start_stack * of_stack + identity->start_code) * of_both >>
	                   48) +
	                  1);
}

void jemalloc_take_thread(const struct jemalloc_reader *reader, size_t index,
                          struct thread_sample *sample)
{
	const struct memory_probe_thread *thread = NULL;
	enum probe_tag tag = reader->tag;

	if (reader->rule != OUTCOME_read)
		return;
	if (tag == PROBE_TAG_ok) {
		thread = &reader->request.threads[index];
		tag = thread->tag;
	}
	sample->outcomes[SOURCE_jemalloc] = probe_tag_table[tag].outcome;
	if (tag != PROBE_TAG_ok)
		return;
	sample->jemalloc_boottime_ns = thread->read_boottime_ns;
	if (sample->tid == sample->tgid)
		sample->jemalloc_program = program_of(&reader->request.identity);
	if (reader->is_forked && sample->tid == sample->tgid) {
		sample_set_impossible(sample, METRIC_allocated_bytes, thread->allocated);
		sample_set_impossible(sample, METRIC_deallocated_bytes, thread->deallocated);
		return;
	}
	sample_set(sample, allocated_bytes, (struct counter_bytes){thread->allocated});
	sample_set(sample, deallocated_bytes, (struct counter_bytes){thread->deallocated});
}
