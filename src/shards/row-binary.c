// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-binary.h"

#include <string.h>

enum { WIDE_BYTES = 16, LENGTH_BITS = 7 };

static void add_integer(struct strbuf *out, unsigned __int128 bits, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		strbuf_add_char(out, (char)(unsigned char)(bits >> (8 * i)));
}

static unsigned __int128 read_integer(const char *at, unsigned bytes)
{
	unsigned __int128 bits = 0;

	for (unsigned i = 0; i < bytes; i++)
		bits |= (unsigned __int128)(unsigned char)at[i] << (8 * i);
	return bits;
}

void row_binary_add_u16(struct strbuf *out, uint16_t number)
{
	add_integer(out, number, sizeof(number));
}

void row_binary_add_u64(struct strbuf *out, uint64_t number)
{
	add_integer(out, number, sizeof(number));
}

void row_binary_add_text(struct strbuf *out, struct span text)
{
	size_t len = text.len;

	for (; len >> LENGTH_BITS; len >>= LENGTH_BITS)
		strbuf_add_char(out, (char)(unsigned char)(len | 1 << LENGTH_BITS));
	strbuf_add_char(out, (char)len);
	strbuf_add(out, text.text, text.len);
}

void row_binary_add_cell(struct strbuf *out, const struct fleet_row *row, enum fleet_column column)
{
	const struct fleet_cell *cell = &row->cells[column];
	const struct fleet_column_desc *desc = &fleet_column_table[column];

	if (desc->nullable)
		strbuf_add_char(out, cell->kind == FLEET_CELL_NULL);
	if (desc->nullable && cell->kind == FLEET_CELL_NULL)
		return;
	if (desc->type == FLEET_TYPE_TEXT)
		row_binary_add_text(out, cell->text);
	else
		add_integer(out, (unsigned __int128)cell->integer,
		            desc->type == FLEET_TYPE_WIDE ? WIDE_BYTES : sizeof(uint64_t));
}

void row_binary_set_u64(struct strbuf *out, size_t at, uint64_t number)
{
	for (unsigned i = 0; i < sizeof(number); i++)
		out->data[at + i] = (char)(unsigned char)(number >> (8 * i));
}

uint64_t row_binary_get_u64(const struct strbuf *out, size_t at)
{
	return (uint64_t)read_integer(out->data + at, sizeof(uint64_t));
}

static void skip(struct span *rest, size_t bytes)
{
	rest->text += bytes;
	rest->len -= bytes;
}

bool row_binary_read_u64(struct span *rest, uint64_t *ret)
{
	if (rest->len < sizeof(*ret))
		return false;
	*ret = (uint64_t)read_integer(rest->text, sizeof(*ret));
	skip(rest, sizeof(*ret));
	return true;
}

static bool read_wide(struct span *rest, __int128 *ret)
{
	if (rest->len < WIDE_BYTES)
		return false;
	*ret = (__int128)read_integer(rest->text, WIDE_BYTES);
	skip(rest, WIDE_BYTES);
	return true;
}

bool row_binary_read_text(struct span *rest, struct span *ret)
{
	struct span left = *rest;
	uint64_t len = 0;
	unsigned bits = 0;
	unsigned char byte;

	do {
		if (left.len == 0 || bits > 56)
			return false;
		byte = (unsigned char)left.text[0];
		len |= (uint64_t)(byte & ((1 << LENGTH_BITS) - 1)) << bits;
		bits += LENGTH_BITS;
		skip(&left, 1);
	} while (byte >> LENGTH_BITS);
	if (len > left.len)
		return false;
	*ret = (struct span){left.text, (size_t)len};
	skip(&left, (size_t)len);
	*rest = left;
	return true;
}

/* Returns false if there is no such byte. */
static bool read_flag(struct span *rest, bool *ret_is_there)
{
	if (rest->len == 0)
		return false;
	*ret_is_there = rest->text[0] == 0;
	skip(rest, 1);
	return true;
}

bool row_binary_read_nullable_text(struct span *rest, bool *ret_is_there, struct span *ret_text)
{
	struct span left = *rest;

	if (!read_flag(&left, ret_is_there) ||
	    (*ret_is_there && !row_binary_read_text(&left, ret_text)))
		return false;
	*rest = left;
	return true;
}

bool row_binary_read_nullable_wide(struct span *rest, bool *ret_is_there, __int128 *ret_number)
{
	struct span left = *rest;

	if (!read_flag(&left, ret_is_there) || (*ret_is_there && !read_wide(&left, ret_number)))
		return false;
	*rest = left;
	return true;
}
