// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/mount-layers.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The kernel stacks no more overlays upon one another (FILESYSTEM_MAX_STACK_DEPTH). */
enum { DEPTH_MAX = 2 };

struct mounted {
	struct mount_line mount;
	struct mounted *below; /* at the same place */
};

void mount_layers_init(struct mount_layers *layers, const char *text, size_t len)
{
	struct span rest = {text, len}, line;
	struct mount_line mount;

	*layers = (struct mount_layers){STRMAP_INIT};
	while (scan_line(&rest, &line)) {
		struct strmap_entry *entry;
		struct mounted *mounted;

		if (!mount_line_parse(line, &mount))
			continue;
		entry = strmap_add(&layers->by_point, mount.point.text, mount.point.len);
		mounted = mem_calloc(1, sizeof(*mounted));
		*mounted = (struct mounted){mount, entry->value};
		entry->value = mounted;
	}
}

void mount_layers_done(struct mount_layers *layers)
{
	for (size_t i = 0; i < layers->by_point.count; i++) {
		struct mounted *mounted = layers->by_point.entries[i].value;

		while (mounted) {
			struct mounted *below = mounted->below;

			free(mounted);
			mounted = below;
		}
	}
	strmap_done(&layers->by_point);
}

/* Removes the piece up to the next separator from the front of @rest. Returns false at the end. */
static bool split(struct span *rest, char separator, struct span *ret_piece)
{
	const char *end;

	if (rest->len == 0)
		return false;
	end = memchr(rest->text, separator, rest->len);
	*ret_piece = (struct span){rest->text, end ? (size_t)(end - rest->text) : rest->len};
	*rest = end ? (struct span){end + 1, rest->len - ret_piece->len - 1}
	            : (struct span){rest->text + rest->len, 0};
	return true;
}

static bool is_plain(struct span path)
{
	struct span rest = {path.text + 1, path.len - 1}, name;

	if (*path.text != '/' || memchr(path.text, '\\', path.len))
		return false;
	while (split(&rest, '/', &name))
		if (name.len == 0 || span_is(name, ".") || span_is(name, ".."))
			return false;
	return true;
}

/* Returns the upper one of the mounts at the place that is not the overlay itself, or NULL. */
static const struct mount_line *find_at(const struct mount_layers *layers, struct span point,
                                        const struct mount_line *overlay)
{
	const struct mounted *mounted = strmap_get(&layers->by_point, point.text, point.len);

	while (mounted && mounted->mount.device.major == overlay->device.major &&
	       mounted->mount.device.minor == overlay->device.minor)
		mounted = mounted->below;
	return mounted ? &mounted->mount : NULL;
}

/* Returns the mount that has the path, or NULL. The overlay may lie upon one of its layers. */
static const struct mount_line *find_mount(const struct mount_layers *layers, struct span path,
                                           const struct mount_line *overlay)
{
	const struct mount_line *mount = NULL;

	while (path.len > 0 && !mount) {
		mount = find_at(layers, path, overlay);
		do
			path.len--;
		while (path.len > 0 && path.text[path.len] != '/');
	}
	return mount ? mount : find_at(layers, (struct span){"/", 1}, overlay);
}

static bool is_local(const struct mount_layers *layers, const struct mount_line *mount, int depth);

static bool are_paths_local(const struct mount_layers *layers, const struct mount_line *overlay,
                            struct span paths, int depth)
{
	struct span path;

	/* Layers of data alone have two colons before them. */
	while (split(&paths, ':', &path))
		if (path.len > 0 && (!is_plain(path) ||
		                     !is_local(layers, find_mount(layers, path, overlay), depth)))
			return false;
	return true;
}

static bool has_layer(struct span option, struct span *ret_paths)
{
	static const char *const names[] = {"lowerdir=", "lowerdir+=", "datadir+=", "upperdir="};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i]);

		if (option.len >= len && memcmp(option.text, names[i], len) == 0) {
			*ret_paths = (struct span){option.text + len, option.len - len};
			return true;
		}
	}
	return false;
}

static bool is_local(const struct mount_layers *layers, const struct mount_line *mount, int depth)
{
	struct span options, option, paths;
	bool has_layers = false;

	if (!mount || mount->kind != FILE_SYSTEM_STACKED)
		return mount && mount->kind == FILE_SYSTEM_LOCAL;
	if (span_is(mount->point, "/"))
		return true;
	for (options = mount->options; split(&options, ',', &option);) {
		if (!has_layer(option, &paths))
			continue;
		if (depth == 0 || !are_paths_local(layers, mount, paths, depth - 1))
			return false;
		has_layers = true;
	}
	return has_layers;
}

bool mount_layers_are_local(const struct mount_layers *layers, const struct mount_line *overlay)
{
	return is_local(layers, overlay, DEPTH_MAX);
}
