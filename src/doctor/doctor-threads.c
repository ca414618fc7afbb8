// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/own-names.h"
#include "base/scan.h"
#include "base/watch.h"
#include "base/worker.h"
#include "capture/own-proc.h"
#include "capture/process-read.h"
#include "capture/stall.h"
#include "capture/thread-read.h"
#include "doctor-find.h"
#include "host/host-read.h"
#include "taskstats/taskstats.h"

/* The most processes of other users that are tried, and the most of this user; kernel threads do not count. */
enum { OTHERS_MAX = 64 };

/* The readers of threads and processes, as in a capture. */
struct readers {
	int proc_fd;
	struct thread_reader thread;
	struct taskstats_reader taskstats;
	struct process_reader process;
	struct thread_sample sample;
};

static void readers_init(struct readers *readers, int proc_fd, bool live,
                         const struct taskstats_rules *rules)
{
	*readers = (struct readers){.proc_fd = proc_fd};
	thread_reader_init(&readers->thread, proc_fd, live, NULL);
	taskstats_reader_init(&readers->taskstats, live, rules);
	process_reader_init(&readers->process, proc_fd,
	                    &(struct process_wishes){.smaps = CAPTURE_SMAPS_AUTO},
	                    &readers->taskstats);
}

static void readers_done(struct readers *readers)
{
	thread_reader_done(&readers->thread);
	process_reader_done(&readers->process);
	taskstats_reader_done(&readers->taskstats);
	sample_done(&readers->sample);
}

static void count_try(enum source_outcome outcome, struct doctor_tries *tries)
{
	if (outcome == OUTCOME_read)
		tries->read++;
	else if (outcome == OUTCOME_denied)
		tries->denied++;
	else
		tries->failed++;
}

/* Reads the leader of a process, and the process, into the readers' samples. Returns whether the thread could be
 * read. */
static bool read_process(struct readers *readers, uint32_t pid, struct doctor_tries *io,
                         struct doctor_tries *smaps)
{
	cleanup_(fd_closep) int process_fd = -1, task_fd = -1;
	enum source_outcome outcome;
	char name[16];
	int r;

	snprintf(name, sizeof(name), "%u", pid);
	sample_reset(&readers->sample);
	sample_reset(&readers->process.sample);
	process_fd = fd_open_path_at(readers->proc_fd, name);
	if (process_fd < 0)
		return false;
	task_fd = fd_open_path_at(process_fd, "task");
	if (task_fd < 0)
		return false;
	readers->sample.tid = readers->sample.tgid = pid;
	outcome = thread_read(&readers->thread, task_fd, name, &readers->sample);
	if (outcome != OUTCOME_read)
		return outcome == OUTCOME_gone;
	r = process_read(&readers->process, process_fd, pid);
	count_try(readers->sample.outcomes[SOURCE_io], io);
	outcome = readers->process.sample.outcomes[SOURCE_smaps_rollup];
	if (r == 0 && outcome != OUTCOME_unneeded && outcome != OUTCOME_skipped)
		count_try(outcome, smaps);
	return true;
}

static void find_own(struct readers *readers, uint32_t pid, struct doctor_findings *findings)
{
	const struct thread_sample *process = &readers->process.sample;

	if (!read_process(readers, pid, &findings->io_own, &findings->smaps_own))
		return;
	findings->own_seen = readers->sample.seen;
	findings->has_cgroup = readers->sample.has_cgroup;
	findings->cgroup_is_v1 = readers->sample.cgroup_is_v1;
	for (unsigned t = 0; t < PROCESS_TOTAL_COUNT; t++)
		if ((process->process_totals_seen >> t) & 1)
			findings->sources_of_totals |= UINT64_C(1) << process_total_table[t].source;
	/* The I/O of a program that had children before it became this one is unknown; other processes have theirs. */
	if (process->outcomes[SOURCE_process_io] == OUTCOME_off && findings->io_own.read > 0)
		findings->sources_of_totals |= UINT64_C(1) << SOURCE_process_io;
}

