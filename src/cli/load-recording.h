/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* load-recording - the operand DIR@RANGE: windows of a recording, added up to one. */
#include "load.h"

/* Loads what load->path names if that is a recording: DIR@RANGE or FILE@RANGE, a directory, or a file with several windows. A path
 * that exists is never taken apart. Returns 1; 0 if it is none of these; or -errno, with a sentence in load->error. */
must_check_ int recording_load(struct load *load);
