// SPDX-License-Identifier: GPL-2.0-or-later
#include "jemalloc/jemalloc-inspect.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "ctl-call.h"
#include "ctl-tree.h"
#include "debug-file.h"
#include "elf-image.h"
#include "jemalloc-symbols.h"
#include "tsd-members.h"
#include "tsd-place.h"

/* More than any struct tsd_s has. */
enum { MEMBER_OFFSET_MAX = 1 << 20 };

/* A file with more names has its symbols gone through at once. */
enum { NAMES_BYTES_MAX = 1 << 28 };

struct inspection {
	struct elf_file elf;
	struct elf_image image;
	bool has_image;
	struct debug_file debug;
	struct jemalloc_debug_files *debug_files; /* borrowed, may be NULL */
	struct jemalloc_symbols symbols;
	struct tsd_counters counters;
};

static void inspection_done(struct inspection *inspection)
{
	elf_image_done(&inspection->image);
	debug_file_done(&inspection->debug);
	elf_file_close(&inspection->elf);
}

static bool are_members(uint64_t allocated, uint64_t deallocated)
{
	return allocated != deallocated && allocated <= MEMBER_OFFSET_MAX &&
	       deallocated <= MEMBER_OFFSET_MAX && allocated % sizeof(uint64_t) == 0 &&
	       deallocated % sizeof(uint64_t) == 0;
}

static void add_debug_symbols(struct inspection *inspection)
{
	if (!inspection->symbols.has_table &&
	    debug_file_find(&inspection->debug, &inspection->elf, inspection->debug_files))
		jemalloc_symbols_add(&inspection->symbols, &inspection->debug.elf);
}

/* Most files have none of the names, which takes less time to find out than to go through their symbols. */
static void add_symbols(struct inspection *inspection)
{
	const struct elf_names_limits limits = {
	        .bytes = NAMES_BYTES_MAX,
	        .until_ns = clock_now_ns(CLOCK_MONOTONIC) + NS_PER_SECOND,
	};
	struct elf_names names;

	if (elf_names_read(inspection->elf.fd, &limits, &names) == 0 && !names.can_be_jemalloc)
		inspection->symbols.has_table = names.has_table;
	else
		jemalloc_symbols_add(&inspection->symbols, &inspection->elf);
}

static bool has_jemalloc(struct inspection *inspection)
{
	add_symbols(inspection);
	if (!jemalloc_symbols_are_found(&inspection->symbols))
		add_debug_symbols(inspection);
	return jemalloc_symbols_are_found(&inspection->symbols);
}

static int call_pair(struct inspection *inspection, const struct ctl_pair *pair,
                     uint64_t *ret_allocated, uint64_t *ret_deallocated)
{
	int r = ctl_call(&inspection->image, pair->allocatedp, ret_allocated);

	if (r == 0)
		r = ctl_call(&inspection->image, pair->deallocatedp, ret_deallocated);
	if (r == 0 && !are_members(*ret_allocated, *ret_deallocated))
		r = -EINVAL;
	return r;
}

static size_t find_pairs(struct inspection *inspection, struct ctl_pair pairs[CTL_PAIRS_MAX])
{
	const struct jemalloc_symbols *symbols = &inspection->symbols;
	size_t count = ctl_tree_find(&inspection->image, pairs);

	if (count > 0 || symbols->allocatedp.count == 0 || symbols->deallocatedp.count == 0)
		return count;
	pairs[0].allocatedp = symbols->allocatedp.addresses[0];
	pairs[0].deallocatedp = symbols->deallocatedp.addresses[0];
	return 1;
}

/* Runs jemalloc's own functions to get the offsets of the counters. Returns 0, -ENOENT where jemalloc says that it has no
 * counters, -ENODATA where it gives no answer, or -ENOTUNIQ where two jemallocs answer. */
static int ask_code(struct inspection *inspection)
{
	struct ctl_pair pairs[CTL_PAIRS_MAX];
	size_t count = inspection->has_image ? find_pairs(inspection, pairs) : 0;
	bool is_answered = false, has_none = false;

	for (size_t i = 0; i < count; i++) {
		uint64_t allocated, deallocated;
		int r = call_pair(inspection, &pairs[i], &allocated, &deallocated);

		has_none = has_none || r == -ENOENT;
		if (r < 0)
			continue;
		/* Two jemallocs in a file: the data of either would be half the truth. */
		if (is_answered)
			return -ENOTUNIQ;
		is_answered = true;
		inspection->counters.allocated = allocated;
		inspection->counters.deallocated = deallocated;
	}
	if (is_answered)
		return 0;
	return has_none ? -ENOENT : -ENODATA;
}

