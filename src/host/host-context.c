// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scan.h"
#include "host-fields.h"
#include "host/host-read.h"
#include "host/kernel-config.h"

enum {
	VALUE_BYTES = 4096, /* files of one value */
	MEMINFO_BYTES = 1 << 20,
};

/* Appends the words of @text with one blank between them, so that several lines become one. */
static void add_one_line(struct strbuf *out, const struct strbuf *text)
{
	struct span rest = {strbuf_str(text), text->len}, word;

	while (scan_word(&rest, &word)) {
		if (out->len > 0)
			strbuf_add_char(out, ' ');
		strbuf_add(out, word.text, word.len);
	}
}

/* Reads a file as one line. */
static bool read_line(int dir_fd, const char *name, size_t max_bytes, struct strbuf *ret_line)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	strbuf_clear(ret_line);
	if (dir_fd < 0 || fd_read_all_at(dir_fd, name, &text, max_bytes) < 0)
		return false;
	add_one_line(ret_line, &text);
	return true;
}

static void read_text(int dir_fd, const char *name, size_t max_bytes, struct host *host,
                      enum host_field field)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	if (read_line(dir_fd, name, max_bytes, &line))
		host_put_text(host, field, strbuf_str(&line), line.len, max_bytes);
}

static DIR *open_dir(int root_fd, const char *name)
{
	int fd = root_fd < 0 ? -EBADF : fd_open_dir_at(root_fd, name);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		fd_closep(&fd);
	return dir;
}

/* Returns the next name with @prefix; it is good until the next call. */
static const char *next_name(DIR *dir, const char *prefix)
{
	const struct dirent *entry;

	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
			return entry->d_name;
	return NULL;
}

void host_put_entry(struct host *host, enum host_field field, const char *name,
                    const struct strbuf *line, size_t *used)
{
	size_t cost = host_text_cost(name, strlen(name)) +
	              host_text_cost(strbuf_str(line), line->len) + strlen(":,");

	if (!host_text_is_sound(strbuf_str(line), line->len, HOST_TEXT_BYTES) ||
	    cost > HOST_MAP_BYTES - *used)
		return;
	*used += cost;
	host_map_set(host, field, name, strbuf_str(line), line->len);
}

/* Reads every regular file of a directory whose name begins with @prefix, as one line each. A file without a word has
 * no value: sched_energy_aware is empty if the hardware has no choice. */
static void read_files(int root_fd, const char *path, const char *prefix, struct host *host,
                       enum host_field field)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;
	cleanup_(fd_closedirp) DIR *dir = open_dir(root_fd, path);
	const char *name;
	size_t used = 0;

	if (!dir)
		return;
	while (host->maps[field].count < HOST_MAP_ENTRIES && (name = next_name(dir, prefix))) {
		struct stat status;

		if (fstatat(dirfd(dir), name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(status.st_mode) && read_line(dirfd(dir), name, VALUE_BYTES, &line))
			host_put_entry(host, field, name, &line, &used);
	}
}

/* Returns the number of "cpu12", as the kernel writes numbers. */
static bool scan_name_number(const char *name, const char *prefix, uint64_t *ret)
{
	const char *digits = name + strlen(prefix);

	return (digits[0] != '0' || digits[1] == '\0') && scan_u64(digits, strlen(digits), ret);
}

static void read_governors(int sys_fd, struct host *host)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;
	cleanup_(fd_closedirp) DIR *dir = open_dir(sys_fd, "devices/system/cpu");
	const char *name;
	size_t used = 0;
	uint64_t cpu;

	if (!dir)
		return;
	while (host->maps[HOST_cpufreq_governor].count < HOST_MAP_ENTRIES &&
	       (name = next_name(dir, "cpu"))) {
		if (!scan_name_number(name, "cpu", &cpu))
			continue;
		strbuf_clear(&path);
		strbuf_addf(&path, "%s/cpufreq/scaling_governor", name);
		if (read_line(dirfd(dir), strbuf_str(&path), VALUE_BYTES, &line))
			host_put_entry(host, HOST_cpufreq_governor, name + strlen("cpu"), &line,
			               &used);
	}
}

static void read_numa_nodes(int sys_fd, struct host *host)
{
	cleanup_(fd_closedirp) DIR *dir = open_dir(sys_fd, "devices/system/node");
	uint64_t node, nodes = 0;
	const char *name;

	if (!dir)
		return;
	while ((name = next_name(dir, "node"))) {
		struct stat status;

		nodes += scan_name_number(name, "node", &node) &&
		         fstatat(dirfd(dir), name, &status, 0) == 0 && S_ISDIR(status.st_mode);
	}
	if (nodes > 0)
		host_set_number(host, HOST_numa_nodes, nodes);
}

