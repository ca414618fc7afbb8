/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-binary - ClickHouse's format RowBinary: values one behind the other, integers with their lowest byte first, texts behind their
 * length, and before a value that may be null a byte that is 1 if it is. It holds integers of 128 bits, which the text formats of
 * ClickHouse 18.16 refuse from 2^63 on. */
#include <stdbool.h>
#include <stdint.h>

#include "base/scan.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "fleet/fleet-row.h"

void row_binary_add_u16(struct strbuf *out, uint16_t number);
void row_binary_add_u64(struct strbuf *out, uint64_t number);
void row_binary_add_text(struct strbuf *out, struct span text);

/* Appends a cell of a row of facts: a String, a UInt64 or a Decimal(38, 0), Nullable if the column is. A null in a column that is not
 * nullable is an empty text or a 0. */
void row_binary_add_cell(struct strbuf *out, const struct fleet_row *row, enum fleet_column column);

/* Replaces the UInt64 at @at. */
void row_binary_set_u64(struct strbuf *out, size_t at, uint64_t number);
uint64_t row_binary_get_u64(const struct strbuf *out, size_t at);

/* Remove a value from the front of @rest and store it; a text is borrowed. Return false, and leave @rest as it is, if there is no whole
 * value. */
must_check_ bool row_binary_read_u64(struct span *rest, uint64_t *ret);
must_check_ bool row_binary_read_text(struct span *rest, struct span *ret);
/* Stores whether there is a value; only then is *@ret_text or *@ret_number stored. */
must_check_ bool row_binary_read_nullable_text(struct span *rest, bool *ret_is_there,
                                               struct span *ret_text);
must_check_ bool row_binary_read_nullable_wide(struct span *rest, bool *ret_is_there,
                                               __int128 *ret_number);
