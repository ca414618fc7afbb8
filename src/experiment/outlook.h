/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* outlook - the question what the experiment will be able to show, which the observer answers in a child process: it reads all
 * windows so far, and may take long. */
#include <stddef.h>
#include <sys/types.h>

#include "experiment/run.h"

struct outlook {
	pid_t pid; /* 0: there is none */
	int fd;
	bool done; /* @answer is there */
	size_t got;
	struct run_outlook answer;
};

#define OUTLOOK_INIT ((struct outlook){.fd = -1})

/* Returns 0 or -errno. */
must_check_ int outlook_begin(struct outlook *outlook, struct run_observer *observer,
                              struct experiment *experiment);

/* To be called when fd is readable: sets @done. A child that ends without an answer leaves no outlook. */
void outlook_read(struct outlook *outlook);

/* Waits for the child, which is killed where it has not ended. */
void outlook_done(struct outlook *outlook);
