// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctl-call.h"

/* Unicorn is large, and costs every program that is linked to it some milliseconds at its start, so it is loaded when
 * the first jemalloc is there. */

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unicorn/unicorn.h>

#include "base/library.h"
#include "base/mem.h"

enum {
	INSTRUCTIONS_MAX = 100000,
	/* The layout of memory of our own, which is one block. */
	THREAD_AT = 0x8000, /* the thread pointer, with zeros on both sides */
	STACK_AT = 0x38000, /* it grows down */
	RESULT_AT = 0x40000,
	LENGTH_AT = 0x40010,
	RETURN_AT = 0x50000,
	DATA_AT = 0x60000, /* the thread's data, of jemalloc */
	MOVED_DATA_AT = 0xa1040,
	DATA_BYTES = 0x40000,
	BLOCK_BYTES = 0x100000,
	LIBRARY_BYTES = (1 << 30) + (64 << 20), /* more than the library reserves */
	CTL_NO_ENTRY = 2,                       /* ENOENT of the target */
};

/* The functions of the library that are used here. */
struct unicorn {
	__typeof__(uc_open) *open;
	__typeof__(uc_close) *close;
	__typeof__(uc_mem_map) *map;
	__typeof__(uc_mem_map_ptr) *map_bytes;
	__typeof__(uc_mem_read) *read;
	__typeof__(uc_mem_write) *write;
	__typeof__(uc_reg_read) *read_register;
	__typeof__(uc_reg_write) *write_register;
	__typeof__(uc_emu_start) *start;
};

struct machine {
	struct unicorn library;
	uc_engine *engine;
	bool is_arm;
	uint64_t block; /* where our own memory is */
};

/* It stays loaded, for the next file. */
static bool load(struct unicorn *unicorn)
{
	void *library = library_open("libunicorn.so.2");

	return library && library_find(library, "uc_open", &unicorn->open) &&
	       library_find(library, "uc_close", &unicorn->close) &&
	       library_find(library, "uc_mem_map", &unicorn->map) &&
	       library_find(library, "uc_mem_map_ptr", &unicorn->map_bytes) &&
	       library_find(library, "uc_mem_read", &unicorn->read) &&
	       library_find(library, "uc_mem_write", &unicorn->write) &&
	       library_find(library, "uc_reg_read", &unicorn->read_register) &&
	       library_find(library, "uc_reg_write", &unicorn->write_register) &&
	       library_find(library, "uc_emu_start", &unicorn->start);
}

static void machine_done(struct machine *machine)
{
	if (machine->engine)
		(void)machine->library.close(machine->engine);
}

static bool write_register(struct machine *machine, int id, uint64_t value)
{
	return machine->library.write_register(machine->engine, id, &value) == UC_ERR_OK;
}

static bool write_word(struct machine *machine, uint64_t address, uint64_t word)
{
	return machine->library.write(machine->engine, address, &word, sizeof(word)) == UC_ERR_OK;
}

/* Somewhere beside the image. */
static uint64_t place_block(const struct elf_image *image)
{
	const uint64_t low = (uint64_t)1 << 40, high = (uint64_t)2 << 40;

	return image->address >= high || image->address + image->size <= low ? low : high;
}

static bool set_up(struct machine *machine, const struct elf_image *image)
{
	const uint64_t floating_point_is_allowed = (uint64_t)3 << 20;
	struct unicorn *unicorn = &machine->library;

	machine->is_arm = image->file->machine == EM_AARCH64;
	machine->block = place_block(image);
	if (unicorn->open(machine->is_arm ? UC_ARCH_ARM64 : UC_ARCH_X86,
	                  machine->is_arm ? UC_MODE_ARM : UC_MODE_64,
	                  &machine->engine) != UC_ERR_OK) {
		machine->engine = NULL;
		return false;
	}
	if (unicorn->map_bytes(machine->engine, image->address, image->size, UC_PROT_ALL,
	                       image->bytes) != UC_ERR_OK ||
	    unicorn->map(machine->engine, machine->block, BLOCK_BYTES, UC_PROT_ALL) != UC_ERR_OK)
		return false;
	return !machine->is_arm ||
	       write_register(machine, UC_ARM64_REG_CPACR_EL1, floating_point_is_allowed);
}

