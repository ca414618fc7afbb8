// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "command/command.h"
#include "command/pager-security.h"
#include "command/privileged.h"

/* The exit status of a shell that cannot run a command. */
enum { SHELL_NOT_EXECUTABLE = 126, SHELL_NOT_FOUND = 127 };

static const char shell[] = "/bin/sh";
/* With any of these git asks the shell, too. */
static const char shell_characters[] = "|&;<>()$`\\\"' \t\n*?[#~=%";

/* Signals that are ignored while the pager runs: it handles interrupts itself, and its early end is no error. */
static const int signals[PAGER_SIGNALS] = {SIGINT, SIGQUIT, SIGPIPE};

/* The columns of a line; colours, "ESC [ ... m", take none. */
static size_t line_width(const char *bytes, size_t len)
{
	const char *end = bytes + len;
	size_t width = 0;

	while (bytes < end) {
		const char *escape = memchr(bytes, '\033', (size_t)(end - bytes));
		const char *plain_end = escape ? escape : end, *last;

		width += text_width(bytes, (size_t)(plain_end - bytes));
		last = escape ? memchr(escape, 'm', (size_t)(end - escape)) : NULL;
		bytes = last ? last + 1 : end;
	}
	return width;
}

/* Returns whether the text and the prompt below it need more than the terminal; sets @wide if a line does. An incomplete line
 * does not count. */
static bool is_larger(struct pager *pager)
{
	const char *line = strbuf_str(&pager->held), *end = line + pager->held.len, *newline;
	size_t rows = 1;

	while (line < end && rows <= pager->rows && !pager->wide &&
	       (newline = memchr(line, '\n', (size_t)(end - line)))) {
		size_t width = line_width(line, (size_t)(newline - line));

		pager->wide = width > pager->columns && !pager->breaks;
		rows += width > pager->columns ? (width + pager->columns - 1) / pager->columns : 1;
		line = newline + 1;
	}
	return pager->wide || rows > pager->rows;
}

static void ignore_signals(struct pager *pager)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	for (unsigned i = 0; i < PAGER_SIGNALS; i++)
		sigaction(signals[i], &ignore, &pager->before[i]);
}

static void restore_signals(const struct pager *pager)
{
	for (unsigned i = 0; i < PAGER_SIGNALS; i++)
		sigaction(signals[i], &pager->before[i], NULL);
}

/* The pager begins as it would have from the user's shell. */
static void default_signals(const struct pager *pager, sigset_t *ret)
{
	sigemptyset(ret);
	/* main() ignores it. */
	sigaddset(ret, SIGXFSZ);
	for (unsigned i = 0; i < PAGER_SIGNALS; i++)
		if (signals[i] == SIGPIPE || pager->before[i].sa_handler != SIG_IGN)
			sigaddset(ret, signals[i]);
}

/* Lines that are wider than the terminal are not broken but scrolled sideways; with F, less would quit at once if they are few.
 * A user's $LESS is left as it is. */
static const char *less_options(const struct pager *pager)
{
	return pager->wide && !getenv("LESS") ? "-RSX" : "-FRX";
}

/* Sets LESS for pagers that call less, which git does as well. The printed text is UTF-8 in every locale. */
static void set_environment(const struct pager *pager)
{
	setenv("LESS", less_options(pager) + 1, 0);
	if (!getenv("LESSCHARDEF"))
		setenv("LESSCHARSET", "utf-8", 0);
	if (pager->secure)
		pager_security_set();
}

/* Returns the system's less, without a search of PATH. */
static const char *less_of_system(void)
{
	static const char *const paths[] = {"/usr/bin/less", "/bin/less"};

	return access(paths[0], X_OK) == 0 ? paths[0] : paths[1];
}

/* Returns 0 or -errno. */
static int spawn(struct pager *pager, int input)
{
	bool is_set_id = process_is_set_id();
	const char *command = pager->command ? pager->command
	                      : is_set_id    ? less_of_system()
	                                     : "less";
	/* Before LESS is set. */
	const char *options = less_options(pager);
	bool by_shell = command[strcspn(command, shell_characters)] != '\0';
	const char *const by_shell_argv[] = {shell, "-c", command, NULL};
	const char *const argv[] = {command, pager->command ? NULL : options, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int r;

	set_environment(pager);
	default_signals(pager, &defaults);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	/* The pager of a set-id program belongs to whoever called that. */
	posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGDEF |
	                                              (is_set_id ? POSIX_SPAWN_RESETIDS : 0)));
	r = posix_spawnp(&pager->process, by_shell ? shell : command, &actions, &attributes,
	                 (char *const *)(by_shell ? by_shell_argv : argv), environ);
	if (r == 0)
		mem_limit_lift(pager->process);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

