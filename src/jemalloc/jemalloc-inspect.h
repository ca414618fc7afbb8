/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* jemalloc - where the counters of a thread are in the memory of a process, by the file that has jemalloc. Files are
 * untrusted: nothing in them is ever executed, and nothing in them makes us crash or hang. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/local-path.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/probe.h"

/* The ways to read the thread pointers of processes with jemalloc. */
enum jemalloc_mode {
	JEMALLOC_MODE_AUTO,   /* by BPF, or, where that does not work, by stopping each thread */
	JEMALLOC_MODE_PTRACE, /* by stopping each thread */
	JEMALLOC_MODE_OFF,    /* not at all: no process is looked into */
};

/* The knowledge that an ELF file gives. Offsets are those from the thread pointer: %fs on x86-64, TPIDR_EL0 on aarch64. */
struct jemalloc_object {
	enum probe_tag
	        tag;   /* PROBE_TAG_ok; jemalloc_not_found; or why the counters cannot be found */
	bool is_found; /* it has jemalloc, whatever else */
	/* ok only. Both counters are 64 bits wide. Without a slot the offsets are from the thread pointer. With one they are
	 * to be added to the word at slot_address, which the dynamic loader has filled with the offset of a variable. */
	bool has_slot;
	uint64_t slot_address; /* as the file has it, before loading */
	int64_t allocated;
	int64_t deallocated;
	/* The place of the file's first segment, as the file has it: the byte first_offset of the file is loaded at
	 * first_address. Both are multiples of the page size. */
	uint64_t first_address;
	uint64_t first_offset;
};

/* The source of debugging information that is in a file of its own. */
struct jemalloc_debug_files {
	/* Opens the file with this build id (@build_id_len may be 0), or the one named by .gnu_debuglink (@link may be NULL;
	 * it is a file's name with no '/' in it). Returns a descriptor, which the caller closes, or -errno. */
	int (*open)(struct jemalloc_debug_files *self, const uint8_t *build_id, size_t build_id_len,
	            const char *link);
};

/* Looks into an open file, which may be anything. @debug_files may be NULL. @machine is the architecture that it has to
 * be for (EM_X86_64, EM_AARCH64; 0: that of ctprof). */
void jemalloc_inspect(int fd, unsigned machine, struct jemalloc_debug_files *debug_files,
                      struct jemalloc_object *ret_object);

/* The same in a helper process without any rights, so that a file which makes a parser crash or hang costs nothing but
 * that process. */
struct jemalloc_inspector;

/* Never NULL. Nothing is started before the first file. */
struct jemalloc_inspector *jemalloc_inspector_new(void);
struct jemalloc_inspector *jemalloc_inspector_free(struct jemalloc_inspector *inspector);
void jemalloc_inspector_freep(struct jemalloc_inspector **inspector);

/* The helper keeps this descriptor open, that of a struct helper_guard. It is borrowed until the inspector is freed. */
void jemalloc_inspector_set_guard(struct jemalloc_inspector *inspector, int guard_fd);

/* Sets the file systems that files with debugging information may be on. Only local ones are allowed before the first call. */
void jemalloc_inspector_allow(struct jemalloc_inspector *inspector, enum file_systems allowed);

/* Does the same as jemalloc_inspect() with files of the process. Debugging information is looked for below @root, the root directory of the process (or one with -1), and
 * for a debuglink beside @directory, the file's own directory there (or NULL); below this system's root after that. */
void jemalloc_inspector_run(struct jemalloc_inspector *inspector, int fd,
                            const struct local_root *root, const char *directory,
                            struct jemalloc_object *ret_object);
