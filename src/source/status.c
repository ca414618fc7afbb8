// SPDX-License-Identifier: GPL-2.0-or-later
#include "keyed.h"

/* The kernel escapes newlines in the Name: line, so no line of the file is the thread's own invention. */
enum source_outcome status_parse(const struct source_keys *keys, const char *text, size_t len,
                                 struct thread_sample *sample)
{
	return keyed_parse(keys, text, len, sample);
}
