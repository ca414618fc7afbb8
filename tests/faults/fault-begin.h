/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fault-begin - how fail-alloc tells fault-call that libraries are loaded: a system call that no kernel has. */
enum { FAULT_BEGIN = 4242 };
