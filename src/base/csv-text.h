/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* csv-text - texts as cells of CSV. */
#include <stdbool.h>
#include <stdio.h>

/* Prints a cell, quoted by RFC 4180. Unless @raw, a single quote is before what a spreadsheet would run as a formula. */
void csv_print_text(FILE *file, const char *text, bool raw);
