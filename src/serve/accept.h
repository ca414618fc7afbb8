/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* accept - which of the two formats of Prometheus a client wants. */
#include <stdbool.h>

/* Returns whether OpenMetrics is what the field Accept of a request asks for; NULL: there is none. It has to be named, of version 1.0.0
 * or an older one, and wanted at least as much as plain text. */
bool accept_is_openmetrics(const char *accept);
