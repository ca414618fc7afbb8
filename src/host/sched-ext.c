// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/fd.h"
#include "base/scan.h"
#include "host/host-read.h"

enum { SCHED_EXT_FILE_BYTES = 4096 };

static void set_value(enum fact_form form, struct span text, struct fact_value *value)
{
	uint64_t number;

	if (form == FORM_TEXT)
		fact_set_text(value, text.text, text.len);
	else if (scan_u64(text.text, text.len, &number) && number <= INT64_MAX)
		fact_set_number(value, (int64_t)number);
}

void sched_ext_read(int sys_fd, struct sched_ext *sched_ext)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(fd_closep) int dir_fd = -1;

	sched_ext_done(sched_ext);
	if (sys_fd < 0)
		return;
	dir_fd = fd_open_path_at(sys_fd, "kernel/sched_ext");
	if (dir_fd < 0)
		return;
	sched_ext->present = true;
	for (unsigned i = 0; i < SCHED_EXT_COUNT; i++) {
		size_t len;

		if (fd_read_all_at(dir_fd, sched_ext_table[i].name, &text, SCHED_EXT_FILE_BYTES) <
		    0)
			continue;
		len = text.len;
		if (len > 0 && text.data[len - 1] == '\n')
			len--;
		if (len > 0)
			set_value(sched_ext_table[i].form, (struct span){strbuf_str(&text), len},
			          &sched_ext->values[i]);
	}
}
