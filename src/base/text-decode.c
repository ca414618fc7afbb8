// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"

size_t text_decode(const char *bytes, size_t len, uint32_t *ret_code_point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char lead = len > 0 ? (unsigned char)bytes[0] : 0;
	size_t need = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	uint32_t code_point = need == 1 ? lead : lead & (0x7fu >> need);

	if (len < need || len == 0 || need == 0 || lead >= 0xf8)
		return 0;
	for (size_t i = 1; i < need; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if ((c & 0xc0) != 0x80)
			return 0;
		code_point = code_point << 6 | (c & 0x3f);
	}
	if (code_point < least[need] || code_point > 0x10ffff || code_point >> 11 == 0xd800 >> 11)
		return 0;
	*ret_code_point = code_point;
	return need;
}
