/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* serve-child - the process that serves: it gets frames of the recording, and answers clients. It has neither rights nor files of the
 * recorder's. */
#include <stdbool.h>
#include <sys/types.h>

#include "ctprof/base/macro.h"
#include "query/report-options.h"

/* The words between the two processes, a byte each. A frame is a message SERVE_FRAME with a descriptor of its bytes, and the next one
 * is sent when it is answered. */
enum serve_word {
	SERVE_READY = 'r',
	SERVE_NO_LIBRARY = 'l',
	SERVE_FRAME = 'f',
	SERVE_TAKEN = 't',
	SERVE_WANTS_WHOLE = 'w', /* it could not be taken: the next one has to be whole */
};

/* Serves until the recorder, whose process is @parent, has ended. @socket leads to it. If only clients of loopback are meant, requests that
 * name another host are refused. */
noreturn_ void serve_child_run(int listen_fd, int socket, pid_t parent, bool is_loopback,
                               const struct report_options *options);
