// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/exit-listener.h"

/* The listening thread is woken by an exit, and then sleeps a moment before it reads, so that it reads a hundred times a second at
 * most. That makes it cheap at ten thousand exits a second, of which the buffers hold seconds, and where nothing exits. The
 * births of threads whose ends are not seen are only as exact as the time of reading their records: then it reads all the time. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/boot-clock.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/own-names.h"
#include "base/worker.h"
#include "exit-merge.h"
#include "taskstats/taskstats-exits.h"

enum {
	LOOK_EVERY_MS = 10,
	/* The same for one cgroup: no births are compared, and no names of cgroups are looked up. */
	LOOK_AT_CGROUP_MS = 100,
	/* The same if nothing exits. */
	IDLE_LOOK_EVERY_MS = 1000,
	/* At the end, for threads whose exit is slow. */
	LAST_LOOK_EVERY_MS = 2,
	LAST_LOOKS_MAX = 250,
	/* The same where the listening goes on. */
	TAKE_LOOKS_MAX = 25,
	CPU_LIST_BYTES = 1 << 16,
	LOG_BYTES_DEFAULT = 1 << 30,
};

/* A record whose end has not come in this time has none. */
#define END_LOST_NS (60 * NS_PER_SECOND)
/* Records of others wait for nothing, and are many. */
#define END_OF_OTHERS_NS (5 * NS_PER_SECOND)

struct exit_listener {
	struct thread_end_handler handler; /* must stay the first member */
	struct thread_end_reader *ends;    /* NULL if there are none; owned, as all of these */
	struct taskstats_exits *exits;     /* the same */
	struct cgroup_ids *cgroups;
	bool only_cgroup;        /* records of others come as well, and have no ends */
	pthread_mutex_t reading; /* held by the thread that reads the two sources into merge */
	struct exit_merge merge;
	enum window_exits outcome;
	/* Everything from before that time has been read. Before the first reading there could be nothing. */
	uint64_t looked_boottime_ns;
	uint64_t forgot_boottime_ns; /* cgroups that are gone */
	uint64_t overruns;           /* those that logs before have */
	uint64_t missed;             /* ends that have not come in time */
	int stop_fd;                 /* readable when the thread has to stop */
	bool has_thread;
	pthread_t thread;
};

static void add_end(struct thread_end_handler *self, const struct thread_end *end)
{
	exit_merge_add_end(&((struct exit_listener *)self)->merge, end);
}

/* The names that the record has, from the root that the mount shows down to the cgroup. */
static void add_cgroup(struct thread_end_handler *self, const struct thread_end_cgroup *cgroup)
{
	struct exit_listener *listener = (struct exit_listener *)self;
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	uint64_t level = 0;

	if (!listener->cgroups)
		return;
	while (level < cgroup->count &&
	       !cgroup_ids_is_root(listener->cgroups, cgroup->levels[level].id))
		level++;
	if (level == cgroup->count)
		return;
	if (level == 0)
		strbuf_add_char(&path, '/');
	while (level-- > 0)
		strbuf_addf(&path, "/%s", cgroup->levels[level].name);
	cgroup_ids_add(listener->cgroups, cgroup->levels[0].id, &path);
}

static void add_record(void *context, const void *payload, size_t len, const void *process,
                       size_t process_len)
{
	struct exit_listener *listener = context;

	/* The record has the length of a life in microseconds, without the time that the host was suspended. */
	enum { ROUNDING_NS = 1000 };
	uint64_t awake_ns = clock_now_ns(CLOCK_MONOTONIC);
	/* The time is not before the record was made: many arrive while others are read. */
	uint64_t now_ns = boot_clock_now_ns();
	uint64_t suspended_ns = now_ns > awake_ns ? now_ns - awake_ns : 0;

	exit_merge_set_process(&listener->merge, process, process_len);
	exit_merge_add_record(&listener->merge, now_ns,
	                      now_ns - listener->looked_boottime_ns + suspended_ns + ROUNDING_NS,
	                      payload, len);
}

/* Reads ends before records, so that the record of each end is there. */
static void read_ends(struct exit_listener *listener)
{
	if (listener->ends)
		thread_end_reader_read(listener->ends, &listener->handler);
}

static void read_records(struct exit_listener *listener)
{
	uint64_t begin_ns = boot_clock_now_ns();

	if (listener->exits)
		taskstats_exits_read(listener->exits, add_record, listener);
	listener->looked_boottime_ns = begin_ns;
}

