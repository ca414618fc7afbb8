/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* kept-program - a BPF program with the places of all fields filled in for the kernel that runs. Finding these places is
 * most of the cost of loading, and they stay the same until the next boot. So the program is kept in the own directory
 * (own-directory.h), and the next capture gives it to the kernel as it is. The verifier checks it as it does any other.
 *
 * The file is used only if it was made since this boot, from the same object and the same constants. Only root loads
 * programs, and only root can have written in root's directory. */
#include <stddef.h>

#include "ctprof/base/macro.h"

struct bpf_object;
struct bpf_program;

struct kept_program_source {
	const char *name;   /* of the file, and of the program in the kernel */
	const void *object; /* the ELF file that libbpf loads */
	size_t object_bytes;
	const void *constants; /* the section .rodata: set before the program is loaded */
	size_t constants_bytes;
	size_t variables_bytes; /* of the section .bss */
};

struct kept_program {
	void *variables; /* the program's own memory, mapped */
	size_t variables_bytes;
	int variables_fd, program_fd, link_fd; /* link_fd: its iterator */
};

#define KEPT_PROGRAM_INIT \
	((struct kept_program){.variables_fd = -1, .program_fd = -1, .link_fd = -1})

/* Loads the program from the file. Returns 0; -ENOENT where there is none of this boot and one can be kept; -ENOTSUP where none
 * can be kept; or another -errno. */
must_check_ int kept_program_load(const struct kept_program_source *source,
                                  struct kept_program *ret_program);

/* Keeps a program that libbpf has loaded. It uses no maps but .rodata and .bss, and nothing of it is loaded without
 * BPF_OBJ_GET_INFO_BY_FD telling the type that it is attached to (Linux 6.0). If it cannot be kept, nothing happens. */
void kept_program_keep(const struct kept_program_source *source, const struct bpf_object *object,
                       const struct bpf_program *program);

/* Closes everything; for cleanup_(kept_program_done). */
void kept_program_done(struct kept_program *program);
