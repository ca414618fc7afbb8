// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug-place.h"

static bool add_build_id(const struct debug_wanted *wanted, struct strbuf *path)
{
	if (wanted->build_id_len < 2)
		return false;
	strbuf_addf(path, "/usr/lib/debug/.build-id/%02x/", wanted->build_id[0]);
	for (size_t i = 1; i < wanted->build_id_len; i++)
		strbuf_addf(path, "%02x", wanted->build_id[i]);
	strbuf_add_str(path, ".debug");
	return true;
}

bool debug_place_path(const struct debug_wanted *wanted, unsigned place, struct strbuf *path)
{
	static const struct {
		const char *before;
		const char *between;
	} by_name[DEBUG_PLACES - 1] = {{"", ""}, {"", "/.debug"}, {"/usr/lib/debug", ""}};

	strbuf_clear(path);
	if (place == DEBUG_PLACE_OF_BUILD_ID)
		return add_build_id(wanted, path);
	if (!wanted->directory || wanted->link[0] == '\0')
		return false;
	strbuf_addf(path, "%s%s%s/%s", by_name[place - 1].before, wanted->directory,
	            by_name[place - 1].between, wanted->link);
	return true;
}
