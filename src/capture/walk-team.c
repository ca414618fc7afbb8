// SPDX-License-Identifier: GPL-2.0-or-later
#include "walk-team.h"

/* A walker reads the next process of the list, and puts its rows into pieces of text that wait in the process's batch.
 * The thread that has the writer writes the batches in the order of the list. Between two processes, and between two
 * pieces of a large one, walkers lock; while they read threads they share nothing that changes.
 * The thread that has the writer also watches the walkers. If one stalls in a reading, others are created to continue
 * with the list. A walker that stalls for too long is given up: another one reads its process again, without the
 * reading that stalled. A process that stalls again, or has rows already, stays as it is. So does one in which a walker of
 * a reading before still stalls: it would cost a walker in each reading. If no thread can be created, the thread that has
 * the writer is the walker as well. */

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/own-names.h"
#include "base/watch.h"
#include "base/worker.h"
#include "cgroup-walk.h"
#include "jemalloc-service.h"
#include "snapshot/snapshot-batch.h"

enum {
	MEMBERS_MAX = 16,         /* where none has stalled */
	AWAY_MAX = 64,            /* walkers that are held up, and not given up yet */
	PROCESSES_MIN = 32,       /* one walker reads fewer than that */
	PIECE_BYTES = 64 << 10,   /* approximate length of a piece of rows */
	WAITING_BYTES = 16 << 20, /* the most text that may wait for the writer */
};

struct piece {
	struct piece *next;
	struct snapshot_batch rows;
};

/* The rows of a process that are not written yet. */
struct batch {
	struct piece *first, *last; /* NULL: none */
	bool is_whole;
};

/* A process that is to be read again, or for the first time. */
struct turn {
	size_t place;
	enum stall_avoids avoids;
};

struct walk_team;

struct member {
	struct walk_sink sink; /* must stay the first member */
	struct walk_team *team;
	pthread_t thread;
	struct watch watch;
	struct walk walk;
	struct snapshot_rows *rows;
	struct snapshot_tally tally;
	struct cgroup_walk cgroups;
	struct piece *piece; /* being filled; or NULL */
	size_t place;        /* of the process being read, in the list */
	bool given_up;
};

struct walk_team {
	struct walk *walk;
	const struct walk_job *job;
	struct jemalloc_service *jemalloc;
	uint64_t watched_ns; /* when the members were last looked at */
	pthread_mutex_t lock;
	pthread_cond_t news; /* for the writer */
	pthread_cond_t room; /* for walkers */
	/* The lock guards the members below. */
	size_t next;    /* process to be read */
	size_t written; /* processes before this one are written */
	struct batch *batches;
	struct turn *retries;
	size_t retry_count, retry_capacity;
	size_t waiting_bytes;
	struct piece *spare; /* pieces to be reused */
	bool is_over;        /* all is read, or it has failed */
	int error;           /* the first one */
	struct member **members;
	size_t count, capacity;
	size_t running; /* members that have neither ended nor been given up */
	bool is_alone;  /* the only member is the writer's own thread */
};

/* The functions below are called with the lock held. */
static void fail(struct walk_team *team, int error)
{
	if (team->error == 0)
		team->error = error;
	team->is_over = true;
	pthread_cond_broadcast(&team->room);
	pthread_cond_signal(&team->news);
}

static struct piece *get_spare(struct walk_team *team)
{
	struct piece *piece = team->spare;

	if (piece)
		team->spare = piece->next;
	else
		piece = mem_calloc(1, sizeof(*piece));
	snapshot_batch_clear(&piece->rows);
	piece->next = NULL;
	return piece;
}

/* The next process to be written must not wait for those behind it. */
static bool has_room(const struct walk_team *team, const struct member *member)
{
	size_t most = member->place == team->written ? 2 * WAITING_BYTES : WAITING_BYTES;

	return team->waiting_bytes < most;
}

static void serve_once(struct walk_team *team);

