/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* json-memory - the memory of the JSON library. */

/* Makes jansson allocate by mem.h, so that running out of memory ends the program. The library itself reports it as it reports a text
 * that is no JSON, and some of its functions use what they could not allocate. Called once, before jansson is used. */
void json_memory_init(void);
