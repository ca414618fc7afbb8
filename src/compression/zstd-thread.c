// SPDX-License-Identifier: GPL-2.0-or-later
#include "compression/zstd-thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "compression/zstd-stream.h"

struct zstd_thread {
	/* Used by the thread while it runs, and by the owner otherwise. */
	struct zstd_compressor *compressor;
	bool runs, refused; /* no thread could be started */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* The lock guards the members below, but the piece is the thread's while it is_full. */
	struct strbuf piece;
	bool is_full;
	bool is_last; /* the last piece was added */
	int error;    /* the first one */
};

struct zstd_thread *zstd_thread_new(struct byte_sink *sink, int level)
{
	struct zstd_thread *thread = mem_calloc(1, sizeof(*thread));

	thread->compressor = zstd_compressor_new(sink, level);
	pthread_mutex_init(&thread->lock, NULL);
	pthread_cond_init(&thread->changed, NULL);
	return thread;
}

static void *compress_pieces(void *context)
{
	struct zstd_thread *thread = context;

	pthread_mutex_lock(&thread->lock);
	for (;;) {
		int r;

		while (!thread->is_full && !thread->is_last)
			pthread_cond_wait(&thread->changed, &thread->lock);
		if (!thread->is_full)
			break;
		pthread_mutex_unlock(&thread->lock);
		r = zstd_compress(thread->compressor, thread->piece.data, thread->piece.len);

		pthread_mutex_lock(&thread->lock);
		thread->error = thread->error ? thread->error : r;
		thread->is_full = false;
		pthread_cond_signal(&thread->changed);
	}
	pthread_mutex_unlock(&thread->lock);
	return NULL;
}

/* The thread blocks all signals but those of its own writes; other threads wait for them. */
static void start(struct zstd_thread *thread)
{
	sigset_t all, before;

	sigfillset(&all);
	sigdelset(&all, SIGPIPE);
	sigdelset(&all, SIGXFSZ);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return;
	thread->runs = pthread_create(&thread->thread, NULL, compress_pieces, thread) == 0;
	thread->refused = !thread->runs;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void stop(struct zstd_thread *thread)
{
	if (!thread->runs)
		return;
	pthread_mutex_lock(&thread->lock);
	thread->is_last = true;
	pthread_cond_signal(&thread->changed);
	pthread_mutex_unlock(&thread->lock);
	pthread_join(thread->thread, NULL);
	thread->runs = false;
}

struct zstd_thread *zstd_thread_free(struct zstd_thread *thread)
{
	if (!thread)
		return NULL;
	stop(thread);
	zstd_compressor_free(thread->compressor);
	strbuf_done(&thread->piece);
	pthread_cond_destroy(&thread->changed);
	pthread_mutex_destroy(&thread->lock);
	free(thread);
	return NULL;
}

/* Compresses without a thread. */
static int compress_here(struct zstd_thread *thread, struct strbuf *bytes)
{
	if (thread->error == 0)
		thread->error = zstd_compress(thread->compressor, strbuf_str(bytes), bytes->len);
	strbuf_clear(bytes);
	return thread->error;
}

int zstd_thread_add(struct zstd_thread *thread, struct strbuf *bytes)
{
	struct strbuf empty;
	int r;

	if (!thread->runs && !thread->refused)
		start(thread);
	if (!thread->runs)
		return compress_here(thread, bytes);

	pthread_mutex_lock(&thread->lock);
	while (thread->is_full)
		pthread_cond_wait(&thread->changed, &thread->lock);
	r = thread->error;
	empty = thread->piece;
	strbuf_clear(&empty);
	if (r == 0) {
		thread->piece = *bytes;
		*bytes = empty;
		thread->is_full = true;
		pthread_cond_signal(&thread->changed);
	}
	pthread_mutex_unlock(&thread->lock);
	return r;
}

int zstd_thread_end(struct zstd_thread *thread, struct strbuf *bytes)
{
	stop(thread);
	thread->refused = true;
	if (compress_here(thread, bytes) == 0)
		thread->error = zstd_compress_end(thread->compressor);
	return thread->error;
}
