// SPDX-License-Identifier: GPL-2.0-or-later
/* fault-call - runs a program in which one system call fails.
 *
 *   fault-call [-p LIBRARY] [-t SECONDS] SYSCALL ERRNO WHEN REPORT PROGRAM ARGUMENT...
 *   fault-call [-p LIBRARY] [-t SECONDS] count - 0 REPORT PROGRAM ARGUMENT...
 *   fault-call list
 *
 * The WHENth call of SYSCALL, counted over all threads and children of the program, is not made and returns -ERRNO; 0 makes none
 * fail. With -p, LIBRARY is fail-alloc, and calls are counted from FAULT_BEGIN on: those of the dynamic loader are not. Writes to standard error never fail, so that the program can say why it ends.
 * REPORT gets one line: "calls=N hit=0|1 left=0|1 hung=0|1": how many calls there were, whether one failed, whether processes were left
 * when the program had ended, and whether it had to be killed after SECONDS. The exit status is the program's, or 128 and the signal.
 *
 * count makes none fail, and REPORT gets a line "SYSCALL N" for each that is in the table. list prints, a line for each, the system calls that can fail and the errors that each can have.
 *
 * A seccomp filter asks this process for each of the calls, and for no other: nothing else of the program is slower. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fault-begin.h"

enum { ERRORS_MAX = 14, LEFT_MS = 30000, STEP_MS = 20, TIMEOUT_S = 30, NOT_STARTED = 125 };

static const struct error_name {
	const char *name;
	int number;
} error_names[] = {
#define ERROR(name_) {#name_, name_},
        ERROR(E2BIG) ERROR(EACCES) ERROR(EADDRINUSE) ERROR(EAFNOSUPPORT) ERROR(EAGAIN) ERROR(EBUSY)
                ERROR(ECHILD) ERROR(ECONNREFUSED) ERROR(EDQUOT) ERROR(EEXIST) ERROR(EFAULT) ERROR(
                        EFBIG) ERROR(EINTR) ERROR(EINVAL) ERROR(EIO) ERROR(EISDIR) ERROR(ELOOP)
                        ERROR(EMFILE) ERROR(EMLINK) ERROR(ENFILE) ERROR(ENOBUFS) ERROR(ENODEV)
                                ERROR(ENOENT) ERROR(ENOMEM) ERROR(ENOPROTOOPT) ERROR(ENOSPC)
                                        ERROR(ENOSYS) ERROR(ENOTDIR) ERROR(ENXIO) ERROR(EOPNOTSUPP)
                                                ERROR(EPERM) ERROR(EPIPE) ERROR(EROFS) ERROR(ESRCH)
                                                        ERROR(ESTALE) ERROR(ETIMEDOUT) ERROR(EXDEV)
#undef ERROR
};

/* The errors of each call in its manual page, without those that only bad arguments cause. brk(2) is not here: if the
 * heap's first growth fails, glibc 2.36 ends every program with SIGSEGV, ls as well. */