static void wait_for_room(struct walk_team *team)
{
	if (team->is_alone)
		serve_once(team);
	else
		pthread_cond_wait(&team->room, &team->lock);
}

/* Puts the rows of the member into the batch of its process. */
static void add_piece(struct walk_team *team, struct member *member, bool is_whole)
{
	struct batch *batch = &team->batches[member->place];

	if (snapshot_batch_bytes(&member->piece->rows) > 0) {
		if (batch->first)
			batch->last->next = member->piece;
		else
			batch->first = member->piece;
		batch->last = member->piece;
		team->waiting_bytes += snapshot_batch_bytes(&member->piece->rows);
		member->piece = get_spare(team);
	}
	batch->is_whole = is_whole;
	if (member->place == team->written)
		pthread_cond_signal(&team->news);
}

/* Returns 0, or the team's error. Takes the lock itself. */
static int hand_over(struct member *member, bool is_whole)
{
	struct walk_team *team = member->team;
	int r;

	pthread_mutex_lock(&team->lock);
	while (!team->is_over && !has_room(team, member))
		wait_for_room(team);
	add_piece(team, member, is_whole);
	r = team->error;
	pthread_mutex_unlock(&team->lock);
	return r;
}

static int add_row(struct walk_sink *sink, const struct thread_sample *sample)
{
	struct member *member = (struct member *)sink;
	struct snapshot_batch *rows = &member->piece->rows;

	snapshot_rows_add(member->rows, sample, rows);
	return snapshot_batch_bytes(rows) < PIECE_BYTES ? 0 : hand_over(member, false);
}

static void read_jemalloc(struct walk_sink *sink, struct walk *walk, int process_fd,
                          const struct known_pointers *known)
{
	struct walk_team *team = ((struct member *)sink)->team;
	struct jemalloc_request request = {.tgid = walk->tgid,
	                                   .threads = &walk->threads,
	                                   .known = known,
	                                   .answer = &walk->jemalloc};
	struct stat status;

	if (!team->is_alone && jemalloc_read_known(&walk->jemalloc, team->walk->jemalloc.files,
	                                           process_fd, walk->tgid))
		return;
	walk->jemalloc.tag = PROBE_TAG_pid_missing;
	if (fstat(process_fd, &status) < 0)
		return;
	request.inode = status.st_ino;
	jemalloc_service_ask(team->jemalloc, &request, team->is_alone);
}

/* Leaves the rest of a process out, of which only the number of its threads is known. */
static void leave_out(struct walk_team *team, struct member *member, size_t threads)
{
	struct snapshot_tally *tally = &member->tally;
	uint64_t counted = walk_counted(&member->walk) - member->walk.counted_before;

	tally->processes += member->walk.has_row && counted > 0;
	if (threads > counted) {
		tally->threads_unreadable += threads - counted;
		tally->sources[SOURCE_stat][OUTCOME_stalled] += threads - counted;
	}
	add_piece(team, member, true);
}

/* Returns whether there is something to read of the next process. */
static bool begin_turn(struct walk_team *team, struct member *member)
{
	const struct walk_work *work = team->job->work;
	const bool is_retry = team->retry_count > 0;
	struct turn turn = is_retry ? team->retries[--team->retry_count]
	                            : (struct turn){team->next++, AVOIDS_NOTHING};
	uint32_t tgid = work->tgid(work, turn.place);
	const struct stalled_process *known = is_retry ? NULL : stall_find(team->job->stalls, tgid);

	if (known)
		turn.avoids = known->avoids;
	member->place = turn.place;
	walk_begin_process(&member->walk, tgid, turn.avoids);
	member->tally.processes_stalled += !is_retry && turn.avoids != AVOIDS_NOTHING;
	if (known && known->avoids == AVOIDS_ALL)
		leave_out(team, member, known->threads);
	return turn.avoids != AVOIDS_ALL;
}

/* Gets the next process. Returns false if there is none; the walker then waits until all have finished, because a
 * thread of ours that exits would disturb others that read our process. */
