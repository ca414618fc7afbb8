// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/signal-rest.h"

#include <poll.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { REST_MS = 50 };

void signal_take_rest(int signal_fd)
{
	struct signalfd_siginfo which;

	(void)poll(NULL, 0, REST_MS);
	while (read(signal_fd, &which, sizeof(which)) > 0)
		;
}
