// SPDX-License-Identifier: GPL-2.0-or-later
/* time-range: any text is a range of time, whose begin is not behind its end, or is refused with a reason. */
#include "base/mem.h"
#include "fuzz.h"
#include "when/time-range.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct time_words words = {.now_ns = UINT64_C(1795424400) * 1000 * 1000 * 1000,
	                                        .boot_ns =
	                                                UINT64_C(1795000000) * 1000 * 1000 * 1000};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(mem_freep) char *text = mem_copy((const char *)data, size);
	struct time_range range = {1, 0};
	int r = time_range_parse(text, &words, &range, &reason);

	require((r < 0) == (reason.len > 0), "a range or a reason");
	require(r < 0 || range.begin_ns <= range.end_ns, "a begin before the end");
	return 0;
}
