/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* samples - thread samples to test with. */
#include "ctprof/metric/sample.h"
#include "random.h"

/* Sets a name to the bytes of a string. */
void sample_name(struct strbuf *field, const char *text);

/* Stores a value that the metric can have, limits among them, and marks it seen. Labels and CPU sets come from
 * a few, so that threads often agree. */
void random_value(struct random *random, enum metric_id metric, struct thread_sample *sample);

/* A thread with one of these names and most of its values. */
void random_member(struct random *random, struct thread_sample *sample, uint32_t tid,
                   const char *const *names, size_t name_count);

/* Returns whether the values of a metric that both samples have seen are the same. */
bool same_value(enum metric_id metric, const struct thread_sample *a,
                const struct thread_sample *b);
