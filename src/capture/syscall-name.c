// SPDX-License-Identifier: GPL-2.0-or-later
#include "syscall-name.h"

#include <pthread.h>
#include <stddef.h>

#include "base/library.h"
#include "base/mem.h"

enum { NATIVE, NARROW, TABLES, NUMBERS = 1024 };

/* These are numbers of <seccomp.h>, which never change: SCMP_ARCH_NATIVE and the 32-bit architecture beside it, as <linux/audit.h> has it. */
#define ARCH_NATIVE 0
#if defined(__x86_64__)
#define ARCH_NARROW 0x40000003
#elif defined(__aarch64__)
#define ARCH_NARROW 0x40000028
#else
#define ARCH_NARROW 0
#endif

typedef char *resolver(uint32_t architecture, int number);

/* Owned; they stay as long as the program. */
static char *names[TABLES][NUMBERS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The library is small, and stays loaded. */
static void load(void)
{
	void *library = library_open("libseccomp.so.2");
	resolver *resolve;

	if (!library || !library_find(library, "seccomp_syscall_resolve_num_arch", &resolve))
		return;
	for (int number = 0; number < NUMBERS; number++) {
		names[NATIVE][number] = resolve(ARCH_NATIVE, number);
		if (ARCH_NARROW != 0)
			names[NARROW][number] = resolve(ARCH_NARROW, number);
	}
}

void syscall_name_add(uint32_t number, bool is_narrow, struct strbuf *out)
{
	/* On a 32-bit kernel all are. */
	const bool is_other = is_narrow && sizeof(void *) > sizeof(uint32_t);
	const char *name = NULL;

	(void)pthread_once(&once, load);
	if (number < NUMBERS)
		name = names[is_other ? NARROW : NATIVE][number];
	if (name)
		strbuf_add_str(out, name);
	else
		strbuf_addf(out, "#%u", number);
	if (is_other)
		strbuf_add_str(out, " (32-bit)");
}
