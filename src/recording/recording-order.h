/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* recording-order - the order in which the files of a recording were written: that of their names, unless the clock was set back. */
#include "recording/recording-directory.h"

/* Puts the files of each boot in the order of their first windows by the clock of the boot. A file that cannot be read stays at its
 * place. */
void recording_files_order(int dir_fd, struct recording_files *files);
