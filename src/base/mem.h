/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* mem - allocation that does not return NULL. Running out of memory ends the program with status 1 and one line on
 * stderr: a profiler that cannot allocate can do nothing useful, and output files are linked into place only when they
 * are whole. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"

/* Returns zeroed memory for @count objects of @size bytes; the caller frees it with free(). */
must_check_ void *mem_calloc(size_t count, size_t size);

/* Resizes @old (may be NULL) to @count objects of @size bytes; new bytes are not initialised. */
must_check_ void *mem_realloc(void *old, size_t count, size_t size);

/* Resizes @old, which has room for *@capacity objects of @size bytes, to twice the room or to @wanted, whichever is
 * more, but not to more than @most objects. Ends the program if that is not enough. */
must_check_ void *mem_grow(void *old, size_t size, size_t wanted, size_t most, size_t *capacity);

/* The growing array. @array_ points to objects and is NULL at first; @capacity_ is the number of objects that it has
 * room for, of any unsigned type, and 0 at first. Makes room for @wanted_ objects; new ones are not initialised. */
#define array_reserve(array_, capacity_, wanted_)                                          \
	do {                                                                               \
		size_t array_wanted__ = (wanted_), array_room__ = (capacity_);             \
		if (array_wanted__ > array_room__) {                                       \
			(array_) = mem_grow((array_), sizeof((array_)[0]), array_wanted__, \
			                    (__typeof__(capacity_))-1, &array_room__);     \
			(capacity_) = (__typeof__(capacity_))array_room__;                 \
		}                                                                          \
	} while (0)

/* Adds an object behind the first @count_ ones. Returns a pointer to it, good until the next addition; the object is
 * not initialised. */
#define array_add(array_, count_, capacity_)                            \
	({                                                              \
		array_reserve(array_, capacity_, (size_t)(count_) + 1); \
		&(array_)[(count_)++];                                  \
	})

/* Returns a copy of @len bytes with a NUL behind them. @bytes is borrowed. */
must_check_ char *mem_copy(const void *bytes, size_t len);

/* Returns a copy of a text, or NULL for NULL. */
must_check_ char *mem_copy_text(const char *text);

/* Ends the program with status 1, or that of mem_set_status(), and one line on stderr: "ctprof: out of memory", or that
 * mem_limit() was reached. Runs the actions of mem_undo_push() first. Allocates nothing itself. */
noreturn_ void mem_exhausted(void);

/* Sets the status of mem_exhausted(), for a program whose status 1 may be that of another program. Called before there are threads. */
void mem_set_status(int status);

/* Guards calls of a library that handles a lack of memory like another error, or ignores it. mem_watch() before the
 * calls sets errno to 0, and mem_watch_end() behind them calls mem_exhausted() if errno is ENOMEM, as malloc(3) leaves
 * it. No call in between may change errno for another reason. */
void mem_watch(void);
void mem_watch_end(void);

/* Closes a stream of open_memstream(3) that has its bytes at *@bytes. Without memory to shorten them, glibc's fclose(3) sets *@bytes to
 * NULL and returns 0. Ends the program as mem_exhausted() does if the bytes are lost. */
void mem_stream_close(FILE *file, char *const *bytes);

/* Limits the memory of the process from now on to @bytes more than it has and MEM_LIMIT_EXTRA_BYTES. Called once,
 * before there are threads. The kernel counts (RLIMIT_DATA, setrlimit(2); Linux 4.7 and newer count private writable
 * mappings in it): every allocation of this program and of its libraries, and memory that malloc(3) has not returned.
 * Does nothing in a program with a sanitizer, whose own memory must not count. */
void mem_limit(uint64_t bytes);

/* Removes the limit from a child process, which inherited it. */
void mem_limit_lift(pid_t child);

/* Memory for libraries, buffers and the stacks of threads. Its size does not depend on the file. */
#define MEM_LIMIT_EXTRA_BYTES ((uint64_t)32 << 20)

/* An action of mem_exhausted() before it ends the program, such as removing a temporary file. undo() may not allocate
 * memory. It runs in the thread that ran out of memory, while other threads continue. */
struct mem_undo {
	void (*undo)(struct mem_undo *self);
	struct mem_undo *next; /* owned by mem.c */
};

/* Registers @undo, which is borrowed until mem_undo_pop(). The last one is run first. For the main thread. */
void mem_undo_push(struct mem_undo *undo);
void mem_undo_pop(struct mem_undo *undo);

/* For cleanup_(mem_freep): frees the object that the variable points to. */
void mem_freep(void *pointer_to_pointer);
