// SPDX-License-Identifier: GPL-2.0-or-later
/* Switches a sysctl, a file and a daemon between two arms until it is ended, for restore.sh and for the VM.
 *
 *   restore-driver run STATE_DIR SYSCTL A B COMMAND UNDO DAEMON
 *   restore-driver set STATE_DIR PATH VALUE COMMAND: with the value set, runs the command
 *
 * "run" ends with status 0 when everything is as it was, and 1 where it is not, after SIGTERM or when something fails. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "knob/changes.h"

enum { HOLD_MS = 15, ARGUMENTS = 9 };

static int say(const char *what, struct strbuf *text)
{
	fprintf(stderr, "restore-driver: %s: %s\n", what, strbuf_str(text));
	strbuf_clear(text);
	return 1;
}

static int add(struct knob_list arms[2], char **words, struct strbuf *text)
{
	int r = knob_add(&arms[0], KNOB_SYSCTL, words[0], words[1], NULL, text);

	if (r == 0)
		r = knob_add(&arms[1], KNOB_SYSCTL, words[0], words[2], NULL, text);
	if (r == 0)
		r = knob_add(&arms[1], KNOB_EXEC, NULL, words[3], words[4], text);
	if (r == 0 && words[5][0])
		r = knob_add(&arms[1], KNOB_DAEMON, NULL, words[5], NULL, text);
	return r;
}

/* Returns 1 when it is to end, or what failed. */
static int hold(struct changes *changes, int stop_fd, struct strbuf *text)
{
	struct pollfd fds[] = {{.fd = stop_fd, .events = POLLIN},
	                       {.fd = changes_watch_fd(changes), .events = POLLIN}};
	int r = 0;

	if (poll(fds, 2, HOLD_MS) < 0 || fds[0].revents)
		return 1;
	if (fds[1].revents)
		r = changes_check(changes, text);
	return r;
}

static int loop(struct changes *changes, int stop_fd, struct strbuf *text)
{
	int r = changes_try(changes, text);

	for (size_t unit = 0; r == 0; unit++) {
		r = changes_apply(changes, unit % 2, text);
		if (r == 0)
			r = hold(changes, stop_fd, text);
	}
	return r;
}

static int run(char **words)
{
	struct changes_options options = CHANGES_OPTIONS_INIT;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct knob_list arms[2] = {{0}, {0}};
	struct changes *changes = NULL;
	sigset_t stop;
	int r;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &stop, NULL);
	options.state_dir = words[0];
	options.label = "restore-driver";
	options.output_fd = STDERR_FILENO;
	options.stop_fd = signalfd(-1, &stop, SFD_CLOEXEC);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (add(arms, words + 1, &text) < 0 ||
	    changes_begin(&changes, arms, 2, &options, &text) < 0)
		return say("begin", &text);
	puts("begun");
	r = loop(changes, options.stop_fd, &text);
	if (r < 0)
		(void)say("loop", &text);
	strbuf_clear(&text);
	r = changes_end(changes, &text);
	if (r != 0)
		(void)say("end", &text);
	knob_list_done(&arms[0]);
	knob_list_done(&arms[1]);
	return r;
}

static int set(char **words)
{
	struct changes_options options = CHANGES_OPTIONS_INIT;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct knob_list arm = {0};
	struct changes *changes = NULL;
	int r;

	options.state_dir = words[0];
	options.output_fd = STDOUT_FILENO;
	r = knob_add(&arm, KNOB_WRITE, words[1], words[2], NULL, &text);
	if (r == 0)
		r = knob_add(&arm, KNOB_EXEC, NULL, words[3], "true", &text);
	if (r == 0)
		r = changes_begin(&changes, &arm, 1, &options, &text);
	if (r == 0)
		r = changes_try(changes, &text);
	if (r == 0)
		r = changes_apply(changes, 0, &text);
	if (r < 0)
		(void)say("set", &text);
	if (changes_end(changes, &text) != 0)
		r = say("end", &text);
	knob_list_done(&arm);
	return r == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == ARGUMENTS && strcmp(argv[1], "run") == 0)
		return run(argv + 2);
	if (argc == 6 && strcmp(argv[1], "set") == 0)
		return set(argv + 2);
	fputs("Usage: restore-driver run|set ...\n", stderr);
	return 2;
}
