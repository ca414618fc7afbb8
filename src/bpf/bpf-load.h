/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* bpf-load - the part of loading that all our BPF programs share. */
#include <stdbool.h>

#include "ctprof/base/macro.h"

/* Calls @load, which loads a program and returns 0 or -errno, while libbpf prints nothing: there is always another
 * source of the values, with its own reasons. Returns the result of @load, or -EPERM outside of the initial pid and
 * time namespaces, since the programs use their ids and clock. */
must_check_ int bpf_load(int (*load)(void *context), void *context);

/* Returns whether a program of the kernel may load ours (since Linux 5.17, whose loader knows types): not where the variable
 * CTPROF_BPF_LOADER is "libbpf". */
bool bpf_load_is_light(void);
