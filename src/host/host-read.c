// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/host-read.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/boot-clock.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/scan.h"
#include "cgroup/cgroup-mount.h"
#include "cgroup/cgroup.h"
#include "host-fields.h"
#include "procfs/procfs.h"

enum { HOST_FILE_BYTES = 1 << 20 };

/* Reads a file without its last newline. */
static bool read_trimmed(int dir_fd, const char *name, struct strbuf *ret_text)
{
	if (dir_fd < 0 || fd_read_all_at(dir_fd, name, ret_text, HOST_FILE_BYTES) < 0)
		return false;
	if (ret_text->len > 0 && ret_text->data[ret_text->len - 1] == '\n')
		ret_text->len--;
	return true;
}

static void read_text(int dir_fd, const char *name, size_t max_bytes, struct host *host,
                      enum host_field field)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (read_trimmed(dir_fd, name, &text))
		host_put_text(host, field, strbuf_str(&text), text.len, max_bytes);
}

/* Reads a file that may be empty: no controller, no parameter. */
static void read_text_or_empty(int dir_fd, const char *name, size_t max_bytes, struct host *host,
                               enum host_field field)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (!read_trimmed(dir_fd, name, &text))
		return;
	if (text.len == 0)
		host_set_text(host, field, "", 0);
	else
		host_put_text(host, field, strbuf_str(&text), text.len, max_bytes);
}

/* @name is a list of CPUs. */
static void read_cpu_count(int sys_fd, const char *name, struct host *host, enum host_field field)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct cpu_mask mask;

	if (sys_fd < 0 || fd_read_all_at(sys_fd, name, &text, HOST_FILE_BYTES) < 0)
		return;
	if (text.len > 0 && text.data[text.len - 1] == '\n')
		text.len--;
	if (cpu_mask_parse(&mask, strbuf_str(&text), text.len))
		host_set_number(host, field, cpu_mask_count(&mask));
}

/* Reads a link such as "pid:[4026531836]". */
static void read_pid_namespace(int proc_fd, struct host *host)
{
	char text[64];
	ssize_t len = readlinkat(proc_fd, "self/ns/pid", text, sizeof(text));

	if (len > 0)
		host_set_text(host, HOST_pid_namespace, text, (size_t)len);
}

static void read_running_system(struct host *host)
{
	struct utsname names;

	if (uname(&names) == 0)
		host_set_text(host, HOST_arch, names.machine, strlen(names.machine));
	host_set_number(host, HOST_uptime_ns, boot_clock_now_ns());
}

/* Reads "1234.56 2345.67", in seconds: the only clock in another system's tree. */
static void read_uptime(int proc_fd, struct host *host)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, word;
	uint64_t millionths;

	if (fd_read_all_at(proc_fd, "uptime", &text, HOST_FILE_BYTES) < 0)
		return;
	rest = (struct span){strbuf_str(&text), text.len};
	/* Scanned as milliseconds, a second is a million. */
	if (scan_word(&rest, &word) && memchr(word.text, '.', word.len) &&
	    scan_dotted_ms(word.text, word.len, &millionths) && millionths < UINT64_MAX / 1000)
		host_set_number(host, HOST_uptime_ns, millionths * 1000);
}

/* Parses "cpu  user nice system idle iowait irq softirq steal guest guest_nice"; guest is part of user. "processes",
 * far below, counts threads as well. */
static void parse_stat(struct span rest, struct host *host)
{
	struct span line, word;
	static const enum host_field behind_system[] = {
	        HOST_idle_clock_ticks,    HOST_iowait_clock_ticks, HOST_irq_clock_ticks,
	        HOST_softirq_clock_ticks, HOST_steal_clock_ticks,
	};
	uint64_t user, nice, system, other;

	if (!scan_line(&rest, &line) || !scan_word(&line, &word) || !span_is(word, "cpu"))
		return;
	if (!scan_word(&line, &word) || !scan_u64(word.text, word.len, &user) ||
	    !scan_word(&line, &word) || !scan_u64(word.text, word.len, &nice) ||
	    !scan_word(&line, &word) || !scan_u64(word.text, word.len, &system) ||
	    __builtin_add_overflow(user, nice, &user))
		return;
	host_set_number(host, HOST_user_clock_ticks, user);
	host_set_number(host, HOST_system_clock_ticks, system);
	for (size_t i = 0; i < ARRAY_SIZE(behind_system) && scan_word(&line, &word) &&
	                   scan_u64(word.text, word.len, &other);
	     i++)
		host_set_number(host, behind_system[i], other);
	while (scan_line(&rest, &line)) {
		enum host_field field = HOST_forks;

		if (!scan_word(&line, &word))
			continue;
		if (span_is(word, "btime"))
			field = HOST_boot_unix_s;
		else if (!span_is(word, "processes"))
			continue;
		if (scan_word(&line, &word) && scan_u64(word.text, word.len, &other))
			host_set_number(host, field, other);
	}
}

/* Stores the time of a reading: the middle between @begin_ns and now, because the reading may have waited for a CPU
 * before the kernel made the text or after it. Another system's tree has only the uptime. */
static void set_read_time(bool live, uint64_t begin_ns, enum host_field field, struct host *host)
{
	uint64_t now_ns = boot_clock_now_ns();

	if (live)
		host_set_number(host, field, begin_ns + (now_ns - begin_ns) / 2);
	else if (host->seen[HOST_uptime_ns])
		host_set_number(host, field, host->numbers[HOST_uptime_ns]);
}

