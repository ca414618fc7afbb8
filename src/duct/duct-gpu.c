// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/helper.h"
#include "base/mem.h"
#include "duct/duct-json.h"

/* con-duct's names of the columns that it asks for. */
static const char *const keys[] = {"index",          "name",         "bus_id",
                                   "driver_version", "memory.total", "compute_mode"};

static char *const arguments[] = {
        (char *)"nvidia-smi",
        (char *)"--query-gpu=index,name,pci.bus_id,driver_version,memory.total,compute_mode",
        (char *)"--format=csv", NULL};

/* A signal of the terminal is not for it. */
static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, normal;

	sigemptyset(&none);
	sigemptyset(&normal);
	sigaddset(&normal, SIGPIPE);
	sigaddset(&normal, SIGCHLD);
	sigaddset(&normal, SIGXFSZ);
	(void)posix_spawnattr_setsigmask(attributes, &none);
	(void)posix_spawnattr_setsigdefault(attributes, &normal);
	(void)posix_spawnattr_setpgroup(attributes, 0);
	return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
	                                                    POSIX_SPAWN_SETPGROUP);
}

static int set_streams(posix_spawn_file_actions_t *actions, int out_fd)
{
	int r = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	if (r == 0)
		r = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY,
		                                     0);
	return r == 0 ? posix_spawn_file_actions_adddup2(actions, out_fd, STDOUT_FILENO) : r;
}

static int spawn(int out_fd, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int r = posix_spawn_file_actions_init(&actions);

	if (r != 0)
		return -r;
	r = posix_spawnattr_init(&attributes);
	if (r == 0) {
		r = set_streams(&actions, out_fd);
		if (r == 0)
			r = set_attributes(&attributes);
		if (r == 0)
			r = posix_spawnp(ret, arguments[0], &actions, &attributes, arguments,
			                 environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

void duct_gpu_start(struct duct_gpu *gpu)
{
	int ends[2];
	pid_t pid = 0;

	*gpu = DUCT_GPU_INIT;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	if (spawn(ends[1], &pid) == 0) {
		gpu->pid = pid;
		gpu->fd = ends[0];
		ends[0] = -1;
	}
	fd_closep(&ends[0]);
	fd_closep(&ends[1]);
}

void duct_gpu_done(struct duct_gpu *gpu)
{
	if (gpu->pid > 0) {
		(void)kill(-gpu->pid, SIGKILL);
		(void)!helper_reap(gpu->pid, 1000);
		gpu->pid = 0;
	}
	fd_closep(&gpu->fd);
}

/* Reads all up to the end of the pipe. */
static int read_answer(int fd, uint64_t end_ns, struct strbuf *text)
{
	enum { MOST = 1 << 20 };
	char bytes[4096];

	while (text->len < MOST) {
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		uint64_t now = clock_now_ns(CLOCK_MONOTONIC);
		ssize_t len;

		if (now >= end_ns)
			return -ETIMEDOUT;
		if (poll(&wait, 1, (int)((end_ns - now) / NS_PER_MS) + 1) < 0 && errno != EINTR)
			return -errno;
		if (wait.revents == 0)
			continue;
		len = read(fd, bytes, sizeof(bytes));
		if (len == 0)
			return 0;
		if (len < 0 && errno != EINTR)
			return -errno;
		if (len > 0)
			strbuf_add(text, bytes, (size_t)len);
	}
	return -EFBIG;
}

/* It has closed its output, and is about to end. */
static int read_status(struct duct_gpu *gpu, uint64_t end_ns, struct strbuf *reterr)
{
	const struct timespec pause = {.tv_nsec = (long)NS_PER_MS};
	int status = 0;
	pid_t r;

	while ((r = waitpid(gpu->pid, &status, WNOHANG)) == 0 || (r < 0 && errno == EINTR)) {
		if (clock_now_ns(CLOCK_MONOTONIC) >= end_ns) {
			strbuf_add_str(reterr, "it does not end");
			return -ETIMEDOUT;
		}
		(void)nanosleep(&pause, NULL);
	}
	gpu->pid = 0;
	if (r >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (r < 0)
		strbuf_add_str(reterr, "its status is not known");
	else if (WIFEXITED(status))
		strbuf_addf(reterr, "status %d", WEXITSTATUS(status));
	else
		strbuf_addf(reterr, "signal %d", WTERMSIG(status));
	return -EIO;
}

int duct_gpu_finish(struct duct_gpu *gpu, unsigned wait_ms, struct strbuf *out,
                    struct strbuf *reterr)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + wait_ms * NS_PER_MS;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	int r;

	if (gpu->pid == 0)
		return 0;
	r = read_answer(gpu->fd, end_ns, &text);
	if (r < 0) {
		strbuf_add_str(reterr, r == -ETIMEDOUT ? "no answer" : strerror(-r));
		return r;
	}
	r = read_status(gpu, end_ns, reterr);
	if (r < 0)
		return r;
	if (duct_gpu_parse(strbuf_str(&text), text.len, out))
		return 1;
	strbuf_add_str(reterr, "its table has another form");
	return -EINVAL;
}

/* The next part of a text up to a separator, which is left out, or up to its end. */
static bool next_part(const char **at, const char *end, const char *separator, struct strbuf *ret)
{
	size_t len = strlen(separator);
	const char *found;

	strbuf_clear(ret);
	if (!*at)
		return false;
	found = memmem(*at, (size_t)(end - *at), separator, len);
	strbuf_add(ret, *at, (size_t)((found ? found : end) - *at));
	*at = found ? found + len : NULL;
	return true;
}

static bool add_line(const struct strbuf *line, struct duct_json *json)
{
	cleanup_(strbuf_done) struct strbuf cell = STRBUF_INIT;
	const char *at = strbuf_str(line), *end = at + line->len;

	duct_json_open(json, '{');
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!next_part(&at, end, ", ", &cell))
			return false;
		duct_json_key(json, keys[i]);
		duct_json_text(json, strbuf_str(&cell));
	}
	duct_json_close(json, '}');
	return true;
}

bool duct_gpu_parse(const char *text, size_t len, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT, list = STRBUF_INIT;
	struct duct_json json = {.out = &list};
	const char *at = text, *end = text + len;

	while (end > text && strchr(" \n\r\t", end[-1]))
		end--;
	if (!next_part(&at, end, "\n", &line) || line.len == 0)
		return false;
	duct_json_open(&json, '[');
	while (next_part(&at, end, "\n", &line))
		if (!add_line(&line, &json))
			return false;
	duct_json_close(&json, ']');
	strbuf_add(out, list.data, list.len);
	return true;
}
