// SPDX-License-Identifier: GPL-2.0-or-later
/* refuse - runs a program to which the kernel refuses one system call, by a seccomp filter, so that what it does
 * without that call can be seen.
 *
 *	refuse socket|send|receive|bpf ERROR PROGRAM ARGUMENT...
 *
 * socket refuses netlink sockets only, send and receive refuse what netlink sockets are used with, bpf all of bpf(2). ERROR is the number
 * of the error. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CALLS_MAX = 4, FILTER_MAX = 16 };

struct filter {
	struct sock_filter code[FILTER_MAX];
	unsigned short len;
};

static void add(struct filter *filter, struct sock_filter instruction)
{
	filter->code[filter->len++] = instruction;
}

static void load(struct filter *filter, size_t offset)
{
	add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

/* Two instructions that refuse where the value loaded is @value, and go on otherwise. */
static void refuse_if(struct filter *filter, unsigned value, unsigned error)
{
	add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
	add(filter,
	    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & 0xffff)));
}

static void build(struct filter *filter, const char *what, unsigned error)
{
	load(filter, offsetof(struct seccomp_data, nr));
	if (strcmp(what, "socket") == 0) {
		/* Skips the test of the family, and its load, where it is another call. */
		add(filter,
		    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3));
		load(filter, offsetof(struct seccomp_data, args[0]));
		refuse_if(filter, AF_NETLINK, error);
	} else if (strcmp(what, "send") == 0) {
		refuse_if(filter, SYS_sendto, error);
		refuse_if(filter, SYS_sendmsg, error);
		refuse_if(filter, SYS_sendmmsg, error);
	} else if (strcmp(what, "receive") == 0) {
		refuse_if(filter, SYS_recvfrom, error);
		refuse_if(filter, SYS_recvmsg, error);
		refuse_if(filter, SYS_recvmmsg, error);
	} else if (strcmp(what, "bpf") == 0) {
		refuse_if(filter, SYS_bpf, error);
	} else {
		fprintf(stderr, "refuse: no such call: %s\n", what);
		exit(2);
	}
	add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

int main(int argc, char **argv)
{
	struct filter filter = {.len = 0};
	struct sock_fprog program;

	if (argc < 4) {
		fputs("Usage: refuse socket|send|receive|bpf ERROR PROGRAM ARGUMENT...\n", stderr);
		return 2;
	}
	build(&filter, argv[1], (unsigned)atoi(argv[2]));
	program = (struct sock_fprog){.len = filter.len, .filter = filter.code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0) {
		fprintf(stderr, "refuse: no seccomp filter: %s\n", strerror(errno));
		return 77;
	}
	execvp(argv[3], argv + 3);
	fprintf(stderr, "refuse: %s: %s\n", argv[3], strerror(errno));
	return 127;
}
