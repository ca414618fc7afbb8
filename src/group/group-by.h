/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* group-by - the grouping of threads: one key or several, and the names that each key has met. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scan.h"
#include "base/strmap.h"
#include "ctprof/metric/host.h"
#include "ctprof/metric/sample.h"

enum group_key {
#define GROUP_KEY(id_, name_, heading_, text_) GROUP_KEY_##id_,
#include "group-keys.def"
	GROUP_KEY_COUNT,
};

struct group_key_desc {
	const char *name;    /* on the command line */
	const char *column;  /* in machine formats */
	const char *heading; /* in tables */
	const char *description;
};
extern const struct group_key_desc group_key_table[GROUP_KEY_COUNT];

enum {
	GROUP_KEYS_MAX = 6,
	/* "cgroup-name=" and the name of a hierarchy, which the kernel bounds by 63 bytes. */
	GROUP_OTHER_BYTES = 80,
};

/* A word for several keys. */
struct group_tree_desc {
	const char *name;
	const char *heading;
	const char *description;
	unsigned count;
	enum group_key keys[GROUP_KEYS_MAX];
};
extern const struct group_tree_desc group_tree_table[];
extern const size_t group_tree_count;

struct group_by {
	unsigned count;
	enum group_key keys[GROUP_KEYS_MAX];
	const struct group_tree_desc *tree; /* NULL if the keys are columns */
	bool literal_names;                 /* pcomm and comm literally */
	bool literal_cgroups;
	/* A cgroup that one of these globs matches is grouped under the glob itself; borrowed. */
	const char *const *flatten;
	size_t flatten_count;
	/* The heading of the column of cgroup_v1_other: "cgroup-" and the name of the hierarchy. */
	char other[GROUP_OTHER_BYTES];
};

/* Returns a grouping by one key, with names and cgroups literally or as patterns. */
struct group_by group_by_key(enum group_key key, bool literal);

bool group_by_has(const struct group_by *by, enum group_key key);

/* Returns whether rows of cgroups can be below those of the groups: a group is a cgroup. */
bool group_by_is_cgroup(const struct group_by *by);

/* Finds the key with this name on the command line: one of group_key_table, or cgroup_v1_other for "cgroup:v1:" and the
 * name of any other hierarchy, which is stored in @by. Returns GROUP_KEY_COUNT if there is none. */
enum group_key group_by_find(struct group_by *by, struct span name);

/* Appends the name of a key as the command line accepts it. */
void group_by_add_name(const struct group_by *by, unsigned key, struct strbuf *out);

/* Returns the heading of a key's column. */
const char *group_by_heading(const struct group_by *by, unsigned key);

/* The names of one key, by their pattern. A pattern that stands for one name only is shown as that name. */
struct key_name {
	char *first; /* owned; NULL if it is the pattern itself */
	size_t first_len;
	bool several; /* names share the pattern */
};
struct key_names {
	/* Pattern to struct key_name, owned; a name's number is its place in here. */
	struct strmap map;
	/* The name met last: threads of a process follow one another. */
	struct strbuf last;
	uint32_t last_number;
	bool has_last;
	bool identities;    /* patterns identify threads, whose names may change */
	struct strbuf name; /* scratch */
	struct strbuf pattern;
	struct strbuf scratch;
};

void key_names_done(struct key_names *names);

/* Returns whether its names are whole paths of cgroups, to which --cgroup-flatten and patterns apply. */
bool group_key_is_path(enum group_key key);

/* Returns whether all threads of a process have the same name for this key, that of the first one. */
bool group_key_is_of_process(enum group_key key);

/* Appends the cgroup that the cpu controller has the thread in, as the tables of cgroups call it, with "v1:" in front in version 1;
 * in version 2 that may be one below, if the controller is not on for the thread's own. Returns false if it is not known. */
must_check_ bool group_cpu_cgroup(const struct thread_sample *sample, struct strbuf *out);

/* Returns the number of a thread's name for key @key of @by, new or not. @host has the names of users and identifies
 * the host of the threads; may be NULL. */
uint32_t key_names_of_thread(struct key_names *names, const struct group_by *by, unsigned key,
                             const struct thread_sample *sample, const struct host *host);

/* Appends the identity of the sample's process: its id alone may be another one's after a boot, in another namespace, or later. */
void group_by_add_process(const struct thread_sample *sample, const struct host *host,
                          struct strbuf *out);

/* The process of threads that have exited. */
struct exited_process {
	uint32_t tgid;
	uint64_t start_time_clock_ticks;
	uint32_t successors;
	const char *pcomm;
	size_t pcomm_len;
	/* The two texts of a sample; borrowed. */
	const struct strbuf *host_name, *boot_id;
};

/* Returns whether the exited threads of a process have a name of their own for this key: the name of each one is not
 * known. */
bool group_key_is_of_thread(enum group_key key);
bool group_by_has_thread_key(const struct group_by *by);
bool group_by_has_thread_keys_alone(const struct group_by *by);

/* Returns the number of the name that such threads share. */
uint32_t key_names_of_exited(struct key_names *names, const struct group_by *by, unsigned key,
                             const struct exited_process *process, const struct host *host);

/* Returns the number of the name of a cgroup. */
uint32_t key_names_of_cgroup(struct key_names *names, const struct group_by *by, const char *path,
                             size_t len, bool is_v1);

/* Returns the label of the name with this pattern: the pattern, or the name if it is the only one; raw bytes, borrowed.
 * @names has the names of one or two snapshots; each may be NULL. */
struct span key_names_shown(const struct key_names *const *names, unsigned count,
                            struct span pattern);
