/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* where-rows - rows to be tested by expressions. */
#include "where/where.h"

enum {
	ROW_SHOW,     /* majflt of nginx, 7 seen of 8 threads */
	ROW_GREW,     /* run_time_ns by 12 ms, 9 and 10 threads, all seen */
	ROW_FELL,     /* pressure in us, by 500 us; not about threads */
	ROW_LARGE,    /* bytes, by 2^64-2 */
	ROW_RATIO,    /* 0.5 to 0.25, an average of no unit */
	ROW_PRESSURE, /* an average of 5.00 % */
	ROW_TICKS,    /* a group whose label has escapes */
	ROW_EMPTY,    /* nothing at all */
	ROW_COUNT
};

/* Fills ROW_COUNT rows. */
static inline void where_rows_init(struct where_row rows[ROW_COUNT])
{
	for (unsigned i = 0; i < ROW_COUNT; i++)
		rows[i] = (struct where_row){0};
	rows[ROW_SHOW] = (struct where_row){
	        .group = "nginx",
	        .metric = "majflt",
	        .section = "primary",
	        .unit = UNIT_count,
	        .numbers = {[WHERE_VALUE] = quantity_integer(12000),
	                    [WHERE_THREADS] = quantity_integer(8)},
	};
	where_row_add_seen(&rows[ROW_SHOW], 7, 8);
	rows[ROW_GREW] = (struct where_row){
	        .group = "nginx-worker",
	        .metric = "run_time_ns",
	        .section = "primary",
	        .unit = UNIT_ns,
	        .numbers = {[WHERE_BASELINE] = quantity_integer(8000000),
	                    [WHERE_CANDIDATE] = quantity_integer(20000000),
	                    [WHERE_DELTA] = quantity_integer(12000000),
	                    [WHERE_PERCENT] = quantity_real(150),
	                    [WHERE_IMPACT] = quantity_real(0.05),
	                    [WHERE_THREADS] = quantity_integer(10)},
	};
	where_row_add_seen(&rows[ROW_GREW], 9, 9);
	where_row_add_seen(&rows[ROW_GREW], 10, 10);
	rows[ROW_FELL] = (struct where_row){
	        .group = "/system.slice/a.service",
	        .metric = "cpu_some_total",
	        .section = "pressure",
	        .unit = UNIT_us,
	        .numbers = {[WHERE_BASELINE] = quantity_integer(1500),
	                    [WHERE_CANDIDATE] = quantity_integer(1000),
	                    [WHERE_DELTA] = quantity_integer(-500),
	                    [WHERE_PERCENT] = quantity_real(-100.0 / 3)},
	};
	rows[ROW_LARGE] = (struct where_row){
	        .group = "kworker/{N}:{N}",
	        .metric = "rchar",
	        .section = "primary",
	        .unit = UNIT_bytes,
	        .numbers = {[WHERE_BASELINE] = quantity_integer(1),
	                    [WHERE_CANDIDATE] = quantity_integer(UINT64_MAX),
	                    [WHERE_DELTA] = quantity_integer((__int128)UINT64_MAX - 1),
	                    [WHERE_VALUE] = quantity_integer(UINT64_MAX)},
	};
	where_row_add_seen(&rows[ROW_LARGE], 5, 20);
	where_row_add_seen(&rows[ROW_LARGE], 4, 4);
	rows[ROW_RATIO] = (struct where_row){
	        .group = "a b",
	        .metric = "cpu_efficiency",
	        .section = "derived",
	        .unit = UNIT_ratio,
	        .numbers = {[WHERE_BASELINE] = quantity_real(0.5),
	                    [WHERE_CANDIDATE] = quantity_real(0.25),
	                    [WHERE_DELTA] = quantity_real(-0.25),
	                    [WHERE_IMPACT] = quantity_real(1.5)},
	};
	rows[ROW_PRESSURE] = (struct where_row){
	        .group = "host",
	        .metric = "io_some_avg10",
	        .section = "host-pressure",
	        .unit = UNIT_percent_hundredths,
	        .numbers = {[WHERE_VALUE] = quantity_integer(500),
	                    [WHERE_DELTA] = quantity_integer(500)},
	};
	rows[ROW_TICKS] = (struct where_row){
	        .group = "it's \\x1b[31m \\\\ \"q\"",
	        .metric = "utime_clock_ticks",
	        .section = "primary",
	        .unit = UNIT_ticks,
	        .numbers = {[WHERE_VALUE] = quantity_integer(2500),
	                    [WHERE_DELTA] = quantity_integer(2500)},
	};
}
