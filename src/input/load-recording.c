// SPDX-License-Identifier: GPL-2.0-or-later
#include "load-recording.h"

#include <errno.h>

#include "input/recording-operand.h"

static int fill(struct load *load, struct recording_operand *operand)
{
	cleanup_(load_filler_freep) struct load_filler *filler = load_filler_new(load);
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	int r;

	operand->may_merge = load->may_merge;
	r = recording_operand_write(operand, load->limits, load_filler_writer(filler), &info,
	                            &load->error);

	load->file_bytes = operand->bytes;
	if (r < 0)
		return r;
	load_filler_finish(filler, &info);
	return 1;
}

int recording_load(struct load *load)
{
	cleanup_(recording_operand_done) struct recording_operand operand = RECORDING_OPERAND_INIT;
	int r = recording_operand_open(&operand, load->path, &load->error);

	if (r > 0)
		r = fill(load, &operand);
	load->is_recording = r > 0;
	return r;
}

int recording_load_again(struct load *load)
{
	cleanup_(recording_operand_done) struct recording_operand operand = RECORDING_OPERAND_INIT;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = recording_operand_open(&operand, load->path, &reason);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	load->copy = memory_stream_make();
	r = recording_operand_copy(&operand, load->limits, &load->copy, &reason);
	if (r < 0)
		memory_stream_done(&load->copy);
	return r;
}
