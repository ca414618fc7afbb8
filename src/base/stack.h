/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* stack - room for the calls of the first thread. Its stack grows as it is used, and a stack that cannot grow ends the program with
 * SIGSEGV, as under RLIMIT_AS once the heap has taken the rest. Stacks of other threads have their room from the start. */

/* Makes the stack as large as the program ever needs, or half of what RLIMIT_STACK allows if that is less. Ends the program like
 * mem_exhausted() if there is no room. */
void stack_reserve(void);
