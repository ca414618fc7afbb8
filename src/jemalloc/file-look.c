// SPDX-License-Identifier: GPL-2.0-or-later
#include "file-look.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/helper.h"
#include "base/mem.h"
#include "base/own-names.h"
#include "base/worker.h"
#include "helper-message.h"
#include "helper-program.h"

enum {
	LOOK_MS = 4000,
	REAP_MS = 50,
	END_MS = 1000, /* on a busy host */
};

/* The helper ends with the thread that started it, at once: then its own helper, the inspector, is left to the process that reaps orphans,
 * if there is one. So a thread that does nothing else starts it, and stays until the helper has ended. */
struct file_looker {
	pid_t helper; /* 0: none */
	int socket;
	pthread_t keeper; /* while there is a helper, or one is started */
	sem_t is_started, may_end;
	int started;                /* the result: 0 or -errno */
	struct helper_guard *guard; /* borrowed */
	enum file_systems allowed;
	bool is_left; /* a helper could not be ended: no other one is started */
};

struct file_looker *file_looker_new(struct helper_guard *guard)
{
	struct file_looker *looker = mem_calloc(1, sizeof(*looker));

	looker->guard = guard;
	looker->socket = -1;
	(void)sem_init(&looker->is_started, 0, 0);
	(void)sem_init(&looker->may_end, 0, 0);
	return looker;
}

void file_looker_allow(struct file_looker *looker, enum file_systems allowed)
{
	looker->allowed = allowed;
}

static void await_semaphore(sem_t *semaphore)
{
	while (sem_wait(semaphore) < 0 && errno == EINTR)
		;
}

static void *keep(void *context)
{
	struct file_looker *looker = context;

	looker->started = helper_program_start(HELPER_FOR_FILES, looker->guard->helper_fd,
	                                       &looker->helper, &looker->socket);
	(void)sem_post(&looker->is_started);
	await_semaphore(&looker->may_end);
	return NULL;
}

static void end_keeper(struct file_looker *looker)
{
	(void)sem_post(&looker->may_end);
	(void)pthread_join(looker->keeper, NULL);
}

/* One that is not at work ends by itself, and its own helper before it. */
static void stop(struct file_looker *looker, bool is_at_work)
{
	fd_closep(&looker->socket);
	if (looker->helper > 0) {
		/* One that hangs cannot end its own helper. */
		if (is_at_work && kill(-looker->helper, SIGKILL) < 0)
			(void)kill(looker->helper, SIGKILL);
		/* From now on it is seen by everybody as one that was left behind. */
		looker->is_left = !helper_reap(looker->helper, is_at_work ? REAP_MS : END_MS);
		if (looker->is_left)
			helper_guard_leave(looker->guard);
		end_keeper(looker);
	}
	looker->helper = 0;
}

void file_looker_freep(struct file_looker **looker)
{
	if (*looker) {
		stop(*looker, false);
		(void)sem_destroy(&(*looker)->is_started);
		(void)sem_destroy(&(*looker)->may_end);
	}
	free(*looker);
	*looker = NULL;
}

static int start(struct file_looker *looker)
{
	int r;

	if (looker->helper > 0)
		return 0;
	r = looker->is_left ? -EBUSY : helper_guard_enter(looker->guard);
	if (r < 0)
		return r;
	if (!worker_start(&looker->keeper, keep, looker, own_names[OWN_NAME_jemalloc]))
		return -EAGAIN;
	await_semaphore(&looker->is_started);
	if (looker->started < 0)
		end_keeper(looker);
	return looker->started;
}

/* Returns 0, -ETIME, or -EPIPE where the helper is gone. */
static int await(const struct file_looker *looker, uint64_t wait_ns, int *ret_result,
                 struct jemalloc_object *ret_object)
{
	uint64_t longest_ns = LOOK_MS * NS_PER_MS;
	struct helper_message answer;
	int r = fd_await_input(looker->socket,
	                       clock_now_ns(CLOCK_MONOTONIC) +
	                               (wait_ns < longest_ns ? wait_ns : longest_ns));

	if (r == -ETIME)
		return r;
	if (r == 0)
		r = helper_message_receive(looker->socket, &answer, NULL);
	if (r < 0)
		return -EPIPE;
	*ret_result = answer.object.result;
	return helper_message_object(&answer, HELPER_LOOKED, ret_object);
}

int file_looker_inspect(struct file_looker *looker, uint32_t tgid, uint32_t tid,
                        const struct mapped_file *mapped, uint64_t wait_ns,
                        struct jemalloc_object *ret_object)
{
	struct helper_message question = {.kind = HELPER_LOOK,
	                                  .look = {.tgid = tgid,
	                                           .tid = tid,
	                                           .start = mapped->start,
	                                           .end = mapped->end,
	                                           .inode = mapped->inode,
	                                           .allowed = looker->allowed}};
	int r = start(looker), result = 0;

	*ret_object = (struct jemalloc_object){.tag = PROBE_TAG_worker_panic};
	if (r < 0)
		return r;
	/* A longer one cannot be opened by it. */
	if (mapped->path.len < sizeof(question.look.path))
		memcpy(question.look.path, mapped->path.text, mapped->path.len);
	r = helper_message_send(looker->socket, &question, -1) == 0
	            ? await(looker, wait_ns, &result, ret_object)
	            : -EPIPE;
	if (r < 0) {
		stop(looker, true);
		return r == -EPIPE ? 0 : r;
	}
	return result;
}
