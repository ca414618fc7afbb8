/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* edit-distance - the distance of a misspelt word from another one. */
#include <stddef.h>

enum { EDIT_DISTANCE_MAX = 64 };

/* Returns the number of bytes to insert, to delete, to replace, or to swap with their neighbour; EDIT_DISTANCE_MAX if a
 * word is longer than that. */
size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len);