/* Root counts every process as another user's, since none is closed to root because of its user. */
static bool is_others(int proc_fd, uint32_t pid)
{
	char name[16];
	struct stat process;

	snprintf(name, sizeof(name), "%u", pid);
	return fstatat(proc_fd, name, &process, 0) == 0 &&
	       (geteuid() == 0 || process.st_uid != geteuid());
}

/* Waits for the lock of the process's memory, as reading its arguments does: a thread that is given up in this read can end, and one in
 * process_vm_readv(2) would keep ctprof from ending until the lock is free. */
static void await_memory(int proc_fd, uint32_t pid)
{
	char name[32], byte;
	size_t len;

	snprintf(name, sizeof(name), "%u/cmdline", pid);
	(void)!fd_read_begin_at(proc_fd, name, &byte, sizeof(byte), &len);
}

/* Reads one byte if nothing is mapped: a reader with permission gets EFAULT, and no memory is read. Returns false for a kernel
 * thread and a zombie, which have no memory. */
static bool try_memory(int proc_fd, uint32_t pid, struct doctor_tries *tries)
{
	char byte;
	struct iovec here = {&byte, 1}, there = {NULL, 1};
	ssize_t len;

	await_memory(proc_fd, pid);
	watch_enter();
	len = process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0);
	watch_leave();
	if (len >= 0 || errno == EFAULT)
		tries->read++;
	else if (error_is_denied(-errno))
		tries->denied++;
	else if (errno != ESRCH)
		tries->failed++;
	else
		return false;
	return true;
}

/* One thread tries the processes in turn. If a process holds it up, it is given up, and another thread goes on with
 * the next process. */
struct others {
	int proc_fd;
	uint32_t own_pid;
	const struct taskstats_rules *rules;
	struct id_list processes;
	size_t next;        /* index of the process that comes next */
	unsigned same_user; /* processes of this user that were tried */
	struct doctor_findings *findings;
};

struct others_thread {
	struct watch watch;
	struct readers readers;
	struct others *others;
	pthread_t id;
};

static void try_process(struct others_thread *thread, uint32_t pid)
{
	struct others *others = thread->others;
	struct doctor_findings *findings = others->findings;
	bool is_foreign = is_others(others->proc_fd, pid);
	unsigned *tried = is_foreign ? &findings->others : &others->same_user;

	if (pid == others->own_pid || *tried == OTHERS_MAX)
		return;
	/* The ids of a foreign /proc are not those of system calls. */
	if (!findings->proc_is_foreign &&
	    !try_memory(others->proc_fd, pid,
	                is_foreign ? &findings->memory_others : &findings->memory_own))
		return;
	(*tried)++;
	if (is_foreign &&
	    read_process(&thread->readers, pid, &findings->io_others, &findings->smaps_others))
		findings->others_shown++;
}

static void try_processes(void *context)
{
	struct others_thread *thread = context;
	struct others *others = thread->others;

	while (others->next < others->processes.count)
		try_process(thread, others->processes.ids[others->next++]);
}

static void *others_run(void *thread)
{
	watch_run(&((struct others_thread *)thread)->watch, try_processes, thread);
	return NULL;
}

/* Returns whether the thread ended by itself. */
static bool others_wait(struct others_thread *thread)
{
	for (;;) {
		uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC), until_ns = now_ns + STALL_TICK_NS;
		const struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_SECOND),
		                               .tv_nsec = (long)(until_ns % NS_PER_SECOND)};

		if (pthread_clockjoin_np(thread->id, NULL, CLOCK_MONOTONIC, &until) == 0)
			return true;
		if (watch_asleep_ns(&thread->watch, now_ns) >= STALL_LIMIT_NS &&
		    watch_give_up(&thread->watch))
			return false;
	}
}

