/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-pty - a terminal for the output of a command that behaves in another way without one. A thread copies what comes out of it
 * into a file, and shows it. */
#include "ctprof/base/macro.h"

struct duct_pty;

/* Makes the terminal, with the size of the one that this process has. Output goes to the file @file_fd and to @shown_fd, which
 * are borrowed until duct_pty_stop(); below 0: there is none. Returns 0 or -errno. */
must_check_ int duct_pty_start(int file_fd, int shown_fd, struct duct_pty **ret);

/* Returns the descriptor for the command. Borrowed until the next call. */
int duct_pty_slave(const struct duct_pty *pty);

/* Gives it the size that our terminal has now. */
void duct_pty_resize(const struct duct_pty *pty);

/* The command has it now. */
void duct_pty_close_slave(struct duct_pty *pty);

/* Copies the rest, and ends. Returns 0, or the first -errno of the file. For NULL it does nothing. */
int duct_pty_stop(struct duct_pty *pty);