/* Sleeps. Returns whether a request to stop ended the wait. */
static bool sleep_unless_stopped(const struct exit_listener *listener)
{
	struct pollfd stop = {.fd = listener->stop_fd, .events = POLLIN};

	if (listener->ends && listener->exits &&
	    taskstats_exits_wait(listener->exits, listener->stop_fd, IDLE_LOOK_EVERY_MS))
		return true;
	return poll(&stop, 1, listener->only_cgroup ? LOOK_AT_CGROUP_MS : LOOK_EVERY_MS) > 0;
}

static void sleep_ms(long ms)
{
	const struct timespec time = {.tv_nsec = ms * (long)NS_PER_MS};

	(void)nanosleep(&time, NULL);
}

static void drop_others(struct exit_listener *listener)
{
	uint64_t now = boot_clock_now_ns();

	exit_merge_drop(&listener->merge, now > END_OF_OTHERS_NS ? now - END_OF_OTHERS_NS : 0);
}

void exit_listener_catch_up(struct exit_listener *listener)
{
	pthread_mutex_lock(&listener->reading);
	read_ends(listener);
	read_records(listener);
	exit_merge_match(&listener->merge, UINT64_MAX);
	if (listener->only_cgroup)
		drop_others(listener);
	pthread_mutex_unlock(&listener->reading);
}

/* Each thread of the cgroup that somebody has waited for is known to have begun to exit. */
static void read_the_rest_of_cgroup(struct exit_listener *listener)
{
	for (int look = 0; look < LAST_LOOKS_MAX; look++) {
		uint64_t pending = thread_end_reader_pending(listener->ends);

		exit_listener_catch_up(listener);
		if (pending == 0)
			return;
		sleep_ms(LAST_LOOK_EVERY_MS);
	}
	listener->missed = thread_end_reader_pending(listener->ends);
}

/* All records of threads that have exited by now are in the sockets; some of their ends may be late. Without records it
 * is not known which, and ends get a moment more. */
static void read_the_rest(struct exit_listener *listener)
{
	uint64_t until = boot_clock_now_ns();

	read_ends(listener);
	read_records(listener);
	exit_merge_match(&listener->merge, until);
	if (!listener->ends)
		return;
	if (!listener->exits) {
		sleep_ms(LOOK_EVERY_MS);
		until += LOOK_EVERY_MS * NS_PER_MS;
	}
	for (int look = 0; look < LAST_LOOKS_MAX; look++) {
		read_ends(listener);
		exit_merge_match(&listener->merge, until);
		if (listener->merge.waiting == 0)
			break;
		sleep_ms(LAST_LOOK_EVERY_MS);
	}
}

static void *listen_until_stopped(void *argument)
{
	struct exit_listener *listener = argument;

	while (!sleep_unless_stopped(listener))
		exit_listener_catch_up(listener);
	if (listener->only_cgroup && listener->ends)
		read_the_rest_of_cgroup(listener);
	else
		read_the_rest(listener);
	return NULL;
}

static void find_possible_cpus(struct cpu_mask *ret_cpus)
{
	cleanup_(strbuf_done) struct strbuf list = STRBUF_INIT;
	long count = sysconf(_SC_NPROCESSORS_CONF);

	if (fd_read_all_at(AT_FDCWD, "/sys/devices/system/cpu/possible", &list, CPU_LIST_BYTES) ==
	    0) {
		while (list.len > 0 && list.data[list.len - 1] == '\n')
			list.len--;
		if (cpu_mask_parse(ret_cpus, strbuf_str(&list), list.len))
			return;
	}
	cpu_mask_clear(ret_cpus);
	for (long cpu = 0; cpu < count; cpu++)
		if (!cpu_mask_add(ret_cpus, (uint64_t)cpu))
			break;
}

static enum window_exits outcome_of(int records, int ends)
{
	if (ends == 0)
		return WINDOW_EXITS_completed;
	if (records == 0)
		return WINDOW_EXITS_recorded;
	/* -EINVAL comes outside of the initial namespaces. */
	return error_is_denied(records) || records == -EINVAL ? WINDOW_EXITS_denied
	                                                      : WINDOW_EXITS_off;
}

/* Opens ends before records, so that no record comes without its end for being opened too late. */
static void open_sources(struct exit_listener *listener,
                         const struct exit_listener_options *options)
{
	int ends = options->without_ends
	                   ? -EOPNOTSUPP
	                   : thread_end_reader_open(options->only_cgroup, &listener->ends);
	struct cpu_mask cpus;
	int records;

	if (options->cpus)
		cpus = *options->cpus;
	else
		find_possible_cpus(&cpus);
	listener->looked_boottime_ns = boot_clock_now_ns();
	records = taskstats_exits_open(&cpus, options->buffer_bytes, &listener->exits);
	listener->outcome = outcome_of(records, ends);
}

