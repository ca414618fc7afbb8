// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "ctprof/host.h"
#include "ctprof/mem.h"

/* clang-format off */
const struct host_field_desc host_field_table[HOST_FIELD_COUNT] = {
#define HOST_TEXT(id_, text_) [HOST_##id_] = {#id_, text_, false},
#define HOST_NUMBER(id_, text_) [HOST_##id_] = {#id_, text_, true},
#include "host.def"
#undef HOST_TEXT
#undef HOST_NUMBER
};
/* clang-format on */

void host_set_text(struct host *host, enum host_field field, const char *text, size_t len)
{
	free(host->texts[field]);
	host->texts[field] = mem_copy(text, len);
	host->seen[field] = true;
}

void host_set_number(struct host *host, enum host_field field, uint64_t number)
{
	host->numbers[field] = number;
	host->seen[field] = true;
}

const char *host_text(const struct host *host, enum host_field field)
{
	return host->texts[field];
}

void host_done(struct host *host)
{
	for (size_t i = 0; i < HOST_FIELD_COUNT; i++)
		free(host->texts[i]);
	memset(host, 0, sizeof(*host));
}
