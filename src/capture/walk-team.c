// SPDX-License-Identifier: GPL-2.0-or-later
#include "walk-team.h"

/* A walker takes the next process of the list, and puts its rows into pieces of text that wait in the process's batch. The
 * thread that has the writer writes the batches in the order of the list. Between two processes, and between two pieces
 * of a large one, walkers take the lock; while they read threads they share nothing that changes.
 *
 * jemalloc's reader has helpers, caches and a budget. It stays in the thread that has the writer, and walkers send requests to
 * it. Where no thread can be created, the thread that has the writer is the walker as well. */

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/mem.h"
#include "cgroup-walk.h"
#include "snapshot/snapshot-batch.h"

enum {
	MEMBERS_MAX = 16,
	PROCESSES_MIN = 32,       /* fewer are read by one */
	BATCHES = 64,             /* how many processes walkers may be ahead of the writer */
	PIECE_BYTES = 64 << 10,   /* a piece of rows is about as long as this */
	WAITING_BYTES = 16 << 20, /* how much text may wait for the writer */
};

struct piece {
	struct piece *next;
	struct snapshot_batch rows;
};

/* The rows of a process that are not written yet. */
struct batch {
	struct piece *first, **last;
	bool is_whole;
};

struct walk_team;

struct member {
	struct walk_sink sink; /* must stay the first member */
	struct walk_team *team;
	pthread_t thread;
	struct walk walk;
	struct snapshot_rows *rows;
	struct snapshot_tally tally;
	struct cgroup_walk cgroups;
	struct piece *piece; /* being filled; or NULL */
	size_t place;        /* of the process being read, in the list */
	/* Under the lock of the team: its request to jemalloc's reader. */
	pthread_cond_t answered;
	struct member *next_asker;
	const struct known_pointers *asked_known;
	uint32_t asked_tgid;
	ino_t asked_inode;
	bool asks;
};

struct walk_team {
	struct walk *walk;
	const struct walk_job *job;
	pthread_mutex_t lock;
	pthread_cond_t news; /* for the writer */
	pthread_cond_t room; /* for walkers */
	/* What follows is under the lock. */
	size_t next;    /* process to be read */
	size_t written; /* processes before this one are written */
	struct batch batches[BATCHES];
	size_t waiting_bytes;
	struct piece *spare; /* pieces to be filled again */
	struct member *first_asker, **last_asker;
	bool is_over; /* all is read, or it has failed */
	int error;    /* the first one */
	struct member members[MEMBERS_MAX];
	unsigned count; /* threads; 0: the first member is the writer's own thread */
};

static struct batch *batch_at(struct walk_team *team, size_t place)
{
	return &team->batches[place % BATCHES];
}

/* The lock is held in what follows. */
static void fail(struct walk_team *team, int error)
{
	if (team->error == 0)
		team->error = error;
	team->is_over = true;
	pthread_cond_broadcast(&team->room);
	pthread_cond_signal(&team->news);
}

static struct piece *take_spare(struct walk_team *team)
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

/* The process that is to be written next must not wait for those behind it. */
static bool has_room(const struct walk_team *team, const struct member *member)
{
	size_t most = member->place == team->written ? 2 * WAITING_BYTES : WAITING_BYTES;

	return team->waiting_bytes < most;
}

static void serve_once(struct walk_team *team);

static void wait_for(struct walk_team *team, pthread_cond_t *condition)
{
	if (team->count == 0)
		serve_once(team);
	else
		pthread_cond_wait(condition, &team->lock);
}