static bool next_process(struct member *member)
{
	struct walk_team *team = member->team;
	const struct walk_work *work = team->job->work;
	bool is_taken = false;

	pthread_mutex_lock(&team->lock);
	while (!team->is_over && !is_taken) {
		if (team->next == work->count && team->retry_count == 0)
			wait_for_room(team);
		else
			is_taken = begin_turn(team, member);
	}
	pthread_mutex_unlock(&team->lock);
	return is_taken;
}

static void member_begin(struct member *member)
{
	struct walk_team *team = member->team;
	struct walk_options options = *team->job->options;
	enum source_outcome rules[SOURCE_COUNT];

	cgroup_walk_init(&member->cgroups);
	options.cgroups = &member->cgroups;
	options.jemalloc = JEMALLOC_MODE_OFF;
	options.jemalloc_files = NULL;
	walk_init(&member->walk, &options, rules);
	member->walk.jemalloc.rule = team->walk->jemalloc.rule;
	member->walk.tally = &member->tally;
	member->walk.sink = &member->sink;
	member->walk.css.cgroups = &member->cgroups;
	member->rows = snapshot_rows_new(team->job->writer);
	member->piece = mem_calloc(1, sizeof(*member->piece));
}

static void member_walk(void *context)
{
	struct member *member = context;
	struct walk_team *team = member->team;
	const struct walk_work *work = team->job->work;
	int r = 0;

	while (r == 0 && next_process(member)) {
		r = work->read(work, &member->walk, member->place);
		if (r == 0)
			r = hand_over(member, true);
	}
	pthread_mutex_lock(&team->lock);
	if (r < 0)
		fail(team, r);
	team->running--;
	pthread_cond_signal(&team->news);
	pthread_mutex_unlock(&team->lock);
}

/* Its own thread frees the member's readers, also if it was given up: their descriptors are in its own table. */
static void *thread_run(void *context)
{
	struct member *member = context;

	worker_own_descriptors();
	member_begin(member);
	watch_run(&member->watch, member_walk, member);
	walk_done(&member->walk);
	return NULL;
}

static void free_pieces(struct piece *piece)
{
	while (piece) {
		struct piece *next = piece->next;

		snapshot_batch_done(&piece->rows);
		free(piece);
		piece = next;
	}
}

/* A tally consists of sums only. */
static void add_tally(struct snapshot_tally *tally, const struct snapshot_tally *other)
{
	uint64_t *sums = (uint64_t *)tally;
	const uint64_t *more = (const uint64_t *)other;

	_Static_assert(sizeof(*tally) % sizeof(*sums) == 0, "a tally has nothing but sums");
	for (size_t i = 0; i < sizeof(*tally) / sizeof(*sums); i++)
		sums[i] += more[i];
}

static void add_times(struct walk *walk, const struct walk *other)
{
	if (other->first_read_ns == 0)
		return;
	if (walk->first_read_ns == 0 || other->first_read_ns < walk->first_read_ns)
		walk->first_read_ns = other->first_read_ns;
	if (other->last_read_ns > walk->last_read_ns)
		walk->last_read_ns = other->last_read_ns;
}

/* A member that was given up keeps its own structure, and the buffers that it reads into. */
static void member_end(struct walk_team *team, struct member *member)
{
	struct walk *walk = team->walk;

	if (!team->is_alone && !member->given_up)
		pthread_join(member->thread, NULL);
	add_tally(walk->tally, &member->tally);
	add_times(walk, &member->walk);
	probe_summary_add_counts(&walk->jemalloc.summary, &member->walk.jemalloc.summary);
	if (walk->reader.cgroups)
		cgroup_walk_merge(walk->reader.cgroups, &member->cgroups);
	cgroup_walk_done(&member->cgroups);
	snapshot_rows_free(member->rows);
	free_pieces(member->piece);
	if (!member->given_up)
		free(member);
}

static struct walk_team *team_new(struct walk *walk, const struct walk_job *job)
{
	struct walk_team *team = mem_calloc(1, sizeof(*team));

