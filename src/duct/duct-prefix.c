// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-prefix.h"

#include <errno.h>
#include <string.h>

#include "base/scan.h"
#include "base/text.h"

static void add_date(time_t time, struct strbuf *out)
{
	struct tm local;
	char text[64];

	if (localtime_r(&time, &local) && strftime(text, sizeof(text), "%Y.%m.%dT%H.%M.%S", &local))
		strbuf_add_str(out, text);
}

static int add_field(struct span name, time_t time, pid_t pid, struct strbuf *out,
                     struct strbuf *reason)
{
	if (span_is(name, "pid")) {
		strbuf_addf(out, "%d", (int)pid);
		return 0;
	}
	if (span_is(name, "datetime") || span_is(name, "datetime_filesafe")) {
		add_date(time, out);
		return 0;
	}
	strbuf_add_str(reason, "there is no field '");
	text_add_escaped(reason, name.text, name.len);
	strbuf_add_str(reason, "' of a prefix: {datetime} and {pid} are known");
	return -EINVAL;
}

int duct_prefix_expand(const char *template, const char *home, time_t time, pid_t pid,
                       struct strbuf *out, struct strbuf *reason)
{
	if (home && template[0] == '~' && (template[1] == '/' || template[1] == '\0')) {
		strbuf_add_str(out, home);
		template ++;
	}
	while (*template) {
		size_t len = strcspn(template, "{}");
		const char *end;
		int r;

		strbuf_add(out, template, len);
		template += len;
		if (*template == '\0')
			break;
		if (template[0] == template[1]) {
			strbuf_add_char(out, *template);
			template += 2;
			continue;
		}
		end = *template == '{' ? strchr(template, '}') : NULL;
		if (!end) {
			strbuf_addf(reason, "a '%c' stands alone", *template);
			return -EINVAL;
		}
		r = add_field((struct span){template + 1, (size_t)(end - template - 1)}, time, pid,
		              out, reason);
		if (r < 0)
			return r;
		template = end + 1;
	}
	return 0;
}
