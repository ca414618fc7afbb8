// SPDX-License-Identifier: GPL-2.0-or-later
#include "inspector-child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/helper.h"
#include "base/mem.h"
#include "base/own-names.h"
#include "helper-message.h"
#include "helper-program.h"
#include "helper-sandbox.h"
#include "jemalloc/jemalloc-inspect.h"

enum { DESCRIPTORS_MAX = 16, IDLE_MS = 1000 };

/* The most memory for a file: the largest image, and a gigabyte that the emulator reserves. */
static const rlim_t memory_bytes = (rlim_t)4 << 30;

/* A limit that is lower already stays. */
static void limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit both;

	if (getrlimit(resource, &both) == 0 && both.rlim_cur < value)
		value = both.rlim_cur;
	both = (struct rlimit){.rlim_cur = value, .rlim_max = value};
	(void)setrlimit(resource, &both);
}

/* On top of what is there already, as sanitizers have reserved more than any limit. */
static void limit_memory(void)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	uint64_t pages = 0;

	if (fd_read_all_at(AT_FDCWD, "/proc/self/statm", &text, 4096) == 0)
		pages = strtoull(strbuf_str(&text), NULL, 10);
	limit(RLIMIT_AS, memory_bytes + pages * (uint64_t)sysconf(_SC_PAGESIZE));
}

/* Keeps the standard descriptors, the socket and the guard. */
static void keep_only(int socket, int guard_fd)
{
	if (socket != HELPER_SOCKET && dup3(socket, HELPER_SOCKET, O_CLOEXEC) < 0)
		_exit(1);
	if (guard_fd >= 0 && guard_fd != HELPER_GUARD &&
	    dup3(guard_fd, HELPER_GUARD, O_CLOEXEC) < 0)
		_exit(1);
	(void)close_range(guard_fd < 0 ? HELPER_GUARD : HELPER_GUARD + 1, ~0U, 0);
}

/* In a capture the parent is the helper that opens files. It has no right to change ids any more, and so this process has its
 * ids, which no process but these two has. */
static void give_up_rights(void)
{
	helper_become_stranger(0);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_NPROC, 0);
	limit(RLIMIT_NOFILE, DESCRIPTORS_MAX);
}

/* The next question starts another helper. A parent that hangs in the kernel neither writes nor ends; the helper ends after
 * some time all the same. */
static void await_work(void)
{
	if (fd_await_input(HELPER_SOCKET, clock_now_ns(CLOCK_MONOTONIC) + IDLE_MS * NS_PER_MS) < 0)
		_exit(0);
}

static int ask_for_debug_file(struct jemalloc_debug_files *self, const uint8_t *build_id,
                              size_t build_id_len, const char *link)
{
	struct helper_message message = {.kind = HELPER_WANT_DEBUG_FILE};
	int fd;

	(void)self;
	if (build_id_len > sizeof(message.wanted.build_id) ||
	    (link && strlen(link) >= sizeof(message.wanted.link)))
		return -EINVAL;
	if (build_id_len > 0)
		memcpy(message.wanted.build_id, build_id, build_id_len);
	message.wanted.build_id_len = (uint32_t)build_id_len;
	if (link)
		strcpy(message.wanted.link, link);
	if (helper_message_send(HELPER_SOCKET, &message, -1) < 0)
		_exit(1);
	if (helper_message_receive(HELPER_SOCKET, &message, &fd) < 0 ||
	    message.kind != HELPER_DEBUG_FILE)
		_exit(0);
	return fd >= 0 ? fd : -ENOENT;
}

static void send_result(const struct jemalloc_object *object)
{
	struct helper_message answer;

	helper_message_set_object(&answer, HELPER_INSPECTED, 0, object);
	if (helper_message_send(HELPER_SOCKET, &answer, -1) < 0)
		_exit(1);
}

/* Tells the parent why the process ends. */
static void send_out_of_memory(struct mem_undo *undo)
{
	const struct jemalloc_object object = {.tag = PROBE_TAG_out_of_memory};

	(void)undo;
	send_result(&object);
}

void inspector_child_run(int socket, int guard_fd, pid_t parent)
{
	struct jemalloc_debug_files debug_files = {.open = ask_for_debug_file};
	struct mem_undo undo = {.undo = send_out_of_memory};

	helper_ignore_signals();
	keep_only(socket, guard_fd);
	limit_memory();
	give_up_rights();
	helper_end_with(parent);
	(void)prctl(PR_SET_NAME, own_names[OWN_NAME_inspect], 0, 0, 0);
	helper_sandbox_enter(HELPER_SANDBOX_PARSE);
	mem_undo_push(&undo);
	for (;;) {
		struct helper_message question;
		struct jemalloc_object object;
		int fd;

		await_work();
		if (helper_message_receive(HELPER_SOCKET, &question, &fd) < 0 ||
		    question.kind != HELPER_INSPECT || fd < 0)
			_exit(0);
		jemalloc_inspect(fd, 0, &debug_files, &object);
		fd_closep(&fd);
		send_result(&object);
	}
}
