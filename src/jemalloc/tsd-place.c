// SPDX-License-Identifier: GPL-2.0-or-later
#include "tsd-place.h"

/* The thread-local storage of an executable lies at a distance from the thread pointer that the linker has set. A shared
 * object can ask for the same, but the loader chooses its distance, and stores it at the place of a relocation. */

#include <string.h>

enum {
	TARGETS_MAX = 64,
	TLS_BYTES_MAX = 1 << 30,
	ARM_HEADER_BYTES = 16,
	/* Less than any struct tsd_s has, which are some 2000 and more. */
	TSD_BYTES_MIN = 1024,
	/* The number of the state "not yet": 4 to 6 up to now, and never one of those in use. */
	STATE_MIN = 4,
	STATE_MAX = 15,
};

/* A place in the storage that the file reaches from the thread pointer. */
struct target {
	uint64_t offset;
	uint64_t slot;
	bool is_own;   /* no other file's variable can take its place */
	bool is_named; /* for other files, and not as jemalloc's is */
};

struct targets {
	const struct elf_image *image;
	size_t count;
	bool are_too_many;
	bool has_dynamic; /* there is storage of the file's own that is reached in another way */
	struct target targets[TARGETS_MAX];
};

static bool is_executable(const struct elf_file *file, const struct elf_image *image)
{
	return file->type == ET_EXEC || elf_file_segment(file, PT_INTERP) ||
	       (image && (elf_image_dynamic(image, DT_FLAGS_1) & DF_1_PIE));
}

static bool is_sane(const Elf64_Phdr *storage)
{
	uint64_t align = storage->p_align;

	return storage->p_memsz <= TLS_BYTES_MAX && align <= TLS_BYTES_MAX &&
	       (align & (align - 1)) == 0;
}

/* The start of an executable's storage seen from the thread pointer: below it, aligned as the file's own addresses are, on
 * x86-64; above it and two words of the thread library's on aarch64. */
static int64_t start_of_storage(const struct elf_file *file, const Elf64_Phdr *storage)
{
	uint64_t mask = storage->p_align > 0 ? storage->p_align - 1 : 0;

	if (file->machine == EM_AARCH64)
		return (int64_t)(ARM_HEADER_BYTES + ((storage->p_vaddr - ARM_HEADER_BYTES) & mask));
	return -(int64_t)(storage->p_memsz + ((0 - storage->p_vaddr - storage->p_memsz) & mask));
}

static void add_target(struct targets *targets, const struct target *target)
{
	for (size_t i = 0; i < targets->count; i++) {
		struct target *same = &targets->targets[i];

		if (same->offset != target->offset)
			continue;
		if (target->is_own && !same->is_own)
			same->slot = target->slot;
		same->is_own = same->is_own || target->is_own;
		same->is_named = same->is_named || target->is_named;
		return;
	}
	if (targets->count == TARGETS_MAX)
		targets->are_too_many = true;
	else
		targets->targets[targets->count++] = *target;
}

static bool is_dynamic(const struct targets *targets, uint64_t type)
{
	if (targets->image->file->machine == EM_AARCH64)
		return type == R_AARCH64_TLS_DTPMOD || type == R_AARCH64_TLS_DTPREL ||
		       type == R_AARCH64_TLSDESC;
	return type == R_X86_64_DTPMOD64 || type == R_X86_64_DTPOFF64 || type == R_X86_64_TLSDESC;
}

static bool can_be_replaced(const Elf64_Sym *symbol)
{
	return ELF64_ST_BIND(symbol->st_info) != STB_LOCAL &&
	       ELF64_ST_VISIBILITY(symbol->st_other) == STV_DEFAULT;
}

static void add_relocation(void *context, const Elf64_Rela *relocation, const Elf64_Sym *symbol)
{
	struct targets *targets = context;
	bool is_arm = targets->image->file->machine == EM_AARCH64;
	uint64_t type = ELF64_R_TYPE(relocation->r_info);
	struct target target = {
	        .offset = (uint64_t)relocation->r_addend + (symbol ? symbol->st_value : 0),
	        .slot = relocation->r_offset,
	        .is_own = !symbol || !can_be_replaced(symbol),
	        .is_named = symbol && symbol->st_name != 0,
	};

	/* A variable of another file has a symbol that is not defined here. */
	if (ELF64_R_SYM(relocation->r_info) != 0 && !symbol)
		return;
	if (is_dynamic(targets, type))
		targets->has_dynamic = true;
	if (type == (is_arm ? (uint64_t)R_AARCH64_TLS_TPREL : (uint64_t)R_X86_64_TPOFF64) &&
	    elf_image_at(targets->image, relocation->r_offset, sizeof(uint64_t)))
		add_target(targets, &target);
}

/* Returns the first byte of a new thread's storage. */
static uint8_t first_byte(const struct elf_image *image, const Elf64_Phdr *storage, uint64_t at)
{
	const uint8_t *byte = at < storage->p_filesz
	                              ? elf_image_at(image, storage->p_vaddr + at, sizeof(*byte))
	                              : NULL;

	return byte ? *byte : 0;
}

static bool is_zero_at(const struct elf_image *image, const Elf64_Phdr *storage, uint64_t at)
{
	for (size_t i = 0; i < sizeof(uint64_t); i++)
		if (first_byte(image, storage, at + i) != 0)
			return false;
	return true;
}