/* int ctl(tsd, mib = NULL, miblen = 0, oldp, oldlenp, newp = NULL, newlen = 0) */
static bool pass_arguments(struct machine *machine, uint64_t data)
{
	static const int x86[] = {UC_X86_REG_RDI, UC_X86_REG_RSI, UC_X86_REG_RDX,
	                          UC_X86_REG_RCX, UC_X86_REG_R8,  UC_X86_REG_R9};
	static const int arm[] = {UC_ARM64_REG_X0, UC_ARM64_REG_X1, UC_ARM64_REG_X2,
	                          UC_ARM64_REG_X3, UC_ARM64_REG_X4, UC_ARM64_REG_X5};
	const uint64_t values[] = {
	        data, 0, 0, machine->block + RESULT_AT, machine->block + LENGTH_AT, 0};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (!write_register(machine, machine->is_arm ? arm[i] : x86[i], values[i]))
			return false;
	if (machine->is_arm)
		return write_register(machine, UC_ARM64_REG_X6, 0) &&
		       write_register(machine, UC_ARM64_REG_SP, machine->block + STACK_AT) &&
		       write_register(machine, UC_ARM64_REG_X30, machine->block + RETURN_AT) &&
		       write_register(machine, UC_ARM64_REG_TPIDR_EL0, machine->block + THREAD_AT);
	/* The stack as right after a call: the return address, and above it the seventh argument. */
	return write_word(machine, machine->block + STACK_AT - 8, machine->block + RETURN_AT) &&
	       write_word(machine, machine->block + STACK_AT, 0) &&
	       write_register(machine, UC_X86_REG_RSP, machine->block + STACK_AT - 8) &&
	       write_register(machine, UC_X86_REG_FS_BASE, machine->block + THREAD_AT);
}

static int call(struct machine *machine, uint64_t function, uint64_t data, uint64_t *ret_offset)
{
	struct unicorn *unicorn = &machine->library;
	uint64_t result, address, program_counter;

	if (!pass_arguments(machine, data) || !write_word(machine, machine->block + RESULT_AT, 0) ||
	    !write_word(machine, machine->block + LENGTH_AT, sizeof(uint64_t)) ||
	    unicorn->start(machine->engine, function, machine->block + RETURN_AT, 0,
	                   INSTRUCTIONS_MAX) != UC_ERR_OK ||
	    unicorn->read_register(machine->engine,
	                           machine->is_arm ? UC_ARM64_REG_PC : UC_X86_REG_RIP,
	                           &program_counter) != UC_ERR_OK ||
	    program_counter != machine->block + RETURN_AT ||
	    unicorn->read_register(machine->engine,
	                           machine->is_arm ? UC_ARM64_REG_X0 : UC_X86_REG_RAX,
	                           &result) != UC_ERR_OK ||
	    unicorn->read(machine->engine, machine->block + RESULT_AT, &address, sizeof(address)) !=
	            UC_ERR_OK)
		return -EINVAL;
	if ((uint32_t)result == CTL_NO_ENTRY && address == 0)
		return -ENOENT;
	if ((uint32_t)result != 0 || address < data || address - data > DATA_BYTES - 8)
		return -EINVAL;
	*ret_offset = address - data;
	return 0;
}

/* The library crashes where it cannot reserve its memory. */
static void check_memory(void)
{
	void *memory = mmap(NULL, LIBRARY_BYTES, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		mem_exhausted();
	(void)munmap(memory, LIBRARY_BYTES);
}

/* Calls the function twice, with the data in two places, so that the answer depends on them and on nothing else. */
static int call_twice(const struct elf_image *image, uint64_t function, uint64_t *ret_offset)
{
	cleanup_(machine_done) struct machine machine = {0};
	uint64_t offset = 0, moved = 0;
	int r;

	if (!load(&machine.library))
		return -EOPNOTSUPP;
	check_memory();
	if (!set_up(&machine, image))
		return -EINVAL;
	r = call(&machine, function, machine.block + DATA_AT, &offset);
	if (r < 0)
		return r;
	r = call(&machine, function, machine.block + MOVED_DATA_AT, &moved);
	if (r < 0)
		return r;
	if (offset != moved || offset % sizeof(uint64_t) != 0)
		return -EINVAL;
	*ret_offset = offset;
	return 0;
}

int ctl_call(const struct elf_image *image, uint64_t function, uint64_t *ret_offset)
{
	int r;

	mem_watch();
	r = call_twice(image, function, ret_offset);
	if (r < 0)
		mem_watch_end();
	return r;
}