/* Reads the first processor's lines. A file for hundreds of processors is long, and the kernel may ask each of them for
 * its frequency to write it, so only the beginning is read. */
static void read_cpuinfo(int proc_fd, struct host *host)
{
	char text[VALUE_BYTES * 2];
	struct span rest = {text, 0}, line, key, value;
	cleanup_(fd_closep) int fd = openat(proc_fd, "cpuinfo", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text));

	if (len <= 0)
		return;
	rest.len = (size_t)len;
	while (scan_line(&rest, &line) && line.len > 0) {
		if (!scan_pair(line, &key, &value) || value.len == 0)
			continue;
		if (span_is(key, "model name"))
			host_put_text(host, HOST_cpu_model, value.text, value.len, HOST_TEXT_BYTES);
		else if (span_is(key, "vendor_id"))
			host_put_text(host, HOST_cpu_vendor, value.text, value.len,
			              HOST_TEXT_BYTES);
	}
}

/* Stores the number of "Key:   123 kB", or of one without a unit if @unit is NULL. */
static void set_meminfo(struct span value, const char *unit, struct host *host,
                        enum host_field field)
{
	struct span number, word;
	uint64_t amount;
	bool has_unit;

	if (!scan_word(&value, &number) || !scan_u64(number.text, number.len, &amount))
		return;
	has_unit = scan_word(&value, &word);
	if (unit ? has_unit && span_is(word, unit) && !scan_word(&value, &word) : !has_unit)
		host_set_number(host, field, amount);
}

static void read_meminfo(int proc_fd, struct host *host)
{
	static const struct {
		const char *key, *unit;
		enum host_field field;
	} wanted[] = {
	        {"MemTotal", "kB", HOST_total_memory_kib},
	        {"HugePages_Total", NULL, HOST_hugepages_total},
	        {"HugePages_Free", NULL, HOST_hugepages_free},
	        {"Hugepagesize", "kB", HOST_hugepages_size_kib},
	};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, line, key, value;

	if (fd_read_all_at(proc_fd, "meminfo", &text, MEMINFO_BYTES) < 0)
		return;
	rest = (struct span){strbuf_str(&text), text.len};
	while (scan_line(&rest, &line))
		for (size_t i = 0; scan_pair(line, &key, &value) && i < ARRAY_SIZE(wanted); i++)
			if (span_is(key, wanted[i].key))
				set_meminfo(value, wanted[i].unit, host, wanted[i].field);
}

void host_read_hardware(int proc_fd, int sys_fd, struct host *host)
{
	read_cpuinfo(proc_fd, host);
	read_meminfo(proc_fd, host);
	read_numa_nodes(sys_fd, host);
	read_text(sys_fd, "kernel/mm/transparent_hugepage/enabled", VALUE_BYTES, host,
	          HOST_thp_enabled);
	read_text(sys_fd, "kernel/mm/transparent_hugepage/defrag", VALUE_BYTES, host,
	          HOST_thp_defrag);
	read_files(sys_fd, "devices/system/cpu/vulnerabilities", "", host, HOST_mitigations);
	read_governors(sys_fd, host);
}

void host_read_scheduler(int proc_fd, int sys_fd, struct host *host)
{
	read_files(proc_fd, "sys/kernel", "sched_", host, HOST_sched_tunables);
	read_text(sys_fd, "kernel/debug/sched/features", HOST_LINE_BYTES, host,
	          HOST_sched_features);
	if (!host->seen[HOST_sched_features]) /* before Linux 5.13 */
		read_text(sys_fd, "kernel/debug/sched_features", HOST_LINE_BYTES, host,
		          HOST_sched_features);
}

/* Words behind "--" are for the first process. */
static void read_boot(int proc_fd, struct host *host)
{
	enum { COMMAND_LINE_BYTES = 1 << 20 };
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct span rest, word;

	if (fd_read_all_at(proc_fd, "cmdline", &text, COMMAND_LINE_BYTES) < 0)
		return;
	host->boot = (struct host_boot){.known = true};
	rest = (struct span){strbuf_str(&text), text.len};
	while (scan_word(&rest, &word) && !span_is(word, "--")) {
		host->boot.delayacct = host->boot.delayacct || span_is(word, "delayacct");
		host->boot.nodelayacct = host->boot.nodelayacct || span_is(word, "nodelayacct");
	}
}

enum { VERSION_MAJOR = 1 << 16 };

