// SPDX-License-Identifier: GPL-2.0-or-later
#include "taskstats-layout.h"

#include <string.h>

#include "ctprof/base/macro.h"

/* clang-format off */
const struct taskstats_field taskstats_fields[] = {
#define FIELD(argument_, key_, bucket_, ...) [FIELD_##key_] = {BUCKET_##bucket_, {__VA_ARGS__}},
	FIELDS(FIELD, )
#undef FIELD
};
/* clang-format on */

/* Copies the field's bytes. Returns whether the field is inside. */
bool taskstats_copy(const struct taskstats_payload *payload, enum field field, void *ret,
                    size_t size)
{
	size_t offset = taskstats_fields[field].offsets[payload->layout];

	if (offset == 0 || payload->len < offset + size)
		return false;
	memcpy(ret, payload->bytes + offset, size);
	return true;
}

bool taskstats_get(const struct taskstats_payload *payload, enum field field, uint64_t *ret_value)
{
	return taskstats_copy(payload, field, ret_value, sizeof(*ret_value));
}

/* Finds the layout. A version before 16 that was cut short is read up to its end; one that is too long has fields of
 * unknown offsets. Versions 14 and 15 must have a known length. */
static bool layout_find(unsigned version, size_t len, enum layout *ret_layout)
{
	enum { OLDEST = 8, RANGE_AT_END = 16 };
	static const size_t lengths[] = {328, 344, 352, 368, 400, 416};
	static const struct {
		unsigned version;
		size_t len;
		enum layout layout;
	} exact[] = {
	        {14, 432, LAYOUT_APPENDED},
	        {14, 496, LAYOUT_MAX_INSIDE},
	        {14, 560, LAYOUT_RANGE_INSIDE},
	        {15, 560, LAYOUT_RANGE_INSIDE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(exact); i++)
		if (exact[i].version == version && exact[i].len == len) {
			*ret_layout = exact[i].layout;
			return true;
		}
	if (version < RANGE_AT_END &&
	    (version < OLDEST || version - OLDEST >= ARRAY_SIZE(lengths) ||
	     len > lengths[version - OLDEST]))
		return false;
	*ret_layout = LAYOUT_APPENDED;
	return true;
}

bool taskstats_payload_open(struct taskstats_payload *payload, const void *bytes, size_t len)
{
	uint16_t version;

	if (len < sizeof(version))
		return false;
	memcpy(&version, bytes, sizeof(version));
	payload->bytes = bytes;
	payload->len = len;
	return layout_find(version, len, &payload->layout);
}
