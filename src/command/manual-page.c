// SPDX-License-Identifier: GPL-2.0-or-later
#include "command/manual-page.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/pager-security.h"
#include "command/privileged.h"
#include "ctprof/base/strbuf.h"

/* Returns whether the program is there and succeeds. */
static bool succeeds(const char *const *argv)
{
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t process;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	if (posix_spawnp(&process, argv[0], &actions, NULL, (char *const *)argv, environ) != 0 ||
	    waitpid(process, &status, 0) < 0)
		status = -1;
	posix_spawn_file_actions_destroy(&actions);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Returns whether man(1) is installed and has the page. */
static bool man_has(const char *page)
{
	const char *const argv[] = {"man", "-w", page, NULL};

	return succeeds(argv);
}

/* man's pager has the rights of this process, and so the rules of ctprof's own. */
static void secure_pager(void)
{
	static const char *const argv[] = {"less", "--version", NULL};
	bool secure, is_free = pager_security_choose(&secure);

	if (secure)
		pager_security_set();
	if (is_free)
		return;
	/* Options in MANOPT may name a pager, too. */
	unsetenv("MANOPT");
	unsetenv("PAGER");
	setenv("MANPAGER", succeeds(argv) ? argv[0] : "cat", 1);
}

/* A set-id program starts none, because the environment chooses it. */
void manual_page_show(const struct command *command)
{
	cleanup_(strbuf_done) struct strbuf page = STRBUF_INIT;
	const char *argv[] = {"man", NULL, NULL};

	strbuf_addf(&page, "ctprof-%s", command->name);
	argv[1] = strbuf_str(&page);
	if (!isatty(STDOUT_FILENO) || process_is_set_id() || !man_has(argv[1]))
		return;
	secure_pager();
	signal(SIGXFSZ, SIG_DFL);
	execvp(argv[0], (char *const *)argv);
}
