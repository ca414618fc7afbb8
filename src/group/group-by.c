// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/group-by.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "group/cgroup-key.h"
#include "group/normalise.h"
#include "group/path-name.h"

/* clang-format off */
const struct group_key_desc group_key_table[GROUP_KEY_COUNT] = {
#define GROUP_KEY(id_, name_, heading_, text_) \
	[GROUP_KEY_##id_] = {name_, #id_, heading_, text_},
#include "group-keys.def"
};

const struct group_tree_desc group_tree_table[] = {
#define GROUP_TREE(id_, name_, heading_, text_, ...) \
	{name_, heading_, text_, sizeof((const enum group_key[]){__VA_ARGS__}) / sizeof(enum group_key), {__VA_ARGS__}},
#include "group-keys.def"
};
/* clang-format on */
const size_t group_tree_count = ARRAY_SIZE(group_tree_table);

struct group_by group_by_key(enum group_key key, bool literal)
{
	return (struct group_by){
	        .count = 1, .keys = {key}, .literal_names = literal, .literal_cgroups = literal};
}

bool group_by_has(const struct group_by *by, enum group_key key)
{
	for (unsigned i = 0; i < by->count; i++)
		if (by->keys[i] == key)
			return true;
	return false;
}

bool group_by_is_cgroup(const struct group_by *by)
{
	return by->count == 1 && by->keys[0] == GROUP_KEY_cgroup;
}

static const char v1_family[] = "cgroup:v1:", other_heading[] = "cgroup-";

/* Returns whether the name obeys the kernel's rule for names of hierarchies; those of controllers have fewer kinds of
 * characters. */
static bool is_hierarchy_name(struct span name)
{
	struct span plain = name;

	if (plain.len > strlen("name=") && memcmp(plain.text, "name=", strlen("name=")) == 0)
		plain = (struct span){name.text + strlen("name="), name.len - strlen("name=")};
	for (size_t i = 0; i < plain.len; i++) {
		char c = plain.text[i];

		if (!char_is_letter(c) && !char_is_digit(c) && c != '_' && c != '.' && c != '-')
			return false;
	}
	return plain.len > 0;
}

enum group_key group_by_find(struct group_by *by, struct span name)
{
	const size_t family = strlen(v1_family);
	struct span other;

	for (unsigned key = 0; key < GROUP_KEY_COUNT; key++)
		if (key != GROUP_KEY_cgroup_v1_other && span_is(name, group_key_table[key].name))
			return (enum group_key)key;
	if (name.len <= family || memcmp(name.text, v1_family, family) != 0)
		return GROUP_KEY_COUNT;
	other = (struct span){name.text + family, name.len - family};
	if (!is_hierarchy_name(other) || other.len >= sizeof(by->other) - strlen(other_heading))
		return GROUP_KEY_COUNT;
	if (!group_by_has(by, GROUP_KEY_cgroup_v1_other))
		snprintf(by->other, sizeof(by->other), "%s%.*s", other_heading, (int)other.len,
		         other.text);
	return GROUP_KEY_cgroup_v1_other;
}

void group_by_add_name(const struct group_by *by, unsigned key, struct strbuf *out)
{
	enum group_key id = by->keys[key];

	if (id == GROUP_KEY_cgroup_v1_other)
		strbuf_addf(out, "%s%s", v1_family, by->other + strlen(other_heading));
	else
		strbuf_add_str(out, group_key_table[id].name);
}

const char *group_by_heading(const struct group_by *by, unsigned key)
{
	enum group_key id = by->keys[key];

	if (id == GROUP_KEY_cgroup_v1_other && by->other[0] != '\0')
		return by->other;
	if (id == GROUP_KEY_comm && by->literal_names)
		id = GROUP_KEY_comm_exact;
	return group_key_table[id].heading;
}

void key_names_done(struct key_names *names)
{
	for (size_t i = 0; i < names->map.count; i++) {
		struct key_name *name = names->map.entries[i].value;

		free(name->first);
		free(name);
	}
	strmap_done(&names->map);
	strbuf_done(&names->last);
	strbuf_done(&names->name);
	strbuf_done(&names->pattern);
	strbuf_done(&names->scratch);
	*names = (struct key_names){0};
}

static bool is_v1_key(enum group_key key)
{
	switch (key) {
#define CGROUP_CONTROLLER(id_, name_) case GROUP_KEY_cgroup_v1_##id_:
#include "cgroup-controllers.def"
#undef CGROUP_CONTROLLER
	case GROUP_KEY_cgroup_v1_other:
		return true;
	default:
		return false;
	}
}

bool group_key_is_path(enum group_key key)
{
	return key == GROUP_KEY_cgroup || is_v1_key(key);
}

/* A real path starts with a slash, so no cgroup has the first name; the second marks a path of version 1. */
/* It is longer than a process can make its own name (15 bytes), so that no process can put itself into this group. */
static const char nameless[] = "(without a name)";
static const char no_cgroup[] = "(no cgroup)", v1_prefix[] = "v1:";

/* Longer than a thread's name can be, so that no thread can have this name. */
static const char exited_suffix[] = " (exited threads)";

static void add_cgroup_name(bool is_v1, const char *path, size_t len, struct strbuf *out)
{
	if (is_v1)
		strbuf_add_str(out, v1_prefix);
	strbuf_add(out, path, len);
}

/* Returns whether a list with commas has the word. */
static bool has_word(struct span list, const char *word)
{
	while (list.len > 0) {
		const char *comma = memchr(list.text, ',', list.len);
		size_t len = comma ? (size_t)(comma - list.text) : list.len;

		if (span_is((struct span){list.text, len}, word))
			return true;
		len += comma != NULL;
		list = (struct span){list.text + len, list.len - len};
	}
	return false;
}

/* Splits a line of cgroups_v1 into the controllers, or the name, and the path behind the colon. */
static bool split_line(struct span line, struct span *ret_list, struct span *ret_path)
{
	const char *colon = memchr(line.text, ':', line.len);
	size_t len = colon ? (size_t)(colon - line.text) : line.len;

	*ret_list = (struct span){line.text, len};
	*ret_path = colon ? (struct span){colon + 1, line.len - len - 1} : (struct span){0};
	return colon != NULL;
}

/* Returns whether the host had no such hierarchy. Files from before that list existed do not show it. */
static bool lacks_hierarchy(const struct host *host, const char *name)
{
	const char *text = host ? host_text(host, HOST_cgroup_v1_hierarchies) : NULL;
	struct span rest = {text, text ? strlen(text) : 0}, list;

	if (!text)
		return false;
	while (scan_word(&rest, &list))
		if (has_word(list, name))
			return false;
	return true;
}

/* Appends the path in the hierarchy of version 1 that has the controller, with the name of its cgroup in the tables of
 * cgroups. Every thread has one in each hierarchy, so if there is none it was not read: a thread that exits has left
 * its cgroups, and records of exits do not have them. */
static void add_v1_name(const char *name, const struct thread_sample *sample,
                        const struct host *host, struct strbuf *out)
{
	struct span rest = {strbuf_str(&sample->cgroups_v1), sample->cgroups_v1.len};
	struct span line, list, path;

	while (scan_line(&rest, &line)) {
		if (!split_line(line, &list, &path) || !has_word(list, name))
			continue;
		add_cgroup_name(true, path.text, path.len, out);
		return;
	}
	strbuf_addf(out,
	            lacks_hierarchy(host, name) ? "(no cgroup of %s)" : "(cgroup of %s not read)",
	            name);
}

bool group_cpu_cgroup(const struct thread_sample *sample, struct strbuf *out)
{
	struct span rest = {strbuf_str(&sample->cgroups_v1), sample->cgroups_v1.len};
	struct span line, list, path;

	while (scan_line(&rest, &line)) {
		if (!split_line(line, &list, &path) || !has_word(list, "cpu"))
			continue;
		add_cgroup_name(true, path.text, path.len, out);
		return true;
	}
	if (!sample->has_cgroup || sample->cgroup_is_v1 || sample->cgroup.len == 0)
		return false;
	add_cgroup_name(false, strbuf_str(&sample->cgroup), sample->cgroup.len, out);
	return true;
}

/* Appends "S sleeping". */
static void add_state_name(const struct thread_sample *sample, struct strbuf *out)
{
	if (!sample_add_state(sample, out))
		strbuf_add_str(out, sample_ended_inside(sample) ? "(ended)" : "(state not read)");
}

/* Appends "root (0)", or "1000" if the user has no name. */
static void add_user_name(const struct thread_sample *sample, const struct host *host,
                          struct strbuf *out)
{
	const char *name;
	char uid[16];

	if (!sample->has_uid) {
		strbuf_add_str(out, "(uid not read)");
		return;
	}
	snprintf(uid, sizeof(uid), "%u", sample->uid);
	name = host ? host_map_get(host, HOST_users, uid) : NULL;
	if (name)
		strbuf_addf(out, "%s (%s)", name, uid);
	else
		strbuf_add_str(out, uid);
}

/* Appends "1234 nginx". */
static void add_process_id(uint32_t tgid, const char *pcomm, size_t len, struct strbuf *out)
{
	strbuf_addf(out, "%u ", tgid);
	strbuf_add(out, len > 0 ? pcomm : nameless, len > 0 ? len : strlen(nameless));
}

/* Appends "1234 nginx", or "1240 worker-1 (1234 nginx)" if it is not the leader. */
static void add_thread_id(const struct thread_sample *sample, struct strbuf *out)
{
	strbuf_addf(out, "%u ", sample->tid);
	strbuf_add(out, strbuf_str(&sample->comm), sample->comm.len);
	if (sample->tid == sample->tgid)
		return;
	strbuf_addf(out, " (%u ", sample->tgid);
	strbuf_add(out, strbuf_str(&sample->pcomm), sample->pcomm.len);
	strbuf_add_char(out, ')');
}

static void add_own_cgroup(const struct thread_sample *sample, struct strbuf *out)
{
	if (sample->has_cgroup)
		add_cgroup_name(sample->cgroup_is_v1, strbuf_str(&sample->cgroup),
		                sample->cgroup.len, out);
	else
		strbuf_add_str(out, path_name_lacks_cgroup(sample) ? path_name_unread_cgroup
		                                                   : no_cgroup);
}

static void add_thread_name(const struct group_by *by, enum group_key key,
                            const struct thread_sample *sample, const struct host *host,
                            struct strbuf *out)
{
	switch (key) {
	case GROUP_KEY_pcomm:
		if (sample->pcomm.len == 0)
			strbuf_add_str(out, nameless);
		strbuf_add(out, strbuf_str(&sample->pcomm), sample->pcomm.len);
		break;
	case GROUP_KEY_pid:
		add_process_id(sample->tgid, strbuf_str(&sample->pcomm), sample->pcomm.len, out);
		path_name_on_host(sample, host, group_by_has(by, GROUP_KEY_host), out);
		break;
	case GROUP_KEY_comm:
	case GROUP_KEY_comm_exact:
		strbuf_add(out, strbuf_str(&sample->comm), sample->comm.len);
		break;
	case GROUP_KEY_cgroup:
		add_own_cgroup(sample, out);
		break;
	case GROUP_KEY_exe:
		path_name_exe(sample, out);
		break;
	case GROUP_KEY_title:
		path_name_title(sample, out);
		break;
	case GROUP_KEY_wchan:
	case GROUP_KEY_syscall:
		path_name_wait(sample, key == GROUP_KEY_wchan, out);
		break;
	case GROUP_KEY_exe_dir:
		path_name_exe_dir(sample, out);
		break;
	case GROUP_KEY_cwd:
		path_name_cwd(sample, out);
		break;
	case GROUP_KEY_user:
		add_user_name(sample, host, out);
		break;
	case GROUP_KEY_state:
		add_state_name(sample, out);
		break;
	case GROUP_KEY_host:
		path_name_host(sample, host, out);
		break;
	case GROUP_KEY_cgroup_service:
		(void)path_name_part(CGROUP_PART_SERVICE, "(no service)", sample, host, out);
		break;
	case GROUP_KEY_cgroup_container:
		(void)path_name_part(CGROUP_PART_CONTAINER, path_name_no_container, sample, host,
		                     out);
		break;
	case GROUP_KEY_container:
		path_name_container(sample, host, out);
		break;
	case GROUP_KEY_cgroup_pod:
		(void)path_name_part(CGROUP_PART_POD, "(no pod)", sample, host, out);
		break;
	case GROUP_KEY_cgroup_slice:
		(void)path_name_part(CGROUP_PART_SLICE, "(no slice)", sample, host, out);
		break;
#define CGROUP_CONTROLLER(id_, name_)                  \
	case GROUP_KEY_cgroup_v1_##id_:                \
		add_v1_name(name_, sample, host, out); \
		break;
#include "cgroup-controllers.def"
#undef CGROUP_CONTROLLER
	case GROUP_KEY_cgroup_v1_other:
		add_v1_name(by->other + strlen(other_heading), sample, host, out);
		break;
	case GROUP_KEY_thread:
		add_thread_id(sample, out);
		path_name_on_host(sample, host, group_by_has(by, GROUP_KEY_host), out);
		break;
	case GROUP_KEY_COUNT:
		break;
	}
}

/* Returns the length of the part of a cgroup's name in front of its path. */
static size_t prefix_of(const char *name, size_t len)
{
	size_t prefix = strlen(v1_prefix);

	return len >= prefix && memcmp(name, v1_prefix, prefix) == 0 ? prefix : 0;
}

/* Globs match paths, whatever the version of the hierarchy. */
static bool flatten(const struct group_by *by, const char *name, size_t len, struct strbuf *out)
{
	size_t prefix = prefix_of(name, len);

	return len > prefix && name[prefix] == '/' &&
	       cgroup_flatten(by->flatten, by->flatten_count, name + prefix, len - prefix, out);
}

/* Replaces no digit of the version. */
static void normalise_cgroup(const char *name, size_t len, struct strbuf *out,
                             struct strbuf *scratch)
{
	size_t prefix = prefix_of(name, len);

	strbuf_add(out, name, prefix);
	cgroup_normalise(name + prefix, len - prefix, out, scratch);
}

/* Appends the pattern of a name. Returns whether it stands for itself, whatever names it has. */
static bool add_pattern(const struct group_by *by, enum group_key key, const struct strbuf *name,
                        struct strbuf *out, struct strbuf *scratch)
{
	const char *text = strbuf_str(name);

	if (group_key_is_path(key) && flatten(by, text, name->len, out))
		return true;
	if (group_key_is_path(key) && !by->literal_cgroups) {
		normalise_cgroup(text, name->len, out, scratch);
		return false;
	}
	switch (key) {
	case GROUP_KEY_pcomm:
	case GROUP_KEY_comm:
	case GROUP_KEY_title:
		if (!by->literal_names) {
			normalise_name(text, name->len, out);
			return false;
		}
		break;
	case GROUP_KEY_cgroup_service:
	case GROUP_KEY_cgroup_slice:
		if (!by->literal_cgroups) {
			normalise_cgroup(text, name->len, out, scratch);
			return false;
		}
		break;
	default:
		break;
	}
	strbuf_add(out, text, name->len);
	return false;
}

static bool same_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}

