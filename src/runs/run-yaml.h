/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* run-yaml - JSON as YAML 1.1 and 1.2, which read most of it, but no pairs of surrogates and no numbers such as 1e-07. */
#include <stddef.h>

#include "ctprof/base/strbuf.h"

/* Appends valid JSON. Characters that are not text_is_harmless() are escaped: YAML forbids some of those that JSON allows. */
void yaml_add_json(struct strbuf *out, const char *json, size_t len);
