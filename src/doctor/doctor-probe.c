// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/doctor-probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/mount-words.h"
#include "base/rights.h"
#include "base/scan.h"
#include "bpf/task-record.h"
#include "capture/own-proc.h"
#include "doctor-find.h"
#include "host/host-read.h"
#include "procfs/procfs.h"

enum {
	DOCTOR_FILE_BYTES = 4 << 20,
	INITIAL_USER_NS = 0xEFFFFFFDU, /* inode of the initial user namespace */
};

/* Needs no /proc. */
static void find_rights(struct doctor_findings *findings)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &header, sets) == 0)
		findings->effective = ((uint64_t)sets[1].effective << 32) | sets[0].effective;
	for (int c = 0; c < 64; c++)
		if (prctl(PR_CAPBSET_READ, c, 0, 0, 0) == 1)
			findings->bounding |= UINT64_C(1) << c;
	findings->no_new_privileges = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

static void find_executable(int proc_fd, struct doctor_findings *findings)
{
	static const char deleted[] = " (deleted)";
	char path[4096];
	ssize_t len = readlinkat(proc_fd, "self/exe", path, sizeof(path));
	struct statvfs mount;
	struct stat ns;

	if (len > 0 && (size_t)len < sizeof(path) &&
	    !memmem(path, (size_t)len, deleted, strlen(deleted)))
		strbuf_add(&findings->executable, path, (size_t)len);
	if (findings->executable.len > 0 && statvfs(strbuf_str(&findings->executable), &mount) == 0)
		findings->executable_nosuid = (mount.f_flag & ST_NOSUID) != 0;
	findings->in_user_namespace =
	        fstatat(proc_fd, "self/ns/user", &ns, 0) == 0 && ns.st_ino != INITIAL_USER_NS;
}

static enum doctor_hidepid hidepid_of(struct span options)
{
	static const struct {
		const char *text;
		enum doctor_hidepid hidepid;
	} spellings[] = {
	        {"hidepid=1", DOCTOR_HIDEPID_NOACCESS},
	        {"hidepid=noaccess", DOCTOR_HIDEPID_NOACCESS},
	        {"hidepid=2", DOCTOR_HIDEPID_INVISIBLE},
	        {"hidepid=invisible", DOCTOR_HIDEPID_INVISIBLE},
	        {"hidepid=4", DOCTOR_HIDEPID_PTRACEABLE},
	        {"hidepid=ptraceable", DOCTOR_HIDEPID_PTRACEABLE},
	};

	while (options.len > 0) {
		const char *comma = memchr(options.text, ',', options.len);
		struct span word = {options.text,
		                    comma ? (size_t)(comma - options.text) : options.len};

		for (size_t i = 0; i < ARRAY_SIZE(spellings); i++)
			if (span_is(word, spellings[i].text))
				return spellings[i].hidepid;
		options.text += word.len + (comma != NULL);
		options.len -= word.len + (comma != NULL);
	}
	return DOCTOR_HIDEPID_OFF;
}

/* Parses lines such as "22 27 0:21 / /proc rw,relatime shared:5 - proc proc rw,hidepid=2". The last mount is the
 * visible one. */
static void find_mounts(int proc_fd, struct doctor_findings *findings)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, line;

	if (fd_read_all_at(proc_fd, "self/mountinfo", &text, DOCTOR_FILE_BYTES) < 0)
		return;
	rest = (struct span){strbuf_str(&text), text.len};
	while (scan_line(&rest, &line)) {
		struct mount_words mount;

		if (!mount_words_scan(line, &mount) || mount.options.len == 0)
			continue;
		if (span_is(mount.point, "/proc") && span_is(mount.type, "proc"))
			findings->hidepid = hidepid_of(mount.options);
		if (span_is(mount.type, "debugfs"))
			findings->has_debugfs = true;
	}
}

static void find_toggles(int proc_fd, struct doctor_findings *findings)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const char *command_line = host_text(&findings->host, HOST_kernel_cmdline);
	struct span rest, word;

	for (unsigned t = 0; t < DOCTOR_TOGGLE_COUNT; t++) {
		if (fd_read_all_at(proc_fd, doctor_toggle_table[t].file, &text, DOCTOR_FILE_BYTES) <
		    0)
			continue;
		rest = (struct span){strbuf_str(&text), text.len};
		if (!scan_word(&rest, &word))
			continue;
		/* A switch is 0 or 1; any other text is not the kernel's. */
		if (!span_is(word, "0") && !span_is(word, "1"))
			continue;
		findings->toggles[t] = span_is(word, "0") ? DOCTOR_SWITCH_OFF : DOCTOR_SWITCH_ON;
		snprintf(findings->toggle_texts[t], sizeof(findings->toggle_texts[t]), "%.*s",
		         (int)(word.len < 20 ? word.len : 20), word.text);
	}
	rest = (struct span){command_line ? command_line : "",
	                     command_line ? strlen(command_line) : 0};
	while (scan_word(&rest, &word))
		if (span_is(word, "schedstats=enable"))
			findings->schedstats_at_boot = true;
}