/* Returns the number of the pattern in names->pattern, for the name in names->name. */
static uint32_t number_of(struct key_names *names, bool stands_for_itself)
{
	const struct strbuf *pattern = &names->pattern, *raw = &names->name;
	struct strmap_entry *entry = strmap_add(&names->map, strbuf_str(pattern), pattern->len);
	struct key_name *name = entry->value;

	if (!name) {
		name = entry->value = mem_calloc(1, sizeof(*name));
		name->several = stands_for_itself;
		if (!same_bytes(strbuf_str(pattern), pattern->len, strbuf_str(raw), raw->len)) {
			name->first = mem_copy(strbuf_str(raw), raw->len);
			name->first_len = raw->len;
		}
	} else if (!name->several) {
		const char *first = name->first ? name->first : entry->key;
		size_t first_len = name->first ? name->first_len : entry->key_len;

		name->several = !same_bytes(first, first_len, strbuf_str(raw), raw->len);
	}
	return (uint32_t)(entry - names->map.entries);
}

/* Returns the number of the name in names->name. */
static uint32_t add_name(struct key_names *names, const struct group_by *by, enum group_key key)
{
	bool stands_for_itself;

	if (names->has_last && same_bytes(strbuf_str(&names->last), names->last.len,
	                                  strbuf_str(&names->name), names->name.len))
		return names->last_number;
	strbuf_clear(&names->pattern);
	stands_for_itself = add_pattern(by, key, &names->name, &names->pattern, &names->scratch);
	names->last_number = number_of(names, stands_for_itself);
	strbuf_copy(&names->last, &names->name);
	names->has_last = true;
	return names->last_number;
}