/* Puts the piece into the batch. Returns 0, or the team's error. */
static int hand_over(struct member *member, bool is_whole)
{
	struct walk_team *team = member->team;
	struct batch *batch = batch_at(team, member->place);
	int r;

	pthread_mutex_lock(&team->lock);
	while (!team->is_over && !has_room(team, member))
		wait_for(team, &team->room);
	if (snapshot_batch_bytes(&member->piece->rows) > 0) {
		*batch->last = member->piece;
		batch->last = &member->piece->next;
		team->waiting_bytes += snapshot_batch_bytes(&member->piece->rows);
		member->piece = take_spare(team);
	}
	batch->is_whole = is_whole;
	if (member->place == team->written)
		pthread_cond_signal(&team->news);
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

/* The threads that were read change hands, and the next request gets the walker's old ones. */
static void take_answer(struct jemalloc_reader *from, struct jemalloc_reader *to)
{
	struct memory_probe_thread *threads = to->request.threads;
	size_t capacity = to->capacity;

	to->tag = from->tag;
	to->request.threads = from->request.threads;
	to->capacity = from->capacity;
	from->request.threads = threads;
	from->capacity = capacity;
}

/* While a directory of a process is open, another process with its number has one with another inode. */
static void read_jemalloc(struct walk_sink *sink, struct walk *walk, int process_fd, uint32_t tgid,
                          const struct known_pointers *known)
{
	struct member *member = (struct member *)sink;
	struct walk_team *team = member->team;
	struct stat status;

	if (walk->jemalloc.rule != OUTCOME_read)
		return;
	walk->jemalloc.tag = PROBE_TAG_pid_missing;
	if (fstat(process_fd, &status) < 0)
		return;
	pthread_mutex_lock(&team->lock);
	if (!team->is_over) {
		member->asked_tgid = tgid;
		member->asked_known = known;
		member->asked_inode = status.st_ino;
		member->asks = true;
		member->next_asker = NULL;
		*team->last_asker = member;
		team->last_asker = &member->next_asker;
		pthread_cond_signal(&team->news);
	}
	while (member->asks)
		wait_for(team, &member->answered);
	pthread_mutex_unlock(&team->lock);
}

/* Takes the next process. False where there is none; then the walker stays until all have come to their end, for a thread of
 * ours that exits would disturb whoever is reading us. */
static bool take_process(struct member *member)
{
	struct walk_team *team = member->team;
	bool is_taken;

	pthread_mutex_lock(&team->lock);
	while (!team->is_over &&
	       (team->next == team->job->work->count || team->next - team->written >= BATCHES))
		wait_for(team, &team->room);
	is_taken = !team->is_over;
	if (is_taken)
		member->place = team->next++;
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

/* A table of our own spares us the lock of the one that all share, and counting the users of its files. Where that is refused it
 * only takes longer. ThreadSanitizer would take descriptors of two tables for the same one. */
static void take_own_descriptors(void)
{
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
	return;
#endif
#elif defined(__SANITIZE_THREAD__)
	return;
#endif
	(void)unshare(CLONE_FILES);
}

static void member_run(struct member *member)
{
	const struct walk_work *work = member->team->job->work;
	int r = 0;

	member_begin(member);
	while (r == 0 && take_process(member)) {
		r = work->read(work, &member->walk, member->place);
		if (r == 0)
			r = hand_over(member, true);
	}
	if (r < 0) {
		pthread_mutex_lock(&member->team->lock);
		fail(member->team, r);
		pthread_mutex_unlock(&member->team->lock);
	}
	walk_done(&member->walk);
}

static void *thread_run(void *member)
{
	take_own_descriptors();
	member_run(member);
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

/* Sums are all that a tally has. */
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

static void member_end(struct member *member)
{
	struct walk *walk = member->team->walk;

	if (member->team->count > 0)
		pthread_join(member->thread, NULL);
	add_tally(walk->tally, &member->tally);
	add_times(walk, &member->walk);
	probe_summary_add_counts(&walk->jemalloc.summary, &member->walk.jemalloc.summary);
	if (walk->reader.cgroups)
		cgroup_walk_merge(walk->reader.cgroups, &member->cgroups);
	cgroup_walk_done(&member->cgroups);
	snapshot_rows_free(member->rows);
	free_pieces(member->piece);
}

static struct walk_team *team_new(struct walk *walk, const struct walk_job *job)
{
	struct walk_team *team = mem_calloc(1, sizeof(*team));

	team->walk = walk;
	team->job = job;
	team->last_asker = &team->first_asker;
	for (size_t i = 0; i < BATCHES; i++)
		team->batches[i].last = &team->batches[i].first;
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->news, NULL);
	pthread_cond_init(&team->room, NULL);
	for (size_t i = 0; i < MEMBERS_MAX; i++) {
		team->members[i].team = team;
		team->members[i].sink =
		        (struct walk_sink){.add_row = add_row, .read_jemalloc = read_jemalloc};
		pthread_cond_init(&team->members[i].answered, NULL);
	}
	return team;
}

static void team_free(struct walk_team *team)
{
	for (size_t i = 0; i < BATCHES; i++)
		free_pieces(team->batches[i].first);
	free_pieces(team->spare);
	for (size_t i = 0; i < MEMBERS_MAX; i++)
		pthread_cond_destroy(&team->members[i].answered);
	pthread_cond_destroy(&team->room);
	pthread_cond_destroy(&team->news);
	pthread_mutex_destroy(&team->lock);
	free(team);
}

/* Signals are for the thread that waits for them. */
static void team_begin(struct walk_team *team, unsigned members)
{
	sigset_t all, before;

	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return;
	for (; team->count < members; team->count++) {
		struct member *member = &team->members[team->count];
		char name[16];

		if (pthread_create(&member->thread, NULL, thread_run, member) != 0)
			break;
		snprintf(name, sizeof(name), "ctprof-walk-%u", team->count);
		pthread_setname_np(member->thread, name);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static struct member *take_asker(struct walk_team *team)
{
	struct member *member = team->first_asker;

	team->first_asker = member->next_asker;
	if (!team->first_asker)
		team->last_asker = &team->first_asker;
	return member;
}

static void let_go(struct member *member)
{
	member->asks = false;
	pthread_cond_signal(&member->answered);
}

/* The lock is not held while a walker's request is being dealt with: it waits, and its walk stays as it is. */
static void answer(struct walk_team *team)
{
	struct member *member = take_asker(team);
	struct jemalloc_reader *reader = &team->walk->jemalloc;
	cleanup_(fd_closep) int process_fd = -1;
	struct stat status;
	char name[12];

	pthread_mutex_unlock(&team->lock);
	snprintf(name, sizeof(name), "%u", member->asked_tgid);
	process_fd = fd_open_path_at(team->walk->proc_fd, name);
	if (process_fd >= 0 && fstat(process_fd, &status) == 0 &&
	    status.st_ino == member->asked_inode) {
		jemalloc_read_process(reader, process_fd, member->asked_tgid, &member->walk.threads,
		                      member->asked_known);
		take_answer(reader, &member->walk.jemalloc);
	}

	pthread_mutex_lock(&team->lock);
	let_go(member);
}

static void write_piece(struct walk_team *team, struct batch *batch)
{
	struct piece *piece = batch->first;
	int r;

	batch->first = piece->next;
	if (!batch->first)
		batch->last = &batch->first;
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

/* Requests of walkers come first, for they wait. */
static void serve_once(struct walk_team *team)
{
	struct batch *batch = batch_at(team, team->written);

	if (team->first_asker) {
		answer(team);
	} else if (team->written == team->job->work->count) {
		team->is_over = true;
	} else if (batch->first) {
		write_piece(team, batch);
	} else if (batch->is_whole) {
		batch->is_whole = false;
		team->written++;
		pthread_cond_broadcast(&team->room);
	} else {
		pthread_cond_wait(&team->news, &team->lock);
	}
}

static void team_serve(struct walk_team *team)
{
	pthread_mutex_lock(&team->lock);
	while (!team->is_over)
		serve_once(team);
	while (team->first_asker)
		let_go(take_asker(team));
	pthread_cond_broadcast(&team->room);
	pthread_mutex_unlock(&team->lock);
}

static int read_files(const struct walk_work *work, struct walk *walk, size_t index)
{
	const struct walk_files *files = (const struct walk_files *)work;

	return walk_read_process(walk, files->processes->ids[index]);
}

void walk_files_init(struct walk_files *files, const struct id_list *processes)
{
	*files = (struct walk_files){{processes->count, read_files}, processes};
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

	/* A process that begins as the copy of one with threads may find locks held by those it has not. */
	jemalloc_reader_start(&walk->jemalloc);
	team_begin(team, job->walkers < MEMBERS_MAX ? job->walkers : MEMBERS_MAX);
	if (team->count == 0)
		member_run(&team->members[0]);
	team_serve(team);
	member_end(&team->members[0]);
	for (unsigned i = 1; i < team->count; i++)
		member_end(&team->members[i]);
	r = team->error;
	team_free(team);
	if (error_is_own(r))
		strbuf_addf(reterr, "%s: %s", root, strerror(-r));
	return r;
}
