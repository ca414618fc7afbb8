// SPDX-License-Identifier: GPL-2.0-or-later
#include "keyed.h"

enum source_outcome io_parse(const struct source_keys *keys, const char *text, size_t len,
                             struct thread_sample *sample)
{
	return keyed_parse(keys, text, len, sample);
}