	team->walk = walk;
	team->job = job;
	team->batches = mem_calloc(job->work->count + 1, sizeof(team->batches[0]));
	pthread_mutex_init(&team->lock, NULL);
	worker_cond_init(&team->news);
	worker_cond_init(&team->room);
	return team;
}

static void team_free(struct walk_team *team)
{
	for (size_t i = 0; i < team->job->work->count; i++)
		free_pieces(team->batches[i].first);
	free_pieces(team->spare);
	free(team->batches);
	free(team->retries);
	free(team->members);
	pthread_cond_destroy(&team->room);
	pthread_cond_destroy(&team->news);
	pthread_mutex_destroy(&team->lock);
	free(team);
}

static struct member *add_member(struct walk_team *team)
{
	struct member *member = mem_calloc(1, sizeof(*member));

	member->team = team;
	member->sink = (struct walk_sink){.add_row = add_row, .read_jemalloc = read_jemalloc};
	*array_add(team->members, team->count, team->capacity) = member;
	team->running++;
	return member;
}

/* Returns whether the system has a thread to give. */
static bool start_member(struct walk_team *team)
{
	struct member *member = add_member(team);
	char name[16];

	snprintf(name, sizeof(name), OWN_WALK_PREFIX "%u", (unsigned)(team->count - 1) % 1000);
	if (worker_start(&member->thread, thread_run, member, name))
		return true;
	free(member);
	team->count--;
	team->running--;
	return false;
}

/* The member reads no more, and as soon as its call comes back it frees what it has read with. */
static void give_up(struct walk_team *team, struct member *member, size_t threads)
{
	const struct stalled_thread thread = {
	        .id = member->thread, .context = member, .done = free};
	const struct walk *walk = &member->walk;
	enum stall_avoids before = walk->process.avoids, avoids = AVOIDS_LOCKED;
	bool has_rows = walk_counted(walk) != walk->counted_before;

	if (before == AVOIDS_LOCKED)
		avoids = AVOIDS_ALL;
	else if (before == AVOIDS_NOTHING && walk->process.at == SOURCE_smaps_rollup && !has_rows)
		avoids = AVOIDS_MEMORY;
	member->given_up = true;
	team->running--;
	stall_add(team->job->stalls, team->walk->proc_fd, walk->tgid, threads, avoids, &thread);
	member->tally.processes_stalled += before == AVOIDS_NOTHING;
	if (avoids == AVOIDS_ALL || has_rows) {
		leave_out(team, member, threads);
		return;
	}
	*array_add(team->retries, team->retry_count, team->retry_capacity) =
	        (struct turn){member->place, avoids};
	pthread_cond_broadcast(&team->room);
}

/* If no walker is left, and none can be created, the other processes are left out. */
static void leave_out_rest(struct walk_team *team)
{
	struct snapshot_tally *tally = team->walk->tally;

	for (; team->retry_count > 0; team->retry_count--)
		team->batches[team->retries[team->retry_count - 1].place].is_whole = true;
	for (; team->next < team->job->work->count; team->next++) {
		team->batches[team->next].is_whole = true;
		tally->processes_stalled++;
	}
}

/* Gives walkers up that have been asleep for too long, and creates others for those that are asleep. */
static void watch_members(struct walk_team *team)
{
	struct stall_list *stalls = team->job->stalls;
	const struct walk_work *work = team->job->work;
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	size_t away = 0, count = team->count, threads;
	bool is_work_left;

	if (team->is_alone || now_ns - team->watched_ns < STALL_TICK_NS)
		return;
	team->watched_ns = now_ns;
	for (size_t i = 0; i < count; i++) {
		struct member *member = team->members[i];
		uint64_t asleep_ns = member->given_up ? 0 : watch_asleep_ns(&member->watch, now_ns);

		if (asleep_ns == 0)
			continue;
		threads = member->walk.threads.count;
		if (asleep_ns >= stall_limit_ns(stalls, member->walk.tgid) &&
		    watch_give_up(&member->watch))
			give_up(team, member, threads);
		else
			away++;
	}
	jemalloc_service_watch(team->jemalloc, now_ns);
	is_work_left = !team->is_over && (team->next < work->count || team->retry_count > 0);
	while (is_work_left && team->running - away < team->job->walkers && away < AWAY_MAX &&
	       stalls->thread_count < STALL_THREADS_MAX && start_member(team))
		;
	if (is_work_left && team->running == 0)
		leave_out_rest(team);
}

