// SPDX-License-Identifier: GPL-2.0-or-later
/* exchange-names UID DIRECTORY NAME LINK...: becomes another user, and until it is killed puts one thing after the other
 * under the name: links to each LINK, files that anybody may run as their owner, FIFOs, directories. */
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char spare[] = "spare";

static void remove_spare(void)
{
	if (unlinkat(AT_FDCWD, spare, 0) < 0)
		unlinkat(AT_FDCWD, spare, AT_REMOVEDIR);
}

static void make_file(void)
{
	int fd = open(spare, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0777);

	if (fd >= 0 && fchmod(fd, 06777) < 0)
		perror("exchange-names: a file");
	if (fd >= 0)
		close(fd);
}

/* The names that come next, under another name. */
static void make_spare(unsigned turn, char **links, unsigned count)
{
	unsigned kind = turn % (count + 3);

	if (kind < count && symlink(links[kind], spare) < 0)
		return;
	if (kind == count)
		make_file();
	else if (kind == count + 1 && mkfifo(spare, 0666) == 0)
		chmod(spare, 0666);
	else if (kind == count + 2 && mkdir(spare, 0777) == 0)
		chmod(spare, 0777);
}

/* The exchange is as fast as possible for a fifth of a second, so that looking and doing are parted; then it is slow for another one, so
 * that a capture may also come to its end. */
static void pause_at_times(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_nsec / 200000000 % 2 == 1)
		usleep(30000);
}

int main(int argc, char **argv)
{
	uid_t uid = argc > 4 ? (uid_t)atoi(argv[1]) : 0;

	if (uid == 0 || chdir(argv[2]) < 0 || setgroups(0, NULL) < 0 ||
	    setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0) {
		fprintf(stderr, "exchange-names: cannot\n");
		return 1;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	umask(0);
	for (unsigned turn = 0;; turn++) {
		remove_spare();
		make_spare(turn, argv + 4, (unsigned)argc - 4);
		/* Nothing is without a moment in which there is nothing: a directory is not replaced by a file. */
		if (renameat2(AT_FDCWD, spare, AT_FDCWD, argv[3], RENAME_EXCHANGE) < 0)
			renameat2(AT_FDCWD, spare, AT_FDCWD, argv[3], RENAME_NOREPLACE);
		pause_at_times();
	}
}