static void find_ptrace_scope(int proc_fd, struct doctor_findings *findings)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, word;
	uint64_t scope;

	if (fd_read_all_at(proc_fd, "sys/kernel/yama/ptrace_scope", &text, DOCTOR_FILE_BYTES) < 0)
		return;
	rest = (struct span){strbuf_str(&text), text.len};
	if (scan_word(&rest, &word) && scan_u64(word.text, word.len, &scope) && scope <= 3)
		findings->ptrace_scope = (unsigned)scope;
}

/* Loads a program and unloads it. */
static void find_bpf(struct doctor_findings *findings)
{
	cleanup_(task_record_freep) struct task_record_reader *reader = NULL;

	findings->bpf_error = task_record_open(&reader);
}

/* In a /proc of another namespace, a process outside of it has a link "self" that leads nowhere. */
static bool is_foreign_proc(int proc_fd)
{
	struct stat self;

	return fstatat(proc_fd, "self", &self, AT_SYMLINK_NOFOLLOW) == 0 && !proc_is_own(proc_fd);
}

static void find_kernel_files(int proc_fd, int sys_fd, struct doctor_findings *findings)
{
	cleanup_(sched_ext_done) struct sched_ext sched_ext = {0};
	cleanup_(fd_closep) int features_fd = -1;
	struct psi psi = {0};

	psi_read_host(proc_fd, &psi);
	findings->psi_host = psi_seen(&psi);
	sched_ext_read(sys_fd, &sched_ext);
	findings->sched_ext = sched_ext.present;
	features_fd = openat(sys_fd, "kernel/debug/sched/features", O_RDONLY | O_CLOEXEC);
	findings->sched_features_error = features_fd < 0 ? -errno : 0;
	findings->btf = sys_fd >= 0 && faccessat(sys_fd, "kernel/btf/vmlinux", R_OK, 0) == 0;
}

void doctor_probe(struct doctor_findings *ret_findings)
{
	unused_ cleanup_(rights_lower) bool raised = rights_raise();
	cleanup_(fd_closep) int proc_fd = fd_open_path_at(AT_FDCWD, "/proc");
	cleanup_(fd_closep) int sys_fd = fd_open_path_at(AT_FDCWD, "/sys");
	cleanup_(fd_closep) int cgroup_fd = -1;
	cleanup_(cgroup_mounts_done) struct cgroup_mounts mounts = {0};

	doctor_findings_done(ret_findings);
	find_rights(ret_findings);
	ret_findings->has_proc = proc_fd >= 0 && faccessat(proc_fd, "self/stat", F_OK, 0) == 0;
	ret_findings->proc_is_foreign = is_foreign_proc(proc_fd);
	ret_findings->has_sys = sys_fd >= 0 && faccessat(sys_fd, "kernel", F_OK, 0) == 0;
	cgroup_mounts_find(proc_fd, true, &mounts);
	if (mounts.unified.found)
		cgroup_fd = fd_open_path_at(AT_FDCWD, strbuf_str(&mounts.unified.point));
	host_read(proc_fd, sys_fd, cgroup_fd, true, false, &ret_findings->host);
	cgroup_mounts_set_host(&mounts, &ret_findings->host);
	find_executable(proc_fd, ret_findings);
	find_mounts(proc_fd, ret_findings);
	find_toggles(proc_fd, ret_findings);
	ret_findings->no_jemalloc = !CTPROF_HAS_JEMALLOC;
	find_ptrace_scope(proc_fd, ret_findings);
	find_bpf(ret_findings);
	doctor_find_threads(proc_fd, ret_findings);
	find_kernel_files(proc_fd, sys_fd, ret_findings);
	doctor_find_cgroups(proc_fd, &mounts, ret_findings);
}

int doctor_toggle_enable(enum doctor_toggle toggle)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	cleanup_(fd_closep) int fd = -1;

	strbuf_addf(&path, "/proc/%s", doctor_toggle_table[toggle].file);
	fd = open(strbuf_str(&path), O_WRONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd_write_all(fd, "1\n", 2);
}
