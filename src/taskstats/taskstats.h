/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* taskstats - delay accounting and memory high-water marks of a thread, and delay totals of a whole process, from
 * the kernel's taskstats family of generic netlink (CONFIG_TASKSTATS; needs CAP_NET_ADMIN in the initial user
 * namespace, and up to Linux 5.10 at least the initial network namespace). taskstats-payload.c knows the layouts of
 * struct taskstats, by version and length; taskstats.c is the socket. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"

/* Since when the seven delay buckets other than cpu are kept. The kernel gives a thread its delay record when it
 * is born, and only while the toggle is on. */
enum taskstats_delays {
	TASKSTATS_DELAYS_OFF,   /* the toggle is off, or the kernel lacks CONFIG_TASK_DELAY_ACCT */
	TASKSTATS_DELAYS_LATER, /* switched on at run time: threads born before have zeros for ever */
	TASKSTATS_DELAYS_BOOT, /* on since boot */
};

/* What holds for the whole host. */
struct taskstats_rules {
	/* CONFIG_TASK_DELAY_ACCT: the cpu bucket is kept, since Linux 5.14 whatever the toggle says. */
	bool cpu_delay;
	enum taskstats_delays delays;
	bool irq; /* the kernel is known to account for interrupt time (CONFIG_IRQ_TIME_ACCOUNTING) */
	bool io; /* CONFIG_TASK_IO_ACCOUNTING; whoever reads finds this out, see taskstats_reader_init() */
};

/* Fills the taskstats metrics of @sample from a struct taskstats as the kernel sent it, but none that it has seen
 * already. Fields past the payload's end, buckets that the rules switch off, and high-water marks of threads without
 * memory stay unseen; a wait that is longer than the thread has lived is malformed. Returns OUTCOME_read, or
 * OUTCOME_malformed where the payload is too short for a version, or of an unknown layout; @sample is not touched
 * then. */
must_check_ enum source_outcome taskstats_parse(const void *payload, size_t len,
                                                const struct taskstats_rules *rules,
                                                struct thread_sample *sample);

/* Fills what schedstat has as well, from the very counters of the kernel that are behind that file; or nothing if one
 * of them is not there, or is zero: that may be a thread without a delay record. */
void taskstats_parse_schedstat(const void *payload, size_t len, const struct taskstats_rules *rules,
                               struct thread_sample *sample);

/* The same as taskstats_parse() for the payload of a thread group: fills process_totals. Peaks, floors and high-water marks of a group
 * mean nothing (the kernel leaves those of one of its threads) and are not taken. */
must_check_ enum source_outcome taskstats_parse_process(const void *payload, size_t len,
                                                        const struct taskstats_rules *rules,
                                                        struct thread_sample *sample);

/* What an exit record says beside the metrics. */
struct taskstats_exit {
	bool has_tgid;        /* since Linux 5.19 */
	bool has_process_age; /* since Linux 5.19: ac_tgetime, the age of the leader */
	uint64_t process_age_ns;
	bool has_cpu_time; /* by mode, not far from the truth */
	uint64_t user_ns;
	uint64_t system_ns;
};

/* Fills an empty @sample from the record that the kernel makes of an exiting thread: what taskstats_parse() takes,
 * and tid, tgid (the tid where the record has none), comm, uid (the real one, which is all that it has), life_ns,
 * policy, nice, faults, switches, timeslices, wait_time_ns and bytes of storage.
 *
 * The record is made before the thread has taken itself apart, so this is a little less than its whole life. Time on
 * a CPU is brought up to date at ticks and switches only, and of a thread that never saw either nearly all of it is
 * missing: run_time_ns and CPU time by mode are taken if they are so large that a tick more does not matter. The
 * last switch of every thread comes after the record and is a voluntary one, so it is counted here; others behind the
 * record are rare. Characters read and written, which the record has in steps of 1024, are not taken. Outcomes as of
 * taskstats_parse(); OUTCOME_malformed as well if there is no tid or no age. */
must_check_ enum source_outcome taskstats_parse_exit(const void *payload, size_t len,
                                                     const struct taskstats_rules *rules,
                                                     struct thread_sample *sample,
                                                     struct taskstats_exit *ret_exit);

/* Which thread an exit record is of and how long it has lived, without the rest of it. False if it does not say. */
bool taskstats_exit_key(const void *payload, size_t len, uint32_t *ret_tid,
                        uint64_t *ret_elapsed_ns);

/* No wait of a thread that has lived so long is longer than this, give or take what two clocks differ. What says otherwise
 * is malformed. */
uint64_t taskstats_longest_wait_ns(uint64_t elapsed_ns);

struct taskstats_client;

/* Opens the socket and resolves the family. Returns 0; -ENOENT where the kernel, or this network namespace, has no
 * such family; or another -errno. Needs no privilege. */
must_check_ int taskstats_open(struct taskstats_client **ret_client);
struct taskstats_client *taskstats_free(struct taskstats_client *client);
void taskstats_freep(struct taskstats_client **client);

enum { TASKSTATS_BATCH = 32, TASKSTATS_PAYLOAD_BYTES = 1024 };

/* Returns the number of the family among those of generic netlink. */
uint16_t taskstats_family(const struct taskstats_client *client);

struct taskstats_reply {
	int error; /* 0, or -errno: -EPERM, -ESRCH if it has exited, -ETIMEDOUT, -EBADMSG */
	size_t len;
	unsigned char payload[TASKSTATS_PAYLOAD_BYTES]; /* the first bytes of it if it is longer */
};

/* Asks for up to TASKSTATS_BATCH threads, or thread groups, by their ids in our pid namespace, with one send, and
 * waits for all replies, each of which is checked to be the answer to its own request. @replies has room for
 * @count. Returns 0 where each reply says what became of it, or the socket's -errno. */
must_check_ int taskstats_ask(struct taskstats_client *client, bool process, const uint32_t *ids,
                              size_t count, struct taskstats_reply *replies);
