/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* normalise - makes the pattern that numbered names share: worker-12 and worker-7 are worker-{N}. */
#include <stddef.h>

#include "ctprof/base/strbuf.h"

/* Appends the pattern of a name. The name is cut into runs of separators (. - _ / : @ + [ ] # ~ and Unicode white
 * space), which are copied, and tokens. The first rule that fits a whole token decides:
 *   digits                                     {N}
 *   two or more of 0-9a-f, a digit among them  {H}
 *   letters then digits                        letters{N}
 *   digits then letters                        {N}letters
 *   anything else                              the token
 * Letters are A-Z and a-z. Any bytes may be in the name; the pattern of a pattern is itself. */
void normalise_name(const char *name, size_t len, struct strbuf *out);
