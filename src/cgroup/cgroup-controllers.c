// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cgroup/cgroup-mount.h"
#include "ctprof/metric/cgroup-stats.h"

static const char *const known_names[] = {
#define CGROUP_CONTROLLER(id_, name_) name_,
#include "cgroup-controllers.def"
#undef CGROUP_CONTROLLER
};
_Static_assert(ARRAY_SIZE(known_names) <= CGROUP_V1_CONTROLLERS_MAX, "each has a bit");

static void add_name(struct cgroup_v1_controllers *controllers, const char *name)
{
	for (size_t at = 0; at < controllers->count; at++)
		if (strcmp(controllers->names[at], name) == 0)
			return;
	if (controllers->count < CGROUP_V1_CONTROLLERS_MAX)
		controllers->names[controllers->count++] = name;
}

void cgroup_v1_controllers_init(struct cgroup_v1_controllers *controllers)
{
	controllers->count = 0;
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if (cgroup_value_table[i].version == 1 &&
		    strcmp(cgroup_value_table[i].file, CGROUP_VALUE_BY_TASKSTATS) != 0)
			add_name(controllers, cgroup_value_table[i].object);
	controllers->with_values = (UINT32_C(1) << controllers->count) - 1;
	for (size_t i = 0; i < ARRAY_SIZE(known_names); i++)
		add_name(controllers, known_names[i]);
}

uint32_t cgroup_v1_controllers_find(const struct cgroup_v1_controllers *controllers,
                                    struct span list)
{
	uint32_t found = 0;

	while (list.len > 0) {
		const char *comma = memchr(list.text, ',', list.len);
		size_t len = comma ? (size_t)(comma - list.text) : list.len;
		size_t skip = comma ? len + 1 : len;

		for (size_t i = 0; i < controllers->count; i++)
			if (span_is((struct span){list.text, len}, controllers->names[i]))
				found |= UINT32_C(1) << i;
		list = (struct span){list.text + skip, list.len - skip};
	}
	return found;
}
