// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-process.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/scan.h"

enum { TEXT_BYTES = 1 << 14 };

/* Fields of /proc/PID/stat, by their numbers in proc(5). */
enum {
	STAT_STATE = 3,
	STAT_PGRP = 5,
	STAT_SESSION = 6,
	STAT_TPGID = 8,
	STAT_UTIME = 14,
	STAT_STIME,
	STAT_CUTIME,
	STAT_CSTIME,
	STAT_NICE = 19,
	STAT_THREADS,
	STAT_START = 22,
	STAT_VSIZE,
	STAT_RSS,
	STAT_COUNT,
};

static void set_state(struct duct_process *process, char state, const int64_t fields[STAT_COUNT])
{
	char *at = process->state;

	*at++ = state;
	if (fields[STAT_NICE] != 0)
		*at++ = fields[STAT_NICE] < 0 ? '<' : 'N';
	if (fields[STAT_SESSION] == process->pid)
		*at++ = 's';
	if (process->threads > 1)
		*at++ = 'l';
	if (fields[STAT_TPGID] == fields[STAT_PGRP])
		*at++ = '+';
	*at = '\0';
}

/* Stores the numbers behind the name; all that are kept fit into 64 bits. Returns the state, or 0. */
static char parse_fields(const char *text, size_t len, int64_t ret[STAT_COUNT])
{
	struct span rest = {text, len}, word;
	char state;

	if (!scan_word(&rest, &word) || word.len != 1)
		return 0;
	state = word.text[0];
	for (unsigned i = STAT_STATE + 1; i < STAT_COUNT; i++) {
		if (!scan_word(&rest, &word))
			return 0;
		/* Field 25, the limit of RSS, would not fit. */
		if (!scan_i64(word.text, word.len, &ret[i]))
			return 0;
	}
	return state;
}

bool duct_process_parse(const char *text, size_t len, uint64_t boot_ns, struct duct_process *ret)
{
	const double ticks = (double)sysconf(_SC_CLK_TCK), page = (double)sysconf(_SC_PAGESIZE);
	const char *open = memchr(text, '(', len), *close = memrchr(text, ')', len);
	int64_t fields[STAT_COUNT] = {0};
	uint64_t pid;
	size_t comm_len;
	char state;

	if (!open || !close || close < open || open == text ||
	    !scan_u64(text, (size_t)(open - text) - 1, &pid) || pid > UINT32_MAX)
		return false;
	state = parse_fields(close + 1, len - (size_t)(close + 1 - text), fields);
	if (state == 0)
		return false;
	comm_len = (size_t)(close - open) - 1;
	if (comm_len > DUCT_COMM_BYTES - 1)
		comm_len = DUCT_COMM_BYTES - 1;
	*ret = (struct duct_process){
	        .pid = (uint32_t)pid,
	        .start_ticks = (uint64_t)fields[STAT_START],
	        .cpu_time = (double)(fields[STAT_UTIME] + fields[STAT_STIME]) / ticks,
	        .waited_time = (double)(fields[STAT_CUTIME] + fields[STAT_CSTIME]) / ticks,
	        .vsz = (double)fields[STAT_VSIZE],
	        .rss = (double)fields[STAT_RSS] * page,
	        .threads = (unsigned)fields[STAT_THREADS],
	};
	/* The kernel cuts the start to a tick, so the age is not too small; nor is CPU time, which is cut, too large. */
	ret->age = (double)boot_ns / NS_PER_SECOND - (double)ret->start_ticks / ticks;
	if (ret->age < 1 / ticks)
		ret->age = 1 / ticks;
	memcpy(ret->comm, open + 1, comm_len);
	set_state(ret, state, fields);
	return true;
}

bool duct_process_read(int proc_fd, uint32_t pid, struct duct_process *ret)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char name[32];

	snprintf(name, sizeof(name), "%u/stat", pid);
	return fd_read_record_at(proc_fd, name, &text, TEXT_BYTES) == 0 &&
	       duct_process_parse(strbuf_str(&text), text.len, clock_now_ns(CLOCK_BOOTTIME), ret);
}

/* Makes what was appended behind @begin safe to print. */
static void clean(struct strbuf *out, size_t begin)
{
	for (size_t i = begin; i < out->len; i++) {
		if (out->data[i] == '\0' || out->data[i] == '\n')
			out->data[i] = ' ';
		else if ((unsigned char)out->data[i] < ' ' || out->data[i] == '\177')
			out->data[i] = '?';
	}
}

void duct_process_name(const struct duct_process *process, struct strbuf *out)
{
	size_t begin = out->len;

	strbuf_addf(out, "[%s]%s", process->comm, process->state[0] == 'Z' ? " <defunct>" : "");
	clean(out, begin);
}

void duct_process_command(int proc_fd, const struct duct_process *process, size_t most,
                          struct strbuf *out)
{
	size_t begin = out->len, len = 0;
	char name[32];
	bool is_cut;

	snprintf(name, sizeof(name), "%u/cmdline", process->pid);
	if (fd_read_begin_at(proc_fd, name, strbuf_reserve(out, most + 1), most + 1, &len) < 0)
		len = 0;
	is_cut = len > most;
	if (is_cut)
		len = most;
	while (len > 0 && out->data[begin + len - 1] == '\0')
		len--;
	out->len = begin + len;
	out->data[out->len] = '\0';
	if (len == 0) {
		duct_process_name(process, out);
		return;
	}
	clean(out, begin);
	if (is_cut)
		strbuf_add_str(out, "...");
}

void duct_etime_add(double seconds, struct strbuf *out)
{
	enum { MINUTE = 60, HOUR = 3600, HOURS = 24 };
	const unsigned long whole = seconds > 0 ? (unsigned long)seconds : 0;
	unsigned long hours = whole / HOUR;

	if (hours >= HOURS)
		strbuf_addf(out, "%02lu-", hours / HOURS);
	if (hours > 0)
		strbuf_addf(out, "%02lu:", hours % HOURS);
	strbuf_addf(out, "%02lu:%02lu", whole / MINUTE % MINUTE, whole % MINUTE);
}
