// SPDX-License-Identifier: GPL-2.0-or-later
#include "kept-program.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/output.h"
#include "base/own-directory.h"
#include "ctprof/base/hash.h"

enum {
	BOOT_ID_BYTES = 40,
	INSTRUCTIONS_MAX = 1 << 16,
	FILE_BYTES_MAX = sizeof(struct bpf_insn) * INSTRUCTIONS_MAX + 4096,
};

/* The maps, by the numbers that are in the kept instructions where a loaded program has descriptors. */
enum kept_map { MAP_CONSTANTS, MAP_VARIABLES, MAPS };

struct kept_header {
	char magic[16];
	char boot_id[BOOT_ID_BYTES];
	uint64_t object_hash, constants_hash, instructions_hash;
	uint32_t attach_type_id; /* in the kernel's own types */
	uint32_t count;          /* of instructions, which follow */
};

static const char magic[16] = "ctprof bpf 1";

/* A seed of zeros: the same bytes have the same hash in every run. */
static uint64_t hash_of(const void *bytes, size_t len)
{
	static const struct hash_seed everywhere;

	return hash_bytes(&everywhere, bytes, len);
}

/* The hash of the instructions, which covers the rest of what the kernel is given. */
static uint64_t hash_of_instructions(const struct kept_header *header, const void *instructions)
{
	const struct hash_seed seed = {{header->attach_type_id, header->count}};

	return hash_bytes(&seed, instructions, header->count * sizeof(struct bpf_insn));
}

static int bpf_call(enum bpf_cmd command, union bpf_attr *attributes)
{
	long r = syscall(SYS_bpf, command, attributes, sizeof(*attributes));

	return r < 0 ? -errno : (int)r;
}

/* Makes the header that a file of this boot and this source has, without the fields about instructions. */
static int make_header(const struct kept_program_source *source, struct kept_header *ret_header)
{
	struct kept_header header = {
	        .object_hash = hash_of(source->object, source->object_bytes),
	        .constants_hash = hash_of(source->constants, source->constants_bytes),
	};
	size_t len;
	int r = fd_read_begin_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", header.boot_id,
	                         sizeof(header.boot_id) - 1, &len);

	if (r < 0)
		return r;
	memcpy(header.magic, magic, sizeof(magic));
	*ret_header = header;
	return 0;
}

/* A map with one element. */
static int make_map(const void *value, size_t bytes, uint32_t flags)
{
	const uint32_t key = 0;
	union bpf_attr attributes = {
	        .map_type = BPF_MAP_TYPE_ARRAY,
	        .key_size = sizeof(key),
	        .value_size = (uint32_t)bytes,
	        .max_entries = 1,
	        .map_flags = flags,
	};
	int fd = bpf_call(BPF_MAP_CREATE, &attributes), r;

	if (fd < 0 || !value)
		return fd;
	attributes = (union bpf_attr){
	        .map_fd = (uint32_t)fd, .key = (uintptr_t)&key, .value = (uintptr_t)value};
	r = bpf_call(BPF_MAP_UPDATE_ELEM, &attributes);
	attributes = (union bpf_attr){.map_fd = (uint32_t)fd};
	/* The verifier takes the content of a frozen map for constants. */
	if (r >= 0)
		r = bpf_call(BPF_MAP_FREEZE, &attributes);
	if (r < 0)
		fd_closep(&fd);
	return r < 0 ? r : fd;
}

static size_t whole_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

static bool names_map(const struct bpf_insn *instruction)
{
	return instruction->code == (BPF_LD | BPF_IMM | BPF_DW) &&
	       (instruction->src_reg == BPF_PSEUDO_MAP_FD ||
	        instruction->src_reg == BPF_PSEUDO_MAP_VALUE);
}

