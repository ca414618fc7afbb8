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
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/scan.h"
#include "bpf/task-record.h"
#include "capture/own-proc.h"
#include "capture/process-read.h"
#include "capture/thread-read.h"
#include "doctor-find.h"
#include "host/host-read.h"
#include "procfs/procfs.h"
#include "taskstats/taskstats.h"

enum {
	DOCTOR_FILE_BYTES = 4 << 20,
	OTHERS_MAX = 64,               /* the most processes of other users that are tried */
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
	enum { POINT = 4, TYPE = 0, OPTIONS = 2 };
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, line;

	if (fd_read_all_at(proc_fd, "self/mountinfo", &text, DOCTOR_FILE_BYTES) < 0)
		return;
	rest = (struct span){strbuf_str(&text), text.len};
	while (scan_line(&rest, &line)) {
		struct span word, point = {0}, fields[OPTIONS + 1] = {{0}};
		bool whole = true;

		for (int i = 0; whole && i <= POINT; i++) {
			whole = scan_word(&line, &word);
			point = word;
		}
		while (whole && !span_is(word, "-"))
			whole = scan_word(&line, &word);
		for (int i = TYPE; whole && i <= OPTIONS; i++)
			whole = scan_word(&line, &fields[i]);
		if (whole && span_is(point, "/proc") && span_is(fields[TYPE], "proc"))
			findings->hidepid = hidepid_of(fields[OPTIONS]);
		if (whole && span_is(fields[TYPE], "debugfs"))
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

/* The readers of threads and processes, as in a capture. */
struct readers {
	int proc_fd;
	struct thread_reader thread;
	struct taskstats_reader taskstats;
	struct process_reader process;
	struct thread_sample sample;
};

static void readers_init(struct readers *readers, int proc_fd, bool live,
                         const struct taskstats_rules *rules)
{
	*readers = (struct readers){.proc_fd = proc_fd};
	thread_reader_init(&readers->thread, proc_fd, live, NULL);
	taskstats_reader_init(&readers->taskstats, live, rules);
	process_reader_init(&readers->process, proc_fd,
	                    &(struct process_wishes){.smaps = CAPTURE_SMAPS_AUTO},
	                    &readers->taskstats);
}

static void readers_done(struct readers *readers)
{
	thread_reader_done(&readers->thread);
	process_reader_done(&readers->process);
	taskstats_reader_done(&readers->taskstats);
	sample_done(&readers->sample);
}

static void count_try(enum source_outcome outcome, struct doctor_tries *tries)
{
	if (outcome == OUTCOME_read)
		tries->read++;
	else if (outcome == OUTCOME_denied)
		tries->denied++;
	else
		tries->failed++;
}

/* Reads the leader of a process, and the process, into the readers' samples. Returns whether the thread could be
 * read. */
static bool read_process(struct readers *readers, uint32_t pid, struct doctor_tries *io,
                         struct doctor_tries *smaps)
{
	cleanup_(fd_closep) int process_fd = -1, task_fd = -1;
	enum source_outcome outcome;
	char name[16];
	int r;

	snprintf(name, sizeof(name), "%u", pid);
	sample_reset(&readers->sample);
	sample_reset(&readers->process.sample);
	process_fd = fd_open_path_at(readers->proc_fd, name);
	if (process_fd < 0)
		return false;
	task_fd = fd_open_path_at(process_fd, "task");
	if (task_fd < 0)
		return false;
	readers->sample.tid = readers->sample.tgid = pid;
	outcome = thread_read(&readers->thread, task_fd, name, &readers->sample);
	if (outcome != OUTCOME_read)
		return outcome == OUTCOME_gone;
	r = process_read(&readers->process, process_fd, pid);
	count_try(readers->sample.outcomes[SOURCE_io], io);
	outcome = readers->process.sample.outcomes[SOURCE_smaps_rollup];
	if (r == 0 && outcome != OUTCOME_unneeded && outcome != OUTCOME_skipped)
		count_try(outcome, smaps);
	return true;
}

static void find_own(struct readers *readers, uint32_t pid, struct doctor_findings *findings)
{
	const struct thread_sample *process = &readers->process.sample;

	if (!read_process(readers, pid, &findings->io_own, &findings->smaps_own))
		return;
	findings->own_seen = readers->sample.seen;
	findings->has_cgroup = readers->sample.has_cgroup;
	findings->cgroup_is_v1 = readers->sample.cgroup_is_v1;
	for (unsigned t = 0; t < PROCESS_TOTAL_COUNT; t++)
		if ((process->process_totals_seen >> t) & 1)
			findings->sources_of_totals |= UINT64_C(1) << process_total_table[t].source;
	/* The I/O of a program that had children before it became this one is unknown; other processes have theirs. */
	if (process->outcomes[SOURCE_process_io] == OUTCOME_off && findings->io_own.read > 0)
		findings->sources_of_totals |= UINT64_C(1) << SOURCE_process_io;
}

/* Root counts every process as another user's, since none is closed to root because of its user. */
static bool is_others(int proc_fd, uint32_t pid)
{
	char name[16];
	struct stat process;

	snprintf(name, sizeof(name), "%u", pid);
	return fstatat(proc_fd, name, &process, 0) == 0 &&
	       (geteuid() == 0 || process.st_uid != geteuid());
}

/* Reads one byte if nothing is mapped: a reader with permission gets EFAULT, and no memory is read. */
static void try_memory(uint32_t pid, struct doctor_tries *tries)
{
	char byte;
	struct iovec here = {&byte, 1}, there = {NULL, 1};
	ssize_t len = process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0);

	if (len >= 0 || errno == EFAULT)
		tries->read++;
	else if (error_is_denied(-errno))
		tries->denied++;
	/* Kernel threads have no memory. */
	else if (errno != ESRCH)
		tries->failed++;
}

/* Reads the same of other users' processes as a capture, and tries their memory. A capture would do both for all
 * processes of the host, and reports the memory only of processes that have jemalloc. */
static void find_others(struct readers *readers, uint32_t own_pid, struct doctor_findings *findings)
{
	cleanup_(fd_closep) int list_fd = fd_open_dir_at(readers->proc_fd, ".");
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;
	cleanup_(id_list_done) struct id_list processes = {0};
	unsigned same_user = 0;

	if (list_fd < 0 || fd_list_ids(list_fd, &processes, &scratch) < 0)
		return;
	for (size_t i = 0; i < processes.count; i++) {
		uint32_t pid = processes.ids[i];
		bool others = is_others(readers->proc_fd, pid);
		struct doctor_tries *memory =
		        others ? &findings->memory_others : &findings->memory_own;

		if (pid == own_pid || (others ? findings->others : same_user) == OTHERS_MAX)
			continue;
		/* The ids of a foreign /proc are not those of system calls. */
		if (!findings->proc_is_foreign)
			try_memory(pid, memory);
		if (!others) {
			same_user++;
			continue;
		}
		findings->others++;
		if (read_process(readers, pid, &findings->io_others, &findings->smaps_others))
			findings->others_shown++;
	}
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

/* Asks taskstats once more than the readers do: they keep what became of it, but not the error, and do not ask at all without a
 * /proc of our own. */
static void find_taskstats(const struct taskstats_rules *rules, struct thread_sample *sample,
                           struct doctor_findings *findings)
{
	cleanup_(taskstats_freep) struct taskstats_client *client = NULL;
	cleanup_(mem_freep) struct taskstats_reply *reply = mem_calloc(1, sizeof(*reply));
	uint32_t own = (uint32_t)getpid();
	uint16_t version = 0;

	findings->taskstats_open_error = taskstats_open(&client);
	if (findings->taskstats_open_error < 0)
		return;
	findings->taskstats_ask_error = taskstats_ask(client, false, &own, 1, reply);
	if (findings->taskstats_ask_error == 0)
		findings->taskstats_ask_error = reply->error;
	if (findings->taskstats_ask_error < 0)
		return;
	if (reply->len >= sizeof(version))
		memcpy(&version, reply->payload, sizeof(version));
	findings->taskstats_version = version;
	if (taskstats_parse(reply->payload, reply->len, rules, sample) != OUTCOME_read)
		findings->taskstats_ask_error = -EBADMSG;
	for (size_t i = 0; i < METRIC_SET_WORDS; i++)
		findings->own_seen.words[i] |= sample->seen.words[i];
}

static void find_threads(int proc_fd, struct doctor_findings *findings)
{
	cleanup_(readers_done) struct readers readers;
	struct taskstats_rules rules = taskstats_rules_of(&findings->host);
	char link[16];
	ssize_t len = readlinkat(proc_fd, "self", link, sizeof(link));
	uint64_t pid = 0;
	bool known = len > 0 && scan_u64(link, (size_t)len, &pid) && pid <= UINT32_MAX;

	findings->delays_on = rules.delays != TASKSTATS_DELAYS_OFF;
	findings->delays_since_boot = rules.delays == TASKSTATS_DELAYS_BOOT;
	readers_init(&readers, proc_fd, proc_is_own(proc_fd), &rules);
	if (known)
		find_own(&readers, (uint32_t)pid, findings);
	find_others(&readers, (uint32_t)pid, findings);
	/* taskstats could answer for us, but a capture would not use it: it identifies threads by ids of another
	 * namespace. */
	if (findings->proc_is_foreign)
		return;
	sample_reset(&readers.sample);
	find_taskstats(&rules, &readers.sample, findings);
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
	find_threads(proc_fd, ret_findings);
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
