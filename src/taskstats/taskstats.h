/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* taskstats - delay accounting and memory high-water marks of a thread, and delay totals of a whole process, from
 * the kernel's taskstats family of generic netlink (CONFIG_TASKSTATS; needs CAP_NET_ADMIN in the initial user
 * namespace, and up to Linux 5.10 at least the initial network namespace). taskstats-layout.h has the layouts of
 * struct taskstats, by version and length; taskstats.c is the socket. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"

/* The time since which the kernel keeps the seven delay buckets other than cpu. The kernel gives a thread its delay
 * record at its birth, and only while the toggle is on. */
enum taskstats_delays {
	TASKSTATS_DELAYS_OFF,   /* the toggle is off, or the kernel lacks CONFIG_TASK_DELAY_ACCT */
	TASKSTATS_DELAYS_LATER, /* switched on at run time: threads born before keep zeros for ever */
	TASKSTATS_DELAYS_BOOT, /* on since boot */
};

/* The rules of the whole host. */
struct taskstats_rules {
	/* CONFIG_TASK_DELAY_ACCT: the cpu bucket is kept, since Linux 5.14 whatever the toggle is. */
	bool cpu_delay;
	enum taskstats_delays delays;
	bool irq; /* the kernel is known to account for interrupt time (CONFIG_IRQ_TIME_ACCOUNTING) */
	bool io; /* CONFIG_TASK_IO_ACCOUNTING; taskstats_reader_init() finds this out */
};

/* Fills the taskstats metrics of @sample from a struct taskstats as the kernel sent it, except those that it has
 * already. Fields past the payload's end, buckets that the rules switch off, and high-water marks of threads without
 * memory stay unseen; a wait that is longer than the thread has lived is malformed. Returns OUTCOME_read, or
 * OUTCOME_malformed if the payload is too short for a version, or of an unknown layout; @sample is not touched then. */
must_check_ enum source_outcome taskstats_parse(const void *payload, size_t len,
                                                const struct taskstats_rules *rules,
                                                struct thread_sample *sample);

/* Fills the metrics of schedstat as well, from the same counters of the kernel that the file shows. Does nothing if one
 * of them is missing or zero: that may be a thread without a delay record. */
void taskstats_parse_schedstat(const void *payload, size_t len, const struct taskstats_rules *rules,
                               struct thread_sample *sample);

/* Fills process_totals from the payload of a thread group. Peaks, floors and high-water marks of a group are skipped:
 * the kernel leaves those of one of its threads there. Outcomes as of taskstats_parse(). */
must_check_ enum source_outcome taskstats_parse_process(const void *payload, size_t len,
                                                        const struct taskstats_rules *rules,
                                                        struct thread_sample *sample);

/* The fields of an exit record beside the metrics. */
struct taskstats_exit {
	bool has_tgid;        /* since Linux 5.19 */
	bool has_process_age; /* since Linux 5.19: ac_tgetime, the age of the leader */
	uint64_t process_age_ns;
	bool has_cpu_time; /* by mode, and nearly exact */
	uint64_t user_ns;
	uint64_t system_ns;
};

/* Fills an empty @sample from the record that the kernel makes of an exiting thread: the metrics of taskstats_parse(),
 * and tid, tgid (the tid if the record has none), comm, uid (the real one; the record has no other), life_ns, policy,
 * nice, faults, switches, timeslices, wait_time_ns and bytes of storage, and the facts of registry/exit-facts.def.
 * The kernel makes the record before the end of the exit, so this is a little less than the whole life. It updates time
 * on a CPU at ticks and switches only, so that a thread without either lacks nearly all of it: run_time_ns and CPU time
 * by mode are used only if they are so large that one tick more does not matter. The last switch of every thread comes
 * after the record and is a voluntary one, so it is counted here; others behind the record are rare. Characters read
 * and written, which the record has in steps of 1024, are not used. Outcomes as of taskstats_parse(); OUTCOME_malformed
 * as well if there is no tid or no age. */
must_check_ enum source_outcome taskstats_parse_exit(const void *payload, size_t len,
                                                     const struct taskstats_rules *rules,
                                                     struct thread_sample *sample,
                                                     struct taskstats_exit *ret_exit);

/* Adds the facts of a process to a sample that taskstats_parse_exit() has filled, from the structure that comes with the
 * record of its last thread; none if it is of an unknown layout. */
void taskstats_parse_exit_process(const void *payload, size_t len,
                                  const struct taskstats_rules *rules,
                                  struct thread_sample *sample);

/* Reads the thread of an exit record and its age, without the rest. Returns false if the record lacks one of them. */
bool taskstats_exit_key(const void *payload, size_t len, uint32_t *ret_tid,
                        uint64_t *ret_elapsed_ns);

/* Returns the longest wait of a thread that has lived so long, with a margin for the difference of two clocks. A longer
 * one is malformed. */
uint64_t taskstats_longest_wait_ns(uint64_t elapsed_ns);

struct taskstats_client;

/* Opens the socket and resolves the family. Returns 0; -ENOENT if the kernel, or this network namespace, has no such
 * family; or another -errno. Needs no privilege. */
must_check_ int taskstats_open(struct taskstats_client **ret_client);
void taskstats_freep(struct taskstats_client **client);

enum { TASKSTATS_BATCH = 32, TASKSTATS_PAYLOAD_BYTES = 1024 };

/* Returns the number of the family in generic netlink. */
uint16_t taskstats_family(const struct taskstats_client *client);

struct taskstats_reply {
	int error; /* 0, or -errno: -EPERM, -ESRCH if it has exited, -ETIMEDOUT, -EBADMSG */
	size_t len;
	unsigned char payload[TASKSTATS_PAYLOAD_BYTES]; /* its first bytes, if it is longer */
};

/* The numbers of threads of a cgroup of version 1 in each state, by the kernel's words: see cgroupstats_build(). Threads that are traced,
 * idle or dead, or in a sleep that can be frozen, are in none; io_wait has threads that wait for I/O and are in none of the other states. */
struct taskstats_cgroup {
	uint64_t sleeping, running, stopped, uninterruptible, io_wait;
};

/* Requests the states of the threads that are in the cgroup itself. @dir_fd is its directory, opened for reading. Returns 0; -EINVAL
 * if that is no cgroup of version 1; or another -errno. Needs no privilege. */
must_check_ int taskstats_ask_cgroup(struct taskstats_client *client, int dir_fd,
                                     struct taskstats_cgroup *ret);

/* Requests up to TASKSTATS_BATCH threads, or thread groups, by their ids in our pid namespace, with one send, and waits
 * for all replies. It checks that each reply is the answer to its own request. @replies has room for @count. Returns 0
 * if each reply has its own result, or the socket's -errno. */
must_check_ int taskstats_ask(struct taskstats_client *client, bool process, const uint32_t *ids,
                              size_t count, struct taskstats_reply *replies);

struct msghdr;

/* Returns whether the kernel has sent a datagram of netlink, whose name is the address of its sender. */
bool taskstats_is_from_kernel(const struct msghdr *message);
