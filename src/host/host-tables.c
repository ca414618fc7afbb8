// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of numbers that a window has at its begin and at its end. */
#include <string.h>

#include "base/fd.h"
#include "base/scan.h"
#include "host-fields.h"

enum { TABLE_BYTES = 1 << 20, NAME_BYTES = 64, CPU_NUMBERS = 10 };

static bool copy_name(struct span name, char ret[static NAME_BYTES])
{
	if (name.len == 0 || name.len >= NAME_BYTES)
		return false;
	memcpy(ret, name.text, name.len);
	ret[name.len] = '\0';
	return true;
}

/* A line has its numbers, or is left out: kernels before Linux 2.6.33 have fewer. */
static bool add_numbers(struct span line, struct strbuf *out)
{
	struct span word;
	uint64_t number;

	strbuf_clear(out);
	for (int i = 0; i < CPU_NUMBERS; i++) {
		if (!scan_word(&line, &word) || !scan_u64(word.text, word.len, &number))
			return false;
		strbuf_addf(out, "%s%llu", i > 0 ? " " : "", (unsigned long long)number);
	}
	return true;
}

void host_parse_cpus(const char *text, size_t len, struct host *host)
{
	cleanup_(strbuf_done) struct strbuf numbers = STRBUF_INIT;
	struct span rest = {text, len}, line, word;
	char name[NAME_BYTES];
	size_t used = 0;

	host_map_clear(host, HOST_cpus_clock_ticks);
	while (scan_line(&rest, &line) && scan_word(&line, &word) && word.len >= strlen("cpu") &&
	       memcmp(word.text, "cpu", strlen("cpu")) == 0)
		if (copy_name(word, name) && add_numbers(line, &numbers))
			host_put_entry(host, HOST_cpus_clock_ticks, name, &numbers, &used);
}

/* Reads lines of a name, a colon or none, and a number. */
static void read_table(int proc_fd, const char *file, enum host_field field, struct host *host)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, number = STRBUF_INIT;
	struct span rest, line, word;
	char name[NAME_BYTES];
	uint64_t value;
	size_t used = 0;

	host_map_clear(host, field);
	if (fd_read_all_at(proc_fd, file, &text, TABLE_BYTES) < 0)
		return;
	rest = (struct span){strbuf_str(&text), text.len};
	while (scan_line(&rest, &line)) {
		if (!scan_word(&line, &word))
			continue;
		if (word.text[word.len - 1] == ':')
			word.len--;
		if (!copy_name(word, name) || !scan_word(&line, &word) ||
		    !scan_u64(word.text, word.len, &value))
			continue;
		strbuf_clear(&number);
		strbuf_addf(&number, "%llu", (unsigned long long)value);
		host_put_entry(host, field, name, &number, &used);
	}
}

void host_read_memory(int proc_fd, struct host *host)
{
	read_table(proc_fd, "meminfo", HOST_meminfo, host);
	read_table(proc_fd, "vmstat", HOST_vmstat, host);
}
