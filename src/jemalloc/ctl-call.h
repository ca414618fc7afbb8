/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* ctl-call - what a function of jemalloc's control tree answers, by an emulated processor that has nothing but the image
 * and some zeros. */
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "elf-image.h"

/* Asks the function of "thread.allocatedp" or its like for the address of the counter, and takes off that of the thread's
 * data. Returns 0, -ENOENT where it says that there is no counter, -EOPNOTSUPP where there is no emulator, or -EINVAL
 * where the answer is none. */
must_check_ int ctl_call(const struct elf_image *image, uint64_t function, uint64_t *ret_offset);
