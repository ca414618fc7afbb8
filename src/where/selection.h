/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* selection - some processes of a host: by id, by name and by cgroup. A process is selected if it fits each kind that was given, and
 * fits a kind if it fits one of its values. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fd.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/sample.h"
#include "ctprof/snapshot/snapshot.h"

/* All zero selects every process. */
struct selection {
	uint32_t *ids; /* owned, as the next two; in rising order */
	size_t id_count, id_capacity;
	/* Borrowed texts: patterns of glob_match_name() for the comm of the leader, and paths of cgroups. */
	const char **comms, **cgroups;
	size_t comm_count, comm_capacity, cgroup_count, cgroup_capacity;
};

/* For cleanup_(selection_done). */
void selection_done(struct selection *selection);

/* Add the values of a list separated by commas: process ids, patterns for names; and one path of a cgroup, which stands for those
 * below it as well. The text of the last two is borrowed. Return 0; or -EINVAL with a phrase appended to @reterr. */
must_check_ int selection_add_ids(struct selection *selection, const char *list,
                                  struct strbuf *reterr);
must_check_ int selection_add_comm(struct selection *selection, const char *pattern,
                                   struct strbuf *reterr);
must_check_ int selection_add_cgroup(struct selection *selection, const char *path,
                                     struct strbuf *reterr);

/* Returns whether every process is selected. */
bool selection_is_all(const struct selection *selection);

/* Return whether the value fits its kind; true where no value of the kind was given. */
bool selection_has_comm(const struct selection *selection, const char *comm, size_t len);
bool selection_has_cgroup(const struct selection *selection, const char *path, size_t len);

/* Returns whether a thread is selected, by its tgid, its pcomm and its own cgroup. */
bool selection_has(const struct selection *selection, const struct thread_sample *sample);

/* Appends the selection for people and for the file: "pid 12,34 and comm nginx and cgroup /a". */
void selection_add_text(const struct selection *selection, struct strbuf *out);

/* Notes in the metadata of a snapshot that it has these threads only: sets the host's field "selection", behind an earlier one, and
 * removes what a window of the whole host has of other threads. Does nothing if all are selected. */
void selection_note(const struct selection *selection, struct snapshot_info *info);

/* Returns whether the processes of a snapshot were chosen when it was made, and those of the other one in another way or not at all.
 * @selection was noted in both of them. */
bool selection_is_apart(const struct selection *selection, const struct host *host,
                        const struct host *other);

/* Returns whether the processes of a snapshot were chosen by id alone, and adds the ids that every choice has, in rising order, to @ret,
 * which the caller frees. The snapshot has all that there was of these processes. */
must_check_ bool selection_noted_ids(const struct host *host, struct id_list *ret);

/* Returns whether processes of a snapshot were chosen by their cgroup. True as well where the pattern of a name reads like that. */
bool selection_notes_cgroup(const struct host *host);
