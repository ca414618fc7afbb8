// SPDX-License-Identifier: GPL-2.0-or-later
#include "frame-ended.h"

#include <errno.h>

void frame_ended_write(struct json_writer *out, struct frame_base *base)
{
	struct thread_key key;
	uint32_t row = 0;

	json_write_open(out, '[');
	while (frame_base_next_ended(base, &row, &key)) {
		json_write_open(out, '[');
		json_write_u64(out, key.tid);
		json_write_u64(out, key.tgid);
		json_write_u64(out, key.start_time_clock_ticks);
		json_write_close(out, ']');
	}
	json_write_close(out, ']');
}

/* Reads up to the end of an array of numbers, @count of them. */
static int read_numbers(struct json_reader *json, uint64_t *ret, size_t count)
{
	enum json_token token;

	for (size_t i = 0; i <= count; i++) {
		int r = json_reader_next(json, &token);

		if (r < 0)
			return r;
		if (i == count)
			return token == JSON_TOKEN_ARRAY_CLOSE ? 0 : -EINVAL;
		if (token != JSON_TOKEN_NUMBER || json_reader_u64(json, &ret[i]) < 0)
			return -EINVAL;
	}
	return 0;
}

int frame_ended_read(struct json_reader *json, struct frame_base *base)
{
	enum json_token token;
	uint64_t numbers[3];
	int r = json_reader_next(json, &token);

	if (r == 0 && token != JSON_TOKEN_ARRAY_OPEN)
		r = -EINVAL;
	while (r == 0 && (r = json_reader_next(json, &token)) == 0 &&
	       token == JSON_TOKEN_ARRAY_OPEN) {
		r = read_numbers(json, numbers, ARRAY_SIZE(numbers));
		if (r == 0 && (numbers[0] > UINT32_MAX || numbers[1] > UINT32_MAX))
			r = -EINVAL;
		if (r == 0)
			frame_base_end_thread(base,
			                      &(struct thread_key){(uint32_t)numbers[0],
			                                           (uint32_t)numbers[1], numbers[2],
			                                           PROCESS_START_UNKNOWN});
	}
	return r == 0 && token != JSON_TOKEN_ARRAY_CLOSE ? -EINVAL : r;
}
