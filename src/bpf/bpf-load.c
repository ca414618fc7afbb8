// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf-load.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The numbers of the initial namespaces, which the kernel has fixed. Ids in the records are those of the initial pid
 * namespace. Births are by the clock of the host, while /proc in a time namespace has another one. */
enum { INITIAL_PID_NAMESPACE = 0xeffffffc };
enum { INITIAL_TIME_NAMESPACE = 0xeffffffa };

static int say_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

/* Kernels without time namespaces, before Linux 5.6, have one clock only. */
static bool is_in_initial_namespaces(void)
{
	struct stat status;

	if (stat("/proc/self/ns/time", &status) == 0 &&
	    status.st_ino != (ino_t)INITIAL_TIME_NAMESPACE)
		return false;
	return stat("/proc/self/ns/pid", &status) == 0 &&
	       status.st_ino == (ino_t)INITIAL_PID_NAMESPACE;
}

int bpf_load(int (*load)(void *context), void *context)
{
	libbpf_print_fn_t before;
	int r;

	if (!is_in_initial_namespaces())
		return -EPERM;
	before = libbpf_set_print(say_nothing);
	r = load(context);
	libbpf_set_print(before);
	return r;
}

static const char *const names[] = {
        [BPF_LOADER_KEPT] = "kept",
        [BPF_LOADER_LIGHT] = "light",
        [BPF_LOADER_LIBBPF] = "libbpf",
};

enum bpf_loader bpf_loader_first(void)
{
	const char *wanted = getenv("CTPROF_BPF_LOADER");

	for (unsigned loader = 0; wanted && loader < sizeof(names) / sizeof(names[0]); loader++)
		if (strcmp(names[loader], wanted) == 0)
			return loader;
	return BPF_LOADER_KEPT;
}

const char *bpf_loader_name(enum bpf_loader loader)
{
	return names[loader];
}
