/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* exit-record - exit records in the layouts of struct taskstats, written down as structures in the order of the kernel's
 * header; the table under test has them as numbers. */
#include <stdint.h>

struct delay_appended {
	uint64_t count, total;
};
struct delay_max {
	uint64_t count, total, max;
};
struct delay_range {
	uint64_t count, total, max, min;
};

#define RECORD(name_, delay_)                                                           \
	struct name_ {                                                                  \
		uint16_t version;                                                       \
		uint32_t ac_exitcode;                                                   \
		uint8_t ac_flag, ac_nice;                                               \
		_Alignas(8) delay_ cpu;                                                 \
		delay_ blkio, swapin;                                                   \
		uint64_t cpu_run_real_total, cpu_run_virtual_total;                     \
		char ac_comm[32];                                                       \
		_Alignas(8) uint8_t ac_sched;                                           \
		_Alignas(8) uint32_t ac_uid;                                            \
		uint32_t ac_gid, ac_pid, ac_ppid, ac_btime;                             \
		uint64_t ac_etime, ac_utime, ac_stime, ac_minflt, ac_majflt;            \
		uint64_t coremem, virtmem, hiwater_rss, hiwater_vm;                     \
		uint64_t read_char, write_char, read_syscalls, write_syscalls;          \
		uint64_t read_bytes, write_bytes, cancelled_write_bytes;                \
		uint64_t nvcsw, nivcsw, ac_utimescaled, ac_stimescaled, cpu_scaled_run; \
		delay_ freepages, thrashing;                                            \
		uint64_t ac_btime64;                                                    \
		delay_ compact;                                                         \
		uint32_t ac_tgid;                                                       \
		uint64_t ac_tgetime, ac_exe_dev, ac_exe_inode;                          \
		delay_ wpcopy, irq;                                                     \
		uint64_t rest[16]; /* the ranges of version 16 */                       \
	}

RECORD(record_appended, struct delay_appended);
RECORD(record_max, struct delay_max);
RECORD(record_range, struct delay_range);

enum {
	RECORD_TID = 4242,
	RECORD_TGID = 4240,
	RECORD_LEN = 560,
	RECORD_LIFE_US = 5000000,
};

/* Any of the three, with a value of its own in each field. */
#define record_fill(record_, version_)                                \
	do {                                                          \
		__typeof__(record_) filled_ = (record_);              \
		memset(filled_, 0, sizeof(*filled_));                 \
		filled_->version = (uint16_t)(version_);              \
		filled_->ac_nice = (uint8_t)-7;                       \
		filled_->cpu.count = 31;                              \
		filled_->cpu.total = 32000;                           \
		filled_->blkio.count = 33;                            \
		filled_->cpu_run_virtual_total = 400000001;           \
		memcpy(filled_->ac_comm, "some name", 10);            \
		filled_->ac_sched = 3;                                \
		filled_->ac_uid = 1000;                               \
		filled_->ac_gid = 1001;                               \
		filled_->ac_pid = RECORD_TID;                         \
		filled_->ac_ppid = 1;                                 \
		filled_->ac_etime = RECORD_LIFE_US;                   \
		filled_->ac_utime = 100000;                           \
		filled_->ac_stime = 300000;                           \
		filled_->ac_minflt = 41;                              \
		filled_->ac_majflt = 42;                              \
		filled_->hiwater_vm = 43;                             \
		filled_->read_char = filled_->write_char = 1024;      \
		filled_->read_syscalls = filled_->write_syscalls = 1; \
		filled_->read_bytes = 44;                             \
		filled_->write_bytes = 45;                            \
		filled_->cancelled_write_bytes = 46;                  \
		filled_->nvcsw = 47;                                  \
		filled_->nivcsw = 48;                                 \
		filled_->ac_tgid = RECORD_TGID;                       \
		filled_->ac_exitcode = 768;                           \
		filled_->ac_flag = 0x12;                              \
		filled_->ac_btime = 777;                              \
		filled_->ac_btime64 = 1795450667;                     \
		filled_->coremem = 51;                                \
		filled_->virtmem = 52;                                \
		filled_->ac_utimescaled = 53;                         \
		filled_->ac_stimescaled = 54;                         \
		filled_->cpu_scaled_run = 55;                         \
		filled_->cpu_run_real_total = 56;                     \
	} while (0)
