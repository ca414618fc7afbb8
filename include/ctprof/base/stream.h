/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* stream - a source and a sink of bytes, whatever is behind them. */
#include <stddef.h>

/* Reads up to @size bytes into @buffer and stores their number, 0 at the end of the data. Returns 0 or -errno; an
 * implementation may keep a longer message for its owner. */
struct byte_source {
	int (*read)(struct byte_source *self, void *buffer, size_t size, size_t *ret_len);
};

/* Writes all @len bytes. Returns 0 or -errno. */
struct byte_sink {
	int (*write)(struct byte_sink *self, const void *bytes, size_t len);
};