static const struct call {
	const char *name;
	int number;
	int errors[ERRORS_MAX];
} calls[] = {
/* clang-format off */
#define CALL(name_, ...) {#name_, SYS_##name_, {__VA_ARGS__}},
CALL(bind, EADDRINUSE, EACCES, ENOMEM)
CALL(bpf, EPERM, ENOMEM, E2BIG, EINVAL, ENOSPC, EAGAIN, EBUSY, ENOENT)
CALL(capset, EPERM)
CALL(clock_nanosleep, EINTR)
CALL(clone, EAGAIN, ENOMEM, EPERM)
CALL(clone3, EAGAIN, ENOMEM, EPERM, ENOSYS)
CALL(close, EIO, EINTR, ENOSPC, EDQUOT)
CALL(connect, ECONNREFUSED, ENOENT, EACCES, EAGAIN, EINTR)
CALL(dup, EMFILE)
CALL(epoll_create1, EMFILE, ENFILE, ENOMEM)
CALL(epoll_ctl, ENOMEM, ENOSPC)
CALL(eventfd2, EMFILE, ENFILE, ENODEV, ENOMEM)
CALL(faccessat2, EACCES, EIO, ENOMEM, ENOENT, ENOSYS)
CALL(fchmod, EIO, EPERM, EROFS)
CALL(fchown, EIO, EPERM, EROFS)
CALL(fcntl, EMFILE, EINVAL, EPERM)
CALL(fstatfs, EIO, ENOMEM, EINTR, ENOSYS)
CALL(fsync, EIO, ENOSPC, EDQUOT, EROFS, EINVAL)
CALL(getcwd, ENOENT, EACCES, ENOMEM)
CALL(getdents64, ENOENT, EIO, ENOMEM)
CALL(getrandom, EAGAIN, EINTR, ENOSYS)
CALL(getsockname, ENOBUFS)
CALL(kill, EPERM, ESRCH)
CALL(linkat, EEXIST, EXDEV, EPERM, ENOSPC, EDQUOT, EIO, ENOENT, EMLINK, ENOMEM, EROFS, EACCES)
CALL(memfd_create, EMFILE, ENFILE, ENOMEM)
CALL(mmap, ENOMEM, EAGAIN, EPERM)
CALL(mprotect, ENOMEM, EACCES)
CALL(mremap, ENOMEM, EAGAIN)
CALL(newfstatat, EIO, ENOMEM, EACCES, ENOENT, ESTALE)
CALL(openat, EACCES, EPERM, EMFILE, ENFILE, ENOMEM, EIO, EINTR, ELOOP, ENOENT, ENOSPC, EROFS, ENXIO)
CALL(openat2, EACCES, EAGAIN, EMFILE, ENFILE, ENOMEM, EIO, ENOENT, ENOSYS, EXDEV, ELOOP)
CALL(perf_event_open, EACCES, EMFILE, ENOSYS, EOPNOTSUPP)
CALL(pidfd_open, EMFILE, ENFILE, ENOMEM, ESRCH, ENOSYS)
CALL(pipe2, EMFILE, ENFILE)
CALL(prctl, EINVAL, EPERM)
CALL(pread64, EIO, EINTR, ENOMEM, ESRCH)
CALL(prlimit64, EPERM)
CALL(process_vm_readv, EPERM, ESRCH, EFAULT, ENOMEM, ENOSYS)
CALL(ptrace, EPERM, ESRCH)
CALL(read, EIO, EINTR, EISDIR, ENOMEM, EACCES, ESRCH)
CALL(readlinkat, EACCES, EIO, ENOENT, ENOMEM)
CALL(recvfrom, EINTR, ENOBUFS, ENOMEM, EAGAIN)
CALL(recvmmsg, EINTR, ENOBUFS, ENOMEM, EAGAIN)
CALL(recvmsg, EINTR, ENOBUFS, ENOMEM, EAGAIN, EMFILE)
CALL(renameat, ENOSPC, EIO, EACCES, EXDEV, ENOMEM, EROFS, EDQUOT, ENOENT)
CALL(renameat2, ENOSPC, EIO, EACCES, EXDEV, ENOMEM, EROFS, EINVAL)
CALL(rt_sigaction, EINVAL)
CALL(sched_getaffinity, ESRCH, EPERM)
CALL(seccomp, EACCES, EINVAL, ENOMEM, ENOSYS)
CALL(sendmsg, ENOBUFS, ENOMEM, EINTR, EPERM, EPIPE)
CALL(sendto, ENOBUFS, ENOMEM, EINTR, EPERM, EPIPE, ECONNREFUSED)
CALL(setgroups, EPERM, ENOMEM)
CALL(setresgid, EPERM, EAGAIN)
CALL(setresuid, EPERM, EAGAIN)
CALL(setsockopt, ENOMEM, ENOPROTOOPT, EPERM)
CALL(signalfd4, EMFILE, ENFILE, ENODEV, ENOMEM)
CALL(socket, EMFILE, ENFILE, ENOMEM, EACCES, EAFNOSUPPORT, ENOBUFS)
CALL(socketpair, EMFILE, ENFILE, ENOMEM)
CALL(statfs, EACCES, EIO, ENOMEM, ENOENT, ENOSYS)
CALL(statx, EACCES, EIO, ENOMEM, ENOENT, ENOSYS)
CALL(sysinfo, EFAULT)
CALL(uname, EFAULT)
CALL(unlinkat, EIO, EACCES, ENOENT)
CALL(unshare, EPERM, ENOMEM)
CALL(wait4, EINTR, ECHILD)
CALL(write, ENOSPC, EIO, EDQUOT, EINTR, EPIPE, EFBIG, EAGAIN)
/* arm64 and later architectures have no old calls that a newer one replaces. */
#ifdef SYS_poll
CALL(epoll_wait, EINTR)
CALL(poll, EINTR, ENOMEM)
CALL(readlink, EACCES, EIO, ENOENT, ENOMEM)
CALL(rename, ENOSPC, EIO, EACCES, EXDEV)
#else
CALL(epoll_pwait, EINTR)
CALL(ppoll, EINTR, ENOMEM)
#endif
#undef CALL
};
/* clang-format on */