static void read_stat(int proc_fd, bool live, struct host *host)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	uint64_t begin_ns = boot_clock_now_ns();

	/* The interrupt line alone may be huge. */
	if (fd_read_all_at(proc_fd, "stat", &text, HOST_FILE_BYTES * 16) < 0)
		return;
	parse_stat((struct span){strbuf_str(&text), text.len}, host);
	/* Shifted since Linux 5.11, and not before. */
	if (live && boot_clock_is_shifted())
		host_forget(host, HOST_boot_unix_s);
	host_parse_cpus(strbuf_str(&text), text.len, host);
	if (host->seen[HOST_user_clock_ticks])
		set_read_time(live, begin_ns, HOST_stat_interval_ns, host);
}

void host_read_counters(int proc_fd, bool live, struct host *host, struct psi *psi)
{
	uint64_t begin_ns;

	read_stat(proc_fd, live, host);
	begin_ns = boot_clock_now_ns();
	psi_read_host(proc_fd, psi);
	if (psi_seen(psi))
		set_read_time(live, begin_ns, HOST_pressure_interval_ns, host);
	host_read_memory(proc_fd, host);
}

/* Reads "0.42 0.31 0.27 2/345 6789": the number behind the slash. */
static void read_total_threads(int proc_fd, struct host *host)
{
	enum { TOTAL_WORD = 4 };
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, word = {0};
	const char *slash;
	uint64_t total;

	if (fd_read_all_at(proc_fd, "loadavg", &text, HOST_FILE_BYTES) < 0)
		return;
	rest = (struct span){strbuf_str(&text), text.len};
	for (int i = 0; i < TOTAL_WORD; i++)
		if (!scan_word(&rest, &word))
			return;
	slash = memchr(word.text, '/', word.len);
	if (slash && scan_u64(slash + 1, word.len - (size_t)(slash - word.text) - 1, &total))
		host_set_number(host, HOST_total_threads, total);
}

/* Every process is in a cgroup of every hierarchy, so the file of any one lists them all. */
static void read_hierarchies(int proc_fd, struct host *host)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, names = STRBUF_INIT;
	struct cgroup_v1_controllers controllers;
	struct cgroup_line line;
	struct span rest;

	if (fd_read_all_at(proc_fd, "self/cgroup", &text, HOST_FILE_BYTES) < 0 &&
	    fd_read_all_at(proc_fd, "1/cgroup", &text, HOST_FILE_BYTES) < 0)
		return;
	cgroup_v1_controllers_init(&controllers);
	rest = (struct span){strbuf_str(&text), text.len};
	while (cgroup_next_line(&controllers, &rest, &line)) {
		if (line.list.len == 0)
			continue;
		if (names.len > 0)
			strbuf_add_char(&names, ' ');
		strbuf_add(&names, line.list.text, line.list.len);
	}
	if (names.len == 0)
		strbuf_add_str(&names, "none");
	host_put_text(host, HOST_cgroup_v1_hierarchies, strbuf_str(&names), names.len,
	              HOST_TEXT_BYTES);
}

void host_read_again(int proc_fd, int sys_fd, bool live, const struct host *known,
                     struct host *host)
{
	host_copy(host, known);
	if (live)
		read_running_system(host);
	else
		read_uptime(proc_fd, host);
	read_total_threads(proc_fd, host);
	read_cpu_count(sys_fd, "devices/system/cpu/online", host, HOST_online_cpus);
	host_read_switches(proc_fd, host);
}

void host_read(int proc_fd, int sys_fd, int cgroup_fd, bool live, bool anonymous, struct host *host)
{
	long ticks = sysconf(_SC_CLK_TCK);

	if (live)
		read_running_system(host);
	else
		read_uptime(proc_fd, host);
	if (ticks > 0)
		host_set_number(host, HOST_clock_ticks_per_second, (uint64_t)ticks);
	read_text(proc_fd, "sys/kernel/ostype", HOST_TEXT_BYTES, host, HOST_kernel_name);
	read_text(proc_fd, "sys/kernel/osrelease", HOST_TEXT_BYTES, host, HOST_kernel_release);
	read_text(proc_fd, "sys/kernel/version", HOST_TEXT_BYTES, host, HOST_kernel_version);
	read_text(proc_fd, "sys/kernel/random/boot_id", HOST_TEXT_BYTES, host, HOST_boot_id);
	if (!anonymous) {
		read_text(proc_fd, "sys/kernel/hostname", HOST_TEXT_BYTES, host, HOST_hostname);
		read_text_or_empty(proc_fd, "cmdline", HOST_LINE_BYTES, host, HOST_kernel_cmdline);
	}
	if (live)
		read_pid_namespace(proc_fd, host);
	read_total_threads(proc_fd, host);
	read_cpu_count(sys_fd, "devices/system/cpu/online", host, HOST_online_cpus);
	read_cpu_count(sys_fd, "devices/system/cpu/possible", host, HOST_possible_cpus);
	read_text_or_empty(cgroup_fd, "cgroup.controllers", HOST_TEXT_BYTES, host,
	                   HOST_cgroup2_controllers);
	read_hierarchies(proc_fd, host);
	host_read_kernel_config(proc_fd, live, host);
	host_read_switches(proc_fd, host);
	host_read_hardware(proc_fd, sys_fd, host);
	host_read_scheduler(proc_fd, sys_fd, host);
}
