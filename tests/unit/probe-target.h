/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* probe-target - processes whose threads have counters at known places, and a request to read them. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "jemalloc/memory-probe.h"

enum { THREADS = 40, THREADS_MAX = 400 };

/* Shared with the targets. */
struct board {
	volatile unsigned ready;
	volatile uint64_t delivered;
	struct {
		volatile uint32_t tid;
		volatile uint64_t allocated;
	} threads[THREADS_MAX];
};
extern struct board *board;
extern __thread volatile uint64_t counters[2];
/* The request and the answer of prepare() and probe(). */
extern struct memory_probe_thread probed[THREADS_MAX];
extern struct memory_probe_request request;

void make_board(void);
/* The thread pointer of the thread that asks. */
uint64_t own_pointer(void);
void sleep_ms(long ms);

/* In the target: threads with numbers, which write their counters and say that they are ready. */
void *be_thread(void *argument);
void *spin(void *argument);
void start_threads(void *(*work)(void *), unsigned first, unsigned end);

pid_t fork_target(void);
void await_ready(unsigned threads);
pid_t start_target(unsigned threads, void *(*work)(void *));
/* All of its threads sleep. */
pid_t start_idle_target(unsigned threads);
void end_target(pid_t pid);

char state_of(pid_t pid, uint32_t tid);
bool is_anybody_stopped(pid_t pid);

/* All threads of a process, to be stopped. */
void prepare(pid_t pid);
struct memory_probe_cost probe(pid_t pid);
/* Probes, and where a thread got no CPU in time to stop on, as on a busy host, again until @ok threads have been read. */
void probe_all(pid_t pid, size_t ok);
size_t count_tags(enum probe_tag tag);
/* Those that were read are what the threads wrote. */
void check_values(void);
