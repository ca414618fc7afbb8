/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* bpf-load - the part of loading that all our BPF programs share. */
#include <stdbool.h>

#include "ctprof/base/macro.h"

/* Calls @load, which loads a program and returns 0 or -errno, while libbpf prints nothing: there is always another
 * source of the values, with its own reasons. Returns the result of @load, or -EPERM outside of the initial pid and
 * time namespaces, since the programs use their ids and clock. */
must_check_ int bpf_load(int (*load)(void *context), void *context);

/* The ways to load a program, the cheapest first. */
enum bpf_loader {
	BPF_LOADER_KEPT, /* as it was loaded before, if it was kept since this boot (kept-program.h) */
	BPF_LOADER_LIGHT, /* by a kernel program that is loaded with its types (since Linux 5.17) */
	BPF_LOADER_LIBBPF,
};

/* Returns the first way that may be tried: the one that the variable CTPROF_BPF_LOADER names, "light" or "libbpf", or the cheapest. */
enum bpf_loader bpf_loader_first(void);

const char *bpf_loader_name(enum bpf_loader loader);