static int ask_debug_information(struct inspection *inspection)
{
	uint64_t *allocated = &inspection->counters.allocated,
	         *deallocated = &inspection->counters.deallocated;
	int r = tsd_members_find(&inspection->elf, allocated, deallocated);

	if (r < 0 && debug_file_find(&inspection->debug, &inspection->elf, inspection->debug_files))
		r = tsd_members_find(&inspection->debug.elf, allocated, deallocated);
	return r == 0 && are_members(*allocated, *deallocated) ? 0 : -ENODATA;
}

static enum probe_tag find_members(struct inspection *inspection)
{
	int r = ask_code(inspection);

	if (r == -ENOENT)
		return PROBE_TAG_no_counters;
	if (r == -ENODATA)
		r = ask_debug_information(inspection);
	return r == 0 ? PROBE_TAG_ok : PROBE_TAG_dwarf_parse_failure;
}

static void tell_first_segment(const struct elf_file *elf, struct jemalloc_object *object)
{
	uint64_t mask = ~((uint64_t)sysconf(_SC_PAGESIZE) - 1), lowest = UINT64_MAX;

	for (size_t i = 0; i < elf->segment_count; i++) {
		const Elf64_Phdr *segment = &elf->segments[i];

		if (segment->p_type != PT_LOAD || segment->p_vaddr > lowest)
			continue;
		lowest = segment->p_vaddr;
		object->first_address = segment->p_vaddr & mask;
		object->first_offset = segment->p_offset & mask;
	}
}

static enum probe_tag load_image(struct inspection *inspection)
{
	int r = elf_image_load(&inspection->elf, &inspection->image);

	inspection->has_image = r == 0;
	switch (-r) {
	case 0:
	case EFBIG:
		return PROBE_TAG_ok;
	case ENOMEM:
		return PROBE_TAG_out_of_memory;
	case ENOEXEC:
		return PROBE_TAG_elf_malformed;
	}
	return PROBE_TAG_maps_read_failure;
}

static enum probe_tag locate(struct inspection *inspection, struct jemalloc_object *object)
{
	const struct elf_image *image = &inspection->image;
	const struct jemalloc_variable *variable;
	struct tsd_place place;
	enum probe_tag tag = load_image(inspection);

	if (tag == PROBE_TAG_ok)
		tag = find_members(inspection);
	if (tag != PROBE_TAG_ok)
		return tag;
	if (inspection->symbols.variable_count == 0)
		add_debug_symbols(inspection);
	variable = jemalloc_symbols_variable(&inspection->symbols);
	if (!variable && inspection->symbols.variable_count > 0)
		return PROBE_TAG_dwarf_parse_failure;
	tag = tsd_place_find(&inspection->elf, inspection->has_image ? image : NULL, variable,
	                     &inspection->counters, &place);
	if (tag != PROBE_TAG_ok)
		return tag;
	object->has_slot = place.has_slot;
	object->slot_address = place.slot_address;
	object->allocated = place.offset + (int64_t)inspection->counters.allocated;
	object->deallocated = place.offset + (int64_t)inspection->counters.deallocated;
	tell_first_segment(&inspection->elf, object);
	return PROBE_TAG_ok;
}

static enum probe_tag inspect(struct inspection *inspection, int fd, unsigned machine,
                              struct jemalloc_object *object)
{
	const struct elf_file *elf = &inspection->elf;
	int r = elf_file_open(fd, &inspection->elf);

	if (r < 0)
		return r == -ENOEXEC ? PROBE_TAG_jemalloc_not_found : PROBE_TAG_maps_read_failure;
	if (elf->is_foreign || elf->machine != (machine ? machine : (unsigned)OWN_MACHINE))
		return PROBE_TAG_arch_mismatch;
	if (elf->type != ET_EXEC && elf->type != ET_DYN)
		return PROBE_TAG_jemalloc_not_found;
	object->is_found = has_jemalloc(inspection);
	return object->is_found ? locate(inspection, object) : PROBE_TAG_jemalloc_not_found;
}

void jemalloc_inspect(int fd, unsigned machine, struct jemalloc_debug_files *debug_files,
                      struct jemalloc_object *ret_object)
{
	cleanup_(inspection_done) struct inspection inspection = {
	        .elf = ELF_FILE_INIT,
	        .debug = DEBUG_FILE_INIT,
	        .debug_files = debug_files,
	};

	*ret_object = (struct jemalloc_object){0};
	ret_object->tag = inspect(&inspection, fd, machine, ret_object);
}