/* Returns false where a thread was given up. The memory of a thread that was given up is never freed:
 * the kernel may still write to it. */
static bool others_go_on(struct others *others)
{
	struct others_thread *thread = mem_calloc(1, sizeof(*thread));

	thread->others = others;
	readers_init(&thread->readers, others->proc_fd, proc_is_own(others->proc_fd),
	             others->rules);
	if (worker_start(&thread->id, others_run, thread, own_names[OWN_NAME_doctor])) {
		if (!others_wait(thread)) {
			others->findings->stalled++;
			return false;
		}
	} else {
		others->next = others->processes.count;
	}
	readers_done(&thread->readers);
	free(thread);
	return true;
}

/* Reads the same of other users' processes as a capture, and tries their memory. A capture would do both for all
 * processes of the host, and reports the memory only of processes that have jemalloc. */
static void find_others(int proc_fd, uint32_t own_pid, const struct taskstats_rules *rules,
                        struct doctor_findings *findings)
{
	cleanup_(fd_closep) int list_fd = fd_open_dir_at(proc_fd, ".");
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;
	struct others others = {
	        .proc_fd = proc_fd, .own_pid = own_pid, .rules = rules, .findings = findings};

	if (list_fd >= 0 && fd_list_ids(list_fd, &others.processes, &scratch) == 0)
		while (!others_go_on(&others) && findings->stalled < STALL_PATIENT_THREADS)
			;
	id_list_done(&others.processes);
}

/* Asks taskstats once more than the readers do: they keep what became of it, but not the error, and do not ask at all without a
 * /proc of our own. */
static void find_taskstats(const struct taskstats_rules *rules, struct thread_sample *sample,
                           struct doctor_findings *findings)
{
	cleanup_(taskstats_freep) struct taskstats_client *client = NULL;
	cleanup_(mem_freep) struct taskstats_reply *reply = mem_calloc(1, sizeof(*reply));
	uint32_t own = (uint32_t)getpid();
	uint16_t version = 0;

	findings->taskstats_open_error = taskstats_open(&client);
	if (findings->taskstats_open_error < 0)
		return;
	findings->taskstats_ask_error = taskstats_ask(client, false, &own, 1, reply);
	if (findings->taskstats_ask_error == 0)
		findings->taskstats_ask_error = reply->error;
	if (findings->taskstats_ask_error < 0)
		return;
	if (reply->len >= sizeof(version))
		memcpy(&version, reply->payload, sizeof(version));
	findings->taskstats_version = version;
	if (taskstats_parse(reply->payload, reply->len, rules, sample) != OUTCOME_read)
		findings->taskstats_ask_error = -EBADMSG;
	for (size_t i = 0; i < METRIC_SET_WORDS; i++)
		findings->own_seen.words[i] |= sample->seen.words[i];
}

void doctor_find_threads(int proc_fd, struct doctor_findings *findings)
{
	cleanup_(readers_done) struct readers readers;
	struct taskstats_rules rules = taskstats_rules_of(&findings->host);
	char link[16];
	ssize_t len = readlinkat(proc_fd, "self", link, sizeof(link));
	uint64_t pid = 0;
	bool known = len > 0 && scan_u64(link, (size_t)len, &pid) && pid <= UINT32_MAX;

	findings->delays_on = rules.delays != TASKSTATS_DELAYS_OFF;
	findings->delays_since_boot = rules.delays == TASKSTATS_DELAYS_BOOT;
	readers_init(&readers, proc_fd, proc_is_own(proc_fd), &rules);
	if (known)
		find_own(&readers, (uint32_t)pid, findings);
	find_others(proc_fd, (uint32_t)pid, &rules, findings);
	/* taskstats could answer for us, but a capture would not use it: it identifies threads by ids of another
	 * namespace. */
	if (findings->proc_is_foreign)
		return;
	sample_reset(&readers.sample);
	find_taskstats(&rules, &readers.sample, findings);
}
