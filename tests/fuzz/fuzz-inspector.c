// SPDX-License-Identifier: GPL-2.0-or-later
/* An executable file and the file of its debugging information, of which the first refers to the second by a build id or by a name
 * and a checksum. The input is the length of the first in four bytes, the lowest first, and then both. Looking into them ends with
 * an answer, and twice with the same. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "fuzz.h"
#include "jemalloc/jemalloc-inspect.h"

enum { LENGTH_BYTES = 4, MACHINE = 62 /* EM_X86_64 on any machine */ };

struct debug_input {
	struct jemalloc_debug_files files; /* must stay the first member */
	int fd;
	unsigned opened;
};

/* Whatever is asked for is the second file. */
static int open_debug(struct jemalloc_debug_files *self, const uint8_t *build_id,
                      size_t build_id_len, const char *link)
{
	struct debug_input *input = (struct debug_input *)self;

	require((build_id && build_id_len > 0) || (link && !strchr(link, '/')),
	        "a file is asked for by what names it");
	input->opened++;
	return fcntl(input->fd, F_DUPFD_CLOEXEC, 0);
}

static int file_of(const uint8_t *bytes, size_t len)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	require(fd >= 0 && fd_write_all(fd, bytes, len) == 0, "the input is in a file");
	return fd;
}

static void check_object(const struct jemalloc_object *object)
{
	require(object->tag < PROBE_TAG_COUNT, "a tag that there is");
	require(object->tag != PROBE_TAG_ok || object->is_found, "what is located was found");
	require(object->tag != PROBE_TAG_ok || object->allocated != object->deallocated,
	        "two counters");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_(fd_closep) int fd = -1, debug_fd = -1;
	struct debug_input input = {.files.open = open_debug};
	struct jemalloc_object first, second;
	size_t len = 0;

	if (size < LENGTH_BYTES)
		return 0;
	for (unsigned i = 0; i < LENGTH_BYTES; i++)
		len |= (size_t)data[i] << 8 * i;
	data += LENGTH_BYTES;
	size -= LENGTH_BYTES;
	len = len < size ? len : size;
	fd = file_of(data, len);
	input.fd = debug_fd = file_of(data + len, size - len);
	jemalloc_inspect(fd, MACHINE, &input.files, &first);
	jemalloc_inspect(fd, MACHINE, &input.files, &second);
	check_object(&first);
	require(first.tag == second.tag && first.allocated == second.allocated &&
	                first.deallocated == second.deallocated &&
	                first.slot_address == second.slot_address,
	        "the same answer twice");
	require(input.opened <= 4, "a file is asked for once by each name");
	return 0;
}
