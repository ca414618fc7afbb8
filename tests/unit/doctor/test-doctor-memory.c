// SPDX-License-Identifier: GPL-2.0-or-later
/* The findings of doctor about other processes' memory, and about BPF. */
#include "check.h"

#include <errno.h>

#include "doctors.h"

static void test_bpf(void **state)
{
	struct doctor_findings *findings = doctor_healthy();

	(void)state;
	findings->bpf_error = -EOPNOTSUPP;
	doctor_check(findings, DOCTOR_bpf, DOCTOR_NOT, "this ctprof was built without BPF",
	             DOCTOR_FIX_NONE, "");
	findings = doctor_healthy();
	findings->bpf_error = -EINVAL;
	doctor_check(findings, DOCTOR_bpf, DOCTOR_NOT, "no program can be loaded: Invalid argument",
	             DOCTOR_FIX_NONE, "");
	findings = doctor_healthy();
	findings->btf = false;
	findings->bpf_error = -ENOENT;
	doctor_check(findings, DOCTOR_bpf, DOCTOR_NOT, "no /sys/kernel/btf/vmlinux",
	             DOCTOR_FIX_NONE, "");
}

/* The processes that can be inspected, and the cost for them. */
static void test_jemalloc(void **state)
{
	struct doctor_findings *findings = doctor_healthy();

	(void)state;
	doctor_check(findings, DOCTOR_jemalloc, DOCTOR_AVAILABLE,
	             "by BPF: no thread is stopped for it", DOCTOR_FIX_NONE, "");
	findings = doctor_healthy();
	findings->bpf_error = -EPERM;
	doctor_check(findings, DOCTOR_jemalloc, DOCTOR_AVAILABLE,
	             "each thread is stopped for it, for some 0.1 ms", DOCTOR_FIX_NONE, "");
	findings = doctor_healthy();
	findings->no_jemalloc = true;
	doctor_check(findings, DOCTOR_jemalloc, DOCTOR_NOT,
	             "this ctprof was built without jemalloc", DOCTOR_FIX_NONE, "");
	doctor_check(doctor_nobody(), DOCTOR_jemalloc, DOCTOR_PARTLY,
	             "needs CAP_SYS_PTRACE (9 of 10)", DOCTOR_FIX_COMMAND, doctor_setcap_fix);
	doctor_check(
	        doctor_foreign(), DOCTOR_jemalloc, DOCTOR_NOT, "/proc is of another pid namespace",
	        DOCTOR_FIX_ADVICE,
	        "run ctprof in the pid namespace of /proc, or, for this one's processes only, sudo "
	        "unshare --mount-proc /usr/bin/ctprof");
	findings = doctor_healthy();
	findings->memory_others = (struct doctor_tries){8, 1, 0};
	doctor_check(findings, DOCTOR_jemalloc, DOCTOR_PARTLY,
	             "denied in spite of CAP_SYS_PTRACE (1 of 10)", DOCTOR_FIX_NONE, "");
	findings = doctor_healthy();
	findings->memory_own = findings->memory_others = (struct doctor_tries){0, 0, 9};
	doctor_check(findings, DOCTOR_jemalloc, DOCTOR_NOT,
	             "no process may read another one's memory here", DOCTOR_FIX_KERNEL,
	             "another kernel, built with CONFIG_CROSS_MEMORY_ATTACH=y");
	findings = doctor_nobody();
	findings->hidepid = DOCTOR_HIDEPID_INVISIBLE;
	findings->others = findings->others_shown = 0;
	findings->memory_others = (struct doctor_tries){0};
	doctor_check(findings, DOCTOR_jemalloc, DOCTOR_PARTLY, "/proc is mounted with hidepid=2",
	             DOCTOR_FIX_COMMAND, doctor_setcap_fix);
}

static void test_yama(void **state)
{
	static const char sysctl_fix[] = "sudo sysctl kernel.yama.ptrace_scope=0";
	struct doctor_findings *findings = doctor_nobody();

	(void)state;
	findings->ptrace_scope = 1;
	findings->memory_own = (struct doctor_tries){0, 3, 0};
	doctor_check(findings, DOCTOR_jemalloc, DOCTOR_NOT,
	             "needs CAP_SYS_PTRACE (12 of 12), as kernel.yama.ptrace_scope is 1",
	             DOCTOR_FIX_COMMAND, doctor_setcap_fix);

	/* Without the capability, at least the user's own processes. */
	findings = doctor_nobody();
	findings->ptrace_scope = 2;
	findings->memory_own = (struct doctor_tries){1, 3, 0};
	findings->no_new_privileges = true;
	doctor_check(findings, DOCTOR_jemalloc, DOCTOR_PARTLY,
	             "needs CAP_SYS_PTRACE, and no_new_privs is set (12 of 13), as "
	             "kernel.yama.ptrace_scope is 2",
	             DOCTOR_FIX_COMMAND, sysctl_fix);
	findings = doctor_nobody();
	findings->ptrace_scope = 1;
	findings->memory_own = (struct doctor_tries){0, 3, 0};
	findings->memory_others = (struct doctor_tries){0};
	doctor_check(findings, DOCTOR_jemalloc, DOCTOR_NOT, "kernel.yama.ptrace_scope is 1",
	             DOCTOR_FIX_COMMAND, sysctl_fix);

	/* Own processes can be read, so that the scope is not what is in the way. */
	findings = doctor_nobody();
	findings->ptrace_scope = 1;
	doctor_check(findings, DOCTOR_jemalloc, DOCTOR_PARTLY, "needs CAP_SYS_PTRACE (9 of 10)",
	             DOCTOR_FIX_COMMAND, doctor_setcap_fix);

	/* Not even root. */
	findings = doctor_healthy();
	findings->ptrace_scope = 3;
	findings->memory_own = (struct doctor_tries){0};
	findings->memory_others = (struct doctor_tries){0, 9, 0};
	doctor_check(
	        findings, DOCTOR_jemalloc, DOCTOR_NOT,
	        "kernel.yama.ptrace_scope is 3: nobody may trace processes until the next boot",
	        DOCTOR_FIX_ADVICE,
	        "set kernel.yama.ptrace_scope below 3 in /etc/sysctl.d, and boot again");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_bpf),
	        cmocka_unit_test(test_jemalloc),
	        cmocka_unit_test(test_yama),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