static bool is_state_at(const struct elf_image *image, const Elf64_Phdr *storage, uint64_t at)
{
	uint8_t state = first_byte(image, storage, at);

	return state >= STATE_MIN && state <= STATE_MAX;
}

/* Returns whether the storage begins like a struct tsd_s: the counters are zero, and the state is "not yet"; it comes first
 * (up to 5.2) or right before the counters. */
static bool is_like_tsd(const struct elf_image *image, const Elf64_Phdr *storage, uint64_t offset,
                        const struct tsd_counters *counters)
{
	uint64_t first = counters->allocated < counters->deallocated ? counters->allocated
	                                                             : counters->deallocated;

	return first >= sizeof(uint64_t) &&
	       is_zero_at(image, storage, offset + counters->allocated) &&
	       is_zero_at(image, storage, offset + counters->deallocated) &&
	       (is_state_at(image, storage, offset) ||
	        is_state_at(image, storage, offset + first - sizeof(uint64_t)));
}

static uint64_t bytes_needed(const struct tsd_counters *counters)
{
	uint64_t last = counters->allocated > counters->deallocated ? counters->allocated
	                                                            : counters->deallocated;

	return last + sizeof(uint64_t);
}

/* Returns the distance from one variable to the next known one. */
static uint64_t room_at(const struct targets *targets, uint64_t offset, uint64_t end)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->targets[i].offset > offset && targets->targets[i].offset < end)
			end = targets->targets[i].offset;
	return offset < end ? end - offset : 0;
}

/* Without a name, the data are where there is room for them, where nothing else is named, and where the storage starts
 * out like them; and all that the file has of its own has to be known. */
static enum probe_tag guess_target(const struct targets *targets, const Elf64_Phdr *storage,
                                   const struct tsd_counters *counters,
                                   const struct target **ret_target)
{
	uint64_t needed = bytes_needed(counters);
	size_t fitting = 0;

	if (targets->count == 0 || targets->has_dynamic)
		return PROBE_TAG_tls_model;
	if (needed < TSD_BYTES_MIN)
		needed = TSD_BYTES_MIN;
	for (size_t i = 0; i < targets->count; i++) {
		const struct target *target = &targets->targets[i];

		if (target->is_named ||
		    room_at(targets, target->offset, storage->p_memsz) < needed ||
		    !is_like_tsd(targets->image, storage, target->offset, counters))
			continue;
		*ret_target = target;
		fitting++;
	}
	return fitting == 1 && !targets->are_too_many ? PROBE_TAG_ok
	                                              : PROBE_TAG_dwarf_parse_failure;
}

/* Any slot does for which the loader takes this file's storage, and one for the data itself in any case. */
static enum probe_tag choose_target(const struct targets *targets, const Elf64_Phdr *storage,
                                    uint64_t offset, const struct target **ret_target)
{
	const struct target *chosen = NULL;

	for (size_t i = 0; i < targets->count; i++) {
		const struct target *target = &targets->targets[i];

		if (target->offset == offset || (!chosen && target->is_own))
			chosen = target;
	}
	if (!chosen)
		return PROBE_TAG_tls_model;
	if (chosen->offset > storage->p_memsz)
		return PROBE_TAG_elf_malformed;
	*ret_target = chosen;
	return PROBE_TAG_ok;
}

static enum probe_tag find_by_slot(const struct elf_image *image, const Elf64_Phdr *storage,
                                   const struct jemalloc_variable *variable,
                                   const struct tsd_counters *counters, struct tsd_place *place)
{
	struct targets targets = {.image = image};
	const struct target *target = NULL;
	enum probe_tag tag;

	elf_image_each_relocation(image, add_relocation, &targets);
	tag = variable ? choose_target(&targets, storage, variable->offset, &target)
	               : guess_target(&targets, storage, counters, &target);
	if (tag != PROBE_TAG_ok)
		return tag;
	place->has_slot = true;
	place->slot_address = target->slot;
	place->offset = variable ? (int64_t)(variable->offset - target->offset) : 0;
	return PROBE_TAG_ok;
}

static bool fits(const struct jemalloc_variable *variable, const Elf64_Phdr *storage,
                 uint64_t bytes)
{
	return variable->offset <= storage->p_memsz &&
	       storage->p_memsz - variable->offset >= bytes &&
	       (variable->size == 0 || variable->size >= bytes);
}

enum probe_tag tsd_place_find(const struct elf_file *file, const struct elf_image *image,
                              const struct jemalloc_variable *variable,
                              const struct tsd_counters *counters, struct tsd_place *ret_place)
{
	const Elf64_Phdr *storage = elf_file_segment(file, PT_TLS);

	*ret_place = (struct tsd_place){0};
	if (!storage)
		return PROBE_TAG_tls_model;
	if (!is_sane(storage) || (variable && !fits(variable, storage, bytes_needed(counters))))
		return PROBE_TAG_elf_malformed;
	/* Only a name that nobody else would give speaks for itself. */
	if (variable && !jemalloc_variable_is_private(variable) &&
	    (!image || !is_like_tsd(image, storage, variable->offset, counters)))
		return PROBE_TAG_dwarf_parse_failure;
	if (!is_executable(file, image))
		return image ? find_by_slot(image, storage, variable, counters, ret_place)
		             : PROBE_TAG_dwarf_parse_failure;
	if (!variable)
		return PROBE_TAG_dwarf_parse_failure;
	ret_place->offset = start_of_storage(file, storage) + (int64_t)variable->offset;
	return PROBE_TAG_ok;
}
