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
#include "descriptor-socket.h"
#include "inspector-sandbox.h"
#include "jemalloc/jemalloc-inspect.h"

enum { SOCKET = 3, GUARD = 4, DESCRIPTORS_MAX = 16, IDLE_MS = 1000 };

/* What a file may cost: the largest image, and a gigabyte that the emulator reserves. */
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

/* Nothing is left but the socket and the guard; what a library prints goes nowhere. */
static void keep_only(int socket, int guard_fd)
{
	enum { ABOVE = 8 };
	int null, high_socket = fcntl(socket, F_DUPFD_CLOEXEC, ABOVE);
	int high_guard = guard_fd < 0 ? -1 : fcntl(guard_fd, F_DUPFD_CLOEXEC, ABOVE);

	if (high_socket < 0 || dup3(high_socket, SOCKET, O_CLOEXEC) < 0)
		_exit(1);
	if (guard_fd >= 0 && (high_guard < 0 || dup3(high_guard, GUARD, O_CLOEXEC) < 0))
		_exit(1);
	(void)close_range(guard_fd < 0 ? GUARD : GUARD + 1, ~0U, 0);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			(void)close(fd);
	fd_closep(&null);
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

/* Whoever asks next starts another one. A parent that hangs in the kernel, and so neither asks nor ends, does not keep it. */
static void await_work(void)
{
	if (fd_await_input(SOCKET, clock_now_ns(CLOCK_MONOTONIC) + IDLE_MS * NS_PER_MS) < 0)
		_exit(0);
}

static void send_reply(const struct inspector_reply *reply)
{
	if (descriptor_socket_send(SOCKET, reply, sizeof(*reply), -1) < 0)
		_exit(1);
}

static int ask_for_debug_file(struct jemalloc_debug_files *self, const uint8_t *build_id,
                              size_t build_id_len, const char *link)
{
	struct inspector_reply reply = {.kind = INSPECTOR_WANTS_DEBUG_FILE};
	struct inspector_debug_file answer;
	int fd;

	(void)self;
	if (build_id_len > sizeof(reply.build_id) || (link && strlen(link) >= sizeof(reply.link)))
		return -EINVAL;
	if (build_id_len > 0)
		memcpy(reply.build_id, build_id, build_id_len);
	reply.build_id_len = (uint32_t)build_id_len;
	if (link)
		strcpy(reply.link, link);
	send_reply(&reply);
	if (descriptor_socket_receive(SOCKET, &answer, sizeof(answer), &fd) != sizeof(answer))
		_exit(0);
	return fd >= 0 ? fd : -ENOENT;
}

static void send_result(const struct jemalloc_object *object)
{
	struct inspector_reply reply = {
	        .kind = INSPECTOR_RESULT,
	        .tag = object->tag,
	        .is_found = object->is_found,
	        .has_slot = object->has_slot,
	        .slot_address = object->slot_address,
	        .allocated = object->allocated,
	        .deallocated = object->deallocated,
	        .first_address = object->first_address,
	        .first_offset = object->first_offset,
	};

	send_reply(&reply);
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
	(void)prctl(PR_SET_NAME, "ctprof-inspect", 0, 0, 0);
	inspector_sandbox_enter();
	mem_undo_push(&undo);
	for (;;) {
		struct inspector_question question;
		struct jemalloc_object object;
		int fd;

		await_work();
		if (descriptor_socket_receive(SOCKET, &question, sizeof(question), &fd) !=
		            sizeof(question) ||
		    fd < 0)
			_exit(0);
		jemalloc_inspect(fd, question.machine, &debug_files, &object);
		fd_closep(&fd);
		send_result(&object);
	}
}
