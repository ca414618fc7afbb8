/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* load-recording - loads the window over a range of a recording. */
#include "input/load.h"

/* Loads what load->path names if that is a recording, see recording-operand.h. Returns 1; 0 if it is none; or -errno, with a sentence
 * in load->error. */
must_check_ int recording_load(struct load *load);

/* Fills load->copy with the bytes of such a snapshot. Returns 0 or -errno. */
must_check_ int recording_load_again(struct load *load);
