/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* inspector-sandbox - what the helper process that looks into files may ask of the kernel. */

/* From here on: memory, reading files, its socket, and an end. All else fails with EPERM. Where the kernel has no filters,
 * nothing changes. */
void inspector_sandbox_enter(void);
