// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "input/load.h"
#include "load-recording.h"

static int load_file(struct load *load)
{
	cleanup_(fd_source_done) struct fd_source source = FD_SOURCE_INIT;
	int r = recording_load(load);

	if (r != 0)
		return r < 0 ? r : 0;
	r = fd_source_open(&source, load->path, &load->error);
	if (r < 0)
		return r;
	if (load->is_read_again && !fd_source_keep(&source, &load->again)) {
		load->copy = memory_stream_make();
		source.copy = &load->copy.bytes;
	}
	r = load_source(load, &source.source);
	load->file_bytes = source.bytes;
	return r;
}

struct byte_source *load_again(struct load *load)
{
	if (fd_source_is_kept(&load->again))
		return fd_source_rewind(&load->again) ? &load->again.source : NULL;
	if (load->is_recording && load->copy.bytes.len == 0 && recording_load_again(load) < 0)
		return NULL;
	load->copy.position = 0;
	return &load->copy.source;
}

static void *load_thread(void *context)
{
	struct load *load = context;

	load->result = load_file(load);
	if (load->result == -EBADMSG || load->result == -E2BIG) {
		cleanup_(strbuf_done) struct strbuf sentence = STRBUF_INIT;

		strbuf_addf(&sentence, "%s: %s",
		            load->result == -E2BIG ? "over a limit (see --read-limit)"
		                                   : "not a ctprof snapshot",
		            strbuf_str(&load->error));
		strbuf_clear(&load->error);
		strbuf_add(&load->error, sentence.data, sentence.len);
	} else if (load->result < 0 && load->error.len == 0) {
		strbuf_add_str(&load->error, strerror(-load->result));
	}
	return NULL;
}

void load_run(struct load *loads, unsigned count)
{
	pthread_t thread;
	bool parallel = count == 2 && pthread_create(&thread, NULL, load_thread, &loads[1]) == 0;

	load_thread(&loads[0]);
	if (parallel)
		pthread_join(thread, NULL);
	else if (count == 2)
		load_thread(&loads[1]);
}