struct identity {
	uint32_t tgid, tid;
	uint64_t start_time_clock_ticks;
	uint32_t
	        successors; /* see struct thread_sample; 0 for every process that was alive when it was read */
};

/* Appends the identity of a thread: an id alone may be another thread's after a boot, in another namespace, or
 * later. */
static void add_identity(const struct host *host, const struct strbuf *host_name,
                         const struct strbuf *own_boot_id, struct identity identity,
                         struct strbuf *out)
{
	const char *of_host = host ? host_text(host, HOST_boot_id) : NULL;
	const char *boot_id = own_boot_id->len > 0 ? strbuf_str(own_boot_id) : of_host;
	const char *pid_namespace = host ? host_text(host, HOST_pid_namespace) : NULL;

	strbuf_addf(out, "%u %u %llu %s %s", identity.tgid, identity.tid,
	            (unsigned long long)identity.start_time_clock_ticks, boot_id ? boot_id : "",
	            pid_namespace ? pid_namespace : "");
	if (identity.successors > 0)
		strbuf_addf(out, " %u", identity.successors);
	if (host_name->len == 0)
		return;
	strbuf_add_char(out, ' ');
	strbuf_add(out, strbuf_str(host_name), host_name->len);
}

void group_by_add_process(const struct thread_sample *sample, const struct host *host,
                          struct strbuf *out)
{
	add_identity(host, &sample->host, &sample->boot_id,
	             (struct identity){sample->tgid, sample->tgid, sample_process_start(sample),
	                               sample->process_successors},
	             out);
}