enum {
	CALL_COUNT = sizeof(calls) / sizeof(calls[0]),
	NAME_COUNT = sizeof(error_names) / sizeof(error_names[0])
};

struct run {
	const struct call *call; /* NULL: all of them are counted */
	unsigned long counts[CALL_COUNT];
	int error;
	unsigned long when;
	const char *preload;
	unsigned timeout_s;
	int listener;
	pid_t child;
	bool begun;
	unsigned long count;
	bool hit, left, hung;
};

static void fail(const char *what)
{
	fprintf(stderr, "fault-call: %s: %s\n", what, strerror(errno));
	exit(NOT_STARTED);
}

static void list(void)
{
	for (size_t i = 0; i < CALL_COUNT; i++) {
		fputs(calls[i].name, stdout);
		for (size_t e = 0; e < ERRORS_MAX && calls[i].errors[e] != 0; e++)
			for (size_t n = 0; n < NAME_COUNT; n++)
				if (error_names[n].number == calls[i].errors[e])
					printf(" %s", error_names[n].name);
		putchar('\n');
	}
}

static int install_filter(const struct call *call)
{
	unsigned number = call ? (unsigned)call->number : 0;
	struct sock_filter filter[] = {
	        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 1, 0),
	        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FAULT_BEGIN, 0, call ? 1 : 0),
	        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	/* Without privileges a filter is only for those who can gain none. */
	if (geteuid() != 0)
		(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
	                    &program);
}

/* The child shares our descriptors until it runs the program, so that the filter's is here, too. */
static void start(struct run *run, char **argv)
{
	int *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		fail("mmap");
	*shared = -1;
	run->child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (run->child < 0)
		fail("clone");
	if (run->child == 0) {
		int listener = install_filter(run->call);

		__atomic_store_n(shared, listener < 0 ? -2 : listener, __ATOMIC_SEQ_CST);
		if (listener >= 0 && (!run->preload || setenv("LD_PRELOAD", run->preload, 1) == 0))
			execvp(argv[0], argv);
		_exit(NOT_STARTED);
	}
	while ((run->listener = __atomic_load_n(shared, __ATOMIC_SEQ_CST)) == -1)
		sched_yield();
	if (run->listener < 0) {
		fprintf(stderr, "fault-call: this kernel has no seccomp notifications for us\n");
		exit(77);
	}
}

static bool is_spared(const struct seccomp_data *data)
{
	return data->nr == SYS_write && data->args[0] == STDERR_FILENO;
}

