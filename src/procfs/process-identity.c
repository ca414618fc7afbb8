// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/process-identity.h"

#include "procfs/proc-text.h"
#include "procfs/procfs.h"

bool process_identity_read(uint32_t tgid, struct process_identity *ret_identity)
{
	enum { FIELD_START_TIME = 22, FIELD_START_CODE = 26, FIELD_START_STACK = 28 };
	char text[PROC_TEXT_BYTES];
	ssize_t len = proc_text_read(tgid, 0, "stat", text);

	return len > 0 &&
	       stat_field(text, (size_t)len, FIELD_START_TIME, &ret_identity->start_time) &&
	       stat_field(text, (size_t)len, FIELD_START_CODE, &ret_identity->start_code) &&
	       stat_field(text, (size_t)len, FIELD_START_STACK, &ret_identity->start_stack);
}
