// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads counters of threads whose thread pointers are known. Everything may be garbage: the pointers, where they lead, and
 * the process may end, or become another program, at any time. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/boot-clock.h"
#include "memory-probe-shared.h"

enum { WORDS_MAX = 1024 /* of one call */ };

static const uint64_t COUNTER_END = UINT64_C(1) << 60;
/* A thread may free memory that others have allocated. */
static const uint64_t FREED_MORE_MAX = UINT64_C(1) << 56;
static const uint64_t OFFSET_END = UINT64_C(1) << 32;

struct reader {
	struct probe_shared *shared;
	/* Offsets from the thread pointer: allocated and deallocated of each place. */
	int64_t offsets[MEMORY_PROBE_PLACES_MAX][2];
	size_t words_each; /* of a thread */
	bool is_second;
	size_t thread_count;
	struct probe_thread *threads[WORDS_MAX];
	struct iovec from[WORDS_MAX];
	uint64_t words[WORDS_MAX];
};

_Static_assert(WORDS_MAX <= IOV_MAX, "one call takes them");

static bool is_gone(const struct probe_shared *shared, uint32_t tid)
{
	return syscall(SYS_tgkill, (pid_t)shared->tgid, (pid_t)tid, 0) < 0 && errno == ESRCH;
}

/* The memory of a thread that has exited meanwhile may be another one's by now, or nobody's: then a pointer that leads
 * nowhere is no failure. */
static void end_doubtful(const struct probe_shared *shared, struct probe_thread *thread,
                         enum probe_tag tag)
{
	probe_thread_end(thread, is_gone(shared, thread->tid) ? PROBE_TAG_pid_missing : tag);
}

static void end_unread(struct probe_shared *shared, enum probe_tag tag)
{
	for (size_t i = 0; i < shared->thread_count; i++)
		if (shared->threads[i].step == PROBE_STEP_READ)
			probe_thread_end(&shared->threads[i], tag);
}

/* The leader may have exited before the others, and has no memory then: any thread of the process will do. Reads words
 * into reader->words until one cannot be read. Returns how many, or -errno. */
static ssize_t read_words(struct reader *reader, size_t start, size_t count)
{
	struct iovec to = {reader->words + start, (count - start) * sizeof(uint64_t)};
	pid_t who = (pid_t)reader->shared->tgid;
	ssize_t n = process_vm_readv(who, &to, 1, reader->from + start, count - start, 0);

	for (size_t i = 0; n < 0 && errno == ESRCH && i < reader->thread_count; i++) {
		who = (pid_t)reader->threads[i]->tid;
		if (is_gone(reader->shared, (uint32_t)who)) {
			errno = ESRCH;
			continue;
		}
		n = process_vm_readv(who, &to, 1, reader->from + start, count - start, 0);
		/* The number may be another process's by now. */
		if (n >= 0 && is_gone(reader->shared, (uint32_t)who)) {
			n = -1;
			errno = ESRCH;
		}
	}
	if (n < 0)
		return errno == EFAULT ? 0 : -errno;
	return (ssize_t)((size_t)n / sizeof(uint64_t));
}

/* Goes on behind threads whose words cannot be read. Returns 0 or -errno. */
static int read_batch(struct reader *reader)
{
	size_t count = reader->thread_count * reader->words_each, done = 0;

	while (done < count) {
		ssize_t n = read_words(reader, done, count);

		if (n < 0)
			return (int)n;
		done += (size_t)n;
		if (done < count) {
			size_t bad = done / reader->words_each;

			end_doubtful(reader->shared, reader->threads[bad],
			             PROBE_TAG_tls_arithmetic);
			done = (bad + 1) * reader->words_each;
		}
	}
	return 0;
}

static bool is_counter_pair(uint64_t allocated, uint64_t deallocated)
{
	return allocated < COUNTER_END && deallocated < COUNTER_END &&
	       deallocated <= allocated + FREED_MORE_MAX;
}

/* The word at the thread pointer is the pointer itself (ABI of x86-64). */
static bool is_thread_pointer(const struct probe_thread *thread, uint64_t word)
{
#ifdef __x86_64__
	return word == thread->pointer;
#else
	(void)thread;
	(void)word;
	return true;
#endif
}

static bool set_counters(const struct reader *reader, struct probe_thread *thread,
                         const uint64_t *words)
{
	thread->allocated = thread->deallocated = 0;
	for (size_t i = 0; i < reader->shared->place_count; i++) {
		const uint64_t *pair = words + 2 * i;

		if (!is_counter_pair(pair[0], pair[1]))
			return false;
		if (reader->is_second &&
		    (pair[0] < thread->seen[i][0] || pair[1] < thread->seen[i][1]))
			return false;
		thread->seen[i][0] = pair[0];
		thread->seen[i][1] = pair[1];
		thread->allocated += pair[0];
		thread->deallocated += pair[1];
	}
	return true;
}

static void finish_batch(struct reader *reader, uint64_t read_boottime_ns)
{
	for (size_t i = 0; i < reader->thread_count; i++) {
		struct probe_thread *thread = reader->threads[i];
		const uint64_t *words = reader->words + i * reader->words_each;

		if (thread->step != PROBE_STEP_READ)
			continue;
		thread->read_boottime_ns = read_boottime_ns;
		if (!is_thread_pointer(thread, words[0]))
			end_doubtful(reader->shared, thread, PROBE_TAG_tls_arithmetic);
		else if (!set_counters(reader, thread, words + 1))
			end_doubtful(reader->shared, thread, PROBE_TAG_implausible);
	}
}