static void count(struct run *run, const struct seccomp_data *data,
                  struct seccomp_notif_resp *response)
{
	for (size_t i = 0; i < CALL_COUNT; i++)
		run->counts[i] += calls[i].number == data->nr;
	if (!run->call || ++run->count != run->when)
		return;
	run->hit = true;
	response->flags = 0;
	response->error = -run->error;
}

static void answer(struct run *run)
{
	struct seccomp_notif request = {0};
	struct seccomp_notif_resp response = {0};

	/* A process that was killed meanwhile asks no more. */
	if (ioctl(run->listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0)
		return;
	response.id = request.id;
	response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	if (request.data.nr == FAULT_BEGIN) {
		run->begun = true;
		response.flags = 0;
	} else if ((run->begun || !run->preload) && !is_spared(&request.data)) {
		count(run, &request.data, &response);
	}
	(void)ioctl(run->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Answers until nobody is left who could ask. */
static int serve(struct run *run)
{
	uint64_t began_ms = now_ms(), ended_ms = 0;
	int status = 0;

	for (;;) {
		struct pollfd poll_fd = {.fd = run->listener, .events = POLLIN};

		(void)poll(&poll_fd, 1, STEP_MS);
		if (poll_fd.revents & POLLIN)
			answer(run);
		if (ended_ms == 0 && waitpid(run->child, &status, WNOHANG) == run->child)
			ended_ms = now_ms();
		if (ended_ms == 0 && !run->hung && now_ms() - began_ms > run->timeout_s * 1000u) {
			run->hung = true;
			kill(run->child, SIGKILL);
		}
		if (ended_ms == 0)
			continue;
		if (poll_fd.revents & POLLHUP)
			break;
		if (now_ms() - ended_ms > LEFT_MS) {
			run->left = true;
			break;
		}
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void parse(struct run *run, char **argv)
{
	run->when = strtoul(argv[2], NULL, 10);
	for (size_t i = 0; i < CALL_COUNT; i++)
		if (strcmp(calls[i].name, argv[0]) == 0)
			run->call = &calls[i];
	for (size_t i = 0; i < NAME_COUNT; i++)
		if (strcmp(error_names[i].name, argv[1]) == 0)
			run->error = error_names[i].number;
	if (strcmp(argv[0], "count") == 0 && run->when == 0)
		return;
	if (!run->call || (run->error == 0 && run->when > 0)) {
		fprintf(stderr, "fault-call: %s or %s is not in the table\n", argv[0], argv[1]);
		exit(NOT_STARTED);
	}
}

static void write_report(const struct run *run, const char *path)
{
	FILE *report = fopen(path, "we");

	if (!report)
		fail(path);
	if (run->call)
		fprintf(report, "calls=%lu hit=%d left=%d hung=%d\n", run->count, run->hit,
		        run->left, run->hung);
	for (size_t i = 0; !run->call && i < CALL_COUNT; i++)
		fprintf(report, "%s %lu\n", calls[i].name, run->counts[i]);
	if (fclose(report) != 0)
		fail(path);
}

int main(int argc, char **argv)
{
	struct run run = {.timeout_s = TIMEOUT_S};
	int option, status;

	if (argc == 2 && strcmp(argv[1], "list") == 0) {
		list();
		return 0;
	}
	while ((option = getopt(argc, argv, "+p:t:")) > 0) {
		if (option == 'p')
			run.preload = optarg;
		else if (option == 't')
			run.timeout_s = (unsigned)strtoul(optarg, NULL, 10);
		else
			return NOT_STARTED;
	}
	if (argc - optind < 5) {
		fprintf(stderr, "fault-call: see the head of its source\n");
		return NOT_STARTED;
	}
	parse(&run, argv + optind);
	start(&run, argv + optind + 4);
	status = serve(&run);
	write_report(&run, argv[optind + 3]);
	return status;
}
