/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The layouts of struct taskstats. The kernel appends fields and raises the version, so that a version stands for a
 * length. Twice it did not: peaks were inserted in the middle under version 14, then floors as well, which became
 * version 15; version 16 moved both to the end. Some of those builds still report 14, and only their length shows which
 * they are. A record whose version and length contradict each other is not read, for any offset would be a guess. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/metric/sample.h"
#include "taskstats/taskstats.h"

enum bucket {
	BUCKET_CPU,
	BUCKET_BLKIO,
	BUCKET_SWAPIN,
	BUCKET_FREEPAGES,
	BUCKET_THRASHING,
	BUCKET_COMPACT,
	BUCKET_WPCOPY,
	BUCKET_IRQ,
	BUCKET_MEMORY,
	BUCKET_BYTES,
	BUCKET_EVENTS,
	BUCKET_IDENTITY, /* fewer than 64 bits, or in microseconds: no metric has these */
	BUCKET_COUNT,
};

enum layout {
	LAYOUT_APPENDED,     /* versions 8 to 14, and from 16 on */
	LAYOUT_MAX_INSIDE,   /* a peak behind each total */
	LAYOUT_RANGE_INSIDE, /* a peak and a floor behind each total */
	LAYOUT_COUNT,
};

/* FIELD(argument, key, bucket, offset in each layout); the offset is 0 if a layout has no such field. */
/* clang-format off */
#define FIELDS(FIELD_, argument_)                                               \
	FIELD_(argument_, ac_exitcode,           IDENTITY,    4,   4,   4)      \
	FIELD_(argument_, ac_flag,               IDENTITY,    8,   8,   8)      \
	FIELD_(argument_, ac_nice,               IDENTITY,    9,   9,   9)      \
	FIELD_(argument_, cpu_count,             CPU,        16,  16,  16)      \
	FIELD_(argument_, cpu_delay_total,       CPU,        24,  24,  24)      \
	FIELD_(argument_, cpu_delay_max,         CPU,       432,  32,  32)      \
	FIELD_(argument_, cpu_delay_min,         CPU,       440,   0,  40)      \
	FIELD_(argument_, blkio_count,           BLKIO,      32,  40,  48)      \
	FIELD_(argument_, blkio_delay_total,     BLKIO,      40,  48,  56)      \
	FIELD_(argument_, blkio_delay_max,       BLKIO,     448,  56,  64)      \
	FIELD_(argument_, blkio_delay_min,       BLKIO,     456,   0,  72)      \
	FIELD_(argument_, swapin_count,          SWAPIN,     48,  64,  80)      \
	FIELD_(argument_, swapin_delay_total,    SWAPIN,     56,  72,  88)      \
	FIELD_(argument_, swapin_delay_max,      SWAPIN,    464,  80,  96)      \
	FIELD_(argument_, swapin_delay_min,      SWAPIN,    472,   0, 104)      \
	FIELD_(argument_, cpu_run_real_total,    CPU,        64,  88, 112)      \
	FIELD_(argument_, cpu_run_virtual_total, CPU,        72,  96, 120)      \
	FIELD_(argument_, ac_comm,               IDENTITY,   80, 104, 128)      \
	FIELD_(argument_, ac_sched,              IDENTITY,  112, 136, 160)      \
	FIELD_(argument_, ac_uid,                IDENTITY,  120, 144, 168)      \
	FIELD_(argument_, ac_gid,                IDENTITY,  124, 148, 172)      \
	FIELD_(argument_, ac_pid,                IDENTITY,  128, 152, 176)      \
	FIELD_(argument_, ac_ppid,               IDENTITY,  132, 156, 180)      \
	FIELD_(argument_, ac_btime,              IDENTITY,  136, 160, 184)      \
	FIELD_(argument_, ac_etime,              IDENTITY,  144, 168, 192)      \
	FIELD_(argument_, ac_utime,              IDENTITY,  152, 176, 200)      \
	FIELD_(argument_, ac_stime,              IDENTITY,  160, 184, 208)      \
	FIELD_(argument_, ac_minflt,             EVENTS,    168, 192, 216)      \
	FIELD_(argument_, ac_majflt,             EVENTS,    176, 200, 224)      \
	FIELD_(argument_, coremem,               IDENTITY,  184, 208, 232)      \
	FIELD_(argument_, virtmem,               IDENTITY,  192, 216, 240)      \
	FIELD_(argument_, hiwater_rss,           MEMORY,    200, 224, 248)      \
	FIELD_(argument_, hiwater_vm,            MEMORY,    208, 232, 256)      \
	FIELD_(argument_, read_bytes,            BYTES,     248, 272, 296)      \
	FIELD_(argument_, write_bytes,           BYTES,     256, 280, 304)      \
	FIELD_(argument_, cancelled_write_bytes, BYTES,     264, 288, 312)      \
	FIELD_(argument_, nvcsw,                 EVENTS,    272, 296, 320)      \
	FIELD_(argument_, nivcsw,                EVENTS,    280, 304, 328)      \
	FIELD_(argument_, ac_utimescaled,        IDENTITY,  288, 312, 336)      \
	FIELD_(argument_, ac_stimescaled,        IDENTITY,  296, 320, 344)      \
	FIELD_(argument_, cpu_scaled_run_real_total, IDENTITY, 304, 328, 352)   \
	FIELD_(argument_, freepages_count,       FREEPAGES, 312, 336, 360)      \
	FIELD_(argument_, freepages_delay_total, FREEPAGES, 320, 344, 368)      \
	FIELD_(argument_, freepages_delay_max,   FREEPAGES, 480, 352, 376)      \
	FIELD_(argument_, freepages_delay_min,   FREEPAGES, 488,   0, 384)      \
	FIELD_(argument_, thrashing_count,       THRASHING, 328, 360, 392)      \
	FIELD_(argument_, thrashing_delay_total, THRASHING, 336, 368, 400)      \
	FIELD_(argument_, thrashing_delay_max,   THRASHING, 496, 376, 408)      \
	FIELD_(argument_, thrashing_delay_min,   THRASHING, 504,   0, 416)      \
	FIELD_(argument_, ac_btime64,            IDENTITY,  344, 384, 424)      \
	FIELD_(argument_, compact_count,         COMPACT,   352, 392, 432)      \
	FIELD_(argument_, compact_delay_total,   COMPACT,   360, 400, 440)      \
	FIELD_(argument_, compact_delay_max,     COMPACT,   512, 408, 448)      \
	FIELD_(argument_, compact_delay_min,     COMPACT,   520,   0, 456)      \
	FIELD_(argument_, ac_tgid,               IDENTITY,  368, 416, 464)      \
	FIELD_(argument_, ac_tgetime,            IDENTITY,  376, 424, 472)      \
	FIELD_(argument_, wpcopy_count,          WPCOPY,    400, 448, 496)      \
	FIELD_(argument_, wpcopy_delay_total,    WPCOPY,    408, 456, 504)      \
	FIELD_(argument_, wpcopy_delay_max,      WPCOPY,    528, 464, 512)      \
	FIELD_(argument_, wpcopy_delay_min,      WPCOPY,    536,   0, 520)      \
	FIELD_(argument_, irq_count,             IRQ,       416, 472, 528)      \
	FIELD_(argument_, irq_delay_total,       IRQ,       424, 480, 536)      \
	FIELD_(argument_, irq_delay_max,         IRQ,       544, 488, 544)      \
	FIELD_(argument_, irq_delay_min,         IRQ,       552,   0, 552)

enum field {
	FIELD_NONE,
#define FIELD(argument_, key_, bucket_, ...) FIELD_##key_,
	FIELDS(FIELD, )
#undef FIELD
};
/* clang-format on */

struct taskstats_field {
	enum bucket bucket;
	uint16_t offsets[LAYOUT_COUNT];
};
extern const struct taskstats_field taskstats_fields[];

/* A record and its layout. */
struct taskstats_payload {
	const unsigned char *bytes; /* borrowed */
	size_t len;
	enum layout layout;
};

/* Finds the layout. Returns false if it is not known. */
bool taskstats_payload_open(struct taskstats_payload *payload, const void *bytes, size_t len);

/* Copies the bytes of a field, or a number of 64 bits. Returns whether the field is inside. */
bool taskstats_copy(const struct taskstats_payload *payload, enum field field, void *ret,
                    size_t size);
bool taskstats_get(const struct taskstats_payload *payload, enum field field, uint64_t *ret_value);

/* Sets the facts of registry/exit-facts.def that the buckets, those which the kernel has filled, let through. */
void taskstats_set_exit_facts(const struct taskstats_payload *payload,
                              const bool filled[static BUCKET_COUNT],
                              const struct taskstats_exit *exit, struct thread_sample *sample);
