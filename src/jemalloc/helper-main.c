// SPDX-License-Identifier: GPL-2.0-or-later
/* ctprof-jemalloc, the program of the helper processes that ctprof starts. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "file-opener.h"
#include "helper-program.h"
#include "memory-probe-shared.h"

/* Finds who made the socket. 0: there is no such socket, or somebody else started this program. */
static pid_t find_parent(void)
{
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);

	return getsockopt(HELPER_SOCKET, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
	                       peer.pid == getppid()
	               ? peer.pid
	               : 0;
}

static bool is_for(char **argv, enum helper_purpose purpose)
{
	return strcmp(argv[1], helper_purpose_names[purpose]) == 0;
}

int main(int argc, char **argv)
{
	pid_t parent = find_parent();

	/* The descriptor behind the guard is that of this program. */
	if (argc == 3 && strcmp(argv[2], CTPROF_VERSION) == 0 && parent > 0) {
		(void)close_range(HELPER_GUARD + 1, ~0U, 0);
		if (is_for(argv, HELPER_FOR_FILES))
			file_opener_run(HELPER_SOCKET,
			                fcntl(HELPER_GUARD, F_GETFD) < 0 ? -1 : HELPER_GUARD,
			                parent);
		if (is_for(argv, HELPER_FOR_MEMORY))
			memory_probe_help(HELPER_SOCKET, parent);
	}
	fputs("ctprof-jemalloc: this program is of no use by itself: ctprof starts it\n", stderr);
	return 2;
}
