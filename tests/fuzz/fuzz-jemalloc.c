// SPDX-License-Identifier: GPL-2.0-or-later
/* A file that may be executed, or nearly: whatever it is, looking into it ends with an answer, and twice with the same.
 * Nothing is found in it if its tables of strings have no name of jemalloc's. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "fuzz.h"
#include "jemalloc/elf-names.h"
#include "jemalloc/jemalloc-inspect.h"

static struct jemalloc_object look(int fd)
{
	struct jemalloc_object object;

	jemalloc_inspect(fd, 62, NULL, &object); /* EM_X86_64 on any machine */
	return object;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_(fd_closep) int fd = memfd_create("input", MFD_CLOEXEC);
	struct jemalloc_object first, second;
	const struct elf_names_limits limits = {UINT64_MAX, UINT64_MAX};
	struct elf_names names;

	require(fd >= 0 && fd_write_all(fd, data, size) == 0, "the input is in a file");
	first = look(fd);
	second = look(fd);
	require(first.tag < PROBE_TAG_COUNT, "a tag that there is");
	require(first.tag != PROBE_TAG_ok || first.is_found, "what is located was found");
	require(first.tag != PROBE_TAG_ok || first.allocated != first.deallocated, "two counters");
	require(first.tag == second.tag && first.allocated == second.allocated &&
	                first.deallocated == second.deallocated &&
	                first.slot_address == second.slot_address,
	        "the same answer twice");
	require(elf_names_read(fd, &limits, &names) < 0 || names.can_be_jemalloc || !first.is_found,
	        "a file without the names has no jemalloc");
	return 0;
}