static enum probe_tag tag_of_error(int error)
{
	return error == ESRCH ? PROBE_TAG_pid_missing : PROBE_TAG_process_vm_readv;
}

static void flush(struct reader *reader)
{
	uint64_t begin_ns = boot_clock_now_ns();
	int r = reader->thread_count > 0 ? read_batch(reader) : 0;

	if (r == 0)
		finish_batch(reader, begin_ns + (boot_clock_now_ns() - begin_ns) / 2);
	for (size_t i = 0; r < 0 && i < reader->thread_count; i++)
		if (reader->threads[i]->step == PROBE_STEP_READ)
			probe_thread_end(reader->threads[i], tag_of_error(-r));
	reader->thread_count = 0;
}

/* @base plus an offset and the word that is there, without going over an end. */
static bool find_word(uint64_t base, int64_t offset, uint64_t *ret_address)
{
	uint64_t end;

	return !(offset < 0 ? __builtin_sub_overflow(base, 0 - (uint64_t)offset, ret_address)
	                    : __builtin_add_overflow(base, (uint64_t)offset, ret_address)) &&
	       !__builtin_add_overflow(*ret_address, sizeof(uint64_t), &end);
}

static bool add_word(struct iovec *from, uint64_t base, int64_t offset)
{
	uint64_t address;

	if (!find_word(base, offset, &address))
		return false;
	*from = (struct iovec){(void *)(uintptr_t)address, sizeof(uint64_t)};
	return true;
}

static void add(struct reader *reader, struct probe_thread *thread)
{
	struct iovec *from;
	bool fits;

	/* It works in the kernel only, or has no thread-local storage yet. */
	if (thread->pointer == 0) {
		probe_thread_end(thread, PROBE_TAG_readlink_failure);
		return;
	}
	if ((reader->thread_count + 1) * reader->words_each > WORDS_MAX)
		flush(reader);
	from = reader->from + reader->thread_count * reader->words_each;
	fits = add_word(from++, thread->pointer, 0);
	for (size_t i = 0; i < reader->shared->place_count; i++)
		for (int k = 0; k < 2; k++)
			fits = add_word(from++, thread->pointer, reader->offsets[i][k]) && fits;
	if (fits)
		reader->threads[reader->thread_count++] = thread;
	else
		probe_thread_end(thread, PROBE_TAG_tls_arithmetic);
}

static void read_all(struct reader *reader, bool is_second)
{
	struct probe_shared *shared = reader->shared;

	reader->is_second = is_second;
	for (size_t i = 0; i < shared->thread_count; i++)
		if (shared->threads[i].step == PROBE_STEP_READ)
			add(reader, &shared->threads[i]);
	flush(reader);
}

/* A module that was loaded at the start lies below the thread pointer, or above it, by the variants of the ABIs. */
static bool is_sane_slot(uint64_t word)
{
#ifdef __aarch64__
	return word > 0 && word < OFFSET_END;
#else
	return (int64_t)word < 0 && 0 - word < OFFSET_END;
#endif
}

/* A place without a slot has its offsets, and one with a slot those from what the dynamic loader wrote there. */
static enum probe_tag find_offsets(struct reader *reader)
{
	const struct probe_shared *shared = reader->shared;

	for (size_t i = 0; i < shared->place_count; i++) {
		const struct memory_probe_place *place = &shared->places[i];
		int64_t slot = 0;

		if (place->slot != 0) {
			ssize_t n;

			if (!add_word(reader->from, place->slot, 0))
				return PROBE_TAG_tls_arithmetic;
			n = read_words(reader, 0, 1);
			if (n < 0)
				return tag_of_error((int)-n);
			if (n == 0 || !is_sane_slot(reader->words[0]))
				return PROBE_TAG_tls_arithmetic;
			slot = (int64_t)reader->words[0];
		}
		if (__builtin_add_overflow(place->allocated, slot, &reader->offsets[i][0]) ||
		    __builtin_add_overflow(place->deallocated, slot, &reader->offsets[i][1]))
			return PROBE_TAG_tls_arithmetic;
	}
	return PROBE_TAG_ok;
}

/* Some threads in whose name the slots can be read. */
static void add_candidates(struct reader *reader)
{
	struct probe_shared *shared = reader->shared;

	for (size_t i = 0; i < shared->thread_count && reader->thread_count < WORDS_MAX; i++)
		if (shared->threads[i].step == PROBE_STEP_READ)
			reader->threads[reader->thread_count++] = &shared->threads[i];
}

/* The memory of a thread may be another one's as soon as the thread has exited. */
static void end_read(struct probe_shared *shared)
{
	for (size_t i = 0; i < shared->thread_count; i++) {
		struct probe_thread *thread = &shared->threads[i];

		if (thread->step == PROBE_STEP_READ)
			probe_thread_end(thread, is_gone(shared, thread->tid)
			                                 ? PROBE_TAG_pid_missing
			                                 : PROBE_TAG_ok);
	}
}

void memory_read_all(struct probe_shared *shared)
{
	struct reader reader;
	enum probe_tag tag;

	reader.shared = shared;
	reader.words_each = 1 + 2 * shared->place_count;
	reader.thread_count = 0;
	add_candidates(&reader);
	if (reader.thread_count == 0)
		return;
	tag = find_offsets(&reader);
	reader.thread_count = 0;
	if (tag != PROBE_TAG_ok) {
		end_unread(shared, tag);
		return;
	}
	read_all(&reader, false);
	read_all(&reader, true);
	end_read(shared);
}
