// SPDX-License-Identifier: GPL-2.0-or-later
/* Thread pointers from a program that a capture has loaded, beside one of its passes. */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

#include "base/mem.h"
#include "bpf/task-record.h"
#include "bpf/thread-pointer.h"

static void test_of_records(void **state)
{
	static const struct {
		struct task_record record;
		uint32_t flags;
		uint64_t pointer;
	} cases[] = {
	        {{.state = 'S', .pointer = 17}, 0, 17},
	        {{.state = 'R', .pointer = 0}, 0, 0},
	        {{.state = 'T', .pointer = 17}, THREAD_POINTER_STOPPED, 17},
	        {{.state = 't', .flags = TASK_RECORD_TRACED, .pointer = 17},
	         THREAD_POINTER_STOPPED | THREAD_POINTER_TRACED,
	         17},
	        {{.state = 'D', .pointer = 17}, THREAD_POINTER_UNINTERRUPTIBLE, 17},
	        {{.state = 'Z', .flags = TASK_RECORD_EXITING}, THREAD_POINTER_EXITING, 0},
	        /* Its name is where others have the pointer. */
	        {{.state = 'I', .flags = TASK_RECORD_KERNEL, .name = 17}, 0, 0},
	};
	struct thread_pointer threads[ARRAY_SIZE(cases)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct task_record record = cases[i].record;

		record.tid = (uint32_t)(100 - i);
		record.born_boottime_ns = 5;
		threads[i] = thread_pointer_of(&record);
		assert_int_equal(threads[i].tid, 100 - i);
		assert_int_equal(threads[i].born_boottime_ns, 5);
		assert_int_equal(threads[i].flags, cases[i].flags);
		assert_int_equal(threads[i].pointer, cases[i].pointer);
	}
	thread_pointers_sort(threads, ARRAY_SIZE(cases));
	for (size_t i = 1; i < ARRAY_SIZE(cases); i++)
		assert_true(threads[i - 1].tid < threads[i].tid);
	thread_pointers_sort(NULL, 0);
}

enum { THREADS = 5 };

struct sleeper {
	pthread_t thread;
	pthread_barrier_t *barrier;
	uint32_t tid;
	uint64_t pointer;
};

static void *sleep_on(void *context)
{
	struct sleeper *sleeper = context;

	sleeper->tid = (uint32_t)gettid();
	sleeper->pointer = (uint64_t)(uintptr_t)__builtin_thread_pointer();
	pthread_barrier_wait(sleeper->barrier);
	pthread_barrier_wait(sleeper->barrier);
	return NULL;
}

static void check_own(struct thread_pointers *pointers, const struct sleeper *sleepers)
{
	const struct thread_pointer *found = NULL;

	assert_int_equal(thread_pointers_read(pointers, (uint32_t)getpid(), &found), THREADS + 1);
	for (size_t i = 0; i < THREADS; i++) {
		size_t at = 0;

		while (at <= THREADS && found[at].tid != sleepers[i].tid)
			at++;
		assert_true(at <= THREADS);
		assert_int_equal(found[at].pointer, sleepers[i].pointer);
	}
}

static void test_beside_a_pass(void **state)
{
	cleanup_(task_record_freep) struct task_record_reader *reader = NULL;
	cleanup_(thread_pointers_freep) struct thread_pointers *pointers = NULL;
	struct task_record_pass pass, again;
	struct sleeper sleepers[THREADS];
	char *before;
	pthread_barrier_t barrier;
	size_t bytes;

	(void)state;
	if (task_record_open(&reader) < 0)
		skip();
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (size_t i = 0; i < THREADS; i++) {
		sleepers[i].barrier = &barrier;
		assert_int_equal(pthread_create(&sleepers[i].thread, NULL, sleep_on, &sleepers[i]),
		                 0);
	}
	pthread_barrier_wait(&barrier);
	pointers = thread_pointers_of(reader);
	check_own(pointers, sleepers);
	assert_int_equal(task_record_read(reader, &pass), 0);
	assert_true(pass.thread_count > THREADS + 1 && pass.process_count > 1);
	bytes = pass.thread_count * sizeof(pass.threads[0]);
	before = mem_copy(pass.threads, bytes);
	for (int i = 0; i < 3; i++)
		check_own(pointers, sleepers);
	assert_memory_equal(pass.threads, before, bytes);
	free(before);
	/* All again, and not those of one process. */
	assert_int_equal(task_record_read(reader, &again), 0);
	assert_true(again.process_count > 1);
	pthread_barrier_wait(&barrier);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(sleepers[i].thread, NULL);
	pthread_barrier_destroy(&barrier);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_of_records),
	        cmocka_unit_test(test_beside_a_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
