// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "base/scan.h"
#include "procfs/procfs.h"

enum { PSI_FILE_BYTES = 4096 };

/* Reads "12.3" percent as hundredths; the fraction is padded or cut to two digits. */
static bool scan_hundredths(struct span text, uint32_t *ret_hundredths)
{
	enum { MILLIONTHS_PER_HUNDREDTH = 10000 };
	uint64_t millionths;

	/* Scanned as milliseconds, a percent is a million. */
	if (!memchr(text.text, '.', text.len) ||
	    !scan_dotted_ms(text.text, text.len, &millionths) ||
	    millionths > (uint64_t)PSI_AVERAGE_MAX * MILLIONTHS_PER_HUNDREDTH)
		return false;
	*ret_hundredths = (uint32_t)(millionths / MILLIONTHS_PER_HUNDREDTH);
	return true;
}

/* Parses one "name=value". An unknown name is no error; @found has a bit for each known one. */
static bool parse_word(struct span word, struct psi_line *line, unsigned *found)
{
	const char *equals = memchr(word.text, '=', word.len);
	struct span name, value;

	if (!equals)
		return true;
	name = (struct span){word.text, (size_t)(equals - word.text)};
	value = (struct span){equals + 1, word.len - name.len - 1};
	for (unsigned i = 0; i < PSI_AVERAGE_COUNT; i++)
		if (span_is(name, psi_average_names[i])) {
			*found |= 1u << i;
			return scan_hundredths(value, &line->averages[i]);
		}
	if (span_is(name, "total")) {
		*found |= 1u << PSI_AVERAGE_COUNT;
		return scan_u64(value.text, value.len, &line->total_usec);
	}
	return true;
}

static bool parse_line(struct span rest, struct psi_line *ret_line)
{
	const unsigned all = (1u << (PSI_AVERAGE_COUNT + 1)) - 1;
	struct psi_line line = {.seen = true};
	unsigned found = 0;
	struct span word;

	while (scan_word(&rest, &word))
		if (!parse_word(word, &line, &found))
			return false;
	if (found != all)
		return false;
	*ret_line = line;
	return true;
}

enum source_outcome psi_parse(const char *text, size_t len, struct psi_line lines[PSI_ROW_COUNT])
{
	struct span rest = {text, len}, line, word;
	bool any = false;

	while (scan_line(&rest, &line)) {
		if (!scan_word(&line, &word))
			continue;
		for (unsigned i = 0; i < PSI_ROW_COUNT; i++)
			if (span_is(word, psi_row_names[i]) && parse_line(line, &lines[i]))
				any = true;
	}
	return any ? OUTCOME_read : OUTCOME_malformed;
}

void psi_read_host(int proc_fd, struct psi *psi)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	memset(psi, 0, sizeof(*psi));
	for (unsigned i = 0; i < PSI_RESOURCE_COUNT; i++) {
		char name[32];

		snprintf(name, sizeof(name), "pressure/%s", psi_resource_names[i]);
		/* Malformed lines stay unseen, and have no other reason. */
		if (fd_read_all_at(proc_fd, name, &text, PSI_FILE_BYTES) == 0)
			(void)!psi_parse(strbuf_str(&text), text.len, psi->lines[i]);
	}
}