/* Puts other numbers in the place of maps. Returns whether all that are named have one. */
static bool replace_maps(struct bpf_insn *instructions, size_t count, const int from[MAPS],
                         const int to[MAPS])
{
	for (size_t i = 0; i < count; i++) {
		unsigned map = 0;

		if (!names_map(&instructions[i]))
			continue;
		while (map < MAPS && from[map] != instructions[i].imm)
			map++;
		if (map == MAPS)
			return false;
		instructions[i].imm = to[map];
	}
	return true;
}

static struct bpf_insn *copy_instructions(const void *bytes, size_t count)
{
	struct bpf_insn *instructions = mem_calloc(count, sizeof(*instructions));

	memcpy(instructions, bytes, count * sizeof(*instructions));
	return instructions;
}

static const int kept_maps[MAPS] = {MAP_CONSTANTS, MAP_VARIABLES};

static int load_program(const struct kept_program_source *source, const struct kept_header *header,
                        struct bpf_insn *instructions, const int maps[MAPS])
{
	union bpf_attr attributes = {
	        .prog_type = BPF_PROG_TYPE_TRACING,
	        .expected_attach_type = BPF_TRACE_ITER,
	        .attach_btf_id = header->attach_type_id,
	        .insns = (uintptr_t)instructions,
	        .insn_cnt = header->count,
	        .license = (uintptr_t) "GPL",
	};

	if (!replace_maps(instructions, header->count, kept_maps, maps))
		return -EBADMSG;
	strncpy(attributes.prog_name, source->name, sizeof(attributes.prog_name) - 1);
	return bpf_call(BPF_PROG_LOAD, &attributes);
}

static int load(const struct kept_program_source *source, const struct kept_header *header,
                struct bpf_insn *instructions, struct kept_program *program)
{
	cleanup_(fd_closep) int constants_fd =
	        make_map(source->constants, source->constants_bytes, BPF_F_RDONLY_PROG);
	union bpf_attr attributes = {0};
	void *variables;

	program->variables_fd = make_map(NULL, source->variables_bytes, BPF_F_MMAPABLE);
	if (constants_fd < 0 || program->variables_fd < 0)
		return constants_fd < 0 ? constants_fd : program->variables_fd;
	program->program_fd = load_program(source, header, instructions,
	                                   (const int[MAPS]){constants_fd, program->variables_fd});
	if (program->program_fd < 0)
		return program->program_fd;
	attributes.link_create.prog_fd = (uint32_t)program->program_fd;
	attributes.link_create.attach_type = BPF_TRACE_ITER;
	program->link_fd = bpf_call(BPF_LINK_CREATE, &attributes);
	if (program->link_fd < 0)
		return program->link_fd;
	variables = mmap(NULL, whole_pages(source->variables_bytes), PROT_READ | PROT_WRITE,
	                 MAP_SHARED, program->variables_fd, 0);
	if (variables == MAP_FAILED)
		return -errno;
	program->variables = variables;
	program->variables_bytes = whole_pages(source->variables_bytes);
	return 0;
}

/* Reads the file. Returns 0, -ENOENT if there is none that fits, or another -errno. */
static int read_file(int dir_fd, const struct kept_program_source *source, struct strbuf *file,
                     struct kept_header *ret_header)
{
	struct kept_header header, wanted;
	int r = make_header(source, &wanted);

	if (r < 0)
		return r;
	r = fd_read_all_at(dir_fd, source->name, file, FILE_BYTES_MAX);
	if (r < 0)
		return r;
	if (file->len < sizeof(header))
		return -ENOENT;
	memcpy(&header, file->data, sizeof(header));
	wanted.attach_type_id = header.attach_type_id;
	wanted.count = header.count;
	wanted.instructions_hash = header.instructions_hash;
	if (memcmp(&header, &wanted, sizeof(header)) != 0 || header.count > INSTRUCTIONS_MAX ||
	    file->len != sizeof(header) + header.count * sizeof(struct bpf_insn) ||
	    hash_of_instructions(&header, file->data + sizeof(header)) != header.instructions_hash)
		return -ENOENT;
	*ret_header = header;
	return 0;
}

