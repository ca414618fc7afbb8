/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* database - facts in a file of SQLite, or in another engine that answers the same. Several processes may add to it at the same time. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scan.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "fleet/fleet-row.h"

struct database;
struct database_engine;

enum database_use { DATABASE_ADD, DATABASE_READ };

/* Opens the file at @path; DATABASE_ADD makes it, for its owner alone, if it is not there. It must belong to this user or to root, and
 * lie in a directory that no other user may write, since SQLite keeps its journal beside it; nor may others rename a directory above
 * that. No other file is opened or removed, whatever the file and its journal say. Returns NULL with a sentence
 * in @reterr. Free it with database_freep(). */
must_check_ struct database *database_open(const char *path, enum database_use use,
                                           struct strbuf *reterr);

/* Returns a database that @engine has, see below; it is owned. Only the functions that the engine has can be called. */
must_check_ struct database *database_new(struct database_engine *engine);
void database_freep(struct database **database);

/* Returns the reason of the last failure of the functions below; borrowed. */
const char *database_reason(const struct database *database);

/* Begins to add a file, and waits for other writers. Stores whether the file's facts of this set of keys are there already. Return 0, or
 * -EIO. Nothing has been added until database_commit(); database_cancel() drops it. */
must_check_ int database_begin(struct database *database);
must_check_ int database_has(struct database *database, const char *digest, struct span keys,
                             bool *ret_has);
must_check_ int database_commit(struct database *database);
void database_cancel(struct database *database);

/* A sink for rows of groups, between database_begin() and database_commit(). */
struct fleet_sink *database_sink(struct database *database);

/* A file that has been added. */
struct database_snapshot {
	bool is_there; /* there is a file with this id */
	uint32_t host; /* its place among the hosts */
	bool is_window;
	uint64_t end_unix_ns;
	uint64_t length_ns; /* 0: not known */
	unsigned ends;      /* a bit for each enum window_ends of a window */
	uint64_t
	        hash; /* the first bits of its hash; of files that end at the same time, the largest one is the newest */
};

struct database_list {
	struct database_snapshot *snapshots; /* by id, from 0 on; owned */
	size_t snapshot_count;
	char **hosts; /* names, in their order; owned */
	size_t host_count;
	char **metrics; /* names of those with the rule sum, by id; NULL for others; owned */
	size_t metric_count;
};

/* Reads the list of all files and metrics. A host without a name is called by its boot, or by the file. */
must_check_ int database_list(struct database *database, struct database_list *ret);
void database_list_done(struct database_list *list);

/* Looks for damage in a file of SQLite, as far as SQLite can see it. Returns 0, or -EIO if there is any. */
must_check_ int database_check(struct database *database);

/* The labels of a window; texts are borrowed until the visit ends. */
struct database_labels {
	size_t snapshot;
	const char *boot_id; /* empty: not known */
	const char *json;    /* an object of JSON, if the file is sound */
};

/* Calls @visit for each window that has facts of groups by @group_key, in the order of the ids. Returns 0 or -EIO. */
must_check_ int database_scan_labels(struct database *database, const char *group_key,
                                     void (*visit)(void *context,
                                                   const struct database_labels *labels),
                                     void *context);

/* One fact. */
struct database_fact {
	int64_t group;
	size_t metric; /* its place among the metrics of the list */
	size_t snapshot;
	uint64_t threads, seen;
	bool has_sum, has_exited, has_rated;
	double sum, exited;
	double rated; /* what rates count instead of both */
};

struct database_filter {
	const char *metric; /* a name, or NULL for all */
	const char *group_key;
	const char *group_name;
};

/* Calls @visit for each fact of those metrics of @list that have a name, in those files whose byte in @uses is not 0: group by group in the
 * order of their keys and names, and in each file by file. It may be called for other files as well. Returns 0 or -EIO. */
must_check_ int database_scan(struct database *database, const struct database_filter *filter,
                              const struct database_list *list, const unsigned char *uses,
                              void (*visit)(void *context, const struct database_fact *fact),
                              void *context);

/* Appends the key and the name of a group. Returns 0 or -EIO. */
must_check_ int database_add_group(struct database *database, int64_t group, struct strbuf *key,
                                   struct strbuf *name);

/* An engine in which the facts are: the functions above do what these do. Their order of groups and of hosts is that of bytes, so that the
 * answers of all engines are the same. */
struct database_engine {
	int (*list)(struct database_engine *self, struct database_list *ret);
	int (*scan)(struct database_engine *self, const struct database_filter *filter,
	            const struct database_list *list, const unsigned char *uses,
	            void (*visit)(void *context, const struct database_fact *fact), void *context);
	int (*scan_labels)(struct database_engine *self, const char *group_key,
	                   void (*visit)(void *context, const struct database_labels *labels),
	                   void *context);
	int (*add_group)(struct database_engine *self, int64_t group, struct strbuf *key,
	                 struct strbuf *name);
	const char *(*reason)(const struct database_engine *self);
	void (*free)(struct database_engine *self);
};
