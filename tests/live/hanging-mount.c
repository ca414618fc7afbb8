// SPDX-License-Identifier: GPL-2.0-or-later
/* hanging-mount - a file system of FUSE with one file, which answers until it is told to hang.
 *
 *	hanging-mount POINT FILE
 *
 * Mounts on POINT a directory with "program", whose bytes are those of FILE, and prints READY. From SIGUSR1 on it takes
 * requests and answers none, as a server does whose network is gone. It ends by SIGTERM, and the kernel then answers all. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REQUEST_BYTES = 1 << 18, PROGRAM = 2 };

static volatile sig_atomic_t hangs;
static int device = -1, file = -1;
static uint64_t file_bytes;
static char request[REQUEST_BYTES], bytes[REQUEST_BYTES];

static void hang(int signal)
{
	(void)signal;
	hangs = 1;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void answer(const struct fuse_in_header *in, int error, const void *data, size_t len)
{
	static char out[sizeof(struct fuse_out_header) + REQUEST_BYTES];
	struct fuse_out_header header = {
	        .len = (uint32_t)(sizeof(header) + len), .error = -error, .unique = in->unique};

	memcpy(out, &header, sizeof(header));
	if (len > 0)
		memcpy(out + sizeof(header), data, len);
	if (write(device, out, sizeof(header) + len) < 0 && errno != ENOENT)
		die("answer");
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
	        .ino = node,
	        .size = node == PROGRAM ? file_bytes : 0,
	        .mode = node == PROGRAM ? S_IFREG | 0755 : S_IFDIR | 0755,
	        .nlink = 1,
	        .blksize = 4096,
	};
}

static void begin(const struct fuse_in_header *in, const struct fuse_init_in *init)
{
	const struct fuse_init_out out = {
	        .major = FUSE_KERNEL_VERSION,
	        .minor = init->minor < FUSE_KERNEL_MINOR_VERSION ? init->minor
	                                                         : FUSE_KERNEL_MINOR_VERSION,
	        .max_readahead = 65536,
	        .max_write = 65536,
	};

	answer(in, 0, &out, sizeof(out));
}

static void look_up(const struct fuse_in_header *in, const char *name)
{
	const struct fuse_entry_out out = {.nodeid = PROGRAM, .attr = attributes(PROGRAM)};

	if (strcmp(name, "program") == 0)
		answer(in, 0, &out, sizeof(out));
	else
		answer(in, ENOENT, NULL, 0);
}

static void read_file(const struct fuse_in_header *in, const struct fuse_read_in *read)
{
	ssize_t len = pread(file, bytes, read->size < sizeof(bytes) ? read->size : sizeof(bytes),
	                    (off_t)read->offset);

	answer(in, len < 0 ? EIO : 0, bytes, len < 0 ? 0 : (size_t)len);
}

static void serve(const struct fuse_in_header *in, const void *body)
{
	const struct fuse_attr_out attr = {.attr = attributes(in->nodeid)};
	const struct fuse_open_out opened = {0};
	const struct fuse_statfs_out status = {0};

	switch (in->opcode) {
	case FUSE_INIT:
		begin(in, body);
		break;
	case FUSE_LOOKUP:
		look_up(in, body);
		break;
	case FUSE_GETATTR:
		answer(in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		answer(in, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		read_file(in, body);
		break;
	case FUSE_STATFS:
		answer(in, 0, &status, sizeof(status));
		break;
	case FUSE_READDIR:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
		answer(in, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(in, ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = hang};
	char options[128];
	struct stat status;

	if (argc != 3)
		return 2;
	file = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (file < 0 || fstat(file, &status) < 0)
		die(argv[2]);
	file_bytes = (uint64_t)status.st_size;
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (device < 0)
		die("/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
	         device);
	if (mount("hanging", argv[1], "fuse.hanging", 0, options) < 0)
		die("mount");
	sigaction(SIGUSR1, &action, NULL);
	puts("READY");
	fflush(stdout);
	for (;;) {
		ssize_t len = read(device, request, sizeof(request));

		if (len < 0 && errno == ENODEV)
			return 0;
		if (len < (ssize_t)sizeof(struct fuse_in_header) || hangs)
			continue;
		serve((const void *)request, request + sizeof(struct fuse_in_header));
	}
}