static struct taskstats_rules with_io(const struct taskstats_rules *host_rules)
{
	struct taskstats_rules rules = *host_rules;

	rules.io = access("/proc/self/io", F_OK) == 0;
	return rules;
}

static void start(struct exit_listener *listener, const struct exit_listener_options *options)
{
	struct taskstats_rules rules;
	uint64_t log_bytes_max = options->log_bytes > 0 ? options->log_bytes : LOG_BYTES_DEFAULT;

	open_sources(listener, options);
	/* A record does not name the cgroup. */
	if (!listener->ends && (!listener->exits || options->only_cgroup != 0))
		return;
	rules = with_io(&options->rules);
	listener->only_cgroup = options->only_cgroup != 0;
	if (!listener->only_cgroup)
		listener->cgroups = cgroup_ids_new(options->mounts);
	exit_merge_init(&listener->merge, &rules, listener->cgroups, listener->ends != NULL,
	                log_bytes_max);
	listener->stop_fd = eventfd(0, EFD_CLOEXEC);
	listener->has_thread =
	        listener->stop_fd >= 0 && worker_start(&listener->thread, listen_until_stopped,
	                                               listener, own_names[OWN_NAME_exits]);
	if (!listener->has_thread)
		listener->outcome = WINDOW_EXITS_off;
}

struct exit_listener *exit_listener_start(const struct exit_listener_options *options)
{
	struct exit_listener *listener = mem_calloc(1, sizeof(*listener));

	listener->handler = (struct thread_end_handler){add_end, add_cgroup};
	listener->stop_fd = -1;
	pthread_mutex_init(&listener->reading, NULL);
	listener->outcome = WINDOW_EXITS_skipped;
	if (options->live)
		start(listener, options);
	return listener;
}

void exit_listener_set_rules(struct exit_listener *listener,
                             const struct taskstats_rules *host_rules)
{
	const struct taskstats_rules rules = with_io(host_rules);

	pthread_mutex_lock(&listener->reading);
	exit_merge_set_rules(&listener->merge, &rules);
	pthread_mutex_unlock(&listener->reading);
}

/* The times that there was no room, since the last call. */
static uint64_t new_overruns(struct exit_listener *listener)
{
	uint64_t before = listener->overruns, all = listener->missed;

	if (listener->exits)
		all += taskstats_exits_overruns(listener->exits);
	if (listener->ends)
		all += thread_end_reader_lost(listener->ends);
	listener->overruns = all;
	return all - before;
}

/* The ends of threads in a cgroup that is gone have come before it is forgotten. */
static void forget_cgroups(struct exit_listener *listener, uint64_t now_ns)
{
	if (!listener->cgroups || now_ns < listener->forgot_boottime_ns + END_LOST_NS)
		return;
	cgroup_ids_forget(listener->cgroups);
	listener->forgot_boottime_ns = now_ns;
}

void exit_listener_split(struct exit_listener *listener, struct exit_log *ret_log)
{
	uint64_t until = boot_clock_now_ns();

	pthread_mutex_lock(&listener->reading);
	for (int look = 0; look < TAKE_LOOKS_MAX; look++) {
		read_ends(listener);
		read_records(listener);
		exit_merge_match(&listener->merge, UINT64_MAX);
		if (!listener->ends || listener->only_cgroup ||
		    !exit_merge_waits(&listener->merge, until))
			break;
		sleep_ms(LAST_LOOK_EVERY_MS);
	}
	if (listener->only_cgroup)
		drop_others(listener);
	exit_merge_split(&listener->merge, until > END_LOST_NS ? until - END_LOST_NS : 0, ret_log);
	forget_cgroups(listener, until);
	pthread_mutex_unlock(&listener->reading);
	ret_log->exits = listener->outcome;
	ret_log->overruns += new_overruns(listener);
}

void exit_listener_stop(struct exit_listener *listener, struct exit_log *ret_log)
{
	const uint64_t one = 1;

	if (listener->has_thread) {
		/* If there is no eventfd, there is no thread. */
		if (fd_write_all(listener->stop_fd, &one, sizeof(one)) == 0)
			pthread_join(listener->thread, NULL);
	}
	if (listener->only_cgroup)
		exit_merge_drop(&listener->merge, UINT64_MAX);
	exit_merge_finish(&listener->merge, ret_log);
	ret_log->exits = listener->outcome;
	ret_log->overruns += new_overruns(listener);
	taskstats_exits_freep(&listener->exits);
	thread_end_reader_freep(&listener->ends);
	cgroup_ids_freep(&listener->cgroups);
	fd_closep(&listener->stop_fd);
	pthread_mutex_destroy(&listener->reading);
	free(listener);
}
