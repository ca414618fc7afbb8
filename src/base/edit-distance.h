/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* edit-distance - how far a misspelt word is from another one. */
#include <stddef.h>

enum { EDIT_DISTANCE_MAX = 64 };

/* Bytes to insert, to leave out, to replace, or to swap with their neighbour; EDIT_DISTANCE_MAX where a word is longer
 * than that. */
size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len);
