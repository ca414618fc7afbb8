/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* plan-keys - texts and keys of a plan, for the files that parse it. */
#include "experiment/plan.h"

/* They are removed around every word. A carriage return is one, for files of other systems. */
#define PLAN_BLANKS " \t\r"

void plan_texts_add(struct plan_texts *texts, const char *text, size_t len);

/* Checks that @name is a good name for @what. Returns 0, or -EINVAL with a phrase. */
must_check_ int plan_check_name(const char *what, const char *name, struct strbuf *reterr);

/* Returns whether the key can be given more than once; true for an unknown key. */
bool plan_key_is_list(const char *key);