int kept_program_load(const struct kept_program_source *source, struct kept_program *ret_program)
{
	cleanup_(kept_program_done) struct kept_program program = KEPT_PROGRAM_INIT;
	cleanup_(fd_closep) int dir_fd = geteuid() == 0 ? own_directory_open() : -1;
	cleanup_(mem_freep) struct bpf_insn *instructions = NULL;
	cleanup_(strbuf_done) struct strbuf file = STRBUF_INIT;
	struct kept_header header;
	int r;

	if (dir_fd < 0)
		return -ENOTSUP;
	r = read_file(dir_fd, source, &file, &header);
	if (r == -ENOENT && faccessat(dir_fd, ".", W_OK, AT_EACCESS) < 0)
		return -ENOTSUP;
	if (r < 0)
		return r;
	instructions = copy_instructions(file.data + sizeof(header), header.count);
	r = load(source, &header, instructions, &program);
	if (r < 0)
		return r;
	*ret_program = program;
	program = KEPT_PROGRAM_INIT;
	return 0;
}

void kept_program_done(struct kept_program *program)
{
	if (program->variables)
		munmap(program->variables, program->variables_bytes);
	fd_closep(&program->link_fd);
	fd_closep(&program->program_fd);
	fd_closep(&program->variables_fd);
	*program = KEPT_PROGRAM_INIT;
}

/* Returns the descriptors of the two maps by the ends of their names: libbpf puts a part of the object's name in front. */
static void find_maps(const struct bpf_object *object, int ret_maps[MAPS])
{
	static const char *const names[MAPS] = {".rodata", ".bss"};
	const struct bpf_map *map;

	for (unsigned i = 0; i < MAPS; i++)
		ret_maps[i] = -1;
	bpf_object__for_each_map(map, object)
	{
		const char *end = strrchr(bpf_map__name(map), '.');

		for (unsigned i = 0; end && i < MAPS; i++)
			if (strcmp(end, names[i]) == 0)
				ret_maps[i] = bpf_map__fd(map);
	}
}

static uint32_t attach_type_id_of(const struct bpf_program *program)
{
	struct bpf_prog_info info = {0};
	union bpf_attr attributes = {0};

	attributes.info.bpf_fd = (uint32_t)bpf_program__fd(program);
	attributes.info.info_len = sizeof(info);
	attributes.info.info = (uintptr_t)&info;
	return bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attributes) < 0 ? 0 : info.attach_btf_id;
}

static void write_file(int dir_fd, const char *name, const struct kept_header *header,
                       const struct bpf_insn *instructions)
{
	cleanup_(output_done) struct output output = OUTPUT_INIT;

	if (output_open_at(&output, dir_fd, name, OUTPUT_PRIVATE) == 0 &&
	    output.sink.write(&output.sink, header, sizeof(*header)) == 0 &&
	    output.sink.write(&output.sink, instructions, header->count * sizeof(*instructions)) ==
	            0)
		(void)!output_commit(&output);
}

void kept_program_keep(const struct kept_program_source *source, const struct bpf_object *object,
                       const struct bpf_program *program)
{
	size_t count = bpf_program__insn_cnt(program);
	cleanup_(fd_closep) int dir_fd = own_directory_open();
	cleanup_(mem_freep) struct bpf_insn *instructions = NULL;
	struct kept_header header;
	int maps[MAPS];

	if (dir_fd < 0 || count > INSTRUCTIONS_MAX || make_header(source, &header) < 0)
		return;
	header.attach_type_id = attach_type_id_of(program);
	header.count = (uint32_t)count;
	instructions = copy_instructions(bpf_program__insns(program), count);
	find_maps(object, maps);
	if (header.attach_type_id == 0 || !replace_maps(instructions, count, maps, kept_maps))
		return;
	header.instructions_hash = hash_of_instructions(&header, instructions);
	write_file(dir_fd, source->name, &header, instructions);
}
