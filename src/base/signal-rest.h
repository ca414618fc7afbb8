/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* signal-rest - one request to end that comes as two signals. timeout(1) signals its child, and then the process group of both. A program
 * that lets the next signal end it at once would be ended by the same request. */

/* Takes all signals that come within 50 ms from @signal_fd, a descriptor of signalfd(2) that does not block. The caller has taken the
 * first one. */
void signal_take_rest(int signal_fd);
