/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* service-notify - reports the state of a service to its manager: one datagram to the socket that NOTIFY_SOCKET names, as sd_notify(3)
 * describes. */

/* Sends lines such as "READY=1". Does nothing if there is no such socket; nobody waits for an answer. */
void service_notify(const char *state);
