// SPDX-License-Identifier: GPL-2.0-or-later
#include "tsd-members.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

enum {
	DEPTH_MAX = 4, /* of namespaces and the like around a struct */
	ENTRIES_MAX = 20000000,
	DEBUG_BYTES_MAX = 1 << 30,
};

/* The prefixes of a member's name: since 5.2, and in 5.0 and 5.1. */
static const char *const getter_prefixes[] = {
        "cant_access_tsd_items_directly_use_a_getter_or_setter_",
        "use_a_getter_or_setter_instead_",
};

struct search {
	uint64_t entries; /* looked at */
	bool has_allocated;
	bool has_deallocated;
	uint64_t allocated;
	uint64_t deallocated;
};

static void end_dwarf(Dwarf **dwarf)
{
	if (*dwarf)
		(void)dwarf_end(*dwarf);
}

/* Through a name of its own only: what it refers to may be in another file. */
static const char *name_of(Dwarf_Die *entry)
{
	Dwarf_Attribute attribute;
	const char *name;

	if (!dwarf_attr(entry, DW_AT_name, &attribute) ||
	    dwarf_whatform(&attribute) == DW_FORM_GNU_strp_alt ||
	    dwarf_whatform(&attribute) == DW_FORM_strp_sup)
		return NULL;
	name = dwarf_formstring(&attribute);
	return name;
}

static bool member_offset(Dwarf_Die *member, uint64_t *ret_offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	if (!dwarf_attr(member, DW_AT_data_member_location, &attribute) ||
	    dwarf_formudata(&attribute, &offset) != 0)
		return false;
	*ret_offset = offset;
	return true;
}

static const char *without_prefix(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(getter_prefixes); i++) {
		size_t len = strlen(getter_prefixes[i]);

		if (strncmp(name, getter_prefixes[i], len) == 0)
			return name + len;
	}
	return name;
}

static void read_member(struct search *search, Dwarf_Die *member)
{
	const char *name = dwarf_tag(member) == DW_TAG_member ? name_of(member) : NULL;

	if (!name)
		return;
	name = without_prefix(name);
	if (strcmp(name, "thread_allocated") == 0)
		search->has_allocated = member_offset(member, &search->allocated);
	else if (strcmp(name, "thread_deallocated") == 0)
		search->has_deallocated = member_offset(member, &search->deallocated);
}

static bool next_sibling(struct search *search, Dwarf_Die *entry)
{
	return ++search->entries < ENTRIES_MAX && dwarf_siblingof(entry, entry) == 0;
}

/* Returns whether this is the whole struct, with both members. */
static bool read_struct(struct search *search, Dwarf_Die *entry)
{
	Dwarf_Attribute declaration;
	const char *name = name_of(entry);
	Dwarf_Die member;

	if (!name || strcmp(name, "tsd_s") != 0 ||
	    dwarf_attr(entry, DW_AT_declaration, &declaration) || dwarf_child(entry, &member) != 0)
		return false;
	search->has_allocated = search->has_deallocated = false;
	do {
		read_member(search, &member);
	} while (next_sibling(search, &member));
	return search->has_allocated && search->has_deallocated;
}

static bool search_below(struct search *search, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die entry;

	if (depth >= DEPTH_MAX || dwarf_child(parent, &entry) != 0)
		return false;
	do {
		int tag = dwarf_tag(&entry);

		if (tag == DW_TAG_structure_type && read_struct(search, &entry))
			return true;
		if ((tag == DW_TAG_namespace || tag == DW_TAG_module) &&
		    search_below(search, &entry, depth + 1))
			return true;
	} while (next_sibling(search, &entry));
	return false;
}

int tsd_members_find(const struct elf_file *file, uint64_t *ret_allocated,
                     uint64_t *ret_deallocated)
{
	cleanup_(end_dwarf) Dwarf *dwarf = NULL;
	struct search search = {0};
	Dwarf_CU *unit = NULL;
	Dwarf_Die top;

	if (!elf_file_has_debug_bytes_within(file, DEBUG_BYTES_MAX))
		return -EFBIG;
	mem_watch();
	dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (dwarf)
		(void)dwarf_new_oom_handler(dwarf, mem_exhausted);
	while (dwarf && search.entries < ENTRIES_MAX &&
	       dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &top, NULL) == 0) {
		search.entries++;
		if (search_below(&search, &top, 0)) {
			*ret_allocated = search.allocated;
			*ret_deallocated = search.deallocated;
			return 0;
		}
	}
	mem_watch_end();
	return -ENODATA;
}
