// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/thread-end.h"

/* Returns the first of two parts of @whole that are in the proportion of @first to @second. */
static uint64_t share_of(uint64_t whole, uint64_t first, uint64_t second)
{
	unsigned __int128 both = (unsigned __int128)first + second;

	return (uint64_t)((unsigned __int128)whole * first / both);
}

/* These are the kernel's own steps, so that an earlier number of the kernel for the same thread is never more than the
 * result. */
void cpu_time_divide(const struct cpu_time_found *found, uint64_t *ret_user_ns,
                     uint64_t *ret_system_ns)
{
	uint64_t whole = found->run_ns, user, system;

	if (found->sampled_system_ns == 0)
		system = 0;
	else if (found->sampled_user_ns == 0)
		system = whole;
	else
		system = share_of(whole, found->sampled_system_ns, found->sampled_user_ns);
	if (system < found->prev_system_ns)
		system = found->prev_system_ns;
	if (system > whole)
		system = whole;
	user = whole - system;
	if (user < found->prev_user_ns && found->prev_user_ns <= whole) {
		user = found->prev_user_ns;
		system = whole - user;
	}
	*ret_user_ns = user;
	*ret_system_ns = system;
}

void thread_end_cpu_time(const struct thread_end *end, uint64_t *ret_user_ns,
                         uint64_t *ret_system_ns)
{
	const struct cpu_time_found found = {
	        .run_ns = end->run_ns,
	        .sampled_user_ns = end->sampled_user_ns,
	        .sampled_system_ns = end->sampled_system_ns,
	        .prev_user_ns = end->prev_user_ns,
	        .prev_system_ns = end->prev_system_ns,
	};

	cpu_time_divide(&found, ret_user_ns, ret_system_ns);
}
