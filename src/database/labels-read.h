/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* labels-read - labels from the object of JSON that a database has of them. */
#include "ctprof/snapshot/labels.h"

/* Adds the labels of an object whose values are strings. Returns 0, or -EBADMSG if it is none; some labels may have been added. */
must_check_ int labels_read(struct labels *labels, const char *json);
