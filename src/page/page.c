// SPDX-License-Identifier: GPL-2.0-or-later
#include "page/page.h"

#include <string.h>

#include "base/markup.h"
#include "page-files.h"
#include "page-section.h"
#include "report/overview-table.h"

void page_add_lines(const char *text, bool has_words, struct strbuf *out)
{
	if (*text == '\0')
		return;
	strbuf_addf(out, "<pre class=\"lines%s\">", has_words ? " words" : "");
	while (*text) {
		size_t len = strcspn(text, "\n");

		len += text[len] == '\n';
		strbuf_add_str(out, "<span>");
		markup_add(out, text, len);
		strbuf_add_str(out, "</span>");
		text += len;
	}
	strbuf_add_str(out, "</pre>\n");
}

void page_begin_text(const char *text, bool has_words, struct strbuf *out)
{
	size_t first = strcspn(text, "\n");

	strbuf_addf(out,
	            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	            "style-src '%s' '%s'; script-src '%s'; base-uri 'none'; form-action 'none'\">\n"
	            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	            "<meta name=\"color-scheme\" content=\"light dark\">\n"
	            "<meta name=\"referrer\" content=\"no-referrer\">\n<title>ctprof: ",
	            page_css_hash, chart_css_hash, page_js_hash);
	markup_add(out, text, first);
	strbuf_addf(out,
	            "</title>\n<style>%s</style>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>",
	            page_css, chart_css);
	markup_add(out, text, first);
	strbuf_add_str(out, "</h1>\n");
	if (text[first] == '\n')
		page_add_lines(text + first + 1, has_words, out);
}

void page_begin(const struct report *report, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf top = STRBUF_INIT;

	report_add_overview_top(report, &top);
	page_begin_text(strbuf_str(&top), false, out);
}

void page_end(struct strbuf *out)
{
	strbuf_addf(out,
	            "</main>\n<p id=\"status\" role=\"status\"></p>\n<script>%s</script>\n"
	            "</body>\n</html>\n",
	            page_js);
}

void page_add_command(const char *words, const char *command, const char *options,
                      struct strbuf *out)
{
	strbuf_add_str(out, "<p class=\"command\">");
	if (words[0] != '\0') {
		markup_add_str(out, words);
		strbuf_add_char(out, ' ');
	}
	strbuf_add_str(out, "<code>");
	markup_add_str(out, command);
	markup_add_str(out, options);
	strbuf_add_str(out, "</code></p>\n");
}

void page_add_heading(const char *id, const char *title, const char *command, const char *options,
                      struct strbuf *out)
{
	strbuf_addf(out, "<h2 id=\"%s\">", id);
	markup_add_str(out, title);
	strbuf_add_str(out, "</h2>\n");
	page_add_command("", command, options, out);
}

void page_begin_svg(unsigned width, unsigned height, struct strbuf *out)
{
	strbuf_addf(out,
	            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
	            "class=\"alone\">\n<style>%s</style>\n<rect class=\"paper\" width=\"100%%\" "
	            "height=\"100%%\"/>\n",
	            width, height, chart_css);
}
