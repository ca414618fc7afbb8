/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* bpf-load - what all BPF programs of ours need to be loaded. */
#include "ctprof/base/macro.h"

/* Calls @load, which loads a program and returns 0 or -errno, while libbpf keeps quiet: wherever this does not work there
 * is another way, and it says for itself what it lacks. Returns what @load does, or -EPERM outside of the initial pid and
 * time namespaces, whose ids and clock the programs speak of. */
must_check_ int bpf_load(int (*load)(void *context), void *context);
