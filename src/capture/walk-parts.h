/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* walk-parts - what the two ways of going through the threads share: how a row comes to be. */
#include "walk.h"

/* Lists the processes of the tree. Returns 0 or -errno. */
must_check_ int walk_list_processes(struct walk *walk);
/* Reads a process from its files and writes its rows. Returns 0; the writer's -errno; or our own trouble. */
must_check_ int walk_read_process(struct walk *walk, uint32_t tgid);

/* The leader is read first and names the process; where it is gone already, the process's own comm does. */
void walk_set_pcomm(struct walk *walk, int process_fd);

/* The sample gets what it has from its process, and waits for the next one to come: then it is written. Returns 0, or the writer's -errno. */
must_check_ int walk_add_row(struct walk *walk, int process_fd);
must_check_ int walk_write_pending(struct walk *walk);

/* Gives the row the totals of its process that were read last. */
void walk_add_totals(struct walk *walk, struct thread_sample *sample);