static void write_piece(struct walk_team *team, struct batch *batch)
{
	struct piece *piece = batch->first;
	int r;

	batch->first = piece->next;
	pthread_mutex_unlock(&team->lock);
	r = snapshot_write_batch(team->job->writer, &piece->rows);

	pthread_mutex_lock(&team->lock);
	team->waiting_bytes -= snapshot_batch_bytes(&piece->rows);
	piece->next = team->spare;
	team->spare = piece;
	if (r < 0)
		fail(team, r);
	pthread_cond_broadcast(&team->room);
}

static void serve_once(struct walk_team *team)
{
	struct batch *batch = &team->batches[team->written];

	if (team->is_over) {
		worker_cond_wait(&team->news, &team->lock,
		                 clock_now_ns(CLOCK_MONOTONIC) + STALL_TICK_NS);
	} else if (team->written == team->job->work->count) {
		team->is_over = true;
		pthread_cond_broadcast(&team->room);
	} else if (batch->first) {
		write_piece(team, batch);
	} else if (batch->is_whole) {
		team->written++;
	} else {
		worker_cond_wait(&team->news, &team->lock,
		                 clock_now_ns(CLOCK_MONOTONIC) + STALL_TICK_NS);
	}
	watch_members(team);
}

static void team_run(struct walk_team *team)
{
	unsigned walkers = team->job->walkers;

	pthread_mutex_lock(&team->lock);
	while (team->count < walkers && start_member(team))
		;
	team->is_alone = team->count == 0;
	if (team->is_alone) {
		struct member *member = add_member(team);

		pthread_mutex_unlock(&team->lock);
		member_begin(member);
		member_walk(member);
		walk_done(&member->walk);
		pthread_mutex_lock(&team->lock);
	}
	while (!team->is_over || team->running > 0)
		serve_once(team);
	pthread_mutex_unlock(&team->lock);
}

static uint32_t tgid_of(const struct walk_work *work, size_t index)
{
	return ((const struct walk_files *)work)->processes->ids[index];
}

static int read_files(const struct walk_work *work, struct walk *walk, size_t index)
{
	(void)work;
	(void)index;
	return walk_read_process(walk);
}

void walk_files_init(struct walk_files *files, const struct id_list *processes)
{
	*files = (struct walk_files){{processes->count, tgid_of, read_files}, processes};
}

unsigned walk_team_size(const struct walk *walk, const struct walk_work *work)
{
	cpu_set_t cpus;
	unsigned count = 1;

	if (!walk->reader.live || work->count < PROCESSES_MIN)
		return 1;
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		count = (unsigned)CPU_COUNT(&cpus);
	return count < MEMBERS_MAX ? count : MEMBERS_MAX;
}

int walk_team_all(struct walk *walk, const struct walk_job *job, const char *root,
                  struct strbuf *reterr)
{
	struct walk_team *team = team_new(walk, job);
	int r;

	stall_begin(job->stalls, walk->proc_fd);
	team->jemalloc = jemalloc_service_new(&walk->jemalloc, walk->proc_fd, job->stalls);
	team_run(team);
	jemalloc_service_free(team->jemalloc);
	for (size_t i = 0; i < team->count; i++)
		member_end(team, team->members[i]);
	r = team->error;
	team_free(team);
	if (error_is_own(r))
		strbuf_addf(reterr, "%s: %s", root, strerror(-r));
	return r;
}
