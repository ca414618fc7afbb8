/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-wait - waits for the end of a window, which an interrupt makes come earlier. */
#include <stdbool.h>

#include "capture/capture.h"

struct window_wait {
	struct capture_wait base; /* must stay the first member */
	bool progress;            /* show how far it has come, on stderr */
	int signal_fd;
};

/* From here on SIGINT, SIGTERM and SIGHUP end the window, which is written all the same; a second one ends the program. Behind the end
 * of the window the first one does nothing. Threads that are started from here on are not interrupted. Returns 0 or -errno. */
must_check_ int window_wait_init(struct window_wait *wait, bool progress);
/* For cleanup_(window_wait_done). */
void window_wait_done(struct window_wait *wait);
