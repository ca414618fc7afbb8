/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* own-names - the names (comm, at most 15 bytes) of ctprof's threads and helper processes. Pure. */
#include <stdbool.h>

/* OWN_NAME(id, name) */
#define OWN_NAMES(OWN_NAME)                   \
	OWN_NAME(ctprof, "ctprof")            \
	OWN_NAME(doctor, "ctprof-doctor")     \
	OWN_NAME(exits, "ctprof-exits")       \
	OWN_NAME(guardian, "ctprof-guardian") \
	OWN_NAME(inspect, "ctprof-inspect")   \
	OWN_NAME(jemalloc, "ctprof-jemalloc") \
	OWN_NAME(job, "ctprof-job")           \
	OWN_NAME(look, "ctprof-look")         \
	OWN_NAME(probe, "ctprof-probe")       \
	OWN_NAME(serve, "ctprof-serve")       \
	OWN_NAME(settings, "ctprof-settings")

#define OWN_NAME_ENTRY(id_, name_) OWN_NAME_##id_,
enum own_name { OWN_NAMES(OWN_NAME_ENTRY) OWN_NAME_COUNT };
#undef OWN_NAME_ENTRY

extern const char *const own_names[OWN_NAME_COUNT];

/* Threads that walk /proc are "ctprof-walk-0" and on, or "ctprof-walk-{N}" as a group. */
#define OWN_WALK_PREFIX "ctprof-walk-"

/* Returns whether a thread or process of ctprof has this name. Anybody may take it. */
bool own_name_is(const char *name);
