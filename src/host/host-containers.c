// SPDX-License-Identifier: GPL-2.0-or-later
/* Runtimes write these files as root, in directories that root alone may write. A container chooses nothing in them but,
 * on some, its own name. */
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/local-path.h"
#include "base/scan.h"
#include "host-fields.h"
#include "host/host-read.h"

enum {
	CONTAINER_ID_LENGTH = 64,
	NAME_BYTES_MOST = 512, /* namespace, pod and container of Kubernetes have 253, 253 and 63 */
	FILE_BYTES_MOST = 1 << 20, /* of one container */
	LIST_BYTES_MOST = 4 << 20, /* of all containers */
	ENTRIES_MOST = HOST_MAP_ENTRIES,
};

/* The reading of one host. */
struct names {
	struct local_root root; /* its table is @mounts */
	struct strbuf mounts;
	struct host *host; /* borrowed */
	size_t used;       /* bytes of the map */
	struct strbuf path, text, name;
};

static void names_done(struct names *names)
{
	strbuf_done(&names->mounts);
	strbuf_done(&names->path);
	strbuf_done(&names->text);
	strbuf_done(&names->name);
}

static bool is_id(const char *text)
{
	return strlen(text) == CONTAINER_ID_LENGTH &&
	       strspn(text, "0123456789abcdef") == CONTAINER_ID_LENGTH;
}

/* Keeps names->name for a container. Names in parentheses are those of groups without a name. */
static void keep(struct names *names, const char *id)
{
	struct host *host = names->host;

	if (names->name.len == 0 || names->name.len > NAME_BYTES_MOST ||
	    strbuf_str(&names->name)[0] == '(' ||
	    (host->maps[HOST_containers].count >= HOST_MAP_ENTRIES &&
	     !host_map_get(host, HOST_containers, id)))
		return;
	host_put_entry(host, HOST_containers, id, &names->name, &names->used);
}

static int read_all(int fd, size_t max_bytes, struct strbuf *out)
{
	enum { PIECE_BYTES = 1 << 14 };

	strbuf_clear(out);
	for (;;) {
		ssize_t got = read(fd, strbuf_reserve(out, PIECE_BYTES), PIECE_BYTES);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		out->len += (size_t)got;
		out->data[out->len] = '\0';
		if (out->len > max_bytes)
			return -EFBIG;
	}
}

/* Reads the file at names->path into names->text. */
static bool read_path(struct names *names, size_t max_bytes)
{
	cleanup_(fd_closep) int fd =
	        local_path_open(&names->root, strbuf_str(&names->path), FILE_SYSTEMS_LOCAL);

	return fd >= 0 && read_all(fd, max_bytes, &names->text) == 0;
}

static json_t *read_json(struct names *names, size_t max_bytes)
{
	return read_path(names, max_bytes)
	               ? json_loadb(strbuf_str(&names->text), names->text.len, 0, NULL)
	               : NULL;
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* Visits the names of a directory below the root. */
typedef void visit_entry(struct names *names, const char *dir, const char *name);

static void visit_directory(struct names *names, const char *path, visit_entry *visit)
{
	cleanup_(fd_closep) int path_fd = local_path_find(&names->root, path);
	int fd = path_fd < 0 ? path_fd : fd_open_dir_at(path_fd, ".");
	cleanup_(fd_closedirp) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		fd_closep(&fd);
		return;
	}
	for (int i = 0; i < ENTRIES_MOST && fd_next_entry(dir, &entry) > 0; i++)
		if (entry->d_name[0] != '.')
			visit(names, path, entry->d_name);
}

/* Sets names->path to a file of a directory's entry. */
static void set_path(struct names *names, const char *dir, const char *entry, const char *file)
{
	strbuf_clear(&names->path);
	strbuf_addf(&names->path, "%s/%s%s%s", dir, entry, file ? "/" : "", file ? file : "");
}

/* Docker: "Name":"/web". */
static void visit_docker(struct names *names, const char *dir, const char *id)
{
	const char *name;
	json_t *json;

	if (!is_id(id))
		return;
	set_path(names, dir, id, "config.v2.json");
	json = read_json(names, FILE_BYTES_MOST);
	name = text_of(json, "Name");
	/* A container that was stopped has its directory for as long as it has not been removed. */
	if (name && !json_is_false(json_object_get(json_object_get(json, "State"), "Running"))) {
		strbuf_clear(&names->name);
		strbuf_add_str(&names->name, name + (name[0] == '/'));
		keep(names, id);
	}
	json_decref(json);
}

/* Sets "namespace/pod/container", without the last one for the pause container of the pod. */
static bool set_pod_name(struct names *names, const json_t *annotations)
{
	static const char *const keys[] = {"io.kubernetes.cri.sandbox-namespace",
	                                   "io.kubernetes.cri.sandbox-name",
	                                   "io.kubernetes.cri.container-name"};

	strbuf_clear(&names->name);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *part = text_of(annotations, keys[i]);

		if (!part)
			continue;
		if (names->name.len > 0)
			strbuf_add_char(&names->name, '/');
		strbuf_add_str(&names->name, part);
	}
	return text_of(annotations, keys[1]) || text_of(annotations, keys[2]);
}