/* "6.18.44-vm" as 6 * VERSION_MAJOR + 18; 0 if it is not known. */
static uint64_t kernel_version(const struct host *host)
{
	const char *release = host_text(host, HOST_kernel_release);
	size_t major_len, minor_len;
	uint64_t major, minor;

	if (!release)
		return 0;
	major_len = strspn(release, "0123456789");
	if (release[major_len] != '.' || !scan_u64(release, major_len, &major))
		return 0;
	release += major_len + 1;
	minor_len = strspn(release, "0123456789");
	if (!scan_u64(release, minor_len, &minor) || minor >= VERSION_MAJOR ||
	    major >= VERSION_MAJOR)
		return 0;
	return major * VERSION_MAJOR + minor;
}

static bool option_is(const struct host *host, enum kernel_option option, const char *value)
{
	const char *text = host_map_get(host, HOST_kernel_config, kernel_option_table[option].name);

	return text && strcmp(text, value) == 0;
}

/* A switch at run time that the kernel has from a version on, and with an option only. */
struct toggle {
	const char *path;
	enum host_field field;
	enum kernel_option option;
	uint64_t since;
};

static const struct toggle delayacct_toggle = {"sys/kernel/task_delayacct", HOST_task_delayacct,
                                               KERNEL_OPTION_TASK_DELAY_ACCT,
                                               UINT64_C(5) * VERSION_MAJOR + 14};
static const struct toggle schedstats_toggle = {"sys/kernel/sched_schedstats",
                                                HOST_sched_schedstats, KERNEL_OPTION_SCHEDSTATS,
                                                UINT64_C(4) * VERSION_MAJOR + 6};

static void set_state(struct host *host, const struct toggle *toggle, enum host_toggle state)
{
	host_set_text(host, toggle->field, host_toggle_names[state],
	              strlen(host_toggle_names[state]));
}

/* A missing file means "config_off" only for a kernel that is new enough, and only if the configuration, if it is
 * known, does not contradict it. */
static void read_toggle(int proc_fd, struct host *host, const struct toggle *toggle)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	int r = fd_read_all_at(proc_fd, toggle->path, &text, VALUE_BYTES);
	struct span rest = {strbuf_str(&text), text.len}, word;

	if (r == 0 && scan_word(&rest, &word)) {
		if (span_is(word, "1"))
			set_state(host, toggle, HOST_TOGGLE_on);
		else if (span_is(word, "0"))
			set_state(host, toggle, HOST_TOGGLE_runtime_off);
	} else if (r == -ENOENT) {
		if (option_is(host, toggle->option, "n") ||
		    (!host->seen[HOST_kernel_config] && kernel_version(host) >= toggle->since))
			set_state(host, toggle, HOST_TOGGLE_config_off);
	}
}

/* Before Linux 5.14 delay accounting was on, and only the command line could switch it off. */
static bool is_before_delayacct_toggle(const struct host *host)
{
	uint64_t version = kernel_version(host);

	return version > 0 && version < delayacct_toggle.since;
}

void host_read_switches(int proc_fd, struct host *host)
{
	read_boot(proc_fd, host);
	read_toggle(proc_fd, host, &schedstats_toggle);
	read_toggle(proc_fd, host, &delayacct_toggle);
	if (!host->seen[HOST_task_delayacct] && is_before_delayacct_toggle(host) &&
	    host->boot.known && option_is(host, KERNEL_OPTION_TASK_DELAY_ACCT, "y"))
		set_state(host, &delayacct_toggle,
		          host->boot.nodelayacct ? HOST_TOGGLE_runtime_off : HOST_TOGGLE_on);
}

struct taskstats_rules taskstats_rules_of(const struct host *host)
{
	const char *state = host_text(host, HOST_task_delayacct);
	bool on = state && strcmp(state, host_toggle_names[HOST_TOGGLE_on]) == 0;
	bool since_boot = host->boot.delayacct;
	struct taskstats_rules rules = {
	        .cpu_delay =
	                !option_is(host, KERNEL_OPTION_TASK_DELAY_ACCT, "n") &&
	                !(state && strcmp(state, host_toggle_names[HOST_TOGGLE_config_off]) == 0),
	        .delays = TASKSTATS_DELAYS_LATER,
	        .irq = option_is(host, KERNEL_OPTION_IRQ_TIME_ACCOUNTING, "y"),
	};

	if (is_before_delayacct_toggle(host)) {
		since_boot = host->boot.known && !host->boot.nodelayacct;
		/* Those kernels left out the cpu bucket with the others. */
		rules.cpu_delay = rules.cpu_delay && !host->boot.nodelayacct;
	}
	if (state && !on)
		rules.delays = TASKSTATS_DELAYS_OFF;
	else if (on && since_boot)
		rules.delays = TASKSTATS_DELAYS_BOOT;
	return rules;
}
