// SPDX-License-Identifier: GPL-2.0-or-later
/* The screen on a pseudo terminal. */
#include "screen/screen.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "check.h"

static int open_terminal(int *ret_master_fd)
{
	int master_fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), fd;

	assert_true(master_fd >= 0);
	assert_int_equal(grantpt(master_fd), 0);
	assert_int_equal(unlockpt(master_fd), 0);
	fd = open(ptsname(master_fd), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(fd >= 0);
	*ret_master_fd = master_fd;
	return fd;
}

/* Draws in a process of its own, whose standard input and output are the terminal. Returns its exit status: 0 if a signal that
 * came before it drew is still pending. */
static int draw_with_pending(int number, int terminal_fd)
{
	struct strbuf reason = STRBUF_INIT;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0 || dup2(terminal_fd, STDIN_FILENO) < 0 ||
	    dup2(terminal_fd, STDOUT_FILENO) < 0 || setenv("TERM", "vt100", 1) < 0)
		return 2;
	if (screen_open(false, &reason) < 0)
		return 3;
	if (kill(getpid(), number) < 0)
		return 4;
	screen_put(0, "text", strlen("text"), false);
	screen_show(true);
	screen_leave();
	screen_enter();
	sigpending(&set);
	screen_close();
	return sigismember(&set, number) ? 0 : 1;
}

static bool set_size(int terminal_fd, unsigned short rows, unsigned short columns)
{
	const struct winsize size = {.ws_row = rows, .ws_col = columns};

	return ioctl(terminal_fd, TIOCSWINSZ, &size) == 0;
}

/* Draws at the begin and after each change of the size. Returns its exit status. */
static int draw_at_sizes(int terminal_fd)
{
	static const unsigned short sizes[][2] = {
	        {65535, 65535}, {24, 80}, {32768, 80}, {24, 32768}, {1, 1}, {65535, 80}, {30, 100}};
	struct strbuf reason = STRBUF_INIT;
	size_t rows, columns;

	if (dup2(terminal_fd, STDIN_FILENO) < 0 || dup2(terminal_fd, STDOUT_FILENO) < 0 ||
	    setenv("TERM", "vt100", 1) < 0 || !set_size(terminal_fd, 65535, 65535))
		return 2;
	if (screen_open(false, &reason) < 0)
		return 3;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (!set_size(terminal_fd, sizes[i][0], sizes[i][1]))
			return 4;
		screen_resize(&rows, &columns);
		if (rows == 0 || rows > 1000 || columns == 0 || columns > 1000 ||
		    (sizes[i][0] < 1000 && rows != sizes[i][0]) ||
		    (sizes[i][1] < 1000 && columns != sizes[i][1]))
			return 5;
		screen_put(0, "text", strlen("text"), false);
	}
	screen_close();
	return 0;
}

/* A terminal may say that it has any size. */
static void sizes_have_a_limit(void **unused)
{
	cleanup_(fd_closep) int master_fd = -1;
	cleanup_(fd_closep) int fd = open_terminal(&master_fd);
	pid_t pid = fork();
	int status;

	(void)unused;
	if (pid == 0)
		_exit(draw_at_sizes(fd));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void keeps_pending(int number)
{
	cleanup_(fd_closep) int master_fd = -1;
	cleanup_(fd_closep) int fd = open_terminal(&master_fd);
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(draw_with_pending(number, fd));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void signals_stay_pending_while_it_draws(void **unused)
{
	(void)unused;
	keeps_pending(SIGTSTP);
	keeps_pending(SIGINT);
	keeps_pending(SIGWINCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_have_a_limit),
	                                   cmocka_unit_test(signals_stay_pending_while_it_draws)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