/* containerd: the specification of the container, whose annotations are those of Kubernetes or of nerdctl. */
static void visit_task(struct names *names, const char *dir, const char *id)
{
	const json_t *annotations;
	json_t *json;

	if (!is_id(id))
		return;
	set_path(names, dir, id, "config.json");
	json = read_json(names, FILE_BYTES_MOST);
	annotations = json_object_get(json, "annotations");
	if (set_pod_name(names, annotations)) {
		keep(names, id);
	} else if (text_of(annotations, "nerdctl/name")) {
		strbuf_clear(&names->name);
		strbuf_add_str(&names->name, text_of(annotations, "nerdctl/name"));
		keep(names, id);
	}
	json_decref(json);
}

static void visit_namespace(struct names *names, const char *dir, const char *namespace)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	/* Docker's own namespace, whose specifications have no names. */
	if (strcmp(namespace, "moby") == 0)
		return;
	strbuf_addf(&path, "%s/%s", dir, namespace);
	visit_directory(names, strbuf_str(&path), visit_task);
}

/* podman and CRI-O: one list of all containers. */
static void read_storage(struct names *names, const char *path)
{
	const json_t *container;
	json_t *json;
	size_t i;

	strbuf_clear(&names->path);
	strbuf_add_str(&names->path, path);
	json = read_json(names, LIST_BYTES_MOST);
	json_array_foreach(json, i, container)
	{
		const char *id = text_of(container, "id");
		const char *name =
		        json_string_value(json_array_get(json_object_get(container, "names"), 0));

		if (!id || !is_id(id) || !name)
			continue;
		strbuf_clear(&names->name);
		strbuf_add_str(&names->name, name);
		keep(names, id);
	}
	json_decref(json);
}

/* Takes a unit's name as it is between a prefix and a suffix; systemd has escaped each backslash of it by another. */
static bool strip_unit(struct span unit, const char *prefix, const char *suffix, struct strbuf *out)
{
	size_t front = strlen(prefix), back = strlen(suffix);

	if (unit.len <= front + back || memcmp(unit.text, prefix, front) != 0 ||
	    memcmp(unit.text + unit.len - back, suffix, back) != 0)
		return false;
	strbuf_clear(out);
	for (size_t i = front; i < unit.len - back; i++) {
		strbuf_add_char(out, unit.text[i]);
		if (unit.text[i] == '\\' && i + 1 < unit.len - back && unit.text[i + 1] == '\\')
			i++;
	}
	return true;
}

/* systemd-machined: "SCOPE=machine-a\\x2db.scope". The cgroup has the name with escapes. */
static void visit_machine(struct names *names, const char *dir, const char *machine)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;
	static const char scope[] = "SCOPE=";
	struct span rest, line;

	/* Beside the machines are links "unit:UNIT" to them. */
	if (strchr(machine, ':'))
		return;
	set_path(names, dir, machine, NULL);
	if (!read_path(names, FILE_BYTES_MOST))
		return;
	rest = (struct span){strbuf_str(&names->text), names->text.len};
	while (scan_line(&rest, &line)) {
		struct span unit = {line.text + strlen(scope), line.len - strlen(scope)};

		if (line.len <= strlen(scope) || memcmp(line.text, scope, strlen(scope)) != 0)
			continue;
		if ((strip_unit(unit, "machine-", ".scope", &key) ||
		     strip_unit(unit, "systemd-nspawn@", ".service", &key)) &&
		    strlen(strbuf_str(&key)) == key.len && strcmp(strbuf_str(&key), machine) != 0) {
			strbuf_clear(&names->name);
			strbuf_add_str(&names->name, machine);
			keep(names, strbuf_str(&key));
		}
	}
}

void host_read_containers(int root_fd, struct host *host)
{
	static const char *const tasks[] = {"run/containerd/io.containerd.runtime.v2.task",
	                                    "run/k3s/containerd/io.containerd.runtime.v2.task"};
	static const char *const lists[] = {
	        "var/lib/containers/storage/overlay-containers/containers.json",
	        "var/lib/containers/storage/overlay-containers/volatile-containers.json",
	        "run/containers/storage/overlay-containers/volatile-containers.json",
	        "var/lib/containers/storage/vfs-containers/containers.json",
	        "var/lib/containers/storage/btrfs-containers/containers.json",
	};
	cleanup_(names_done) struct names names = {.host = host};
	const struct host_map *map = &host->maps[HOST_containers];

	names.root = (struct local_root){root_fd, &names.mounts, true};
	if (local_mounts_read("/proc/self/mountinfo", &names.mounts) < 0)
		return;

	for (size_t i = 0; i < map->count; i++)
		names.used += host_text_cost(map->entries[i].name, strlen(map->entries[i].name)) +
		              host_text_cost(map->entries[i].text, strlen(map->entries[i].text)) +
		              strlen(":,");
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		read_storage(&names, lists[i]);
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		visit_directory(&names, tasks[i], visit_namespace);
	visit_directory(&names, "var/lib/docker/containers", visit_docker);
	visit_directory(&names, "run/systemd/machines", visit_machine);
}