uint32_t key_names_of_thread(struct key_names *names, const struct group_by *by, unsigned key,
                             const struct thread_sample *sample, const struct host *host)
{
	enum group_key id = by->keys[key];
	struct identity identity = {sample->tgid, sample->tid, sample->start_time_clock_ticks,
	                            sample->process_successors};

	strbuf_clear(&names->name);
	add_thread_name(by, id, sample, host, &names->name);
	if (id != GROUP_KEY_thread && id != GROUP_KEY_pid &&
	    (id != GROUP_KEY_user || !sample->has_uid))
		return add_name(names, by, id);
	/* Ids identify both; their names may change, or be known on one side only. */
	strbuf_clear(&names->pattern);
	if (id == GROUP_KEY_user)
		strbuf_addf(&names->pattern, "%u", sample->uid);
	else if (id == GROUP_KEY_pid)
		group_by_add_process(sample, host, &names->pattern);
	else
		add_identity(host, &sample->host, &sample->boot_id, identity, &names->pattern);
	names->identities = true;
	return number_of(names, false);
}

uint32_t key_names_of_exited(struct key_names *names, const struct group_by *by, unsigned key,
                             const struct exited_process *process, const struct host *host)
{
	bool by_thread = by->keys[key] == GROUP_KEY_thread;

	strbuf_clear(&names->name);
	if (by_thread)
		strbuf_addf(&names->name, "%u ", process->tgid);
	if (by->keys[key] != GROUP_KEY_state && by->keys[key] != GROUP_KEY_wchan &&
	    by->keys[key] != GROUP_KEY_syscall) {
		strbuf_add(&names->name, process->pcomm, process->pcomm_len);
		strbuf_add_str(&names->name, exited_suffix);
	} else {
		strbuf_add_str(&names->name, exited_suffix + 1);
	}
	if (!by_thread)
		return add_name(names, by, by->keys[key]);
	strbuf_clear(&names->pattern);
	/* No thread has the id 0. */
	add_identity(host, process->host_name, process->boot_id,
	             (struct identity){process->tgid, 0, process->start_time_clock_ticks,
	                               process->successors},
	             &names->pattern);
	return number_of(names, false);
}

uint32_t key_names_of_cgroup(struct key_names *names, const struct group_by *by, const char *path,
                             size_t len, bool is_v1)
{
	strbuf_clear(&names->name);
	add_cgroup_name(is_v1, path, len, &names->name);
	return add_name(names, by, GROUP_KEY_cgroup);
}

struct span key_names_shown(const struct key_names *const *names, unsigned count,
                            struct span pattern)
{
	struct span only = {NULL, 0};

	for (unsigned i = 0; i < count; i++) {
		const struct key_name *name =
		        names[i] ? strmap_get(&names[i]->map, pattern.text, pattern.len) : NULL;
		struct span first;

		if (!name)
			continue;
		first = name->first ? (struct span){name->first, name->first_len} : pattern;
		/* The last name shows the change. */
		if (names[i]->identities) {
			only = name->first || !only.text ? first : only;
			continue;
		}
		if (name->several ||
		    (only.text && !same_bytes(only.text, only.len, first.text, first.len)))
			return pattern;
		only = first;
	}
	return only.text ? only : pattern;
}
