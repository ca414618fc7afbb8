// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/interval.h"

#include <errno.h>
#include <string.h>

#include "window/window.h"

bool interval_is_between(const struct load loads[2])
{
	const struct snapshot_info *first = &loads[0].info, *last = &loads[1].info;
	const char *boot_first = host_text(&first->host, HOST_boot_id);
	const char *boot_last = host_text(&last->host, HOST_boot_id);

	if (first->kind != KIND_lifetime || last->kind != KIND_lifetime ||
	    !boot_first != !boot_last)
		return false;
	if (!boot_first)
		return first->captured_at_unix_ns < last->captured_at_unix_ns;
	return strcmp(boot_first, boot_last) == 0 &&
	       first->captured_boottime_ns < last->captured_boottime_ns;
}

int interval_load(struct load loads[2], struct load *ret, struct strbuf *reterr)
{
	struct byte_source *first = load_again(&loads[0]), *last = load_again(&loads[1]);
	cleanup_(load_filler_freep) struct load_filler *filler = NULL;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	struct window_options options = {
	        .first = {first, loads[0].path},
	        .last = {last, loads[1].path},
	        .limits = loads[0].limits,
	        .infer_boot = true,
	};
	int r;

	if (!first || !last) {
		strbuf_addf(reterr, "%s was changed while it was read", loads[first ? 1 : 0].path);
		return -ESTALE;
	}
	ret->path = loads[1].path;
	ret->limits = loads[1].limits;
	ret->forgotten = loads[0].info.forgotten | loads[1].info.forgotten;
	filler = load_filler_new(ret);
	r = window_make(&options, load_filler_writer(filler), &info, reterr);
	if (r < 0)
		return r == -EINVAL ? 0 : r;
	load_filler_finish(filler, &info);
	return 1;
}