/* Returns 0 or -errno. */
static int run_pager(struct pager *pager)
{
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	ignore_signals(pager);
	r = spawn(pager, ends[0]);
	close(ends[0]);
	if (r < 0) {
		close(ends[1]);
		restore_signals(pager);
		return r;
	}
	pager->fd = ends[1];
	r = fcntl(pager->fd, F_GETPIPE_SZ);
	pager->room = r > 0 ? (size_t)r : 0;
	pager->keeping = true;
	return 0;
}

/* Only here is the reason of a failure still known. */
static bool print(struct pager *pager, const char *bytes, size_t len)
{
	bool done = fwrite(bytes, 1, len, stdout) == len;

	if (!done && pager->error == 0)
		pager->error = errno;
	return done;
}

static void print_plainly(struct pager *pager)
{
	pager->state = PAGER_PLAIN;
	print(pager, strbuf_str(&pager->held), pager->held.len);
	strbuf_done(&pager->held);
}

/* A shell that cannot run the pager is only known by its status, so that the text is kept for that long. */
static void end_pager(struct pager *pager)
{
	int status = 0;

	close(pager->fd);
	while (waitpid(pager->process, &status, 0) < 0 && errno == EINTR)
		;
	restore_signals(pager);
	if (pager->keeping && WIFEXITED(status) &&
	    (WEXITSTATUS(status) == SHELL_NOT_FOUND || WEXITSTATUS(status) == SHELL_NOT_EXECUTABLE))
		print_plainly(pager);
	else
		pager->state = PAGER_GONE;
	strbuf_done(&pager->held);
}

/* Returns false where the pager does not read on. */
static bool feed(struct pager *pager, const char *bytes, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = write(pager->fd, bytes + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		done += (size_t)n;
	}
	pager->written += len;
	return true;
}

/* Returns whether the text was written. A pipe that took more than it can hold has been read from. */
static bool page(struct pager *pager, const char *bytes, size_t len)
{
	if (!feed(pager, bytes, len)) {
		end_pager(pager);
		return pager->state == PAGER_PLAIN;
	}
	if (pager->keeping && pager->written > pager->room) {
		pager->keeping = false;
		strbuf_done(&pager->held);
	}
	return true;
}

/* Returns whether the text was kept or written. */
static bool hold(struct pager *pager)
{
	int r;

	if (!is_larger(pager))
		return true;
	r = run_pager(pager);
	if (r < 0) {
		/* A missing less is no error. */
		if (pager->command)
			cli_error("%s: %s; printed without a pager", pager->command, strerror(-r));
		print_plainly(pager);
		return true;
	}
	pager->state = PAGER_RUNNING;
	return page(pager, pager->held.data, pager->held.len);
}

/* For fopencookie(). */
static ssize_t write_text(void *cookie, const char *bytes, size_t len)
{
	struct pager *pager = cookie;
	bool done = false;

	switch (pager->state) {
	case PAGER_HOLDING:
		strbuf_add(&pager->held, bytes, len);
		done = hold(pager);
		break;
	case PAGER_RUNNING:
		if (pager->keeping)
			strbuf_add(&pager->held, bytes, len);
		done = page(pager, bytes, len);
		break;
	case PAGER_PLAIN:
		done = print(pager, bytes, len);
		break;
	case PAGER_GONE:
		break;
	}
	return done ? (ssize_t)len : 0;
}

/* CTPROF_PAGER, PAGER or less, in this order; a blank one and cat mean none. Returns whether there is one. */
static bool choose_command(struct pager *pager)
{
	static const char blanks[] = " \t\n";
	const char *command = getenv("CTPROF_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (command && (command[strspn(command, blanks)] == '\0' || strcmp(command, "cat") == 0))
		return false;
	pager->command = pager_security_choose(&pager->secure) ? command : NULL;
	return true;
}

/* Returns whether text that is larger than the terminal goes through a pager. */
static bool choose(struct pager *pager)
{
	const char *terminal = getenv("TERM");
	struct winsize size;

	/* Only a terminal has a size. */
	if (!terminal || terminal[0] == '\0' || strcmp(terminal, "dumb") == 0 ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0 || size.ws_col == 0 ||
	    !choose_command(pager))
		return false;
	pager->rows = size.ws_row;
	pager->columns = size.ws_col;
	return true;
}

void pager_start(struct pager *pager, bool wanted)
{
	const cookie_io_functions_t functions = {.write = write_text};

	*pager = (struct pager){.file = stdout, .state = PAGER_PLAIN, .fd = -1};
	if (wanted && choose(pager))
		pager->state = PAGER_HOLDING;
	else if (isatty(STDOUT_FILENO))
		return;
	pager->file = fopencookie(pager, "w", functions);
	if (!pager->file)
		pager->file = stdout;
}

int pager_finish(struct pager *pager)
{
	if (pager->file != stdout) {
		/* Errors of standard output are found later, and a pager that has ended is no error. */
		(void)!fclose(pager->file);
		if (pager->state == PAGER_HOLDING)
			print_plainly(pager);
		else if (pager->state == PAGER_RUNNING)
			end_pager(pager);
	}
	return cli_finish_output(pager->error);
}
